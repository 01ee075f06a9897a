; A procedure of the program has the name of the compiler's own function for the top level, which is
; long enough to be split into several, with names of their own.

(define-syntax eight
  (syntax-rules () ((_ form) (begin form form form form form form form form))))

(define total 0)
(define numbers (list 1 2 3))

(define (main mode path)
  (guard (e (#t (string "caught " e)))
    (if (symbol? mode) (raise mode) (string mode " " path))))

(define (count! more)
  (set! total (+ total (length (map (lambda (x) (list more x)) numbers)))))

(eight (eight (eight (count! "x"))))
(print total)                                   ; => 1536
(print (main (car numbers) (cadr numbers)))     ; => 1 2
(print (main 'oops (cadr numbers)))             ; => caught oops
