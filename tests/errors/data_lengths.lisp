; The tensors of a dataset have one row for each example.
(define d (tensor-dataset (tensor-ones 3 2) (tensor-zeros 4)))

; error, status 70:
; data_lengths.lisp:2:11: tensor-dataset: the tensors have different lengths: shapes (3 2), (4)
;   2 | (define d (tensor-dataset (tensor-ones 3 2) (tensor-zeros 4)))
;     |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: the first dimension counts the examples
