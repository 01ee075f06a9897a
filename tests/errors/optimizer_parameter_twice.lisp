; A parameter in two groups: it would move twice in each step.
(define w (requires-grad! [[1.0 2.0]]))
(define b (requires-grad! [0.0]))
(sgd (list (parameter-group (list b w)) (parameter-group (list w) :lr 0.1)))

; error, status 70:
; optimizer_parameter_twice.lisp:4:1: sgd: parameter 1, of shape (1 2), is given again as parameter 2
;   4 | (sgd (list (parameter-group (list b w)) (parameter-group (list w) :lr 0.1)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: each step would change it twice; (delete-duplicates parameters eq?) keeps one of each
