; no-grad and with-grad hold for their bodies only, and their values come out.
(define w (requires-grad! [2.0]))
(define frozen (no-grad (* w w)))
(print frozen)                                    ; => [4.0]
(define (step) (no-grad (tensor-sub! w 0.5)))
(backward (* w w))
(print (tensor-grad w))                           ; => [4.0]
(step)
(print w (tensor-grad w))                         ; => [1.5] [4.0]
(zero-grad! w)
(backward (no-grad (display "inside ") (with-grad (* w w))))
(print (tensor-grad w))                           ; => inside [3.0]
(define (in-tail n) (if (= n 0) (no-grad (* w 2)) (in-tail (- n 1))))
(print (in-tail 3))                               ; => [3.0]
(zero-grad! w)
(backward (* 3 w))
(print (tensor-grad w))                           ; => [3.0]
(print (no-grad 1 2 (+ 1 2)))                     ; => 3
