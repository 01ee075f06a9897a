(define (handle e)
  (list (vector-ref (vector 1 2) e)))
(with-exception-handler
 handle
 (lambda () (list (raise-continuable 2))))

; error, status 70:
; error_in_handler.lisp:2:9: vector-ref: index 2 is out of range for length 2
;   2 |   (list (vector-ref (vector 1 2) e)))
;     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
;   in handle, called at error_in_handler.lisp:5:19
;   in lambda, called at error_in_handler.lisp:3:1
