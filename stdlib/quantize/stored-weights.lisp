;; stored-weights.lisp - weights as quantized files have them.
;;
;;     integers q [rows, columns], scale and zero [rows, groups]
;;         =>  floats (q - zero) * scale, or the parts of an int4-linear
;;
;; The readers of a method (gptq-weights.lisp and its neighbours) make one
;; record of the tensors that a file has for a matrix.  Nothing is unpacked
;; until the record is asked: for the floats, exactly those of the method's
;; definition, or for the parts of a layer that keeps the integers.

(define-record-type %stored
  (%make-stored rows columns bits floats parts)
  %stored?
  (rows %stored-rows)
  (columns %stored-columns)
  (bits %stored-bits)             ; of the layer: 4, 8, a code's block, or #f
  (floats %stored-floats)         ; a thunk: float32 [rows, columns]
  (parts %stored-parts))          ; a thunk: an alist from buffer to tensor

(define (%floats-only rows columns floats)
  "The stored weight that no layer keeps as it is."
  (%make-stored rows columns #f floats (lambda () '())))

;; Integers in a grid.

(define (%grid-stored rows columns bits q scale zero group)
  "The stored weight of integers.  q: a thunk of integers from 0 up to 2 to the
  bits, [rows, columns].  scale: floats [rows, groups].  zero: integers like
  scale.  group: how many columns share a scale, or the group of each column,
  int64 [columns]."
  (let* ((scale (tensor-to scale 'float32))
         (zero (tensor-to zero 'int32))
         (kernel-bits (and (integer? group)
                           (or (zero? (remainder group 32))
                               (= (tensor-size scale 1) 1))
                           (%fits-float16? scale)
                           (if (<= bits 4) 4 8))))
    (%make-stored
     rows columns kernel-bits
     (lambda () (%grid-floats (q) scale zero group columns))
     (lambda ()
       (%grid-parts (q) scale zero bits kernel-bits
                    (quotient (+ columns 31) 32) group)))))

(define (%fits-float16? scale)
  "Whether float16 holds scales as precisely as it can: none is too small."
  (let ((size (tensor-abs scale)))
    (tensor-item
     (tensor-all (tensor-logical-or
                  (tensor-eq size 0.0)
                  (tensor-logical-and (tensor-ge size 6.2e-05)
                                      (tensor-lt size 65504.0)))))))

(define (%grid-floats q scale zero group columns)
  "The floats of integers: (q - zero) * scale."
  (define (of-columns x)
    (if (tensor? group)
        (tensor-index-select x 1 group)
        (tensor-narrow (tensor-repeat-interleave x group 1) 1 0 columns)))
  (* (tensor-to (- (tensor-to q 'int32) (of-columns zero)) 'float32)
     (of-columns scale)))

(define (%grid-parts q scale zero bits kernel-bits groups group)
  "Weight, scale and minimum of a layer of integers.  If all zeros are one
  number, the integers move instead of having a minimum."
  (let* ((offset (if (= kernel-bits 4) 8 128))
         (least (tensor-item (tensor-amin zero)))
         (move (- offset least))
         (moves? (and (= least (tensor-item (tensor-amax zero)))
                      (<= 0 move (- (* 2 offset) (expt 2 bits)))))
         (q (if moves? (+ q move) q))
         (of-groups (lambda (x) (%scales-of-groups x groups group)))
         (parts (list (cons "weight" (%tiles-of-integers q kernel-bits))
                      (cons "scale" (%tiles-of-scales (of-groups scale))))))
    (if moves?
        parts
        (append parts
                (list (cons "minimum"
                            (%tiles-of-scales
                             (of-groups
                              (* scale (tensor-to (- offset zero)
                                                  'float32))))))))))

(define (%scales-of-groups x groups group)
  "One number for each group of 32 columns: [rows, groups]."
  (if (= (tensor-size x 1) 1)
      (tensor-expand x (list (tensor-size x 0) groups))
      (tensor-narrow (tensor-repeat-interleave x (quotient group 32) 1)
                     1 0 groups)))

(define (%tiles-of-integers q bits)
  "Integers [rows, columns], which begin at 0, in the order in which a kernel
  reads them: see ctorch/quantize/quantize.h."
  (let* ((tiles (%parts (tensor-size q 0) 16))
         (groups (%parts (tensor-size q 1) 32))
         (q (tensor-constant-pad-nd
             (tensor-to q 'uint8)
             (list 0 (- (* 32 groups) (tensor-size q 1))
                   0 (- (* 16 tiles) (tensor-size q 0)))
             (if (= bits 4) 8 128))))
    (tensor-reshape
     (if (= bits 8)
         (tensor-permute (tensor-reshape q (list tiles 16 groups 8 4))
                         '(0 2 3 1 4))
         (let ((halves (tensor-reshape q (list tiles 16 groups 2 4 4))))
           (tensor-permute
            (tensor-bitwise-or
             (tensor-select halves 3 0)
             (tensor-bitwise-left-shift (tensor-select halves 3 1) 4))
            '(0 2 3 1 4))))
     (list tiles groups (* 64 bits)))))

(define (%tiles-of-scales x)
  "Floats [rows, groups] in tiles of 16 rows, as float16."
  (let ((tiles (%parts (tensor-size x 0) 16)))
    (tensor-to
     (tensor-contiguous
      (tensor-permute
       (tensor-reshape
        (tensor-constant-pad-nd
         x (list 0 0 0 (- (* 16 tiles) (tensor-size x 0))) 0.0)
        (list tiles 16 -1))
       '(0 2 1)))
     'float16)))

;; Integers in words.

(define (%unpacked-words words bits count)
  "The first integers of rows of 32-bit words, whose lowest bits are first:
  int32 [rows, words] -> uint8 [rows, count].  Integers of 3, 5, 6 and 7 bits
  may lie across two words."
  (let ((mask (- (expt 2 bits) 1)))
    (if (memv bits '(1 2 4 8))
        (tensor-narrow (%shifted-words words (iota (quotient 32 bits) 0 bits)
                                       mask)
                       1 0 count)
        (let* ((wide (tensor-bitwise-and
                      (tensor-to (tensor-constant-pad-nd words '(0 1) 0)
                                 'int64)
                      4294967295))
               (starts (* bits (tensor-arange count)))
               (at (tensor-bitwise-right-shift starts 5))
               (by (tensor-bitwise-and starts 31)))
          (tensor-to
           (tensor-bitwise-and
            (tensor-bitwise-or
             (tensor-bitwise-right-shift (tensor-index-select wide 1 at) by)
             (tensor-bitwise-left-shift (tensor-index-select wide 1 (+ at 1))
                                        (- 32 by)))
            mask)
           'uint8)))))

(define (%shifted-words words shifts mask)
  "For each word of the rows, the integers at the shifts: uint8 [rows, words *
  shifts]."
  (tensor-flatten
   (tensor-to
    (tensor-bitwise-and
     (tensor-bitwise-right-shift (tensor-unsqueeze words 2)
                                 (tensor shifts :dtype 'int32))
     mask)
    'uint8)
   1 2))

;; What a file has for a matrix.

(define (%stored-part table base ending)
  "The tensor of a weight with the ending, or an error that names it."
  (let ((x (hash-ref table (string base ending) #f)))
    (unless (tensor? x)
      (%stored-error base (format "there is no tensor ~s"
                                  (string base ending))))
    x))

(define (%check-stored base ending x dtypes shape)
  "Raise an error unless a tensor has one of the dtypes, and the shape, in which
  #f stands for any size."
  (unless (and (memq (tensor-dtype x) dtypes)
               (= (tensor-rank x) (length shape))
               (every (lambda (size expected)
                        (or (not expected) (= size expected)))
                      (tensor-shape x) shape))
    (%stored-error
     base (format "expected ~s as ~a ~a, got ~a ~a" (string base ending)
                  (string-join (map symbol->string dtypes) " or ")
                  (map (lambda (size) (or size 'any)) shape)
                  (tensor-dtype x) (tensor-shape x)))))

(define %stored-floats-dtypes '(float16 bfloat16 float32))

(define (%stored-error base what)
  "Raise the error for a weight that cannot be read."
  (%error-with-hint
   (format "~a: the quantized weight of ~s: ~a"
           (or (%settings-source) "load-llm") base what)
   '()
   "the files are incomplete or damaged, or config.json is not theirs"))
