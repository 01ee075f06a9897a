;; block-layers.lisp - layers whose weights are K's blocks, as in GGUF files.
;;
;;     Q2_K, Q3_K, Q4_K, Q5_K, Q6_K: 256 columns of a row are a block, of 84 to
;;     210 bytes; each 16 or 32 columns have a scale, of few bits itself
;;
;; A weight stays in blocks: a kernel unpacks each for the rows of a call.
;; Nothing in a layer is learned, but gradients flow through it to its argument.

(define-module (block-linear in-features out-features :type 'Q4_K :bias #t
                             :packed #f)
  "The layer x w' + b with a weight in K's blocks.  x [..., in-features] -> [...,
  out-features].

  It begins with zeros: quantize-model! with a kind such as :bits 'Q4_K_M and
  load-llm fill it.  in-features must be a multiple of 256.  type: Q2_K, Q3_K,
  Q4_K, Q5_K or Q6_K.  packed: a weight to begin with, and bias may be a tensor.
  Buffers: weight uint8 [out-features, in-features / 256 * bytes of a block],
  bias [out-features]."
  ((in-features (%block-columns in-features))
   (out-features (%positive "block-linear" "out-features" out-features))
   (weight (if packed
               (%checked-blocks packed out-features in-features)
               (tensor-zeros out-features (%bytes-of-row type in-features)
                             :dtype 'uint8))
           :buffer)
   (bias (%packed-bias bias out-features) :buffer))
  (forward (x)
    (if (and (grad-enabled?) (requires-grad? x))
        (%product-by-floats x (lambda () (%of-blocks weight in-features)) bias)
        (tensor-lambent::block-linear x weight bias))))

(define (block-linear-type layer)
  "The type of the blocks of a layer: Q2_K, Q3_K, Q4_K, Q5_K or Q6_K."
  (unless (block-linear? layer)
    (wrong-type "block-linear-type" "a block-linear" layer))
  (%type-of-blocks (block-linear-weight layer)
                   (block-linear-in-features layer)))

(define (%block-columns columns)
  "The number of columns, or an error if they are not whole blocks."
  (%positive "block-linear" "in-features" columns)
  (unless (zero? (remainder columns 256))
    (error "block-linear: expected a multiple of 256 for in-features, got"
           columns))
  columns)

(define (%checked-blocks packed rows columns)
  "A weight in blocks, or an error if it is not one of so many rows and columns."
  (unless (and (%type-of-blocks packed columns)
               (= rows (tensor-size packed 0)))
    (wrong-type "block-linear" (format "a uint8 tensor of ~a rows of K's blocks \
for ~a columns" rows columns) packed))
  packed)

(define (%bytes-of-row type columns)
  "How many bytes a row of blocks takes."
  (let ((bytes (assq type %k-bytes)))
    (unless bytes
      (error (format "block-linear: expected ~a as the type, got"
                     (string-join (map symbol->string (map car %k-bytes))
                                  ", "))
             type))
    (* (cdr bytes) (quotient columns 256))))

(define (%type-of-blocks weight columns)
  "The type of the blocks of a weight with that many columns, or #f."
  (let ((found (and (tensor? weight)
                    (eq? (tensor-dtype weight) 'uint8)
                    (= (tensor-rank weight) 2)
                    (zero? (remainder columns 256))
                    (find (lambda (entry)
                            (= (tensor-size weight 1)
                               (* (cdr entry) (quotient columns 256))))
                          %k-bytes))))
    (and found (car found))))

(define (%of-blocks weight columns)
  "The matrix of floats of blocks: float32 [rows, columns]."
  (tensor-lambent::decode-blocks weight columns))

(define (%in-blocks? columns)
  "Whether rows of that many columns are whole blocks."
  (and (> columns 0) (zero? (remainder columns 256))))

(define (%block-layer weight bias type)
  "The layer of blocks for a matrix of floats and a bias or #f.  A matrix whose
  rows are not whole blocks gets integers of 8 bits, or of 4 for Q4_K and less."
  (let ((columns (tensor-size weight 1)))
    (if (%in-blocks? columns)
        (block-linear columns (tensor-size weight 0) :type type
                      :bias (%float-bias bias)
                      :packed (no-grad
                                (tensor-lambent::encode-blocks
                                 weight (symbol->string type))))
        (%quantized-like weight bias (if (memq type '(Q5_K Q6_K)) 8 4)))))

(define (%unfilled-blocks type columns rows bias)
  "The layer of blocks whose weight has no values yet.  bias: whether it has
  one."
  (block-linear columns rows :type type :bias bias
                :packed (tensor-empty rows (%bytes-of-row type columns)
                                      :dtype 'uint8)))
