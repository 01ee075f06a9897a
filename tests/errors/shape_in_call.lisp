; A shape mismatch inside a function called from a function: place, shapes, and the way there.
(define (layer a b)
  (tensor-relu
   (tensor-matmul a b)))

(define (train x)
  (list (layer x x)))

(print "before")
(print (train [[1.0 2.0 3.0] [4.0 5.0 6.0]]))
(print "never")

; error, status 70:
; shape_in_call.lisp:4:4: tensor-matmul: inner sizes differ: (2 3) times (2 3)
;   4 |    (tensor-matmul a b)))
;     |    ^^^^^^^^^^^^^^^^^^^
; hint: (tensor-transpose b 0 1) has shape (3 2)
;   in layer, called at shape_in_call.lisp:7:9
;   in train, called at shape_in_call.lisp:10:8
