(define (tick) (display ""))
(define v (vector 'a 'b 'c))
(print (vector-ref v (* ((lambda () (tick) 65536)) ((lambda () (tick) 65536)))))

; error, status 70:
; index_of_constants.lisp:3:8: vector-ref: index 4294967296 is out of range for length 3
;   3 | (print (vector-ref v (* ((lambda () (tick) 65536)) ((lambda () (tick) 65536)))))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
