; A token that the vocabulary does not have.
(define table (tensor-ones 10 4))
(print (tensor-embedding table [3 10 2]))

; error, status 70:
; tensor_embedding_index.lisp:3:8: tensor-embedding: index 10 is out of range for a weight of 10 rows; given weight float32 (10 4), indices int64 (3)
;   3 | (print (tensor-embedding table [3 10 2]))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
