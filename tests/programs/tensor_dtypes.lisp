; Element types: what fits goes in as PyTorch has it, and what does not is an error.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define (of type data) (tensor data :dtype type))
(print (map (lambda (type) (tensor-dtype (of type '(0 1)))) '(f32 f64 f16 bf16 i64 i32 i16 i8 u8 u16 u32 u64 bool c64 c128 float double half long int short byte))) ; => (float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool complex64 complex128 float32 float64 float16 int64 int64 int16 uint8)
(print (map (lambda (type) (of type '(1 2))) '(float8_e4m3fn float8-e5m2 float8-e4m3fnuz float8-e5m2fnuz float8-e8m0fnu complex32))) ; => ([1.0 2.0] [1.0 2.0] [1.0 2.0] [1.0 2.0] [1.0 2.0] [1.0+0.0i 2.0+0.0i])
(print (of 'uint8 '(255 -1 -255)) (of 'uint32 '(-1)) (of 'int64 '(1.9 -1.9 7/2)) (of 'uint8 '(1.5 #t))) ; => [255 255 1] [4294967295] [1 -1 3] [1 1]
(print (of 'bool '(0 2 -1 0.5)) (of 'f32 '(#t #f)) (of 'f16 '(70000.0)) (of 'f64 (list (expt 10 30)))) ; => [#f #t #t #t] [1.0 0.0] [inf] [1.0000e+30]
(print (of 'uint64 (list (- (expt 2 64) 1))) (tensor->list (of 'uint64 (list (expt 2 63) 5))) (tensor-item (of 'u64 (expt 2 63)))) ; => [18446744073709551615] (9223372036854775808 5) 9223372036854775808
(print (message (of 'uint8 '(1 300))) (message (of 'int8 '(200))) (message (of 'uint8 '(-256)))) ; => tensor: 300 does not fit into uint8 tensor: 200 does not fit into int8 tensor: -256 does not fit into uint8
(print (message (of 'int64 '(1e300))) (message (of 'int32 '(+inf.0))) (message (of 'int64 '(+nan.0)))) ; => tensor: 1e300 does not fit into int64 tensor: +inf.0 does not fit into int32 tensor: +nan.0 does not fit into int64
(print (message (tensor (expt 2 63))) (message (of 'uint64 '(-1))) (message (of 'f64 (expt 10 400)))) ; => tensor: 9223372036854775808 does not fit into int64 tensor: -1 does not fit into uint64 tensor: 100000000000000000000000000000000000000000000000000000000000... does not fit into float64
(print (message (of 'float23 '(1))) (message (of 'quint8 '(1))) (message (of 'uint4 '(1))) (message (of 5 '(1)))) ; => tensor: unknown dtype: float23 tensor: cannot create a tensor of quint8 from numbers tensor: cannot create a tensor of uint4 from numbers tensor: expected a dtype, got 5
(print (message (tensor '((1 2) (3)))) (message (tensor '((1 2) 3)))) ; => tensor: ragged data: expected a row of 2 at index 1, got (3) tensor: ragged data: expected a row of 2 at index 1, got 3
(print (message (tensor '((1) ((2)))))  (message (tensor '(((1)) ((2 3)))))) ; => tensor: ragged data: expected a number at index 1 0, got (2) tensor: ragged data: expected a row of 1 at index 1 0, got (2 3)
(print (message (tensor "12")) (message (tensor '(1 . 2)))) ; => tensor: expected a number or a tensor, got "12" tensor: expected a number or a tensor, got (1 . 2)
; Among tensors, numbers give way; tensors stack.
(define half (of 'f16 '(1 2)))
(print (tensor-dtype [half half]) (tensor-dtype [(tensor-sum half) 0.1 2]) (tensor-dtype [(tensor 1) 2.5]) [(tensor #t) 3]) ; => float16 float16 float32 [1 3]
(print (tensor-shape [[half half] [half half]]) (tensor-dtype [(of 'f64 1) (of 'f32 1)]) (tensor (list half [3 4]) :dtype 'i32)) ; => (2 2 2) float64 [[1 2] [3 4]]
(print (message [half (tensor '(1 2 3))]))        ; => tensor: elements differ in shape: (2) and (3)
(define w (requires-grad! [2.0 3.0]))
(backward (tensor-sum (* [w w] [1 10])))
(print (tensor-grad w) (let ((x (tensor 1.5 :requires-grad #t))) (car (gradients (* x x) (list x)))) (tensor-dtype (tensor 1 :dtype 'c64 :requires-grad #t))) ; => [2.0 20.0] 3.0 complex64
(print (message (tensor 1 :requires-grad #t)))    ; => tensor: only tensors of floating-point numbers have gradients, got a tensor int64 ()
; tensor-to: dtypes, devices, tensors, and several at once.
(print (tensor-to [1.9 -1.9] 'int64) (tensor-dtype (tensor-to [1] half)) (eq? half (tensor-to half 'f16)) (eq? half (tensor-to half "cpu" 'f16 :copy #t))) ; => [1 -1] float16 #t #f
(print (tensor-dtype (tensor-to [1] :dtype 'u8)) (tensor-to [1] "meta" 'f64)) ; => uint8 #<meta tensor float64 (1)>
(print (message (tensor-to [1] 'flaot32)) (message (tensor-to [1] 5)) (message (tensor-to [1] :size 2))) ; => tensor-to: expected a dtype or a device, got flaot32 tensor-to: expected a dtype, a device or a tensor, got 5 tensor-to: unknown keyword :size
; Complex numbers exist as elements only.
(define z (tensor-complex [1.0 0.5] [-2.0 0.25]))
(print z (tensor-real z) (* z z) (equal? z (tensor-copy z)) (message (tensor-item (tensor-ref z 0)))) ; => [1.0-2.0i 0.5+0.25i] [1.0 0.5] [-3.0-4.0i 0.1875+0.25i] #t tensor-item: complex numbers have no counterpart in Lisp
(print (message (tensor->list z)) (tensor->list (tensor-view-as-real z))) ; => tensor->list: complex numbers have no counterpart in Lisp ((1.0 -2.0) (0.5 0.25))
