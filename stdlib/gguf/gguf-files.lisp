;; gguf-files.lisp - what a GGUF file holds: metadata and tensors.
;;
;; GGUF is the format of llama.cpp: one file with a model's settings, its
;; tokenizer and its tensors, often quantized in blocks.  Here is what any such
;; file has; gguf-models.lisp knows what they mean.

(define (gguf-metadata path :longest 64)
  "The metadata of a GGUF file: a hash table of numbers, booleans, strings and
  lists.  Lists of more than `longest` elements, such as a vocabulary, are left
  out; #f leaves none out."
  (%procedure "gguf-metadata" (%procedure "open-gguf" path)
              (or longest 4611686018427387903)))

(define (gguf-tensors path)
  "What tensors a GGUF file has: an alist from name to a list of type and
  shape, such as (\"output.weight\" Q6_K (32000 4096))."
  (%procedure "gguf-tensors" (%procedure "open-gguf" path)))

(define (load-gguf path :dtype #f)
  "The tensors of a GGUF file: a hash table of names.

  Floats are read from the file when they are first used, or converted to the
  dtype float32, float16 or bfloat16; quantized blocks become floats of the
  dtype, by default float32."
  (let ((file (%procedure "open-gguf" path))
        (table (make-hash-table)))
    (for-each (lambda (entry)
                (hash-set! table (car entry)
                           (%procedure "gguf-tensor" file (car entry) dtype
                                       #f)))
              (%procedure "gguf-tensors" file))
    table))

(define (gguf-linear path name)
  "A layer without a bias whose weight is a matrix of a GGUF file: int8-linear
  for Q8_0, IQ4_NL, IQ4_XS and MXFP4, int4-linear for Q4_0, Q4_1, Q4_K, TQ1_0
  and TQ2_0, and linear for other types."
  (%gguf-layer (%procedure "open-gguf" path) name #f #f #f))

(define (%gguf-layer file name bias dtype heads)
  "The layer of a matrix in an open file.  dtype: of floats, or #f for those of
  the file.  heads: of a matrix whose rows llama.cpp has reordered, or #f."
  (let ((packed (%procedure "gguf-packed" file name heads)))
    (if packed
        (%layer-of-packed packed
                          (%gguf-size file name 0) (%gguf-size file name 1)
                          bias
                          (if (= (tensor-size (car packed) 2) 512) 8 4))
        (%linear-of (%procedure "gguf-tensor" file name dtype heads) bias))))

(define (%gguf-size file name dim)
  "A size of a tensor in an open file."
  (list-ref (caddr (assoc name (%procedure "gguf-tensors" file))) dim))

(define (%linear-of weight bias)
  "The linear layer of a matrix and a bias or #f."
  (let ((layer (linear 1 1 :bias #f)))
    (set-linear-weight! layer weight)
    (set-linear-bias! layer bias)
    layer))
