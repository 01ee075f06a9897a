;; gptq-weights.lisp - weights that GPTQ and AWQ have quantized.
;;
;;     GPTQ   qweight int32 [in * bits / 32, out]
;;            qzeros int32 [groups, out * bits / 32]
;;            scales float16 [groups, out]
;;            g_idx int32 [in], the groups of columns
;;     AWQ    qweight int32 [in, out / 8], qzeros int32 [groups, out / 8]
;;
;; w = (q - zero) * scale, the other way round.  The first version of GPTQ's
;; files has zeros less 1.  AWQ puts the columns of a word in the order 0 2 4 6
;; 1 3 5 7.

(define (%gptq-stored table base settings)
  "The stored weight of GPTQ's tensors."
  (let* ((words (%stored-part table base ".qweight"))
         (scales (%stored-part table base ".scales"))
         (zeros (%stored-part table base ".qzeros"))
         (order (hash-ref table (string base ".g_idx") #f))
         (bits (%gptq-bits base settings words order)))
    (%check-stored base ".qweight" words '(int32) '(#f #f))
    (%check-stored base ".scales" scales %stored-floats-dtypes
                   (list #f (tensor-size words 1)))
    (let* ((rows (tensor-size words 1))
           (groups (tensor-size scales 0))
           (columns (if order
                        (tensor-size order 0)
                        (quotient (* 32 (tensor-size words 0)) bits))))
      (%check-stored base ".qzeros" zeros '(int32)
                     (list groups (quotient (* rows bits) 32)))
      (when order
        (%check-stored base ".g_idx" order '(int32 int64) (list columns)))
      (%grid-stored
       rows columns bits
       (lambda ()
         (%unpacked-words (tensor-contiguous (tensor-t words)) bits columns))
       (tensor-t scales)
       (tensor-t (%gptq-zeros zeros bits rows settings))
       (%gptq-group base order groups columns)))))

(define (%gptq-bits base settings words order)
  "How many bits an integer has: what the sizes say, as settings may differ by
  layer, or the settings where there is no g_idx."
  (let ((bits (if (and (tensor? order) (= (tensor-rank words) 2)
                       (= (tensor-rank order) 1))
                  (/ (* 32 (tensor-size words 0))
                     (max 1 (tensor-size order 0)))
                  (hash-ref settings "bits" #f))))
    (unless (memv bits '(2 3 4 8))
      (%stored-error base (format "expected 2, 3, 4 or 8 bits, got ~a" bits)))
    bits))

(define (%gptq-zeros zeros bits rows settings)
  "The zeros [groups, rows]."
  (let ((q (tensor-to (%unpacked-words zeros bits rows) 'int32)))
    (if (equal? (hash-ref settings "checkpoint_format" "gptq") "gptq_v2")
        q
        (tensor-bitwise-and (+ q 1) (- (expt 2 bits) 1)))))

(define (%gptq-group base order groups columns)
  "How many columns share a scale, or the group of each column if columns of
  different groups stand beside each other."
  (let ((size (%parts columns groups))
        (order (and order (tensor-to order 'int64))))
    (cond ((not order) size)
          ((or (< (tensor-item (tensor-amin order)) 0)
               (>= (tensor-item (tensor-amax order)) groups))
           (%stored-error base (format "g_idx has groups outside 0 to ~a"
                                       (- groups 1))))
          ((tensor-equal order (tensor-div (tensor-arange columns) size
                                           :rounding-mode "floor"))
           size)
          (else order))))

(define (%awq-stored table base settings)
  "The stored weight of AWQ's tensors, in its layout for GEMM."
  (let* ((words (%stored-part table base ".qweight"))
         (scales (%stored-part table base ".scales"))
         (zeros (%stored-part table base ".qzeros")))
    (%check-stored base ".qweight" words '(int32) '(#f #f))
    (let ((rows (* 8 (tensor-size words 1)))
          (columns (tensor-size words 0)))
      (%check-stored base ".scales" scales %stored-floats-dtypes
                     (list #f rows))
      (let ((groups (tensor-size scales 0)))
        (%check-stored base ".qzeros" zeros '(int32)
                       (list groups (quotient rows 8)))
        (unless (and (> groups 0) (zero? (remainder columns groups)))
          (%stored-error base (format "~a columns are not in ~a groups"
                                      columns groups)))
        (%grid-stored
         rows columns 4
         (lambda () (tensor-contiguous (tensor-t (%awq-unpacked words))))
         (tensor-t scales)
         (tensor-t (%awq-unpacked zeros))
         (quotient columns groups))))))

(define (%awq-unpacked words)
  "The integers of words in the order of columns: [n, words * 8]."
  (%shifted-words words '(0 16 4 20 8 24 12 28) 15))

(define (%check-awq settings)
  "Raise an error for another layout, or other bits, than those read here."
  (%refuse-settings settings '(("version" "gemm" "GEMM") ("bits" 4)
                               ("w_bit" 4) ("zero_point" #t))))
