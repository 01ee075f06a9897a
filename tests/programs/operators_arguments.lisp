; Every sort of argument and result that LibTorch's operators have.
(define-syntax try
  (syntax-rules ()
    ((_ e) (print (guard (x (#t (error-object-message x))) e)))))
(define x [[1.0 2.0] [3.0 4.0]])

; results: a list, a dtype, a number, a boolean, nothing
(try (tensor-topk [1.0 5.0 3.0] 2))  ; => ([5.0 3.0] [1 2])
(try (tensor-result-type x [1]))  ; => float32
(try (tensor-q-zero-point (tensor-quantize-per-tensor [1.0] 0.5 3 (quote qint8))))  ; => 3
(try (tensor-is-floating-point [1.0]))  ; => #t
(define several (list (tensor-zeros 2) (tensor-ones 1)))
(write (tensor-private--foreach-add! several 1))  ; => ([1.0 1.0] [2.0])
(newline)
(print several)  ; => ([1.0 1.0] [2.0])
(try (tensor-private--foreach-mul several 2))  ; => ([2.0 2.0] [4.0])

; named outs
(define values (tensor-zeros 0))
(define indices (tensor-zeros 0 :dtype 'int64))
(try (tensor-topk [1.0 2.0] 1 :values values :indices indices))  ; => ([2.0] [1])
(print values indices)  ; => [2.0] [1]
(try (tensor-topk [1.0 2.0] 1 :values values))  ; => tensor-topk: expected the keyword :indices
(define both (list (tensor-zeros 0) (tensor-zeros 0 :dtype 'int64)))
(define (topk k) (tensor-topk [1.0 2.0] k :out both))
(print (topk 1))  ; => ([2.0] [1])
(print (topk 2) both (eq? (car (topk 2)) (car both)))  ; => ([2.0 1.0] [1 0]) ([2.0 1.0] [1 0]) #t
(try (tensor-topk [1.0 2.0] 1 :out (cdr both)))  ; => tensor-topk: expected a list of 2 tensors for out, got ([1 0])
(define out (tensor-zeros 2))
(print (eq? out (tensor-add [1.0 2.0] 1 :out out)) out)  ; => #t [2.0 3.0]

; a tensor of no dimensions stands for a number
(try (tensor-add [1 2] [3 4] :alpha (tensor 2)))  ; => [7 10]
(try (tensor-reshape x (list (tensor 4))))  ; => [1.0 2.0 3.0 4.0]
(try (tensor-full '(2) (tensor 2.5)))  ; => [2.5 2.5]
(try (tensor-sum x (tensor 0.5)))  ; => tensor-sum: expected a list of exact integers for dim, got a tensor float32 ()
(try (tensor-aten::item (tensor-view-as-complex [1.0 2.0])))  ; => 1.0+2.0i

; names: dunders, other namespaces, aten's own where a procedure has the name
(try (tensor-private---and-- [1 3] [2 2]))  ; => [0 2]
(try (tensor-aten::slice [1 2 3 4] 0 0 4 2))  ; => [1 3]
(try (tensor-dequantize (tensor-quantized::add (tensor-quantize-per-tensor [1.0] 0.5 0 'qint8) (tensor-quantize-per-tensor [2.0] 0.5 0 'qint8) 0.5 0)))  ; => [3.0]

; what only the scripting language has
(try (tensor-size x))  ; => (2 2)
(try (tensor-size x 0))  ; => 2
(try (tensor-stride (tensor-t x)))  ; => (1 2)
(try (tensor-len [1 2 3]))  ; => 3

; what only operators make and take
(define packed (tensor-quantized::linear-prepack (tensor-quantize-per-tensor [[1.0 2.0]] 0.5 0 'qint8) #f))
(print packed)  ; => #<LinearPackedParamsBase>
(try (tensor-dequantize (tensor-quantized::linear (tensor-quantize-per-tensor [[3.0 4.0]] 0.5 0 'quint8) packed 0.5 0)))  ; => [[11.0]]
(try (tensor-quantized::linear [[1.0]] [1.0] 0.5 0))  ; => tensor-quantized::linear: expected a LinearPackedParamsBase for W-prepack, got a tensor float32 (1)

; lists with gaps, layouts, memory formats, modes
(try (tensor-index x (list #f [1])))  ; => [[2.0] [4.0]]
(try (tensor-contiguous x :memory-format 'contiguous-format))  ; => [[1.0 2.0] [3.0 4.0]]
(try (tensor-to-dense (tensor-to-sparse x :layout 'sparse-csr)))  ; => [[1.0 2.0] [3.0 4.0]]
(try (tensor-div [7] [2] :rounding-mode 'floor))  ; => [3]
(try (tensor-std x #f))  ; => 1.118
(try (tensor-einsum "ij->j" (list x)))  ; => [4.0 6.0]

; generators
(define g (make-generator 7))
(define h (make-generator (generator-state g)))
(print g (generator? g) (generator? x))  ; => #<generator> #t #f
(define first (tensor-rand 2 :generator g))
(define second (tensor-rand 2 :generator g))
(print (equal? (tensor-cat (list first second)) (tensor-rand 4 :generator h)))  ; => #t
(manual-seed 7)
(print (equal? (tensor-rand 2) first))  ; => #t
(try (tensor-rand 2 :generator 5))  ; => tensor-rand: expected a generator, got 5
(try (make-generator "a"))  ; => make-generator: expected an exact integer, got "a"
(try (make-generator 1 2))  ; => make-generator: expected at most 1 argument, got 2
(try (make-generator [1.0]))  ; => make-generator: expected an exact integer, got a tensor float32 (1)
(print (equal? (generator-state (make-generator)) (generator-state (make-generator))))  ; => #f

; what no program can call
(try (tensor-record-stream x 5))  ; => tensor-record-stream: cannot be called from Lisp: no operator returns a Stream, which it takes

; A string stands in a message as write shows it.
(try (tensor-add [1] "a\rb\x1b;c"))  ; => tensor-add: expected a tensor for other, got "a\rb\x1b;c"
