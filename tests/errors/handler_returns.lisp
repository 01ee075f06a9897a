;; The handler returns to a raise, which goes on nowhere.
(define (f)
  (list (raise 'oops)))
(with-exception-handler
 (lambda (e) (print 'seen e) 0)
 (lambda () (list (f))))

; error, status 70:
; handler_returns.lisp:3:9: a handler returned from a raise that is not continuable: oops
;   3 |   (list (raise 'oops)))
;     |         ^^^^^^^^^^^^^
; hint: leave the handler through guard or call/cc, or use raise-continuable
;   in f, called at handler_returns.lisp:6:19
;   in lambda, called at handler_returns.lisp:4:1
