; Datasets: tensors, lists, procedures, and what is made of other datasets.
(define x (tensor-reshape (tensor-arange 12) 6 2))
(define y (tensor [0 1 0 1 0 1]))
(define d (tensor-dataset x y))

(print d (dataset? d) (dataset? x) (dataset? '(1)) (dataset? 5)) ; => #<dataset source: tensors length: 6> #t #t #t #f
(print (dataset-length d) (dataset-ref d 2))    ; => 6 ([4 5] 0)
(print (dataset-length x) (dataset-ref x 2))    ; => 6 [4 5]
(print (dataset-ref '(a b) 1) (dataset-ref #(a b) 0)) ; => b a
(print (dataset-length (tensor-dataset x)) (dataset-ref (tensor-dataset x) 0)) ; => 6 ([0 1])

; Subsets keep the tensors and share their memory.
(define odd (subset-dataset d '(5 3 1)))
(print odd (dataset->list odd))                 ; => #<dataset source: subset length: 3> (([10 11] 1) ([6 7] 1) ([2 3] 1))
(print (dataset-tensors (subset-dataset odd [2 0]))) ; => ([[2 3] [10 11]] [1 1])
(print (dataset->list (subset-dataset x '(1)))) ; => ([2 3])
(print (dataset->list (subset-dataset '(a b c) '(2 0 2)))) ; => (c a c)
(print (dataset-length (subset-dataset d '()))) ; => 0

; Mapped when asked for, with the parts of an example as arguments.
(define calls 0)
(define sums (map-dataset (lambda (row class)
                            (set! calls (+ calls 1))
                            (list (tensor-sum row) class))
                          d))
(print (dataset-length sums) calls (dataset-ref sums 1) calls) ; => 6 0 (5 1) 1
(print (dataset->list (map-dataset (lambda (n) (* n n)) '(1 2 3)))) ; => (1 4 9)
(print (dataset->list (make-dataset 3 (lambda (i) (* 10 i))))) ; => (0 10 20)
(print (dataset-tensors sums))                  ; => ([1 5 9 13 17 21] [0 1 0 1 0 1])

; One after the other.
(define both (concat-datasets '(a b) #() (tensor-arange 2) #(c)))
(print both (dataset->list both))               ; => #<dataset source: concat length: 5> (a b 0 1 c)
(print (dataset-length (concat-datasets)))      ; => 0

; No gradients flow to data.
(define w (requires-grad! [[1.0] [2.0]]))
(print (requires-grad? (car (dataset-ref (tensor-dataset (* w 2)) 0)))) ; => #f

; Batches of anything.
(print (collate '(1 2)) (collate '(1 2.5)) (collate '(#t #f)) (collate '("a" "b"))) ; => [1 2] [1.0 2.5] [#t #f] (a b)
(print (collate (list (list [1 2] 0) (list [3 4] 1)))) ; => ([[1 2] [3 4]] [0 1])
(print (collate '(#(1 (2 a)) #(3 (4 b)))))      ; => #([1 3] ([2 4] (a b)))
(define (point x y) (let ((h (make-hash-table))) (hash-set! h "x" x) (hash-set! h "y" y) h))
(print (hash->list (collate (list (point 1 "p") (point 2 "q"))))) ; => ((x . [1 2]) (y p q))

; Wrong use.
(import "modules/wrong.lisp")
(wrong tensor-dataset)                          ; => tensor-dataset: expected at least one tensor
(wrong tensor-dataset '(1))                     ; => tensor-dataset: expected a tensor, got (1)
(wrong tensor-dataset (tensor 5))               ; => tensor-dataset: expected a tensor with a dimension of examples, got shape ()
(wrong dataset-ref d 6)                         ; => dataset-ref: index 6 is out of range for length 6
(wrong dataset-ref d -1)                        ; => dataset-ref: expected a non-negative exact integer, got -1
(wrong dataset-length 5)                        ; => dataset-length: expected a dataset, got 5
(wrong dataset-tensors '())                     ; => dataset-tensors: the dataset is empty
(wrong subset-dataset d '(0 6))                 ; => subset-dataset: index 6 is out of range for length 6
(wrong subset-dataset d [0.5])                  ; => subset-dataset: expected a list or a tensor of indices, got a tensor float32 (1)
(wrong map-dataset d d)                         ; => map-dataset: expected a procedure, got #<dataset source: tensors length: 6>
(wrong make-dataset 2.5 list)                   ; => make-dataset: expected a non-negative exact integer, got 2.5
(wrong collate '())                             ; => collate: expected at least one example
(wrong collate (list 1 "a"))                    ; => collate: the examples of a batch differ: example 0 has a number, example 1 has "a"
(wrong collate '((1 2) (3)))                    ; => collate: the examples of a batch differ: example 0 has a list of length 2, example 1 has one of length 1
(wrong collate (list (point 1 2) 5))            ; => collate: the examples of a batch differ: example 0 has a hash table, example 1 has a number
