;; activations.lisp - the elementwise functions between layers, as layers.
;;
;; (relu) creates a layer; (tensor-relu x) applies the function to a tensor.
;; The layer of tanh is the procedure tanh itself: any procedure of a tensor
;; is a layer, so (sequential (linear 4 8) tanh) needs no other.  Arguments
;; that most people give may be given without their keyword: (leaky-relu 0.2)
;; is (leaky-relu :negative-slope 0.2).

(define-module (relu)
  "The layer max(x, 0).  (tensor-relu x) applies it to a tensor."
  ()
  (forward (x) (tensor-relu x)))

(define-module (relu6)
  "The layer min(max(x, 0), 6).  (tensor-relu6 x) applies it to a tensor."
  ()
  (forward (x) (tensor-relu6 x)))

(define-module (selu)
  "The layer scale (max(x, 0) + min(0, alpha (e^x - 1))), which keeps mean and
  variance (Klambauer et al. 2017).  (tensor-selu x) applies it to a tensor."
  ()
  (forward (x) (tensor-selu x)))

(define-module (silu)
  "The layer x sigmoid(x), also called swish.  (tensor-silu x) applies it to a
  tensor."
  ()
  (forward (x) (tensor-silu x)))

(define-module (mish)
  "The layer x tanh(log(1 + e^x)) (Misra 2019).  (tensor-mish x) applies it to
  a tensor."
  ()
  (forward (x) (tensor-mish x)))

(define-module (sigmoid)
  "The layer 1 / (1 + e^-x).  (tensor-sigmoid x) applies it to a tensor."
  ()
  (forward (x) (tensor-sigmoid x)))

(define-module (log-sigmoid)
  "The layer log(1 / (1 + e^-x)).  (tensor-log-sigmoid x) applies it to a
  tensor."
  ()
  (forward (x) (tensor-log-sigmoid x)))

(define-module (softsign)
  "The layer x / (1 + |x|).  (tensor-softsign x) applies it to a tensor."
  ()
  (forward (x) (tensor-softsign x)))

(define-module (tanhshrink)
  "The layer x - tanh(x).  (tensor-tanhshrink x) applies it to a tensor."
  ()
  (forward (x) (tensor-tanhshrink x)))

(define-module (hardsigmoid)
  "The layer min(max(x / 6 + 1/2, 0), 1).  (tensor-hardsigmoid x) applies it to
  a tensor."
  ()
  (forward (x) (tensor-hardsigmoid x)))

(define-module (hardswish)
  "The layer x hardsigmoid(x) (Howard et al. 2019).  (tensor-hardswish x)
  applies it to a tensor."
  ()
  (forward (x) (tensor-hardswish x)))

(define-module (tanh-layer)
  "The layer tanh(x).  In a model, the procedure tanh does the same.  (tanh x)
  applies it to a tensor."
  ()
  (forward (x) (tensor-tanh x)))

