;; torchao-weights.lisp - weights that torchao has quantized, as transformers 5
;; saves them.
;;
;;     tensors    x._weight_qdata, x._weight_scale, x._weight_zero_point
;;     metadata   x.weight  =>  {"_type": "Int8Tensor", "_data": {...}, ...}
;;
;;     Int8Tensor, IntxUnpackedToInt8Tensor   qdata int8 [out, in], scale and
;;                    zero point [out, groups] or [1, 1]: w = (q - zero) * scale
;;     Float8Tensor   qdata float8 [out, in], scale of the whole, of rows or of
;;                    blocks: w = q * scale
;;     Int4Tensor     qdata int8 [out, in / 2], integers from -8 to 7, the first
;;                    of two in the low half; scale and zero point [groups,
;;                    out]: w = q * scale + zero
;;
;; The others have the order of a GPU's kernel, or are of its prototypes.

(define %torchao-parts
  '("._weight_qdata" "._weight_scale" "._weight_zero_point"
    "._weight_scale_and_zero" "._weight_act_pre_scale"
    "._weight_act_quant_scale" "._weight_act_quant_zero_point"
    "._weight_per_tensor_scale" "._weight_act_per_tensor_scale"))

(define (%torchao-settings table settings folder)
  "The settings, with what the metadata of a folder's files says about each
  weight under \"tensors\"."
  (let ((settings (hash-copy settings)) (all (make-hash-table)))
    (for-each
     (lambda (name)
       (when (string-suffix? ".safetensors" name)
         (hash-for-each
          (tensors-metadata (%beside folder name))
          (lambda (name text)
            (when (string-suffix? ".weight" name)
              (hash-set! all name (guard (e (#t #f)) (string->json text))))))))
     (list-folder folder))
    (for-each
     (lambda (name)
       (when (and (string-suffix? "_qdata" name)
                  (not (string-suffix? "._weight_qdata" name)))
         (%quantizing-error (format "torchao in ~s, which is not the weight of \
a layer," name))))
     (hash-keys table))
    (hash-set! settings "tensors" all)
    settings))

(define (%torchao-stored table base settings)
  "The stored weight of torchao's tensors."
  (let* ((said (hash-ref (hash-ref settings "tensors") (string base ".weight")
                         #f))
         (type (and (hash-table? said) (hash-ref said "_type" #f)))
         (data (if (hash-table? said) (hash-ref said "_data" #f) #f))
         (data (if (hash-table? data) data (make-hash-table))))
    (when (hash-has-key? table (string base "._weight_act_pre_scale"))
      (%quantizing-error (format "torchao with scales of activations (of ~s)"
                                 base)))
    (cond ((equal? type "Int8Tensor")
           (%torchao-integers table base 8))
          ((equal? type "IntxUnpackedToInt8Tensor")
           (%torchao-integers table base (%torchao-bits base data)))
          ((equal? type "Float8Tensor")
           (%scaled-floats base (%stored-part table base "._weight_qdata")
                           (%stored-part table base "._weight_scale")
                           (%torchao-block data)))
          ((equal? type "Int4Tensor") (%torchao-int4 table base))
          ((not said)
           (%stored-error base (format "no file's metadata says what ~s is"
                                       (string base ".weight"))))
          (else
           (%quantizing-error (format "torchao as ~a (of ~s)"
                                      (%shown-setting type) base))))))

(define (%torchao-bits base data)
  "How many bits the integers have."
  (let* ((type (hash-ref data "target_dtype" #f))
         (name (and (hash-table? type) (hash-ref type "_data" #f)))
         (found (assoc name '(("int1" . 1) ("int2" . 2) ("int3" . 3)
                              ("int4" . 4) ("int5" . 5) ("int6" . 6)
                              ("int7" . 7) ("int8" . 8)))))
    (unless found
      (%stored-error base (format "expected int1 to int8 as its target_dtype, \
got ~a" (%shown-setting name))))
    (cdr found)))

(define (%torchao-block data)
  "The sizes of the blocks that share a scale, or (#f #f)."
  (let ((block (hash-ref data "block_size" #f)))
    (if (and (list? block) (= (length block) 2)
             (every (lambda (x) (and (exact-integer? x) (> x 0))) block))
        block
        '(#f #f))))

(define (%torchao-integers table base bits)
  "The stored weight of integers of int8, of which each has that many bits."
  (let* ((q (%stored-part table base "._weight_qdata"))
         (scale (%stored-part table base "._weight_scale"))
         (zero (hash-ref table (string base "._weight_zero_point") #f))
         (half (expt 2 (- bits 1))))
    (%check-stored base "._weight_qdata" q '(int8) '(#f #f))
    (%check-stored base "._weight_scale" scale %stored-floats-dtypes '(#f #f))
    (let* ((rows (tensor-size q 0)) (columns (tensor-size q 1))
           (groups (tensor-size scale 1))
           (of-rows (lambda (x)
                      (if (= (tensor-size x 0) 1)
                          (tensor-expand x (list rows groups))
                          x))))
      (when zero
        (%check-stored base "._weight_zero_point" zero
                       (cons 'int8 %stored-floats-dtypes)
                       (tensor-shape scale))
        (unless (tensor-equal (tensor-round (tensor-to zero 'float32))
                              (tensor-to zero 'float32))
          (%quantizing-error (format "torchao with zeros that are not integers \
(of ~s)" base))))
      (unless (and (memv (tensor-size scale 0) (list 1 rows))
                   (> groups 0) (zero? (remainder columns groups)))
        (%stored-error base (format "scales of ~a do not fit a weight of ~a"
                                    (tensor-shape scale) (tensor-shape q))))
      (%grid-stored
       rows columns bits
       (lambda () (+ (tensor-to q 'int16) half))
       (of-rows scale)
       (of-rows (if zero
                    (+ (tensor-to zero 'int32) half)
                    (tensor-full (tensor-shape scale) half :dtype 'int32)))
       (quotient columns groups)))))

(define (%torchao-int4 table base)
  "The stored weight of 4-bit integers, two to a byte."
  (let ((bytes (%stored-part table base "._weight_qdata"))
        (scale (%stored-part table base "._weight_scale"))
        (zero (%stored-part table base "._weight_zero_point")))
    (%check-stored base "._weight_qdata" bytes '(int8 uint8) '(#f #f))
    (%check-stored base "._weight_scale" scale %stored-floats-dtypes
                   (list #f (tensor-size bytes 0)))
    (%check-stored base "._weight_zero_point" zero %stored-floats-dtypes
                   (tensor-shape scale))
    (let* ((rows (tensor-size bytes 0)) (columns (* 2 (tensor-size bytes 1)))
           (groups (tensor-size scale 0))
           (scale (tensor-to (tensor-t scale) 'float32))
           (zero (tensor-to (tensor-t zero) 'float32)))
      (unless (and (> groups 0) (zero? (remainder columns groups)))
        (%stored-error base (format "~a columns are not in ~a groups" columns
                                    groups)))
      (let ((group (quotient columns groups)))
        ;; Signed halves, moved to 0 up to 15.
        (define (moved)
          (tensor-bitwise-xor
           (tensor-reshape
            (tensor-flip (%codes-of-bytes (tensor-view bytes 'uint8)) '(2))
            (list rows columns))
           8))
        (define (spread x) (tensor-repeat-interleave x group 1))
        (%make-stored
         rows columns
         (and (zero? (remainder group 32)) (%fits-float16? scale)
              (%fits-float16? zero) 4)
         (lambda ()
           (+ (* (- (tensor-to (moved) 'float32) 8.0) (spread scale))
              (spread zero)))
         (lambda ()
           (let ((tiles (lambda (x)
                          (%tiles-of-scales
                           (%scales-of-groups x (quotient columns 32) group)))))
             (list (cons "weight" (%tiles-of-integers (moved) 4))
                   (cons "scale" (tiles scale))
                   (cons "minimum" (tiles zero))))))))))
