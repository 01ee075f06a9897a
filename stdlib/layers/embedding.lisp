;; embedding.lisp - layers that look rows of a table up.

(define-module (embedding num-embeddings embedding-dim :padding-idx #f
                          :max-norm #f :norm-type 2.0 :scale-grad-by-freq #f
                          :sparse #f)
  "The layer that replaces each integer by a row of a learned table.  x [...]
  int64 -> [..., embedding-dim].

  The row padding-idx begins with zeros and is not learned.  Rows that are
  longer than max-norm, by the norm norm-type, are shortened in place when
  they are used.  scale-grad-by-freq divides gradients by how often a row
  occurs; :sparse #t makes the gradient a sparse tensor.  weight
  [num-embeddings, embedding-dim] begins normally distributed.
  (tensor-embedding weight indices) applies it to a tensor."
  ((num-embeddings (%positive "embedding" "num-embeddings" num-embeddings))
   (embedding-dim (%positive "embedding" "embedding-dim" embedding-dim))
   (padding-idx (%padding-idx "embedding" padding-idx num-embeddings))
   (max-norm max-norm)
   (norm-type (inexact norm-type))
   (scale-grad-by-freq scale-grad-by-freq)
   (sparse sparse)
   (weight (%embedding-weight num-embeddings embedding-dim padding-idx)
           :parameter))
  (forward (x)
    (when max-norm
      (no-grad (tensor-embedding-renorm! (detach weight) x max-norm norm-type)))
    (tensor-embedding weight x (or padding-idx -1) scale-grad-by-freq sparse)))

(define (%padding-idx who padding-idx rows)
  "padding-idx as a row of the table from 0; #f for none."
  (cond ((not padding-idx) #f)
        ((and (exact-integer? padding-idx) (< (- -1 rows) padding-idx rows))
         (if (< padding-idx 0) (+ rows padding-idx) padding-idx))
        (else (wrong-type who (string "a row of " rows " for padding-idx")
                          padding-idx))))

(define (%embedding-weight rows columns padding-idx)
  "A table [rows, columns], normally distributed, but for zeros as padding."
  (let ((weight (tensor-randn rows columns)))
    (when padding-idx
      (tensor-set! weight padding-idx 0))
    weight))

;; Bags.

(define-module (embedding-bag num-embeddings embedding-dim :max-norm #f
                              :norm-type 2.0 :scale-grad-by-freq #f
                              :mode "mean" :sparse #f :include-last-offset #f
                              :padding-idx #f)
  "The layer that looks rows of a learned table up and returns the mean, sum
  or max of those of each bag.  x [bags, m] int64 -> [bags, embedding-dim].

  For bags of different sizes, x [n] has all of their elements, and a call
  has :offsets, a tensor of where each begins.  :per-sample-weights, of x's
  shape, weighs the rows of a sum.  Rows padding-idx are left out.  The other
  arguments are those of embedding.  (tensor-embedding-bag weight indices
  offsets) applies it to a tensor."
  ((num-embeddings (%positive "embedding-bag" "num-embeddings" num-embeddings))
   (embedding-dim (%positive "embedding-bag" "embedding-dim" embedding-dim))
   (max-norm max-norm)
   (norm-type (inexact norm-type))
   (scale-grad-by-freq scale-grad-by-freq)
   (mode (%choice "embedding-bag" "mode" mode '("sum" "mean" "max")))
   (sparse sparse)
   (include-last-offset include-last-offset)
   (padding-idx (%padding-idx "embedding-bag" padding-idx num-embeddings))
   (weight (%embedding-weight num-embeddings embedding-dim padding-idx)
           :parameter))
  (forward (x :offsets #f :per-sample-weights #f)
    (tensor-embedding-bag x weight :offsets offsets :max-norm max-norm
                          :norm-type norm-type
                          :scale-grad-by-freq scale-grad-by-freq :mode mode
                          :sparse sparse
                          :per-sample-weights per-sample-weights
                          :include-last-offset include-last-offset
                          :padding-idx padding-idx)))
