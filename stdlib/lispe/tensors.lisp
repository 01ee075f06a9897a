;; tensors.lisp - the tensors of LispETorch: creation, inspection, arithmetic.
;;
;; Reductions return numbers, except of tensors that record gradients: then
;; they are tensors of one element, through which a backward pass goes, and
;; which count as numbers in arithmetic and comparisons.

;; Creation.

(define (tensor_create data)
  "A tensor of the numbers in a list, which may be nested: integers become
  int64, numbers float64, all others float32."
  (cond ((tensor? data) data)
        ((number? data) (tensor data))
        (else (tensor (%nested data) :dtype (%dtype-of data)))))

(define (torch_tensor data) "The same as tensor_create." (tensor_create data))

(define (%nested data)
  "A nested list as Scheme lists of numbers."
  (cond ((%list? data) (map %nested (%elements data)))
        ((boolean? data) (if data 1 0))
        ((number? data) data)
        ((tensor? data) (tensor->list data))
        (else (%fail "expected numbers for a tensor, got " (%text data)))))

(define (%dtype-of data)
  "The dtype for the numbers of a nested list."
  (case (and (%list? data) (%list-kind data))
    ((integers shorts) 'int64)
    ((floats) 'float32)
    ((numbers) 'float64)
    (else (let ((items (if (%list? data) (%elements data) '())))
            (cond ((null? items) 'float32)
                  ((every exact-integer? items) 'int64)
                  ((%list? (car items)) (%dtype-of (car items)))
                  (else 'float32))))))

(define (%sizes shape)
  "A shape as a Scheme list."
  (cond ((exact-integer? shape) (list shape))
        ((%list? shape) (map %integer (%elements shape)))
        ((list? shape) shape)
        (else (%fail "expected a shape, got " (%text shape)))))

(define (tensor_zeros shape) "A tensor of zeros." (tensor-zeros (%sizes shape)))
(define (tensor_ones shape) "A tensor of ones." (tensor-ones (%sizes shape)))

(define (tensor_randn shape)
  "Normally distributed numbers."
  (tensor-randn (%sizes shape)))

(define (tensor_rand shape) "Numbers from 0 to 1." (tensor-rand (%sizes shape)))

(define (tensor_full shape value)
  "A tensor of one value."
  (tensor-full (%sizes shape) value))

(define (tensor_full_like x value)
  "A tensor of one value, in the shape of another."
  (tensor-full-like x value))

(define (tensor_randint low high shape)
  "Random integers from low up to but without high, int64."
  (tensor-randint low high (%sizes shape)))

;; Inspection.

(define (tensor_to_list x)
  "The elements of a tensor in nested lists."
  (%list-of-tensor x))

(define (%list-of-tensor x)
  (case (tensor-rank x)
    ((0) (tensor-item x))
    ((1) (%new-list (if (memq (tensor-dtype x) '(int64 int32 int16 int8 uint8))
                        'integers
                        'floats)
                    (tensor->list x)))
    (else (%new-list 'list (map %list-of-tensor (tensor-unbind x 0))))))

(define (tensor_shape x)
  "The sizes of a tensor's dimensions, as integers."
  (%new-list 'integers (if (%quantized? x)
                           (tensor-shape (%quantized-values x))
                           (tensor-shape x))))

(define (tensor_size x) "The same as tensor_shape." (tensor_shape x))
(define (torch_numel x) "The number of elements." (tensor-numel x))

(define (tensor_item x)
  "The number in a tensor of one element."
  (cond ((number? x) x)
        ((= (tensor-numel x) 1) (tensor-item (tensor-reshape x '(1))))
        (else (%fail "tensor must contain exactly one element, but has "
                     (tensor-numel x) " elements"))))

(define (tensor_in_memory)
  "How many tensors the program can reach."
  (cdr (assq 'live-handles (tensor-memory))))

(define (torch_tensor_at x . keys)
  "The element of a tensor at indices, as @."
  (apply lispe:@ x keys))

(define (%tensor-at x key)
  "The element, or the tensor, at an index of the first dimension."
  (cond ((zero? (tensor-rank x))
         (if (%same? key 0) (tensor-item x) (%out-of-bounds)))
        ((not (exact-integer? key)) (%fail "tensor index must be an integer, got " (%text key)))
        ((not (< (- -1 (tensor-size x 0)) key (tensor-size x 0))) (%out-of-bounds))
        ((= (tensor-rank x) 1) (tensor-item (tensor-select x 0 key)))
        (else (tensor-select x 0 key))))

(define (%out-of-bounds)
  (%fail "tensor index out of bounds"))

(define (torch_device x)
  "The device of a tensor, as a text."
  (string (tensor-device x)))

(define (torch_dtype x)
  "The dtype of a tensor, as a text."
  (string (tensor-dtype x)))

(define (torch_to_dtype x dtype)
  "A tensor, or a model, in another dtype, such as \"float16\"."
  (let ((name (string->symbol (%text dtype))))
    (if (module? x) (to! x name) (tensor-to x name))))

(define (torch_float16 x) "A tensor in float16." (tensor-to x 'float16))
(define (torch_float32 x) "A tensor in float32." (tensor-to x 'float32))
(define (torch_int64 x) "A tensor in int64." (tensor-to x 'int64))

;; Arithmetic.

(define (tensor_add a b) "The sum." (+ a b))
(define (tensor_sub a b) "The difference." (- a b))
(define (tensor_mul a b) "The product, element by element." (* a b))
(define (tensor_div a b) "The quotient." (/ a b))
(define (tensor_matmul a b) "The matrix product." (tensor-matmul a b))

(define (tensor_linear x weight)
  "x w', where the rows of w are outputs."
  (tensor-linear x weight))

(define (tensor_mul_scalar x n) "x times a number." (* x n))
(define (tensor_add_scalar x n) "x plus a number." (+ x n))
(define (tensor_div_scalar x n) "x divided by a number." (/ x n))
(define (tensor_pow x n) "x to a power." (tensor-pow x n))

(define (tensor_einsum indices tensors)
  "Sums of products by an equation such as \"ij,jk->ik\"."
  (tensor-einsum indices (%elements tensors)))

(define (%operand x)
  "A tensor; numbers, which reductions return, become tensors."
  (if (number? x) (tensor (inexact x) :dtype 'float32) x))

(define (tensor_relu x) "max(x, 0)." (tensor-relu (%operand x)))
(define (tensor_sigmoid x) "1 / (1 + e^-x)." (tensor-sigmoid (%operand x)))
(define (tensor_tanh x) "The hyperbolic tangent." (tensor-tanh (%operand x)))

(define (tensor_gelu x)
  "x times the normal distribution function."
  (tensor-gelu (%operand x)))

(define (tensor_silu x) "x sigmoid(x)." (tensor-silu (%operand x)))
(define (tensor_abs x) "The absolute value." (tensor-abs (%operand x)))
(define (tensor_exp x) "e to the x." (tensor-exp (%operand x)))
(define (tensor_sqrt x) "The square root." (tensor-sqrt (%operand x)))
(define (tensor_rsqrt x) "1 / the square root." (tensor-rsqrt (%operand x)))
(define (tensor_log x) "The natural logarithm." (tensor-log (%operand x)))

(define (tensor_log10 x)
  "The logarithm to base 10."
  (tensor-log10 (%operand x)))

(define (tensor_log2 x) "The logarithm to base 2." (tensor-log2 (%operand x)))
(define (tensor_sin x) "The sine." (tensor-sin (%operand x)))
(define (tensor_cos x) "The cosine." (tensor-cos (%operand x)))
(define (tensor_tan x) "The tangent." (tensor-tan (%operand x)))
(define (tensor_asin x) "The inverse sine." (tensor-asin (%operand x)))
(define (tensor_acos x) "The inverse cosine." (tensor-acos (%operand x)))
(define (tensor_atan x) "The inverse tangent." (tensor-atan (%operand x)))
(define (tensor_sinh x) "The hyperbolic sine." (tensor-sinh (%operand x)))
(define (tensor_cosh x) "The hyperbolic cosine." (tensor-cosh (%operand x)))

(define (tensor_floor x)
  "The greatest integer up to x."
  (tensor-floor (%operand x)))

(define (tensor_ceil x)
  "The least integer from x on."
  (tensor-ceil (%operand x)))

(define (tensor_round x)
  "The nearest integer, halves to the even one."
  (tensor-round (%operand x)))

(define (tensor_neg x) "-x." (tensor-neg (%operand x)))
(define (tensor_reciprocal x) "1 / x." (tensor-reciprocal (%operand x)))

(define (tensor_softmax x dim)
  "The softmax along a dimension."
  (tensor-softmax x dim))

(define (tensor_log_softmax x dim) "Its logarithm." (tensor-log-softmax x dim))

(define (tensor_clamp x least greatest)
  "The nearest value between two bounds, either of which may be nil."
  (tensor-clamp x least greatest))

(define (tensor_cumsum x dim)
  "The sums so far along a dimension."
  (tensor-cumsum x dim))

(define (tensor_rms_norm x weight . eps)
  "x divided by the root of its mean square over the last dimension, times
  weight; eps (1e-6) is added to the mean square."
  (tensor-rms-norm x (tensor-shape weight) weight (%option eps 0 1e-6)))

;; Reductions.

(define (%reduced f x)
  "The number, or the tensor where x records gradients."
  (let ((y (f x)))
    (if (requires-grad? y) y (tensor-item y))))

(define (tensor_sum x) "The sum of all elements." (%reduced tensor-sum x))

(define (tensor_mean x)
  "The mean of all elements."
  (if (number? x) x (%reduced tensor-mean x)))

(define (tensor_std x)
  "The standard deviation, divided by n - 1."
  (%reduced tensor-std x))

(define (tensor_max x) "The greatest element." (%reduced tensor-max x))
(define (tensor_min x) "The least element." (%reduced tensor-min x))

(define (torch_norm x)
  "The root of the sum of squares."
  (%reduced tensor-norm x))

(define (tensor_mean_dim x dim)
  "The means along a dimension, which goes away."
  (tensor-mean x dim))

(define (tensor_argmax x dim . keepdim)
  "The indices of the greatest elements along a dimension, which stays with size
  1 unless keepdim is false."
  (tensor-argmax x dim :keepdim (or (null? keepdim) (%true? (car keepdim)))))
