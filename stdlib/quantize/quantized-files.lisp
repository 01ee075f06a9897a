;; quantized-files.lisp - models whose files hold integers.

(define (load-quantized! path model)
  "Read a model that has been quantized and saved from a file or a folder, and
  return it: the linear layers whose weights are integers there are replaced
  first."
  (let ((table (load-tensors path)))
    (%prepare-quantized! model table)
    (%use-tensors! "load-quantized!" (format "~s" path) model table)))

(define (%prepare-quantized! model table)
  "Replace the linear layers and tables of vectors of a model whose weights in
  the table are integers."
  (for-each
   (lambda (entry)
     (let ((weight (hash-ref table (string (car entry) ".weight") #f)))
       (when (and (linear? (cdr entry))
                  (tensor? (hash-ref table (string (car entry) ".code") #f)))
         (replace-module! model (car entry)
                          (%blank-codes (cdr entry) (car entry) table)))
       (when (and (linear? (cdr entry))
                  (not (hash-has-key? table (string (car entry) ".scale"))))
         (let* ((columns (tensor-size (linear-weight (cdr entry)) 1))
                (type (%type-of-blocks weight columns)))
           (when type
             (replace-module! model (car entry)
                              (%unfilled-blocks
                               type columns
                               (tensor-size (linear-weight (cdr entry)) 0)
                               (tensor? (linear-bias (cdr entry))))))))
       (when (%packed-weight? weight)
         (cond ((linear? (cdr entry))
                (replace-module! model (car entry)
                                 (%blank-integers (cdr entry) (car entry)
                                                  weight table)))
               ((embedding? (cdr entry))
                (replace-module! model (car entry)
                                 (%blank-table (cdr entry) (car entry) weight
                                               table)))))))
   (named-modules model)))

(define (%packed-weight? x)
  "Whether it is a weight of integers in tiles."
  (and (tensor? x)
       (eq? (tensor-dtype x) 'uint8)
       (= (tensor-rank x) 3)
       (memv (tensor-size x 2) '(256 512))
       #t))

(define (%blank-integers layer path weight table)
  "The layer of integers, without values, for a linear layer."
  (%unfilled-layer (if (= (tensor-size weight 2) 512) 8 4)
                   (tensor-size (linear-weight layer) 1)
                   (tensor-size (linear-weight layer) 0)
                   (tensor? (linear-bias layer))
                   (hash-has-key? table (string path ".minimum"))))

(define (%blank-codes layer path table)
  "The layer of codes, without values, for a linear layer."
  (let* ((columns (tensor-size (linear-weight layer) 1))
         (scale (hash-ref table (string path ".scale") #f))
         (code (hash-ref table (string path ".code")))
         (blocks (if (and (tensor? scale) (= (tensor-rank scale) 2))
                     (max 1 (tensor-size scale 1))
                     1)))
    (code-linear columns (tensor-size (linear-weight layer) 0)
                 :bias (tensor? (linear-bias layer))
                 :block (max 1 (quotient columns blocks))
                 :parts (max 1 (car (append (tensor-shape code) '(1)))))))

(define (%blank-table layer path weight table)
  "The table of integers, without values, for an embedding."
  (let ((bits (if (= (tensor-size weight 2) 512) 8 4))
        (rows (embedding-num-embeddings layer))
        (width (embedding-embedding-dim layer)))
    (quantized-embedding rows width :bits bits
                         :packed (%unfilled-weight
                                  bits width rows
                                  (hash-has-key? table
                                                 (string path ".minimum")))
                         :dtype (tensor-dtype (embedding-weight layer)))))
