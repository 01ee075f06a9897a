; fluid-let, begin0, dolist and define-syntax-rule.
(define depth 1)
(define (show) depth)
(print (fluid-let ((depth 2)) (show)) (show))  ; => 2 1
(define other 'a)
(print (fluid-let ((depth (+ depth 10)) (other depth)) (define x (list (show) other)) x) depth other)
; => (11 1) 1 a
; The variables are restored after an error and an escape, and the body's value is kept.
(print (guard (e (#t (list e depth))) (fluid-let ((depth 5)) (raise (show))))) ; => (5 1)
(print (let/cc return (fluid-let ((depth 6)) (return (show)))) depth) ; => 6 1
(print (fluid-let ((depth 7)) (set! depth (+ depth 1)) (show)) depth) ; => 8 1
(define (local n) (define (get) n) (list (fluid-let ((n (* n 2))) (get)) (get)))
(print (local 4))                              ; => (8 4)
(print (fluid-let () 3))                       ; => 3
(let ((swap 1) (held 2) (dynamic-wind 3))
  (print (fluid-let ((swap 4) (held 5)) (list swap held dynamic-wind)) swap held)) ; => (4 5 3) 1 2
; A library name becomes the program's own variable, as with set!.
(define (halve n) (quotient n 2))
(print (fluid-let ((quotient +)) (halve 7)) (halve 7)) ; => 9 3

(define n 0)
(print (begin0 n (set! n (+ n 1)) (set! n (+ n 1))) n (begin0 5)) ; => 0 2 5
(let-values (((a b) (begin0 (values 1 2) (set! n 9)))) (print a b n)) ; => 1 2 9
(let ((result 1)) (print (begin0 2 result) result)) ; => 2 1

(dolist (x '(1 2 3)) (define y (* x x)) (display y) (display " "))
(newline)                                      ; => 1 4 9 
(define total 0)
(print (dolist (x (list 1 2 3) total) (set! total (+ total x)))) ; => 6
(print (dolist (x '() 'none) (car x)) (dolist (x '(1) 'empty))) ; => none empty
(let ((for-each list) (lambda 5)) (dolist (x '(1)) (print x lambda))) ; => 1 5
(print (guard (e (#t (error-object-message e))) (dolist (x 5) x))) ; => for-each: expected a list, got 5
(print (let/cc found (dolist (x '(1 5 7) 'none) (if (> x 3) (found x))))) ; => 5

(define-syntax-rule (swap! a b) "Exchange them." (let ((tmp a)) (set! a b) (set! b tmp)))
(define tmp 1)
(swap! tmp n)
(print tmp n)                                  ; => 9 1
(define-syntax-rule (my-list (a b) ...) (list (cons a b) ...))
(print (my-list (1 2) (3 4)) (my-list))        ; => ((1 . 2) (3 . 4)) ()
(define (inside x)
  (define-syntax-rule (twice e) (begin e e))
  (define-syntax-rule (rest-of a . r) 'r)
  (twice (set! x (* x x)))
  (list x (rest-of 1 2 3)))
(print (inside 3))                             ; => (81 (2 3))
