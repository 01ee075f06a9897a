;; quantization.lisp - tensors and layers of small integers.
;;
;; A quantized tensor is a record of integers, a scale and a zero point:
;; x = (q - zero) scale.  Scale and zero point are numbers, or tensors with one
;; for each index of an axis.

(define-record-type %quantized-type (%make-quantized values scale zero axis)
  %quantized?
  (values %quantized-values)
  (scale %quantized-scale)
  (zero %quantized-zero)
  (axis %quantized-axis))

(define (%quantized-text x)
  (string "Quantized Tensor (" (tensor-dtype (%quantized-values x))
          ", shape=(" (string-join (map number->string
                                        (tensor-shape (%quantized-values x)))
                                   " ")
          ")"
          (if (%quantized-axis x)
              (string ", axis=" (%quantized-axis x))
              (string ", scale=" (%number-text (%quantized-scale x))
                      ", zero_point=" (%quantized-zero x)))
          ")"))

(define (%integer-dtype name)
  "The dtype of a name such as \"qint8\"."
  (case (string->symbol (string (or name "int8")))
    ((int8 qint8) 'int8)
    ((uint8 quint8) 'uint8)
    (else (%fail "expected the dtype int8 or uint8, got " name))))

(define (%bounds dtype) (if (eq? dtype 'int8) '(-128 . 127) '(0 . 255)))

(define (%quantized x scale zero dtype axis)
  "The nearest integers to x / scale + zero, within the dtype's bounds."
  (let ((bounds (%bounds dtype)))
    (%make-quantized
     (no-grad
       (tensor-to (tensor-clamp (+ (tensor-round (/ x scale)) zero)
                                (car bounds) (cdr bounds))
                  dtype))
     scale zero axis)))

(define (torch_quantize_dynamic x . options)
  "x in integers, with the scale and zero point of its own bounds; dtype:
  \"int8\" (the default) or \"uint8\".  With two numbers, they are the scale and
  the zero point."
  (if (and (pair? options) (number? (car options)))
      (torch_quantize_linear x (car options) (%option options 1 0))
      (let* ((dtype (%integer-dtype (%option options 0 #f)))
             (low (min 0.0 (tensor-item (tensor-min x))))
             (high (max 0.0 (tensor-item (tensor-max x))))
             (scale (max (/ (- high low) 255.0) 1e-12))
             (zero (exact (round (- (car (%bounds dtype)) (/ low scale))))))
        (%quantized x scale zero dtype #f))))

(define (torch_quantize_static x scale zero . dtype)
  "x in integers with a scale and a zero point."
  (let* ((type (%integer-dtype (%option dtype 0 #f)))
         (bounds (%bounds type)))
    (unless (<= (car bounds) zero (cdr bounds))
      (%fail "torch_quantize_static: zero point " zero " is not within "
             (car bounds) " and " (cdr bounds)))
    (%quantized x scale zero type #f)))

(define (torch_quantize_linear x scale zero)
  "x in int8 with a scale and a zero point."
  (torch_quantize_static x scale zero))

(define (torch_quantize_per_channel x scales zeros axis)
  "x in int8 with a scale and a zero point for each index of an axis."
  (let ((size (tensor-size x axis)))
    (unless (= size (tensor-numel scales) (tensor-numel zeros))
      (%fail "torch_quantize_per_channel: " size " channels, "
             (tensor-numel scales) " scales"))
    (let ((shape (map (lambda (k) (if (= k (modulo axis (tensor-rank x))) size 1))
                      (iota (tensor-rank x)))))
      (%quantized x (tensor-reshape scales shape) (tensor-reshape zeros shape)
                  'int8 axis))))

(define (torch_quantize_int8 x)
  "x in int8, with the scale of its greatest magnitude and zero point 0."
  (%quantized x (max (/ (tensor-item (tensor-max (tensor-abs x))) 127.0) 1e-12)
              0 'int8 #f))

(define (torch_dequantize x)
  "The float32 tensor of a quantized one, or of another dtype."
  (if (%quantized? x)
      (* (- (tensor-to (%quantized-values x) 'float32) (%quantized-zero x))
         (%quantized-scale x))
      (tensor-to x 'float32)))

(define (torch_quantize_fp16 x) "x in float16." (tensor-to x 'float16))

(define (torch_tensor_to_int8 x)
  "x in int8, its fractions cut."
  (tensor-to x 'int8))

(define (torch_tensor_to_fp16 x) "x in float16." (tensor-to x 'float16))

;; Models.

(define-module (%int8-linear layer scale)
  "A linear layer of int8: the weight with a scale for each row, the input with
  its own scale in each call, or with a fixed one."
  ((weight (%row-integers (linear-weight layer)) :buffer)
   (scales (%row-scales (linear-weight layer)) :buffer)
   (bias (and (linear-bias layer) (tensor-clone (detach (linear-bias layer))))
         :buffer)
   (scale scale))
  (forward (x)
    (no-grad
      (let* ((rows (tensor-reshape x (list -1 (tensor-size x -1))))
             (step (or scale (%input-scale rows)))
             (small (tensor-to (tensor-clamp (tensor-round (/ rows step)) -127 127)
                               'int8))
             (sums (tensor-private--int-mm small (tensor-t weight)))
             (y (* (tensor-to sums 'float32) (* scales step))))
        (tensor-reshape (if bias (+ y bias) y)
                        (append (drop-right (tensor-shape x) 1)
                                (list (tensor-size weight 0))))))))

(define (%row-scales weight)
  "The scale of each row.  [out]"
  (no-grad (tensor-clamp (/ (tensor-amax (tensor-abs weight) '(1)) 127.0) 1e-12)))

(define (%row-integers weight)
  (no-grad (tensor-to (tensor-round (/ weight (tensor-unsqueeze (%row-scales weight) 1)))
                      'int8)))

(define (%input-scale x)
  (max (/ (tensor-item (tensor-max (tensor-abs x))) 127.0) 1e-12))

(define (%linear-paths model)
  "The paths and layers of a model's linear layers."
  (filter (lambda (entry) (linear? (cdr entry))) (named-modules model)))

(define (%with-small-layers model scale-of)
  "A copy of a model whose linear layers are of int8."
  (if (linear? model)
      (%int8-linear model (scale-of ""))
      (let ((copy (copy-module model)))
        (for-each (lambda (entry)
                    (replace-module! copy (car entry)
                                     (%int8-linear (cdr entry)
                                                   (scale-of (car entry)))))
                  (remove (lambda (entry) (string-suffix? "out-proj" (car entry)))
                          (%linear-paths copy)))
        copy)))

(define (torch_model_quantize_dynamic model)
  "A copy of a model whose linear layers compute in int8; the scales of their
  inputs are those of each call."
  (%with-small-layers model (lambda (path) #f)))

(define (torch_model_quantize_static model data)
  "The same with fixed scales of the inputs: those of a run on calibration data,
  a tensor or a list of them."
  (let ((found (make-hash-table)))
    (for-each (lambda (x) (%calibrate model x found))
              (if (tensor? data) (list data) (%elements data)))
    (%with-small-layers model
                        (lambda (path) (hash-ref found path #f)))))

(define (%calibrate model x found)
  "Note the greatest scale of each linear layer's input in a run."
  (let ((note (lambda (path y)
                (hash-set! found path
                           (max (%input-scale y) (hash-ref found path 0.0))))))
    (no-grad
      (if (linear? model)
          (note "" x)
          (let ((copy (copy-module model)))
            (for-each (lambda (entry)
                        (replace-module! copy (car entry)
                                         (lambda (y)
                                           (note (car entry) y)
                                           ((cdr entry) y))))
                      (remove (lambda (entry)
                                (string-suffix? "out-proj" (car entry)))
                              (%linear-paths copy)))
            (torch_forward copy x))))))
