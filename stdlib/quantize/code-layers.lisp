;; code-layers.lisp - layers whose weights are 4-bit codes: NF4, FP4, MXFP4 and
;; NVFP4.
;;
;;     w = code[q] * scale     q from 0 to 15, a scale for each block of a row
;;
;; A weight stays in codes: each call unpacks it, and lets the floats go.
;; Nothing in a layer is learned, but gradients flow through it to its argument,
;; so adapters above and below it learn (QLoRA, Dettmers et al. 2023).

(define-module (code-linear in-features out-features :block 64 :bias #t
                            :parts 1 :packed #f)
  "The layer x w' + b with a weight of 4-bit codes.  x [..., in-features] ->
  [..., out-features].

  It begins with zeros: quantize-model! with :bits 'nf4 and load-llm fill it.
  in-features must be even, and a multiple of block.  packed: a list of weight,
  scale and code to begin with, and bias may be a tensor.  Buffers: weight uint8
  [out-features, in-features / 2], the first of two codes in the high half;
  scale float32 [out-features, in-features / block]; code float32 [parts, 16],
  whose rows are the same, one for each matrix that was joined; bias
  [out-features]."
  ((in-features (%positive "code-linear" "in-features" in-features))
   (out-features (%positive "code-linear" "out-features" out-features))
   (weight (if packed
               (car packed)
               (tensor-zeros out-features (quotient in-features 2)
                             :dtype 'uint8))
           :buffer)
   (scale (if packed
              (cadr packed)
              (tensor-zeros out-features (quotient in-features block)))
          :buffer)
   (code (if packed (caddr packed) (tensor-zeros parts 16)) :buffer)
   (bias (%packed-bias bias out-features) :buffer))
  (forward (x)
    (if (and (grad-enabled?) (requires-grad? x))
        (%product-by-floats x (lambda () (%decoded weight scale code)) bias)
        (tensor-lambent::code-linear x weight scale code bias))))

(define (%decoded weight scale code)
  "The matrix of floats of codes: float32 [rows, columns]."
  (tensor-lambent::decode-codes weight scale code))

(define (%codes-of-bytes bytes)
  "The two codes of each byte, high half first: uint8 [..., 2]."
  (tensor-stack (list (tensor-bitwise-right-shift bytes 4)
                      (tensor-bitwise-and bytes 15))
                -1))

(define (%coded-stored base rows columns bytes scale code)
  "The stored weight of codes.  bytes: a thunk of uint8 [rows, columns / 2],
  first codes in the high halves.  scale: float32 [rows, blocks]."
  (unless (and (even? columns) (> (tensor-size scale 1) 0)
               (zero? (remainder columns (tensor-size scale 1))))
    (%stored-error base (format "~a columns are not in ~a blocks" columns
                                (tensor-size scale 1))))
  (%make-stored rows columns 'code
                (lambda () (%decoded (bytes) scale (tensor-unsqueeze code 0)))
                (lambda ()
                  (list (cons "weight" (bytes))
                        (cons "scale" (tensor-contiguous scale))
                        (cons "code" (tensor-unsqueeze code 0))))))

;; NF4.

;; The quantiles of a normal distribution at which NF4 rounds, as bitsandbytes
;; has them.
(define %nf4-code
  '(-1.0 -0.6961928009986877 -0.5250730514526367 -0.39491748809814453
    -0.28444138169288635 -0.18477343022823334 -0.09105003625154495 0.0
    0.07958029955625534 0.16093020141124725 0.24611230194568634
    0.33791524171829224 0.44070982933044434 0.5626170039176941
    0.7229568362236023 1.0))

(define (%nf4-layer weight bias)
  "The layer of NF4 codes for a matrix of floats and a bias or #f: blocks of 64
  columns, or of fewer if the columns are not a multiple."
  (no-grad
    (let* ((floats (tensor-to (detach weight) 'float32))
           (rows (tensor-size floats 0))
           (columns (tensor-size floats 1))
           (block (gcd 64 columns)))
      (when (odd? columns)
        (error "quantize-model!: NF4 needs an even number of columns, got"
               (list rows columns)))
      (let* ((blocks (tensor-reshape floats (list rows -1 block)))
             (scale (tensor-amax (tensor-abs blocks) '(2)))
             (near (/ blocks (tensor-unsqueeze
                              (tensor-clamp scale 1e-38) 2)))
             (code (tensor %nf4-code))
             (middles (/ (+ (tensor-narrow code 0 1 15)
                            (tensor-narrow code 0 0 15))
                         2.0))
             (q (tensor-reshape
                 (tensor-to (tensor-bucketize near middles) 'uint8)
                 (list rows -1 2))))
        (code-linear columns rows :bias (%float-bias bias)
                     :packed (list (tensor-bitwise-or
                                    (tensor-bitwise-left-shift
                                     (tensor-select q 2 0) 4)
                                    (tensor-select q 2 1))
                                   scale (tensor-unsqueeze code 0)))))))
