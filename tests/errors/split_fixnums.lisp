;; A procedure with a version for fixnums has one frame in a trace, in either version.

(define (nth items n)
  (if (= n 0)
      (car items)
      (nth (cdr items) (- n 1))))

(define (sum-to v n)
  (if (= n 0)
      0
      (+ (vector-ref v n) (sum-to v (- n 1)))))

(define (try thunk) (guard (e (#t (display (error-object-message e)) (newline))) (thunk)))
(try (lambda () (nth '(1) (string->number "3"))))
(try (lambda () (sum-to (vector 1 2) (string->number "5.5"))))
(sum-to (vector 1 2 'c) (string->number "2"))

; error, status 70:
; split_fixnums.lisp:11:7: +: expected a number, got c
;   11 |       (+ (vector-ref v n) (sum-to v (- n 1)))))
;      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
;   in sum-to, called at split_fixnums.lisp:16:1
