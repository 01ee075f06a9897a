; Printing: every dtype, edges of the rule, inside data, and what write gives read back.
(define (show x) (display x) (display " ") (write x) (newline))
(show (tensor '(0.1 3.14159 70000) :dtype 'f16))  ; => [0.1 3.1406 inf] [0.1 3.14 +inf.0]
(show (tensor '(0.1 3.14159) :dtype 'bf16))       ; => [0.1001 3.1406] [0.1 3.14]
(show (tensor '(0.1 448 -0.0) :dtype 'float8-e4m3fn)) ; => [0.1016 448.0 0.0] [0.1 450.0 -0.0]
(show (tensor '(0.1 1e-50 1e300) :dtype 'f64))    ; => [0.1 0.0 1.0000e+300] [0.1 1e-50 1e300]
(show (tensor '(-128 127) :dtype 'i8))            ; => [-128 127] [-128 127]
(show (tensor '(255) :dtype 'u8))                 ; => [255] [255]
(show (tensor '(#t 0) :dtype 'bool))              ; => [#t #f] [#t #f]
(show (tensor-complex [1.0 0.1] [-0.5 -1e-9]))    ; => [1.0-0.5i 0.1-1.0000e-09i] [1.0-0.5i 0.1-1e-9i]
(show (tensor-complex (tensor '(0.1 +inf.0) :dtype 'f64) (tensor '(-0.0 +nan.0) :dtype 'f64))) ; => [0.1+0.0i inf+nani] [0.1-0.0i +inf.0+nan.0i]
(show [+inf.0 -inf.0 +nan.0])                     ; => [inf -inf nan] [+inf.0 -inf.0 +nan.0]
(show [0.0001 0.00009999 999999.0 1000000.0 0.00005 1e-40]) ; => [0.0001 9.9990e-05 999999.0 1.0000e+06 5.0000e-05 9.9999e-41] [0.0001 0.00009999 999999.0 1000000.0 0.00005 1e-40]
(show (tensor-t [[1 2 3] [4 5 6]]))               ; => [[1 4] [2 5] [3 6]] [[1 4] [2 5] [3 6]]
(show (tensor 1.5 :requires-grad #t))             ; => 1.5 1.5
(show (tensor-zeros 2 0 3))                       ; => [[] []] [[] []]
(show (tensor-zeros 0 2))                         ; => [] []
(show (list [1.25] (vector (tensor 2)) "s" (cons [#t] 'a))) ; => ([1.25] #(2) s ([#t] . a)) ([1.25] #(2) "s" ([#t] . a))
(show (tensor-to-sparse [[0 1] [2 0]]))           ; => [[0 1] [2 0]] [[0 1] [2 0]]
(show (tensor-quantize-per-tensor [1.0 2.0] 0.5 0 'quint8)) ; => [1.0 2.0] [1.0 2.0]
(print (format "~a|~s" [0.1] (/ [1.0] 3)) (string-length (format "~s" (tensor-zeros 600 2)))) ; => [0.1]|[0.33333334] 6001
(print (tensor-arange 1001) (string-length (format "~a" (tensor-zeros 1000)))) ; => [0 1 2 ... 998 999 1000] 4001
