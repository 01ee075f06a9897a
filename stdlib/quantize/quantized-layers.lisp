;; quantized-layers.lisp - layers whose weights are integers of 8 or 4 bits.
;;
;; A weight is w = scale * q, with one scale for each 32 columns of a row, and
;; where a file has them, + minimum.  The integers are kept in the order in
;; which our kernels read them (ctorch/quantize/quantize.h): tiles of 16 rows,
;; groups of 32 columns.  Activations are quantized to 8 bits when a layer is
;; called.  Nothing in a layer is learned, but gradients flow through it to
;; its argument.

(define-module (int8-linear in-features out-features :bias #t :minimum #f
                            :packed #f)
  "The layer x w' + b with a weight of 8-bit integers.  x [..., in-features]
  -> [..., out-features].

  It begins with zeros: quantize-model! and load-model! fill it.  packed: a
  list of weight, scale and minimum (or #f) to begin with, and bias may be a
  tensor.  Buffers: weight uint8 [tiles, groups, 512], scale float16 [tiles,
  groups, 16], minimum like scale or #f, bias [out-features]."
  ((in-features (%positive "int8-linear" "in-features" in-features))
   (out-features (%positive "int8-linear" "out-features" out-features))
   (weight (%packed-part packed 0 in-features out-features 512) :buffer)
   (scale (%packed-part packed 1 in-features out-features 16) :buffer)
   (minimum (and (or packed minimum)
                 (%packed-part packed 2 in-features out-features 16))
            :buffer)
   (bias (%packed-bias bias out-features) :buffer))
  (forward (x)
    (%quantized-product x weight scale minimum bias out-features in-features)))

(define-module (int4-linear in-features out-features :bias #t :minimum #f
                            :packed #f)
  "The layer x w' + b with a weight of 4-bit integers.  x [..., in-features]
  -> [..., out-features].

  As int8-linear, but its weight is uint8 [tiles, groups, 256], two integers
  to a byte."
  ((in-features (%positive "int4-linear" "in-features" in-features))
   (out-features (%positive "int4-linear" "out-features" out-features))
   (weight (%packed-part packed 0 in-features out-features 256) :buffer)
   (scale (%packed-part packed 1 in-features out-features 16) :buffer)
   (minimum (and (or packed minimum)
                 (%packed-part packed 2 in-features out-features 16))
            :buffer)
   (bias (%packed-bias bias out-features) :buffer))
  (forward (x)
    (%quantized-product x weight scale minimum bias out-features in-features)))

(define-module (quantized-embedding num-embeddings embedding-dim :bits 8
                                    :minimum #f :packed #f :dtype 'float32)
  "The layer that replaces each integer by a row of a table of 8-bit or 4-bit
  integers.  x [...] int64 -> [..., embedding-dim] of the dtype.  Its buffers
  are those of int8-linear or int4-linear without a bias."
  ((num-embeddings (%positive "quantized-embedding" "num-embeddings"
                              num-embeddings))
   (embedding-dim (%positive "quantized-embedding" "embedding-dim"
                             embedding-dim))
   (dtype dtype)
   (weight (%packed-part packed 0 embedding-dim num-embeddings
                         (if (= bits 8) 512 256))
           :buffer)
   (scale (%packed-part packed 1 embedding-dim num-embeddings 16) :buffer)
   (minimum (and (or packed minimum)
                 (%packed-part packed 2 embedding-dim num-embeddings 16))
            :buffer))
  (forward (x)
    (tensor-to (tensor-lambent::quantized-rows x weight scale minimum
                                               num-embeddings embedding-dim)
               dtype)))

(define (%packed-part packed k columns rows last)
  "Element k of a packed weight, or zeros of its shape.  last: the size of its
  last dimension."
  (if packed
      (list-ref packed k)
      (tensor-zeros (%parts rows 16) (%parts columns 32) last
                    :dtype (if (= last 16) 'float16 'uint8))))

(define (%unfilled-layer bits columns rows bias minimum)
  "The layer of integers whose tensors have no values yet: a load replaces them.
  bias, minimum: whether it has them."
  (%layer-of-packed (%unfilled-weight bits columns rows minimum)
                    rows columns bias bits))

(define (%unfilled-weight bits columns rows minimum)
  "A packed weight without values: a list of weight, scale and minimum or #f."
  (define (part last dtype)
    (tensor-empty (%parts rows 16) (%parts columns 32) last :dtype dtype))
  (list (part (* 64 bits) 'uint8)
        (part 16 'float16)
        (and minimum (part 16 'float16))))

(define (%parts size part)
  "How many parts of a size cover the whole."
  (quotient (+ size part -1) part))

(define (%packed-bias bias rows)
  "The bias of a layer: the given tensor, zeros for #t, or #f."
  (cond ((tensor? bias) (detach bias))
        (bias (tensor-zeros rows))
        (else #f)))

(define (%quantized-product x weight scale minimum bias rows columns)
  "x times the weight, by a kernel for integers; by floats if the gradient in x
  is recorded."
  (if (and (grad-enabled?) (requires-grad? x))
      (%product-by-floats x
                          (lambda ()
                            (%unpacked weight scale minimum rows columns))
                          bias)
      (tensor-lambent::quantized-linear x weight scale minimum bias rows)))

(define (%product-by-floats x floats bias)
  "x times the matrix that the thunk unpacks, [rows, columns].  The gradient in
  x unpacks it again: the floats of one layer at a time are in memory."
  (let ((y ((custom-gradient
             (lambda (x) (tensor-linear x (tensor-to (floats)
                                                     (tensor-dtype x))))
             (lambda (g x y) (@ g (tensor-to (floats) (tensor-dtype g)))))
            x)))
    (if bias (+ y (tensor-to bias (tensor-dtype y))) y)))

(define (%unpacked weight scale minimum rows columns)
  "The matrix of floats [rows, columns] of a packed weight."
  (tensor-lambent::quantized-rows (tensor-arange rows :device
                                                 (tensor-device weight))
                                  weight scale minimum
                                  rows columns))

(define (quantized-layer? x)
  "Whether it is a layer whose weights are integers or codes."
  (or (int8-linear? x) (int4-linear? x) (code-linear? x) (block-linear? x)
      (quantized-embedding? x)))

(define (%fixed-tensors module)
  "The tensors in the fields of a module whose dtype a kernel needs."
  (filter tensor?
          (cond ((int8-linear? module)
                 (list (int8-linear-scale module)
                       (int8-linear-minimum module)))
                ((int4-linear? module)
                 (list (int4-linear-scale module)
                       (int4-linear-minimum module)))
                ((quantized-embedding? module)
                 (list (quantized-embedding-scale module)
                       (quantized-embedding-minimum module)))
                ((code-linear? module)
                 (list (code-linear-scale module) (code-linear-code module)))
                ((torch-int4-linear? module)
                 (list (torch-int4-linear-scale-and-zero module)))
                ((score-gate? module)
                 (list (score-gate-e-score-correction-bias module)))
                (else '()))))

(define (dequantized layer)
  "The matrix of floats that the weight of a quantized layer stands for:
  float32 [out-features, in-features], or [num-embeddings, embedding-dim]."
  (cond ((int8-linear? layer)
         (%unpacked (int8-linear-weight layer) (int8-linear-scale layer)
                    (int8-linear-minimum layer)
                    (int8-linear-out-features layer)
                    (int8-linear-in-features layer)))
        ((int4-linear? layer)
         (%unpacked (int4-linear-weight layer) (int4-linear-scale layer)
                    (int4-linear-minimum layer)
                    (int4-linear-out-features layer)
                    (int4-linear-in-features layer)))
        ((quantized-embedding? layer)
         (%unpacked (quantized-embedding-weight layer)
                    (quantized-embedding-scale layer)
                    (quantized-embedding-minimum layer)
                    (quantized-embedding-num-embeddings layer)
                    (quantized-embedding-embedding-dim layer)))
        ((code-linear? layer)
         (%decoded (code-linear-weight layer) (code-linear-scale layer)
                   (code-linear-code layer)))
        ((block-linear? layer)
         (%of-blocks (block-linear-weight layer)
                     (block-linear-in-features layer)))
        (else (wrong-type "dequantized" "a quantized layer" layer))))

(define (quantize-linear layer :bits 8)
  "A layer of 8-bit or 4-bit integers, of NF4 codes for :bits 'nf4, or of K's
  blocks for :bits 'Q2_K, 'Q3_K, 'Q4_K, 'Q5_K or 'Q6_K, like a linear layer."
  (unless (linear? layer)
    (wrong-type "quantize-linear" "a linear layer" layer))
  (%check-bits "quantize-linear" bits)
  (let ((weight (linear-weight layer)) (bias (linear-bias layer)))
    (cond ((eq? bits 'nf4) (%nf4-layer weight bias))
          ((symbol? bits)
           (%block-layer weight bias (cadr (assq bits %k-kinds))))
          (else (%quantized-like weight bias bits)))))

(define (%check-bits who bits)
  "Raise an error unless weights can have that many bits."
  (unless (or (memv bits '(4 8 nf4)) (assq bits %k-kinds))
    (error (format "~a: weights can have 8 or 4 bits, or 'nf4, or a kind of \
GGUF's blocks (~a), got" who
                   (string-join (map symbol->string (map car %k-kinds))
                                ", "))
           bits)))

(define (%quantized-like weight bias bits)
  "The layer of integers for a matrix of floats and a bias or #f."
  (let ((packed (no-grad (tensor-lambent::quantize-weight weight bits))))
    (%layer-of-packed (list (car packed) (cadr packed) #f)
                      (tensor-size weight 0) (tensor-size weight 1)
                      bias bits)))

(define (%layer-of-packed packed rows columns bias bits)
  "The layer of a packed weight."
  ((if (= bits 8) int8-linear int4-linear)
   columns rows :bias bias :packed packed))
