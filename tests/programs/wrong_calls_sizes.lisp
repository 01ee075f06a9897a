;; Work and memory that the sizes of the arguments do not limit: empty rows, parts, degrees.

(import "modules/wrong.lisp")

(define wide (tensor-zeros 4611686018427387904 0))
(define deep (tensor-zeros '(8 8 8 8 8 8 8 8 8 8 8 8 8 0)))

;; Printing.
(print (tensor-zeros 2 3 0))         ; => [[[] [] []] [[] [] []]]
(write (tensor-zeros 2 0))
(newline)                            ; => [[] []]
(print wide)                         ; => #<empty tensor float32 (4611686018427387904 0)>
(write wide)
(newline)                            ; => #<empty tensor float32 (4611686018427387904 0)>
(print deep)                         ; => #<empty tensor float32 (8 8 8 8 8 8 8 8 8 8 8 8 8 0)>
(print (tensor-repeat [] 4611686018427387904 0))  ; => #<empty tensor float32 (4611686018427387904 0)>

;; Lists.
(print (tensor->list (tensor-zeros 2 0)))  ; => (() ())
(wrong tensor->list wide)
; => tensor->list: too many empty rows for a list: the tensor has shape (4611686018427387904 0)
(wrong tensor->list deep)
; => tensor->list: too many empty rows for a list: the tensor has shape (8 8 8 8 8 8 8 8 8 8 8 8 8 0)

;; Parts.
(print (tensor-unbind (tensor-zeros 2 0)))  ; => ([] [])
(wrong tensor-unbind wide)
; => tensor-unbind: a tensor of shape (4611686018427387904 0) has too many parts
(wrong tensor-split wide 2)
; => tensor-split: a tensor of shape (4611686018427387904 0) has too many parts
(wrong tensor-chunk wide 4611686018427387904)
; => tensor-chunk: a tensor of shape (4611686018427387904 0) has too many parts
(print (map tensor-shape (tensor-chunk wide 2)))  ; => ((2305843009213693952 0) (2305843009213693952 0))

;; Polynomials of a degree.
(print (tensor-special-legendre-polynomial-p [0.5] 2))  ; => [-0.125]
(wrong tensor-special-legendre-polynomial-p [0.5] 4611686018427387904)
; => tensor-special-legendre-polynomial-p: expected 1000000 or less for n, got 4611686018427388000.0; given x float32 (1), n 4611686018427387904
(wrong tensor-special-laguerre-polynomial-l [0.5] [1.0 1e9])
; => tensor-special-laguerre-polynomial-l: expected 1000000 or less for n, got 1000000000.0; given x float32 (1), n float32 (2)
