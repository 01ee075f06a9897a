;; 6.14: exit runs the after-thunks that are outstanding, and nothing catches it.
(define (leave)
  (dynamic-wind
   (lambda () (print "in"))
   (lambda () (exit 3))
   (lambda () (print "out"))))
(define p (make-parameter 1))
(dynamic-wind
 (lambda () #f)
 (lambda ()
   (guard (e (#t (print "never")))
     (with-exception-handler
      (lambda (e) (print "never"))
      (lambda () (call/cc (lambda (k) (parameterize ((p 2)) (leave))))))))
 (lambda () (print "last" (p))))
(display "never")
; => in
; => out
; => last 1
; exits 3
