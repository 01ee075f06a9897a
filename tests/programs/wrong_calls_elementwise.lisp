;; What operators of single elements, reductions, creators and random numbers say to wrong calls.

(import "modules/wrong.lisp")

(define a (tensor-ones 2 3))                   ; [2, 3] float32
(define b (tensor-ones 4))                     ; [4] float32
(define i [[1 2 3] [4 5 6]])                   ; [2, 3] int64
(define mask [[#t #f #t] [#f #t #f]])          ; [2, 3] bool
(define z (tensor-to a 'complex64))            ; [2, 3] complex64

;; Two operands.
(wrong tensor-add)
; => tensor-add: expected 2 arguments, got 0
(wrong tensor-add a)
; => tensor-add: expected 2 arguments, got 1
(wrong tensor-add a b)
; => tensor-add: shapes (2 3) and (4) do not broadcast
(wrong tensor-add a "1")
; => tensor-add: expected a tensor for other, got "1"
(wrong tensor-add a a :beta 2)
; => tensor-add: unknown keyword :beta
(wrong tensor-add a a :alpha)
; => tensor-add: keyword :alpha has no value
(wrong tensor-add a a :alpha 1 :alpha 2)
; => tensor-add: keyword :alpha is given twice
(wrong tensor-add i i :alpha 0.5)
; => tensor-add: expected an integer for alpha, as the tensors hold integers; given self int64 (2 3), other int64 (2 3), alpha 0.5
(wrong tensor-add a a a a)
; => tensor-add: expected 2 arguments, got 4
(wrong tensor-sub a [1.0 2.0])
; => tensor-sub: shapes (2 3) and (2) do not broadcast
(wrong tensor-sub mask mask)
; => tensor-sub: booleans cannot be subtracted; given self bool (2 3), other bool (2 3)
(wrong tensor-mul a 'b)
; => tensor-mul: expected a tensor for other, got b
(wrong tensor-mul a (list a a))
; => tensor-mul: expected a tensor for other, got ([[1.0 1.0 1.0] [1.0 1.0 1.0]] [[1.0 1.0 1.0] [1.0 1.0 1.0]]...
(wrong tensor-div a b)
; => tensor-div: shapes (2 3) and (4) do not broadcast
(wrong tensor-div a a :rounding-mode "up")
; => tensor-div: expected #f, "trunc" or "floor" for rounding-mode, got "up"; given self float32 (2 3), other float32 (2 3), rounding-mode "up"
(wrong tensor-floor-divide i 0)
; => tensor-floor-divide: division by zero; given self int64 (2 3), other 0
(wrong tensor-remainder a b)
; => tensor-remainder: shapes (2 3) and (4) do not broadcast
(wrong tensor-pow i -1)
; => tensor-pow: cannot raise integers to a negative power; given self int64 (2 3), exponent -1
(wrong tensor-pow a b)
; => tensor-pow: shapes (2 3) and (4) do not broadcast
(wrong tensor-maximum z z)
; => tensor-maximum: not implemented for complex numbers; given self complex64 (2 3), other complex64 (2 3)
(wrong tensor-atan2 z z)
; => tensor-atan2: not implemented for dtype complex64; given self complex64 (2 3), other complex64 (2 3)
(wrong tensor-bitwise-and a a)
; => tensor-bitwise-and: not implemented for dtype float32; given self float32 (2 3), other float32 (2 3)
(wrong tensor-bitwise-left-shift a 1)
; => tensor-bitwise-left-shift: not implemented for dtype float32; given self float32 (2 3), other 1
(wrong tensor-gcd a a)
; => tensor-gcd: not implemented for dtype float32; given self float32 (2 3), other float32 (2 3)
(wrong tensor-logical-and a b)
; => tensor-logical-and: shapes (2 3) and (4) do not broadcast
(wrong tensor-eq a b)
; => tensor-eq: shapes (2 3) and (4) do not broadcast
(wrong tensor-lt z z)
; => tensor-lt: not implemented for dtype complex64; given self complex64 (2 3), other complex64 (2 3)
(wrong tensor-ge a "1")
; => tensor-ge: expected a tensor for other, got "1"
(wrong tensor-lerp a i 0.5)
; => tensor-lerp: expected dtype float32 for end, got int64; given self float32 (2 3), end int64 (2 3), weight 0.5
(wrong tensor-lerp a a)
; => tensor-lerp: expected 3 arguments, got 2
(wrong tensor-where a a a)
; => tensor-where: expected dtype bool for condition, got float32; given condition float32 (2 3), self float32 (2 3), other float32 (2 3)
(wrong tensor-where mask a b)
; => tensor-where: shapes (2 3), (2 3) and (4) do not broadcast
(wrong tensor-addcmul a a)
; => tensor-addcmul: expected 3 arguments, got 2
(wrong tensor-addcdiv a b a)
; => tensor-addcdiv: shapes (2 3), (4) and (2 3) do not broadcast
(wrong tensor-clamp a)
; => tensor-clamp: expected a value for min or max; given self float32 (2 3)
(wrong tensor-clamp a :min "0")
; => tensor-clamp: expected a tensor for min, got "0"
(wrong tensor-heaviside a i)
; => tensor-heaviside: not yet implemented for tensors with different dtypes; given self float32 (2 3), values int64 (2 3)
(wrong tensor-nextafter i i)
; => tensor-nextafter: not implemented for dtype int64; given self int64 (2 3), other int64 (2 3)
(wrong tensor-dist mask mask)
; => tensor-dist: booleans cannot be subtracted; given self bool (2 3), other bool (2 3)

;; One operand.
(wrong tensor-exp)
; => tensor-exp: expected 1 argument, got 0
(wrong tensor-exp 1)
; => tensor-exp: expected a tensor, got 1
(wrong tensor-exp a a)
; => tensor-exp: expected 1 argument, got 2
(wrong tensor-exp a :base 2)
; => tensor-exp: unknown keyword :base
(wrong tensor-abs "x")
; => tensor-abs: expected a tensor, got "x"
(wrong tensor-neg mask)
; => tensor-neg: booleans cannot be negated; given self bool (2 3)
(wrong tensor-floor z)
; => tensor-floor: not implemented for complex numbers; given self complex64 (2 3)
(wrong tensor-round a :decimals 0.5)
; => tensor-round: expected an exact integer for decimals, got 0.5
(wrong tensor-bitwise-not a)
; => tensor-bitwise-not: not implemented for dtype float32; given self float32 (2 3)
(wrong tensor-relu z)
; => tensor-relu: not implemented for complex numbers; given self complex64 (2 3)
(wrong tensor-gelu i)
; => tensor-gelu: not implemented for dtype int64; given self int64 (2 3)
(wrong tensor-leaky-relu a '(1))
; => tensor-leaky-relu: expected a number for negative-slope, got (1)
(wrong tensor-elu i)
; => tensor-elu: not implemented for dtype int64; given self int64 (2 3)
(wrong tensor-softplus i)
; => tensor-softplus: not implemented for dtype int64; given self int64 (2 3)
(wrong tensor-hardtanh mask)
; => tensor-hardtanh: bool inputs not supported for hardtanh; given self bool (2 3)
(wrong tensor-sign z)
; => tensor-sign: not implemented for complex numbers; given self complex64 (2 3)
(wrong tensor-erfinv z)
; => tensor-erfinv: not implemented for dtype complex64; given self complex64 (2 3)
(wrong tensor-special-i1e z)
; => tensor-special-i1e: not implemented for dtype complex64; given self complex64 (2 3)
(wrong tensor-special-polygamma -1 a)
; => tensor-special-polygamma: polygamma(n, x) does not support negative n; given n -1, self float32 (2 3)
(wrong tensor-mvlgamma a 0)
; => tensor-mvlgamma: p has to be greater than or equal to 1; given self float32 (2 3), p 0
(wrong tensor-frexp i)
; => tensor-frexp: only supports floating-point dtypes; given self int64 (2 3)
(wrong tensor-imag a)
; => tensor-imag: not implemented for tensors with non-complex dtypes; given self float32 (2 3)

;; In place, and into :out.
(wrong tensor-add! i 0.5)
; => tensor-add!: cannot store a result of dtype float32 in a tensor of dtype int64; given self int64 (2 3), other 0.5
(wrong tensor-add! b a)
; => tensor-add!: shapes (4) and (2 3) do not broadcast
(wrong tensor-exp! i)
; => tensor-exp!: cannot store a result of dtype float32 in a tensor of dtype int64; given self int64 (2 3)
(wrong tensor-mul! (tensor-expand b 3 4) 2)
; => tensor-mul!: some elements share their memory, so they cannot be written to; given self float32 (3 4), other 2
(wrong tensor-add! (tensor-ones 2 :requires-grad #t) 1)
; => tensor-add!: a leaf that requires grad cannot be changed in place
(wrong tensor-fill! a [1.0 2.0])
; => tensor-fill!: only supports 0-d value tensor but got tensor with 1 dimensions; given self float32 (2 3), value float32 (2)
(wrong tensor-copy! a b)
; => tensor-copy!: shapes (2 3) and (4) do not broadcast
(wrong tensor-masked-fill! a i 0)
; => tensor-masked-fill!: expected dtype bool for mask, got int64; given self float32 (2 3), mask int64 (2 3), value 0
(wrong tensor-masked-fill a mask "0")
; => tensor-masked-fill: expected a tensor for value, got "0"
(wrong tensor-exp a :out i)
; => tensor-exp: cannot store a result of dtype float32 in a tensor of dtype int64; given self float32 (2 3), out int64 (2 3)
(wrong tensor-exp a :out 1)
; => tensor-exp: expected a tensor for out, got 1
(wrong tensor-add! 1 a)
; => tensor-add!: expected a tensor for self, got 1
(wrong tensor-topk a 1 :out (list a))
; => tensor-topk: expected a list of 2 tensors for out, got ([[1.0 1.0 1.0] [1.0 1.0 1.0]])
(wrong tensor-topk a 1 :out a)
; => tensor-topk: expected a list of 2 tensors for out, got a tensor float32 (2 3)
(wrong tensor-topk a 1 :out (list a 1))
; => tensor-topk: expected a tensor for indices, got 1
(wrong tensor-topk a 1 :out (list a i) :values a)
; => tensor-topk: keyword :values is given twice

;; Reductions.
(wrong tensor-sum)
; => tensor-sum: expected 1 argument, got 0
(wrong tensor-sum a 2)
; => tensor-sum: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-sum a '(0 0))
; => tensor-sum: dim 0 is given twice; given self float32 (2 3), dim (0 0)
(wrong tensor-sum a 0.5)
; => tensor-sum: expected a list of exact integers for dim, got 0.5
(wrong tensor-sum a 0 :keep-dim #t)
; => tensor-sum: unknown keyword :keep-dim
(wrong tensor-sum a :dtype 'float31)
; => tensor-sum: expected a dtype, got float31
(wrong tensor-mean i)
; => tensor-mean: expected a floating-point or complex dtype, got int64; given self int64 (2 3)
(wrong tensor-mean a -3)
; => tensor-mean: dim -3 is out of range for a tensor of rank 2; given self float32 (2 3), dim -3
(wrong tensor-mean mask)
; => tensor-mean: expected a floating-point or complex dtype, got bool; given self bool (2 3)
(wrong tensor-prod a 5)
; => tensor-prod: dim 5 is out of range for a tensor of rank 2; given self float32 (2 3), dim 5
(wrong tensor-std i)
; => tensor-std: expected a floating-point or complex dtype; given self int64 (2 3)
(wrong tensor-var a 7)
; => tensor-var: dim 7 is out of range for a tensor of rank 2; given self float32 (2 3), dim 7
(wrong tensor-amax a 3)
; => tensor-amax: dim 3 is out of range for a tensor of rank 2; given self float32 (2 3), dim 3
(wrong tensor-amax (tensor-zeros 0 3) 0)
; => tensor-amax: cannot reduce dim 0: its size is 0; given self float32 (0 3), dim 0
(wrong tensor-argmax z)
; => tensor-argmax: not implemented for complex numbers; given self complex64 (2 3)
(wrong tensor-argmax a 2)
; => tensor-argmax: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-max (tensor-zeros 0))
; => tensor-max: cannot reduce a tensor without elements; given self float32 (0)
(wrong tensor-min a "0")
; => tensor-min: expected a tensor for other, got "0"
(wrong tensor-median z)
; => tensor-median: not implemented for dtype complex64; given self complex64 (2 3)
(wrong tensor-norm i)
; => tensor-norm: expected a floating-point or complex dtype, got int64; given self int64 (2 3)
(wrong tensor-all a 9)
; => tensor-all: dim 9 is out of range for a tensor of rank 2; given self float32 (2 3), dim 9
(wrong tensor-cumsum a)
; => tensor-cumsum: expected 2 arguments, got 1
(wrong tensor-cumsum a 2)
; => tensor-cumsum: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-cumprod a 0 :axis 1)
; => tensor-cumprod: keyword :axis is given twice
(wrong tensor-logsumexp a 4)
; => tensor-logsumexp: dim 4 is out of range for a tensor of rank 2; given self float32 (2 3), dim 4
(wrong tensor-softmax a)
; => tensor-softmax: expected at least 2 arguments, got 1
(wrong tensor-softmax a 2)
; => tensor-softmax: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
(wrong tensor-softmax i 0)
; => tensor-softmax: not implemented for dtype int64; given self int64 (2 3), dim 0
(wrong tensor-log-softmax a "0")
; => tensor-log-softmax: expected an exact integer for dim, got "0"
(wrong tensor-quantile a 2.0)
; => tensor-quantile: q must be between 0 and 1 but got 2; given self float32 (2 3), q 2.0
(wrong tensor-quantile i 0.5)
; => tensor-quantile: expected dtype float32 or float64; given self int64 (2 3), q 0.5
(wrong tensor-histc a -2)
; => tensor-histc: bins must be > 0, but got -2 for dimension 0; given self float32 (2 3), bins -2
(wrong tensor-bincount [-1 2])
; => tensor-bincount: only supports 1-d non-negative integral inputs; given self int64 (2)
(wrong tensor-item a)
; => tensor-item: expected a tensor of one element, got a tensor float32 (2 3)
(wrong tensor-trapezoid a b)
; => tensor-trapezoid: there must be one x value for each sample point; given y float32 (2 3), x float32 (4)
(wrong tensor-count-nonzero a 6)
; => tensor-count-nonzero: dim 6 is out of range for a tensor of rank 2; given self float32 (2 3), dim 6

;; Lists of tensors.
(wrong tensor-private--foreach-add (list a) (list b))
; => tensor-private--foreach-add: sizes 3 and 4 differ at dim 1; given self (float32 (2 3)), other (float32 (4))
(wrong tensor-private--foreach-add (list a a) (list a))
; => tensor-private--foreach-add: the lists differ in length: 2 and 1 tensors; given self (float32 (2 3), float32 (2 3)), other (float32 (2 3))
(wrong tensor-private--foreach-add a 1)
; => tensor-private--foreach-add: expected a list of tensors for self, got a tensor float32 (2 3)
(wrong tensor-private--foreach-mul (list a 2) 3)
; => tensor-private--foreach-mul: expected a list of tensors for self, got ([[1.0 1.0 1.0] [1.0 1.0 1.0]] 2)
(wrong tensor-private--foreach-sqrt (list))
; => tensor-private--foreach-sqrt: expected at least one tensor; given self ()
(wrong tensor-private--foreach-exp! (list i))
; => tensor-private--foreach-exp!: cannot store a result of dtype float32 in a tensor of dtype int64; given self (int64 (2 3))

;; Creators and random numbers.
(wrong tensor-zeros)
; => tensor-zeros: expected 1 argument, got 0
(wrong tensor-zeros -1)
; => tensor-zeros: a size is negative; given size (-1)
(wrong tensor-zeros 2.5)
; => tensor-zeros: expected a list of exact integers, got 2.5
(wrong tensor-zeros "2")
; => tensor-zeros: expected a list of exact integers, got "2"
(wrong tensor-zeros 2 :dtype 'float31)
; => tensor-zeros: expected a dtype, got float31
(wrong tensor-zeros 2 :dtyp 'float32)
; => tensor-zeros: unknown keyword :dtyp
(wrong tensor-zeros 2 :device "gpu")
; => tensor-zeros: expected a device, got "gpu"
(wrong tensor-zeros 2 :device "mps")
; => tensor-zeros: device mps is not available
(wrong tensor-zeros 2 :requires-grad 1)
; => tensor-zeros: expected a boolean for requires-grad, got 1
(wrong tensor-zeros 2 :dtype 'int64 :requires-grad #t)
; => tensor-zeros: only tensors of floating-point numbers have gradients
(wrong tensor-ones 2 3 'float64)
; => tensor-ones: expected 1 argument, got 3
(wrong tensor-full '(2 3))
; => tensor-full: expected 2 arguments, got 1
(wrong tensor-full '(2) 1e300 :dtype 'int32)
; => tensor-full: the number is out of range for int32; given size (2), fill-value 1e300, dtype int32
(wrong tensor-eye -1)
; => tensor-eye: n must be greater or equal to 0, got -1; given n -1
(wrong tensor-arange 5 0 1)
; => tensor-arange: the sign of step is wrong; given start 5, end 0
(wrong tensor-arange 0 5 0)
; => tensor-arange: expected a step other than 0; given start 0, end 5, step 0
(wrong tensor-linspace 0 1 -1)
; => tensor-linspace: expected 0 or more steps; given start 0, end 1, steps -1
(wrong tensor-linspace 0 1)
; => tensor-linspace: expected 3 arguments, got 2
(wrong tensor-zeros-like 5)
; => tensor-zeros-like: expected a tensor, got 5
(wrong tensor-full-like a)
; => tensor-full-like: expected 2 arguments, got 1
(wrong tensor-rand -1)
; => tensor-rand: size -1 in shape (-1) is negative; given size (-1)
(wrong tensor-rand 2 :dtype 'int64)
; => tensor-rand: not implemented for dtype int64; given size (2), dtype int64
(wrong tensor-randn 2 :device 5)
; => tensor-randn: expected a device, got 5
(wrong tensor-randint 5 1 '(2))
; => tensor-randint: expected low below high, got 5 and 1; given low 5, high 1, size (2)
(wrong tensor-randint 0 5)
; => tensor-randint: expected low below high, got 0 and 0; given high 0, size (5)
(wrong tensor-randperm -1)
; => tensor-randperm: size -1 in shape (-1) is negative; given n -1
(wrong tensor-normal a -1.0)
; => tensor-normal: expected std of 0 or more, got -1; given mean float32 (2 3), std -1.0
(wrong tensor-bernoulli [2.0])
; => tensor-bernoulli: expected probabilities between 0 and 1; given self float32 (1)
(wrong tensor-bernoulli i)
; => tensor-bernoulli: not implemented for dtype int64; given self int64 (2 3)
(wrong tensor-multinomial [1.0 2.0] 3)
; => tensor-multinomial: cannot draw more samples than there are categories without replacement; given self float32 (2), num-samples 3
(wrong tensor-multinomial [-1.0 2.0] 1)
; => tensor-multinomial: expected finite probabilities of 0 or more; given self float32 (2), num-samples 1
(wrong tensor-multinomial [1 2] 1)
; => tensor-multinomial: only supports floating-point dtypes for input, got int64; given self int64 (2), num-samples 1
(wrong tensor-dropout a 1.5 #t)
; => tensor-dropout: expected p between 0 and 1, got 1.5; given input float32 (2 3), p 1.5, train #t
(wrong tensor-hann-window -1)
; => tensor-hann-window: expected a window-length of 0 or more, got -1; given window-length -1
(wrong tensor-tril-indices -1 2)
; => tensor-tril-indices: row must be non-negative, got -1; given row -1, col 2
