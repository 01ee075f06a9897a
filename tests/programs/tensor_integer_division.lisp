; The least integer divided by -1: no processor has the quotient, so it wraps as in tensor-neg; the
; remainder is 0.  All dtypes, operators, overloads and variants.
(define least '((int64 . -9223372036854775808) (int32 . -2147483648) (int16 . -32768) (int8 . -128)))
(define (of dtype . elements) (tensor elements :dtype dtype))
(define-syntax each
  (syntax-rules ()
    ((_ (x y) e)
     (print (map (lambda (entry)
                   (let ((x (of (car entry) (cdr entry) 7 -7))
                         (y (of (car entry) -1 -1 2)))
                     (let ((result e))
                       (tensor-equal result
                                     (of (car entry)
                                         (if (= 0 (tensor-item (tensor-ref result 0))) 0 (cdr entry))
                                         (tensor-item (tensor-ref result 1))
                                         (tensor-item (tensor-ref result 2)))))))
                 least)
            (let* ((x (of 'int64 (cdar least) 7 -7)) (y (of 'int64 -1 -1 2))) e)))))

(each (x y) (quotient x y))          ; => (#t #t #t #t) [-9223372036854775808 -7 -3]
(each (x y) (truncate-quotient x y)) ; => (#t #t #t #t) [-9223372036854775808 -7 -3]
(each (x y) (floor-quotient x y))    ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (remainder x y))         ; => (#t #t #t #t) [0 0 -1]
(each (x y) (modulo x y))            ; => (#t #t #t #t) [0 0 1]
(each (x y) (tensor-div x y :rounding-mode "trunc"))      ; => (#t #t #t #t) [-9223372036854775808 -7 -3]
(each (x y) (tensor-div x y :rounding-mode "floor"))      ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (tensor-divide x y :rounding-mode "floor"))   ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (tensor-floor-divide x y))                    ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (tensor-remainder x y))                       ; => (#t #t #t #t) [0 0 1]
(each (x y) (tensor-fmod x y))                            ; => (#t #t #t #t) [0 0 -1]
(each (x y) (tensor-div! (tensor-clone x) y :rounding-mode "trunc"))  ; => (#t #t #t #t) [-9223372036854775808 -7 -3]
(each (x y) (tensor-floor-divide! (tensor-clone x) y))    ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (tensor-remainder! (tensor-clone x) y))       ; => (#t #t #t #t) [0 0 1]
(each (x y) (tensor-fmod! (tensor-clone x) y))            ; => (#t #t #t #t) [0 0 -1]
(each (x y) (tensor-floor-divide x y :out (tensor-empty-like x)))     ; => (#t #t #t #t) [-9223372036854775808 -7 -4]
(each (x y) (tensor-remainder x y :out (tensor-empty-like x)))        ; => (#t #t #t #t) [0 0 1]

; By a number, and of a number.
(each (x y) (quotient x -1))                              ; => (#t #t #t #t) [-9223372036854775808 -7 7]
(each (x y) (modulo x -1))                                ; => (#t #t #t #t) [0 0 0]
(each (x y) (tensor-div x -1 :rounding-mode "trunc"))     ; => (#t #t #t #t) [-9223372036854775808 -7 7]
(each (x y) (tensor-floor-divide x -1))                   ; => (#t #t #t #t) [-9223372036854775808 -7 7]
(each (x y) (tensor-floor-divide! (tensor-clone x) -1))   ; => (#t #t #t #t) [-9223372036854775808 -7 7]
(each (x y) (tensor-remainder x -1))                      ; => (#t #t #t #t) [0 0 0]
(each (x y) (tensor-remainder! (tensor-clone x) -1))      ; => (#t #t #t #t) [0 0 0]
(each (x y) (tensor-fmod x -1))                           ; => (#t #t #t #t) [0 0 0]
(print (quotient (cdar least) (of 'int64 -1 1)))          ; => [-9223372036854775808 -9223372036854775808]
(print (tensor-remainder -7 (of 'int64 -1 2)))            ; => [0 1]
(print (tensor-dtype (quotient (of 'int32 (cdadr least)) -1)))  ; => int32

; Mixed dtypes: what counts is the one in which the division is done.
(print (quotient (of 'int64 (cdar least)) (of 'int8 -1)))  ; => [-9223372036854775808]
(print (quotient (of 'int32 (cdadr least)) (of 'int64 -1)))  ; => [2147483648]
(print (quotient (of 'int64 -8 8) (tensor '(-1.0 -1.0))))  ; => [8.0 -8.0]

; Floats and zeros are as before.
(define (said thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (said (lambda () (quotient (of 'int64 1) 0))))      ; => quotient: division by zero; given a tensor int64 (1) and 0
(print (quotient [1.0] 0))                                 ; => [inf]
