;; embed.lisp - vectors for texts, by an encoder: texts of similar meaning have
;; vectors with a large dot product.

(define (embed model tokenizer texts :pooling 'mean :normalize #t :batch 32
               :length #f)
  "The vectors of texts: a list of n texts -> [n, width]; a single text ->
  [width].

  model: an encoder, such as load-encoder returns, or any procedure of ids [n, t]
  and :mask, bool [n, t], that returns states [n, t, width].  pooling: mean, cls
  or max, see pool-states.  normalize: whether vectors get length 1, so that dot
  products are cosines.  batch: how many texts are computed at once.  length: the
  most tokens of a text, by default as many as the model has positions for;
  longer texts are cut.  No gradients are recorded."
  (let ((list-of-texts (if (string? texts) (list texts) texts)))
    (%check-list "embed" list-of-texts)
    (for-each (lambda (text) (%check-string "embed" text)) list-of-texts)
    (when (null? list-of-texts)
      (error "embed: there are no texts"))
    (unless (and (exact-integer? batch) (> batch 0))
      (wrong-type "embed" "a positive exact integer as batch" batch))
    (let ((vectors
           (no-grad
             (tensor-cat
              (map (lambda (part)
                     (%embed-batch model tokenizer part pooling normalize
                                   (or length (and (bert? model)
                                                   (bert-context model)))))
                   (%in-batches list-of-texts batch))))))
      (if (string? texts)
          (tensor-select vectors 0 0)
          vectors))))

(define (%in-batches items size)
  "The items in lists of at most that size."
  (if (<= (length items) size)
      (list items)
      (cons (take items size) (%in-batches (drop items size) size))))

(define (%embed-batch model tokenizer texts pooling normalize most)
  "The vectors of a few texts."
  (let-values (((ids mask) (%rows-for-encoder tokenizer texts most)))
    (let* ((ids (if (bert? model)
                    (tensor-to ids (tensor-device
                                    (embedding-weight (bert-words model))))
                    ids))
           (mask (tensor-to mask (tensor-device ids)))
           (pooled (pool-states (model ids :mask mask) mask pooling)))
      (if normalize
          (tensor-div pooled (tensor-clamp-min
                              (tensor-norm pooled 2 '(1) #t) 1e-12))
          pooled))))

(define (%rows-for-encoder tokenizer texts most)
  "The ids and the mask of texts, cut to at most so many tokens."
  (let-values (((ids mask) (encode-batch tokenizer texts :side 'right)))
    (cond ((and most (> (tensor-size ids 1) most))
           (encode-batch tokenizer texts :side 'right :length most))
          ((= (tensor-size ids 1) 0)             ; only empty texts
           (encode-batch tokenizer texts :side 'right :length 1))
          (else (values ids mask)))))

(define (pool-states states mask pooling)
  "One vector for each row of states [n, t, width] -> [n, width]; mask bool [n, t]
  is #f at padding, which does not count, or #f.

  pooling: mean, the mean of the states; max, the largest value of each element;
  or cls, the state of the first token.  A row of padding becomes zeros."
  (unless (memq pooling '(mean max cls))
    (wrong-type "pool-states" "mean, max or cls as the pooling" pooling))
  (if (tensor? mask)
      (let ((real (tensor-unsqueeze (tensor-to mask 'bool) 2)))  ; [n, t, 1]
        (%pool-masked (tensor-masked-fill states (tensor-logical-not real) 0)
                      real pooling))
      (case pooling
        ((mean) (tensor-mean states '(1)))
        ((max) (tensor-amax states '(1)))
        (else (tensor-select states 1 0)))))

(define (%pool-masked states real pooling)
  "The same for states that are zeros at padding."
  (case pooling
    ((mean)
     (tensor-div (tensor-sum states '(1))
                 (tensor-clamp-min (tensor-to (tensor-sum real '(1))
                                              (tensor-dtype states))
                                   1)))
    ((max)
     (tensor-masked-fill
      (tensor-amax (tensor-masked-fill states (tensor-logical-not real) -inf.0)
                   '(1))
      (tensor-logical-not (tensor-any real 1)) 0))
    (else (%first-states states real))))

(define (%first-states states mask)
  "The states of the first tokens that are not padding: mask [n, t, 1]."
  (let ((first (tensor-argmax (tensor-to mask 'int64) 1 #t)))  ; [n, 1, 1]
    (tensor-squeeze
     (tensor-gather states 1
                    (tensor-expand first (list -1 1 (tensor-size states 2))))
     1)))
