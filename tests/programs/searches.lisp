;; memq, assoc and the like walk a list as far as they must.

(print (memq 'b '(a b . c)))                       ; => (b . c)
(print (assv 2 '((1 . a) (2 . b) 3 . 4)))          ; => (2 . b)
(print (memv 1.5 '(a 1 1.5 c)))                    ; => (1.5 c)
(print (memq (expt 2 70) (list 1 (expt 2 70))))    ; => (1180591620717411303424)
(print (member "b" (list 'b "a" "b")))             ; => (b)
(print (member '#(1 "x") (list 1 '#(1 "y") '#(1 "x"))))  ; => (#(1 x))
(print (assoc "beta" '(("alpha" . 1) ("beta" . 2)))) ; => (beta . 2)
(print (assq 'x '()))                              ; => #f

;; Strings of all small sizes, and of both widths, differ in each position.
(define (with-letter size at c)
  (string-append (make-string at #\a) (string c)
                 (make-string (- size at 1) #\a)))
(define (all-differ? size c)
  (let loop ((at 0))
    (or (= at size)
        (and (not (equal? (with-letter size at c) (make-string size #\a)))
             (equal? (with-letter size at c) (with-letter size at c))
             (string=? (with-letter size at c) (with-letter size at c))
             (not (string=? (with-letter size at c) (make-string size #\a)))
             (string<? (make-string size #\a) (with-letter size at c))
             (not (string<? (with-letter size at c) (make-string size #\a)))
             (loop (+ at 1))))))
(print (map (lambda (size) (and (all-differ? size #\b) (all-differ? size #\λ)))
            (iota 20 1)))
; => (#t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t)

;; A circular list is searched once, and is not a list.
(define circle (list 1 2 3))
(set-cdr! (cddr circle) circle)
(print (car (memv 3 circle)))                      ; => 3
(print (guard (e (#t (error-object-message e))) (memq 'x '(1 2 . 3))))
; => memq: expected a list, got (1 2 . 3)
(print (guard (e (#t 'not-a-list)) (memq 'x circle)))  ; => not-a-list
(print (guard (e (#t (error-object-message e))) (assq 'x '((y . 1) 2))))
; => assq: expected a pair, got 2
(print (guard (e (#t (error-object-message e))) (assoc "x" '(("y" . 1) . 2))))
; => assoc: expected a list, got (("y" . 1) . 2)
(set-cdr! (cddr circle) '())
