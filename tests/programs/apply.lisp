; What `apply` takes, called and as a value.
(define-syntax said
  (syntax-rules () ((_ form) (guard (e (#t (error-object-message e))) form))))
(define as-value (car (list apply)))

(print (apply + 1 2 '(3 4)) (as-value + 1 2 '(3 4)))  ; => 10 10
(print (apply + '()) (as-value + '()))                ; => 0 0
(print (apply apply list 1 '(2 (3))))                 ; => (1 2 3)
(print (as-value as-value list 1 '(2 (3))))           ; => (1 2 3)
(define (gather . items) (apply list 0 items))
(print (gather 1 2))                                  ; => (0 1 2)

;; The last argument is the list; what stands before it has no part in that.
(print (said (apply + 1 2)))                          ; => apply: expected a list, got 2
(print (said (as-value + 1 2)))                       ; => apply: expected a list, got 2
(print (said (apply + 1 '(2 . 3))))                   ; => apply: expected a list, got (2 . 3)
(print (said (apply + 5)))                            ; => apply: expected a list, got 5
(print (said (apply 5 '(1))))                         ; => not a procedure: 5
(print (said (apply car 1 '(2))))                     ; => car: expected 1 argument, got 2

;; There has to be one.
(print (said (apply +)))                              ; => apply: expected at least 2 arguments, got 1
(print (said (as-value +)))                           ; => apply: expected at least 2 arguments, got 1
(print (said (as-value)))                             ; => apply: expected at least 2 arguments, got 0

;; The arguments are evaluated from left to right.
(print (apply list (begin (display "a") 1) (begin (display "b") 2) (begin (display "c") '()))) ; => abc(1 2)

; a list that is spread becomes the rest list, as a list of its own
(define shared (list 1 2 3))
(define (others . all) (if (pair? all) (set-car! all 'changed)) all)
(define (after-two a b . all) (list b a all))
(print (apply others shared) shared (apply others 0 shared) (apply others '())) ; => (changed 2 3) (1 2 3) (changed 1 2 3) ()
(print (apply after-two shared) (apply after-two 0 shared) (apply after-two 'a 'b shared) (apply after-two 'a 'b 'c shared)) ; => (2 1 (3)) (1 0 (2 3)) (b a (1 2 3)) (b a (c 1 2 3))
(print (apply after-two (list 1 2)) (apply + (map (lambda (x) (* x x)) shared)) (apply max 1 (list 5 7)) (apply list shared) shared) ; => (2 1 ()) 14 7 (1 2 3) (1 2 3)
(print (guard (e (#t (error-object-message e))) (apply after-two '(1))) (guard (e (#t (error-object-message e))) (apply others '(1 . 2)))) ; => after-two: expected at least 2 arguments, got 1 apply: expected a list, got (1 . 2)