(define-module (gelu :approximate "none")
  "The layer x P(z < x) for a normally distributed z (Hendrycks and Gimpel
  2016); with :approximate \"tanh\" its approximation by tanh.  (tensor-gelu x)
  applies it to a tensor."
  ((approximate (%choice "gelu" "approximate" approximate '("none" "tanh"))))
  (forward (x) (tensor-gelu x :approximate approximate)))

;; With numbers that shape them.

(define-module (leaky-relu :negative-slope 0.01 . given)
  "The layer max(x, 0) + negative-slope min(x, 0).  (tensor-leaky-relu x)
  applies it to a tensor."
  ((negative-slope (%number "leaky-relu" "negative-slope" given
                            negative-slope)))
  (forward (x) (tensor-leaky-relu x negative-slope)))

(define-module (prelu :num-parameters 1 :init 0.25)
  "The layer max(x, 0) + weight min(x, 0) with a learned weight: one, or one for
  each channel (He et al. 2015).  x [n, c, ...] -> the same shape, where c =
  num-parameters unless that is 1.  (tensor-prelu x weight) applies it to a
  tensor."
  ((num-parameters (%positive "prelu" "num-parameters" num-parameters))
   (weight (tensor-full (list num-parameters) (inexact init)) :parameter))
  (forward (x) (tensor-prelu x weight)))

(define-module (rrelu :lower 0.125 :upper (/ 1.0 3))
  "The layer max(x, 0) + a min(x, 0), where a is drawn between lower and upper
  for each element in training, and is their mean otherwise (Xu et al. 2015).
  (tensor-rrelu x) applies it to a tensor."
  ((lower lower)
   (upper upper))
  (forward (x) (tensor-rrelu x lower upper (training? self))))

(define-module (elu :alpha 1.0 . given)
  "The layer max(x, 0) + min(0, alpha (e^x - 1)) (Clevert et al. 2015).
  (tensor-elu x) applies it to a tensor."
  ((alpha (%number "elu" "alpha" given alpha)))
  (forward (x) (tensor-elu x alpha)))

(define-module (celu :alpha 1.0 . given)
  "The layer max(x, 0) + min(0, alpha (e^(x / alpha) - 1)) (Barron 2017).
  (tensor-celu x) applies it to a tensor."
  ((alpha (%number "celu" "alpha" given alpha)))
  (forward (x) (tensor-celu x alpha)))

(define-module (softplus :beta 1.0 :threshold 20.0)
  "The layer log(1 + e^(beta x)) / beta; x itself where beta x is above the
  threshold.  (tensor-softplus x) applies it to a tensor."
  ((beta beta)
   (threshold threshold))
  (forward (x) (tensor-softplus x beta threshold)))

(define-module (hardtanh :min-val -1.0 :max-val 1.0)
  "The layer that limits x to min-val and max-val.  (tensor-hardtanh x) applies
  it to a tensor."
  ((min-val min-val)
   (max-val (if (< min-val max-val)
                max-val
                (error (string "hardtanh: expected :max-val above " min-val
                               ", got " max-val)))))
  (forward (x) (tensor-hardtanh x min-val max-val)))

(define-module (hardshrink :lambd 0.5 . given)
  "The layer that replaces elements from -lambd to lambd by zero.
  (tensor-hardshrink x) applies it to a tensor."
  ((lambd (%number "hardshrink" "lambd" given lambd)))
  (forward (x) (tensor-hardshrink x lambd)))

(define-module (softshrink :lambd 0.5 . given)
  "The layer that moves elements towards zero by lambd, and not beyond it.
  (tensor-softshrink x) applies it to a tensor."
  ((lambd (%number "softshrink" "lambd" given lambd)))
  (forward (x) (tensor-softshrink x lambd)))

(define-module (threshold limit value)
  "The layer that replaces elements by value unless they are above limit.
  (tensor-threshold x limit value) applies it to a tensor."
  ((limit (%number "threshold" "limit" '() limit))
   (value (%number "threshold" "value" '() value)))
  (forward (x) (tensor-threshold x limit value)))

;; Over a dimension.

(define-module (glu :dim -1 . given)
  "The layer a sigmoid(b), where a and b are the halves of x along dim (Dauphin
  et al. 2016).  (tensor-glu x dim) applies it to a tensor."
  ((dim (%dim "glu" dim given)))
  (forward (x) (tensor-glu x dim)))

(define-module (softmax :dim -1 . given)
  "The layer that makes the elements along dim positive with sum 1: e^x / sum
  e^x.  (tensor-softmax x dim) applies it to a tensor."
  ((dim (%dim "softmax" dim given)))
  (forward (x) (tensor-softmax x dim)))

(define-module (log-softmax :dim -1 . given)
  "The layer that calculates the logarithm of softmax along dim.
  (tensor-log-softmax x dim) applies it to a tensor."
  ((dim (%dim "log-softmax" dim given)))
  (forward (x) (tensor-log-softmax x dim)))

(define-module (softmin :dim -1 . given)
  "The layer that calculates the softmax of -x along dim.  (tensor-softmin x
  dim) applies it to a tensor."
  ((dim (%dim "softmin" dim given)))
  (forward (x) (tensor-softmin x dim)))

(define-module (softmax2d)
  "The layer that calculates softmax over the channels of images.  x [n, c, h,
  w] -> the same shape.  (tensor-softmax x -3) applies it to a tensor."
  ()
  (forward (x)
    (%check-rank "softmax2d" x 3 4)
    (tensor-softmax x -3)))

(define (%dim who dim given)
  "dim, an integer, which may be given without its keyword."
  (let ((dim (%given who "dim" given dim)))
    (if (exact-integer? dim)
        dim
        (wrong-type who "an integer for dim" dim))))
