(define m (sequential (linear 784 128) (relu) (linear 128 10 :bias #f)))
(freeze! (module-at m "2"))
(summary m)
; => module   type        parameters     memory  own shapes
; => (model)  sequential     101,760  397.5 KiB
; => 0        linear         100,480  392.5 KiB  (128 784) (128)
; => 1        relu                 0    0 bytes
; => 2        linear           1,280    5.0 KiB  (10 128)
; => 101,760 parameters, 100,480 of them learn; 397.5 KiB
