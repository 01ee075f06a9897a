; Columns count characters, and the caret stands under them.
(define größe "é") (print größe (car "é→"))
