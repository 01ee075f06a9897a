;; torch-layers.lisp - quantized layers over LibTorch's own kernels.
;;
;; They are an alternative to int8-linear and int4-linear, which are faster and
;; more accurate.  The 8-bit kernel
;; takes a packed weight that only LibTorch can read; so the integers are kept
;; beside it, and saved.  The kernels record no gradients: an argument that
;; requires grad is multiplied by the floats that the integers stand for.

(define-module (torch-int8-linear in-features out-features :bias #t)
  "The layer x w' + b with a weight of 8-bit integers, by LibTorch's kernel
  quantized::linear_dynamic: activations become 7-bit integers with one scale.
  (Of 8 bits, the kernel's sums of two products overflow where the processor
  has no instructions for them, VNNI.)
  x [..., in-features] -> [..., out-features].

  Buffers: weight int8 [out-features, in-features], scale float32
  [out-features], bias [out-features]."
  ((in-features in-features)
   (out-features out-features)
   (weight (tensor-zeros out-features in-features :dtype 'int8) :buffer)
   (scale (tensor-ones out-features) :buffer)
   (bias (%packed-bias bias out-features) :buffer)
   (packed #f))
  (forward (x)
    (unless packed
      (set-torch-int8-linear-packed! self (%torch-packed weight scale bias)))
    (if (and (grad-enabled?) (requires-grad? x))
        (%torch-product x self bias)
        (tensor-to (tensor-quantized::linear-dynamic
                    (tensor-to (detach x) 'float32)
                    (torch-int8-linear-packed self)
                    :reduce-range #t)
                   (tensor-dtype x)))))

(define-module (torch-int4-linear in-features out-features :bias #t :group 32)
  "The layer x w' + b with a weight of 4-bit integers, by LibTorch's kernel
  _weight_int4pack_mm_for_cpu, whose activations are bfloat16.  x [...,
  in-features] -> [..., out-features].  in-features must be a multiple of
  group, out-features one of 16.

  Buffers: weight uint8 [out-features, in-features / 2], LibTorch's packing;
  scale-and-zero bfloat16 [in-features / group, out-features, 2]; bias
  [out-features]."
  ((in-features in-features)
   (out-features out-features)
   (group group)
   (weight (tensor-zeros out-features (quotient in-features 2) :dtype 'uint8)
           :buffer)
   (scale-and-zero (tensor-zeros (quotient in-features group) out-features 2
                                 :dtype 'bfloat16)
                   :buffer)
   (bias (%packed-bias bias out-features) :buffer))
  (forward (x)
    (if (and (grad-enabled?) (requires-grad? x))
        (%torch-product x self bias)
        (let* ((rows (tensor-reshape (tensor-to (detach x) 'bfloat16)
                                     (list -1 in-features)))
               (y (tensor-private--weight-int4pack-mm-for-cpu rows weight group
                                                              scale-and-zero))
               (shape (append (drop-right (tensor-shape x) 1)
                              (list out-features)))
               (z (tensor-reshape (tensor-to y (tensor-dtype x)) shape)))
          (if bias (+ z (tensor-to bias (tensor-dtype x))) z)))))

(define (%torch-product x layer bias)
  "x times the weight of a layer over LibTorch's kernels, by floats."
  (tensor-linear x (tensor-to (no-grad (%torch-weight layer)) (tensor-dtype x))
                 (and bias (tensor-to bias (tensor-dtype x)))))

(define (%torch-packed weight scale bias)
  "LibTorch's packed form of a weight."
  (tensor-quantized::linear-prepack
   (tensor-quantize-per-channel
    (* (tensor-to weight 'float32) (tensor-unsqueeze scale 1))
    scale (tensor-zeros (tensor-size scale 0) :dtype 'int64) 0 'qint8)
   bias))

(define (%torch-layer layer bits group)
  "A layer over LibTorch's kernels like a linear layer."
  (no-grad
    (if (= bits 8)
        (%torch-int8 (linear-weight layer) (linear-bias layer))
        (%torch-int4 (linear-weight layer) (linear-bias layer) group))))

(define (%torch-int8 weight bias)
  (let* ((floats (tensor-to (detach weight) 'float32))
         (scale (/ (tensor-clamp (tensor-amax (tensor-abs floats) '(1))
                                 1e-30)
                   127.0))
         (new (torch-int8-linear (tensor-size weight 1) (tensor-size weight 0)
                                 :bias (%float-bias bias))))
    (set-torch-int8-linear-weight!
     new (tensor-to (tensor-round (/ floats (tensor-unsqueeze scale 1)))
                    'int8))
    (set-torch-int8-linear-scale! new scale)
    new))

(define (%float-bias bias)
  (and bias (tensor-to (detach bias) 'float32)))

(define (%torch-int4 weight bias group)
  (let* ((rows (tensor-size weight 0))
         (columns (tensor-size weight 1)))
    (%check-torch-int4 rows columns group)
    (let* ((groups (tensor-reshape (tensor-to (detach weight) 'float32)
                                   (list rows -1 group)))
           (least (tensor-amin groups '(2)))
           (scale (/ (tensor-clamp (- (tensor-amax groups '(2)) least) 1e-30)
                     15.0))
           (q (tensor-clamp
               (tensor-round (/ (- groups (tensor-unsqueeze least 2))
                                (tensor-unsqueeze scale 2)))
               0 15))
           (new (torch-int4-linear columns rows :group group
                                   :bias (%float-bias bias))))
      (set-torch-int4-linear-weight!
       new (tensor-private--convert-weight-to-int4pack-for-cpu
            (tensor-reshape (tensor-to q 'int32) (list rows columns)) 1))
      ;; The kernel computes (q - 8) * scale + zero.
      (set-torch-int4-linear-scale-and-zero!
       new (tensor-contiguous
            (tensor-to (tensor-stack (list (tensor-t scale)
                                           (tensor-t (+ least (* 8.0 scale))))
                                     2)
                       'bfloat16)))
      new)))

(define (%check-torch-int4 rows columns group)
  "Raise an error for a weight that LibTorch's kernel does not take."
  (unless (and (zero? (remainder columns group)) (zero? (remainder rows 16)))
    (%error-with-hint
     (format "quantize-model!: LibTorch's 4-bit kernel takes weights whose \
columns are a multiple of ~a and whose rows are one of 16, got" group)
     (list (list rows columns))
     "leave :kernel out for our own layers, or :skip the layer")))

(define (%torch-weight layer)
  "The matrix of floats of a layer over LibTorch's kernels: what it multiplies
  the identity by."
  (if (torch-int8-linear? layer)
      (* (tensor-to (torch-int8-linear-weight layer) 'float32)
         (tensor-unsqueeze (torch-int8-linear-scale layer) 1))
      (let ((bias (torch-int4-linear-bias layer))
            (product (layer (tensor-eye (torch-int4-linear-in-features
                                         layer)))))
        (tensor-t (if bias (- product bias) product)))))
