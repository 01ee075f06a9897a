; Examples of one batch must have one shape: the message names them by their indices.
(define images (list [[1.0 2.0]] [[3.0 4.0]] [[5.0] [6.0]]))
(define (train)
  (do-batches ((x) (data-loader images :batch-size 2 :sampler '(0 2)))
    (print x)))
(train)

; error, status 70:
; data_collate_shapes.lisp:6:1: collate: the examples of a batch differ: example 0 has a tensor of shape (1 2), example 2 has one of shape (2 1)
;   6 | (train)
;     | ^^^^^^^
; hint: give them one shape with map-dataset, or the loader a :collate
