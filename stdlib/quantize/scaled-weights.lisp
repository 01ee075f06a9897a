;; scaled-weights.lisp - weights in 8-bit floats, and those of compressed-tensors.
;;
;;     fp8     weight float8 [out, in], weight_scale or weight_scale_inv, of the
;;             whole, of rows, or of blocks of 128 x 128
;;     compressed-tensors, in its formats:
;;       float-quantized   as fp8
;;       int-quantized     weight int8, weight_scale, weight_zero_point [out,
;;                         groups]
;;       pack-quantized    weight_packed int32, along rows; zeros are packed
;;                         along columns
;;       nvfp4-, mxfp4-    weight_packed uint8: floats of 4 bits, with a scale
;;                         for each 16 or 32 columns
;;
;; w = (q - zero) * scale.

(define %float8s '(float8-e4m3fn float8-e5m2))

(define (%scaled-stored table base settings)
  "The stored weight of a tensor with scales."
  (cond ((not (hash-has-key? table (string base ".weight_packed")))
         (let ((weight (%stored-part table base ".weight")))
           (cond ((eq? (tensor-dtype weight) 'int8)
                  (%int8-stored table base settings weight))
                 ((memq (tensor-dtype weight) %stored-floats-dtypes)
                  (%unscaled-floats base weight))
                 (else (%float8-stored table base settings weight)))))
        ((eq? (tensor-dtype (%stored-part table base ".weight_packed")) 'int32)
         (%words-stored table base settings))
        (else (%float4-stored table base))))

(define (%float8-stored table base settings weight)
  "The stored weight of 8-bit floats."
  (let* ((inverse? (hash-has-key? table (string base ".weight_scale_inv")))
         (ending (if inverse? ".weight_scale_inv" ".weight_scale"))
         (scale (%stored-part table base ending)))
    (%scaled-floats base weight scale (%scale-block settings))))

(define (%unscaled-floats base weight)
  "The stored weight that was not quantized, although it has scales: transformers
  5 does so with a matrix that is smaller than a block."
  (%check-stored base ".weight" weight %stored-floats-dtypes '(#f #f))
  (%floats-only (tensor-size weight 0) (tensor-size weight 1)
                (lambda () (tensor-to weight 'float32))))

(define (%scaled-floats base weight scale block)
  "The stored weight of 8-bit floats and their scales, of the whole, of rows, or
  of blocks of that size."
  (%check-stored base ".weight" weight %float8s '(#f #f))
  (let ((rows (tensor-size weight 0)) (columns (tensor-size weight 1))
        (scale (if (< (tensor-rank scale) 2)
                   (tensor-reshape scale '(-1 1))
                   scale)))
    (define (fits? size count part)
      (or (= count 1) (= count size)
          (and part (= count (%parts size part)))))
    (unless (and (= (tensor-rank scale) 2)
                 (fits? rows (tensor-size scale 0) (car block))
                 (fits? columns (tensor-size scale 1) (cadr block)))
      (%stored-error base (format "scales of ~a do not fit a weight of ~a in \
blocks of ~a" (tensor-shape scale) (tensor-shape weight) block)))
    (%floats-only
     rows columns
     (lambda ()
       (* (tensor-to weight 'float32)
          (%spread-scales (%spread-scales scale 0 rows (car block))
                          1 columns (cadr block)))))))

(define (%spread-scales scale dim size part)
  "Scales as float32, one for each of the rows or columns, unless one is for
  all."
  (let ((scale (tensor-to scale 'float32)))
    (if (or (memv (tensor-size scale dim) (list 1 size)) (not part))
        scale
        (tensor-narrow (tensor-repeat-interleave scale part dim)
                       dim 0 (min size (* part (tensor-size scale dim)))))))

(define (%scale-block settings)
  "The size of the blocks that share a scale, or (#f #f): of rows and columns."
  (let* ((weights (%group-settings settings))
         (block (or (config-ref settings "weight_block_size" #f)
                    (config-ref weights "block_structure" #f)))
         (group (config-ref weights "group_size" #f)))
    (cond ((and (list? block) (= (length block) 2)
                (every (lambda (x) (and (exact-integer? x) (> x 0))) block))
           block)
          ((and (exact-integer? group) (> group 0)) (list #f group))
          (else '(#f #f)))))

(define (%group-settings settings)
  "The settings of weights of the first group in those of compressed-tensors, or
  an empty table."
  (let* ((all (config-ref settings "config_groups" #f))
         (groups (if (hash-table? all) (hash-values all) '()))
         (weights (and (pair? groups) (hash-table? (car groups))
                       (config-ref (car groups) "weights" #f))))
    (if (hash-table? weights) weights (make-hash-table))))

(define (%bits-of-groups settings)
  "The numbers of bits of the groups of settings."
  (let ((all (config-ref settings "config_groups" #f)))
    (append-map
     (lambda (group)
       (let* ((weights (and (hash-table? group)
                            (config-ref group "weights" #f)))
              (bits (and (hash-table? weights)
                         (config-ref weights "num_bits" #f))))
         (if (and (exact-integer? bits) (<= 1 bits 8)) (list bits) '())))
     (if (hash-table? all) (hash-values all) '()))))

(define (%int8-stored table base settings weight)
  "The stored weight of 8-bit integers."
  (let ((scale (%scales-of-rows table base weight))
        (rows (tensor-size weight 0)) (columns (tensor-size weight 1)))
    (%grid-stored
     rows columns 8
     (lambda () (+ (tensor-to weight 'int16) 128))
     scale
     (+ 128 (tensor-to (%zeros-of-rows table base scale) 'int32))
     (%group-of-columns table base scale columns))))

(define (%scales-of-rows table base weight)
  "The scales [rows, groups] of a weight; one scale stands for all rows."
  (let* ((scale (%stored-part table base ".weight_scale"))
         (scale (if (< (tensor-rank scale) 2)
                    (tensor-reshape scale '(-1 1))
                    scale))
         (rows (tensor-size weight 0))
         (scale (if (= (tensor-size scale 0) 1)
                    (tensor-expand scale (list rows (tensor-size scale 1)))
                    scale)))
    (%check-stored base ".weight_scale" scale %stored-floats-dtypes
                   (list rows #f))
    scale))

(define (%zeros-of-rows table base scale)
  "The zeros like the scales; none are 0."
  (let ((zero (hash-ref table (string base ".weight_zero_point") #f)))
    (if (not zero)
        (tensor-zeros (tensor-shape scale) :dtype 'int32)
        (let ((zero (if (< (tensor-rank zero) 2)
                        (tensor-reshape zero '(-1 1))
                        zero)))
          (if (= (tensor-numel zero) 1)
              (tensor-expand zero (tensor-shape scale))
              (begin
                (%check-stored base ".weight_zero_point" zero
                               '(int8 int32 int64) (tensor-shape scale))
                zero))))))

(define (%group-of-columns table base scale columns)
  "How many columns share a scale, or the group of each column."
  (let ((order (hash-ref table (string base ".weight_g_idx") #f))
        (groups (tensor-size scale 1)))
    (unless (and (> groups 0) (zero? (remainder columns groups)))
      (%stored-error base (format "~a columns are not in ~a groups" columns
                                  groups)))
    (if (and order (< -1 (tensor-item (tensor-amin order))))
        (begin
          (%check-stored base ".weight_g_idx" order '(int32 int64)
                         (list columns))
          (%gptq-group base order groups columns))
        (quotient columns groups))))

(define (%words-stored table base settings)
  "The stored weight of integers in words."
  (let* ((words (%stored-part table base ".weight_packed"))
         (shape (tensor->list (%stored-part table base ".weight_shape")))
         (columns (if (= (length shape) 2) (cadr shape) -1))
         (scale (%scales-of-rows table base words))
         (groups (tensor-size scale 1))
         (zero (hash-ref table (string base ".weight_zero_point") #f))
         (bits (find (lambda (bits)
                       (and (= (tensor-rank words) 2)
                            (= (tensor-size words 1)
                               (%parts (* bits columns) 32))))
                     (%bits-of-groups settings))))
    (unless (and bits (= (car shape) (tensor-size words 0)))
      (%stored-error base (format "~a words do not hold a matrix of ~a in \
~a bits" (tensor-shape words) shape
                                  (%bits-of-groups settings))))
    (when zero
      (%check-stored base ".weight_zero_point" zero '(int32)
                     (list (%parts (* bits (car shape)) 32) groups)))
    (%grid-stored
     (car shape) columns bits
     (lambda () (%unpacked-words words bits columns))
     scale
     (if zero
         (tensor-t (%unpacked-words (tensor-contiguous (tensor-t zero)) bits
                                    (car shape)))
         (tensor-full (tensor-shape scale) (expt 2 (- bits 1))))
     (%group-of-columns table base scale columns))))

;; 4-bit floats.

(define %e2m1-code
  '(0.0 0.5 1.0 1.5 2.0 3.0 4.0 6.0
    -0.0 -0.5 -1.0 -1.5 -2.0 -3.0 -4.0 -6.0))

(define (%float4-stored table base)
  "The stored weight of 4-bit floats, two to a byte, the first in its low half."
  (let* ((bytes (%stored-part table base ".weight_packed"))
         (scale (%stored-part table base ".weight_scale"))
         (all (hash-ref table (string base ".weight_global_scale") #f)))
    (%check-stored base ".weight_packed" bytes '(uint8) '(#f #f))
    (%check-stored base ".weight_scale" scale
                   (append '(uint8 float8-e4m3fn) %stored-floats-dtypes)
                   (list (tensor-size bytes 0) #f))
    (%coded-stored
     base (tensor-size bytes 0) (* 2 (tensor-size bytes 1))
     (lambda () (%halves-exchanged bytes))
     (let ((floats (tensor-to scale 'float32)))
       (cond ((eq? (tensor-dtype scale) 'uint8)  ; exponents
              (tensor-to (tensor-view scale 'float8-e8m0fnu) 'float32))
             (all (/ floats (tensor-to all 'float32)))
             (else floats)))
     (tensor %e2m1-code))))

(define (%halves-exchanged bytes)
  "Bytes whose low and high halves are exchanged."
  (tensor-bitwise-or (tensor-bitwise-left-shift bytes 4)
                     (tensor-bitwise-right-shift bytes 4)))
