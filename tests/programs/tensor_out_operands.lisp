;; :out may not be an operand that is read after it has been overwritten, or has grown.

(import "modules/wrong.lisp")

(define mean [1.0 2.0 3.0])
(wrong tensor-normal mean 1.0 :out mean)
; => tensor-normal: the result would overwrite what it is computed from; given mean float32 (3), out float32 (3)
(wrong tensor-normal mean [1.0 1.0 1.0] :out mean)
; => tensor-normal: the result would overwrite what it is computed from; given mean float32 (3), std float32 (3), out float32 (3)
(wrong tensor-normal 0.0 mean :out mean)
; => tensor-normal: the result would overwrite what it is computed from; given mean 0.0, std float32 (3), out float32 (3)
(print (tensor-shape (tensor-normal mean 1.0 :out [0.0 0.0 0.0])))  ; => (3)

;; The summand of a product.
(define row [1.0 2.0])
(define column (tensor-ones 2 1))
(define ones (tensor-ones 1 2))
(wrong tensor-addmm row column ones :out row)
; => tensor-addmm: expected shape (2 2) for self, got (2); given self float32 (2), mat1 float32 (2 1), mat2 float32 (1 2), out float32 (2)
(define one [1.0])
(wrong tensor-addmv one column [2.0] :out one)
; => tensor-addmv: expected shape (2) for self, got (1); given self float32 (1), mat float32 (2 1), vec float32 (1), out float32 (1)
(define start [1.0])
(wrong tensor-addr start row row :out start)
; => tensor-addr: expected shape (2 2) for self, got (1); given self float32 (1), vec1 float32 (2), vec2 float32 (2), out float32 (1)
(define batch (tensor-ones 3 2 2))
(define square (tensor-ones 2))
(wrong tensor-addbmm square batch batch :out square)
; => tensor-addbmm: expected shape (2 2) for self, got (2); given self float32 (2), batch1 float32 (3 2 2), batch2 float32 (3 2 2), out float32 (2)
(wrong tensor-baddbmm square batch batch :out square)
; => tensor-baddbmm: expected shape (3 2 2) for self, got (2); given self float32 (2), batch1 float32 (3 2 2), batch2 float32 (3 2 2), out float32 (2)
(define sum (tensor-ones 2 2))
(print (tensor-addmm sum column ones :out sum))  ; => [[2.0 2.0] [2.0 2.0]]

;; A tensor without elements, which grows.
(define empty (tensor-zeros 0 3))
(wrong tensor-mean empty 0 :out empty)
; => tensor-mean: the result would overwrite what it is computed from; given self float32 (0 3), dim 0, out float32 (0 3)
(define none (tensor-zeros 0))
(print (tensor-add none [1.0] :out none))        ; => []
