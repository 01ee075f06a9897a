; Templates: unquote, splicing, nesting, vectors.
(define x 5)
(define items '(1 2 3))
(print `(a ,x ,(+ x 1)))                          ; => (a 5 6)
(print `(0 ,@items 4) `(,@items) `(,@items . end)) ; => (0 1 2 3 4) (1 2 3) (1 2 3 . end)
(print `(1 . ,x) `((,x) (,@items)))               ; => (1 . 5) ((5) (1 2 3))
(print `#(1 ,x ,@items))                          ; => #(1 5 1 2 3)
(write `(a `(b ,(c ,x))))
(newline)                                         ; => (a `(b ,(c 5)))
(write `(a `(b ,c ,@d)))
(newline)                                         ; => (a `(b ,c ,@d))
(print `plain `"text" `,x)                        ; => plain text 5
(print (quasiquote (a (unquote x))))              ; => (a 5)
(write ''a)
(newline)                                         ; => 'a
