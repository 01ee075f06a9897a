; An index that a sampler chose, found by the thread that gathers batches ahead.
(define d (tensor-dataset (tensor-arange 4)))
(do-batches ((x) (data-loader d :batch-size 2 :sampler '(0 1 7) :prefetch 2))
  (print x)) ; => [0 1]

; error, status 70:
; data_prefetch_index.lisp:3:1: data-loader: index 7 is out of range for length 4
;   3 | (do-batches ((x) (data-loader d :batch-size 2 :sampler '(0 1 7) :prefetch 2))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
