;; bitsandbytes-weights.lisp - weights that bitsandbytes has quantized.
;;
;;     8 bits   weight int8 [out, in]       SCB float32 [out]: w = q * SCB / 127
;;     4 bits   weight uint8 [out * in / 2, 1], the first of two in the high
;;              half, weight.absmax [blocks], weight.quant_map float32 [16]:
;;              w = map[q] * absmax
;;              weight.quant_state.bitsandbytes__nf4: JSON as bytes, with the
;;              size of blocks, the shape ...
;;
;; Scales of 4 bits may be quantized, too: absmax is uint8 then, and stands for
;; nested_quant_map[absmax] * nested_absmax + nested_offset.

(define (%bitsandbytes-stored table base settings)
  "The stored weight of bitsandbytes's tensors."
  (if (hash-has-key? table (string base ".SCB"))
      (%scb-stored table base)
      (%blocks-stored table base)))

(define (%scb-stored table base)
  "The stored weight of 8-bit integers with a scale for each row."
  (let ((weight (%stored-part table base ".weight"))
        (scale (%stored-part table base ".SCB"))
        (format-of (hash-ref table (string base ".weight_format") #f)))
    (%check-stored base ".weight" weight '(int8) '(#f #f))
    (%check-stored base ".SCB" scale '(float32) (list (tensor-size weight 0)))
    (when (and format-of (not (= (tensor-item format-of) 0)))
      (%stored-error base "its rows are in the order of a GPU's kernel; save \
the model with bitsandbytes 0.43 or newer"))
    (let* ((rows (tensor-size weight 0)) (columns (tensor-size weight 1))
           (by-row (tensor-unsqueeze scale 1))
           (grid (%grid-stored rows columns 8
                               (lambda () (+ (tensor-to weight 'int16) 128))
                               (* by-row (/ 1.0 127))
                               (tensor-full (list rows 1) 128)
                               columns)))
      (%make-stored rows columns (%stored-bits grid)
                    (lambda ()
                      (* (* (tensor-to weight 'float32) by-row)
                         7.874015718698502e-3))
                    (%stored-parts grid)))))

(define (%blocks-stored table base)
  "The stored weight of 4-bit codes."
  (let* ((bytes (%stored-part table base ".weight"))
         (state (%quant-state table base))
         (shape (hash-ref state "shape" '()))
         (block (hash-ref state "blocksize" 0))
         (code (%stored-part table base ".weight.quant_map")))
    (%check-stored base ".weight.quant_map" code '(float32) '(16))
    (unless (and (list? shape) (= (length shape) 2)
                 (every exact-integer? shape)
                 (exact-integer? block) (> block 0)
                 (eq? (tensor-dtype bytes) 'uint8)
                 (= (tensor-numel bytes) (%parts (apply * shape) 2)))
      (%stored-error base (format "~a bytes do not hold a matrix of ~a in \
blocks of ~a" (tensor-numel bytes) shape block)))
    (let ((scale (%absmax table base state (%parts (apply * shape) block)))
          (rows (car shape)) (columns (cadr shape)))
      (if (and (zero? (remainder columns block)) (even? columns))
          (%coded-stored base rows columns
                         (lambda ()
                           (tensor-reshape bytes
                                           (list rows (quotient columns 2))))
                         (tensor-reshape scale (list rows -1)) code)
          (%floats-only rows columns
                        (lambda ()
                          (%floats-across-rows bytes scale code block
                                               shape)))))))

(define (%floats-across-rows bytes scale code block shape)
  "The floats of codes whose blocks do not end with the rows."
  (let* ((count (apply * shape))
         (values (tensor-index-select
                  code 0 (tensor-to (tensor-flatten (%codes-of-bytes bytes))
                                    'int64)))
         (scales (tensor-repeat-interleave scale block 0)))
    (tensor-reshape (* (tensor-narrow values 0 0 count)
                       (tensor-narrow scales 0 0 count))
                    shape)))

(define (%absmax table base state count)
  "The scales of the blocks, float32 [count]."
  (let ((scale (%stored-part table base ".weight.absmax")))
    (%check-stored base ".weight.absmax" scale '(float32 uint8) (list count))
    (if (eq? (tensor-dtype scale) 'float32)
        scale
        (let* ((block (hash-ref state "nested_blocksize" 0))
               (offset (hash-ref state "nested_offset" #f))
               (outer (%stored-part table base ".weight.nested_absmax"))
               (steps (%stored-part table base ".weight.nested_quant_map")))
          (unless (and (exact-integer? block) (> block 0) (real? offset))
            (%stored-error base "its state lacks nested_blocksize or \
nested_offset"))
          (%check-stored base ".weight.nested_absmax" outer '(float32)
                         (list (%parts count block)))
          (%check-stored base ".weight.nested_quant_map" steps '(float32) '(256))
          (+ (* (tensor-index-select steps 0 (tensor-to scale 'int64))
                (tensor-narrow (tensor-repeat-interleave outer block 0)
                               0 0 count))
             offset)))))

(define (%quant-state table base)
  "What a weight's tensor of JSON says: a hash table."
  (let* ((start (string base ".weight.quant_state.bitsandbytes__"))
         (x (or (hash-ref table (string start "nf4") #f)
                (%stored-part table base
                              ".weight.quant_state.bitsandbytes__fp4")))
         (state (guard (e (#t #f))
                  (string->json
                   (utf8->string (apply bytevector (tensor->list x)))))))
    (unless (hash-table? state)
      (%stored-error base "its quant_state is not an object in JSON"))
    state))
