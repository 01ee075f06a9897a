; What `exit` takes: anything else is an error, and the program goes on if that is caught.
(define-syntax said
  (syntax-rules () ((_ form) (guard (e (#t (error-object-message e))) form))))
(for-each (lambda (status) (print (said (exit status))))
          (list 256 -1 2.0 1/2 (expt 2 64) 'a "0" #\0 '()))
; => exit: expected #t, #f or an integer from 0 to 255, got 256
; => exit: expected #t, #f or an integer from 0 to 255, got -1
; => exit: expected #t, #f or an integer from 0 to 255, got 2.0
; => exit: expected #t, #f or an integer from 0 to 255, got 1/2
; => exit: expected #t, #f or an integer from 0 to 255, got 18446744073709551616
; => exit: expected #t, #f or an integer from 0 to 255, got a
; => exit: expected #t, #f or an integer from 0 to 255, got "0"
; => exit: expected #t, #f or an integer from 0 to 255, got #\0
; => exit: expected #t, #f or an integer from 0 to 255, got ()
(print (said (emergency-exit 256)))                   ; => emergency-exit: expected #t, #f or an integer from 0 to 255, got 256
(dynamic-wind
  (lambda () #f)
  (lambda () (exit 255))
  (lambda () (print 'after)))                         ; => after
; exits 255
