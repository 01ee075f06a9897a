;; mxfp4.lisp - matrices of 4-bit floats with a shared scale for each 32 (OCP
;; 2023), as gpt-oss has them, become bfloat16 when they are loaded.
;;
;;     NAME_blocks [experts, rows, groups, 16] uint8    two numbers a byte, the
;;                                                      low half first
;;     NAME_scales [experts, rows, groups] uint8        2^(scale - 127)
;;     =>  NAME [experts, groups * 32, rows]

(define (%with-mxfp4-expanded table config)
  "The table of tensors of a folder, with the matrices of 4-bit floats as
  bfloat16, if its settings say that it has such; returns the table.  The
  settings then do not say so."
  (when (%mxfp4? config)
    (for-each
     (lambda (name)
       (when (string-suffix? "_blocks" name)
         (let* ((base (substring name 0 (- (string-length name) 7)))
                (scales (string base "_scales")))
           (unless (hash-has-key? table scales)
             (error (format "load-llm: the file has ~s, but not ~s" name
                            scales)))
           (hash-set! table base
                      (%mxfp4-expanded name (hash-ref table name)
                                       (hash-ref table scales)))
           (hash-delete! table name)
           (hash-delete! table scales))))
     (hash-keys table))
    (hash-delete! config "quantization_config"))
  table)

(define (%mxfp4? config)
  (equal? (config-ref (%valid-setting config "quantization_config"
                                      (list (make-hash-table)) hash-table?
                                      "an object")
                      "quant_method" #f)
          "mxfp4"))

(define %mxfp4-numbers
  '(0.0 0.5 1.0 1.5 2.0 3.0 4.0 6.0 -0.0 -0.5 -1.0 -1.5 -2.0 -3.0 -4.0 -6.0))

(define (%mxfp4-expanded name blocks scales)
  "The matrices of blocks [experts, rows, groups, 16], the other way round:
  bfloat16 [experts, groups * 32, rows].  One expert after the other, since
  indices take 16 times the memory of blocks."
  (%check-mxfp4 name blocks scales)
  (let* ((numbers (tensor %mxfp4-numbers :dtype 'float32))
         (shape (tensor-shape blocks))
         (result (tensor-empty (list (car shape) (* 32 (caddr shape))
                                     (cadr shape))
                               :dtype 'bfloat16)))
    (define (looked-up halves)
      (tensor-reshape (tensor-index-select numbers 0
                                           (tensor-to (tensor-reshape halves -1)
                                                      'int32))
                      (tensor-shape halves)))
    (no-grad
      (for-each
       (lambda (k)
         (let* ((bytes (tensor-select blocks 0 k))    ; [rows, groups, 16]
                (pairs (tensor-stack
                        (list (looked-up (tensor-bitwise-and bytes 15))
                              (looked-up (tensor-bitwise-right-shift bytes 4)))
                        -1))
                (powers (- (tensor-to (tensor-select scales 0 k) 'int32) 127)))
           (tensor-copy! (tensor-select result 0 k)
                         (tensor-t
                          (tensor-flatten
                           (tensor-ldexp (tensor-flatten pairs -2 -1)
                                         (tensor-unsqueeze powers -1))
                           1 2)))))
       (range (car shape))))
    result))

(define (%check-mxfp4 name blocks scales)
  "Raise an error unless blocks and scales fit."
  (unless (and (= (tensor-rank blocks) 4)
               (= (tensor-size blocks 3) 16)
               (eq? (tensor-dtype blocks) 'uint8)
               (eq? (tensor-dtype scales) 'uint8)
               (equal? (tensor-shape scales) (take (tensor-shape blocks) 3)))
    (error (format "load-llm: ~s is not of 4-bit floats: expected uint8 [n, m, \
groups, 16] and scales [n, m, groups], got ~a and ~a" name (tensor-shape blocks)
                   (tensor-shape scales)))))
