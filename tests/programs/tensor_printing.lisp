; Tensors: display rounds to 4 decimals and cuts what is long; write shows every digit.
(print [1.0 0.2225 -3.5 100.0])                   ; => [1.0 0.2225 -3.5 100.0]
(print (/ [1.0 2.0] 3))                           ; => [0.3333 0.6667]
(write (/ [1.0 2.0] 3)) (newline)                 ; => [0.33333334 0.6666667]
(print [1e6 123456.0 1234567.0 0.0001 0.00001234]) ; => [1.0000e+06 123456.0 1.2346e+06 0.0001 1.2340e-05]
(print [-0.0 -0.00001 0.00004])                   ; => [0.0 -1.0000e-05 4.0000e-05]
(print (/ [1.0 -1.0 0.0] 0.0))                    ; => [inf -inf nan]
(print (tensor 2.5) (tensor 3) (tensor #t) (list [1.0] (tensor 2.5))) ; => 2.5 3 #t ([1.0] 2.5)
(print [[1 2] [3 4]] (tensor-zeros 2 0) (tensor-zeros 0)) ; => [[1 2] [3 4]] [[] []] []
(print (tensor-arange 2001))                      ; => [0 1 2 ... 1998 1999 2000]
(print (tensor-shape (tensor-zeros 50 30)) (tensor-zeros 50 30)) ; => (50 30) [[0.0 0.0 0.0 ... 0.0 0.0 0.0] [0.0 0.0 0.0 ... 0.0 0.0 0.0] [0.0 0.0 0.0 ... 0.0 0.0 0.0] ... [0.0 0.0 0.0 ... 0.0 0.0 0.0] [0.0 0.0 0.0 ... 0.0 0.0 0.0] [0.0 0.0 0.0 ... 0.0 0.0 0.0]]
(print (tensor-arange 8))                         ; => [0 1 2 3 4 5 6 7]
(write [1.5 2.0]) (write [1 2]) (write [#t]) (newline) ; => [1.5 2.0][1 2][#t]
(write (tensor 0.1 :dtype 'float64)) (newline)    ; => 0.1
