; Names, strings and comments beyond ASCII.  λ → ∀
(define π 3)
(define (größe x) (* π x))
(print (größe 2) 'naïve "→" (string-length "→λ")) ; => 6 naïve → 2
(print (string->symbol "日本") (symbol->string 'été)) ; => 日本 été
