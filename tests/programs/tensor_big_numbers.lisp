; Integers beyond 64 bits beside tensors: floating-point numbers take them, integers cannot.
(define big (expt 10 20))
(define (said thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (* [1.0] big))        ; => [1.0000e+20]
(print (* big [1.0 2.0]))    ; => [1.0000e+20 2.0000e+20]
(print (+ [1.0] big))        ; => [1.0000e+20]
(print (- [1.0] big))        ; => [-1.0000e+20]
(print (- big [1.0]))        ; => [1.0000e+20]
(print (/ [1e20] big))       ; => [1.0]
(print (/ big [1e20]))       ; => [1.0]
(print (tensor-dtype (* [1.0] big)))  ; => float32
(print (max [1.0] big))      ; => [1.0000e+20]
(print (min [1.0] big))      ; => [1.0]
(print (modulo [7.0] big))   ; => [7.0]
(print (quotient [1e20] big))  ; => [1.0]
(print (* (tensor '(1.0) :dtype 'float64) (expt 10 400)))  ; => [inf]
(print (said (lambda () (* [1] big))))  ; => *: 100000000000000000000 does not fit into int64
