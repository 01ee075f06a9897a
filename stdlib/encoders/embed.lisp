;; embed.lisp - vectors for texts, by an encoder: texts of similar meaning have
;; vectors with a large dot product.

(define (embed model tokenizer texts :pooling #f :normalize 'model :batch 32
               :length #f :prompt #f)
  "The vectors of texts: a list of n texts -> [n, width]; a single text ->
  [width].

  A model that load-encoder has read from a folder of sentence-transformers does
  what its folder says: how states are pooled, layers after that, normalization,
  the most tokens, and the prompt that stands before texts.  What is given here
  comes before that: pooling leaves the layers after it out.

  model: an encoder, such as load-encoder returns, a language model, whose last
  states are taken, or any procedure of ids [n, t] and :mask, bool [n, t], that
  returns states [n, t, width].  pooling: mean, cls and so on, see pool-states;
  mean unless the folder says.  normalize: whether vectors get length 1, so that
  dot products are cosines; #t unless the folder says.  prompt: the name of one
  of the model's prompts, or a text.  batch: how many texts are computed at
  once.  length: the most tokens of a text, by default as many as the model has
  positions for; longer texts are cut.  No gradients are recorded."
  (let ((list-of-texts (if (string? texts) (list texts) texts))
        (model (if (decoder? model) (decoder-encoder model) model)))
    (%check-list "embed" list-of-texts)
    (for-each (lambda (text) (%check-string "embed" text)) list-of-texts)
    (when (null? list-of-texts)
      (error "embed: there are no texts"))
    (unless (and (exact-integer? batch) (> batch 0))
      (wrong-type "embed" "a positive exact integer as batch" batch))
    (let* ((head (%sentence-of model))
           (prompt (%prompt-of head prompt))
           (finish (%finisher head pooling normalize
                              (%prompt-length head tokenizer prompt)))
           (most (or length (%most-tokens model head)))
           (vectors
            (no-grad
              (tensor-cat
               (map (lambda (part)
                      (%embed-batch model tokenizer
                                    (%prepared-texts head prompt part)
                                    finish most))
                    (%in-batches list-of-texts batch))))))
      (if (string? texts)
          (tensor-select vectors 0 0)
          vectors))))

(define (embedding-similarity model a b)
  "How similar the vectors of texts are, by the function that a model's folder of
  sentence-transformers names: a [n, width] and b [m, width] -> [n, m].

  That is cosine unless the folder says dot, euclidean or manhattan; the last two
  are distances with a minus, so that more is always more similar.  model: an
  encoder, such as load-encoder returns."
  (let* ((head (%sentence-of model))
         (name (if head (%sentence-vectors-similarity head) "cosine")))
    (for-each (lambda (x)
                (unless (and (tensor? x) (= (tensor-rank x) 2))
                  (wrong-type "embedding-similarity"
                              "vectors of texts [n, width]" x)))
              (list a b))
    (cond ((equal? name "cosine")
           (tensor-matmul (%normalized-rows a) (tensor-t (%normalized-rows b))))
          ((equal? name "dot") (tensor-matmul a (tensor-t b)))
          ((equal? name "euclidean") (- (tensor-cdist a b 2.0)))
          (else (- (tensor-cdist a b 1.0))))))

(define (%in-batches items size)
  "The items in lists of at most that size."
  (if (<= (length items) size)
      (list items)
      (cons (take items size) (%in-batches (drop items size) size))))

(define (%embed-batch model tokenizer texts finish most)
  "The vectors of a few texts.  finish: what becomes of states and mask."
  (let-values (((ids mask) (%rows-for-encoder tokenizer texts most)))
    (let* ((ids (if (or (text-encoder? model) (decoder-encoder? model))
                    (tensor-to ids (tensor-device (cdar (state-dict model))))
                    ids))
           (mask (tensor-to mask (tensor-device ids))))
      (finish (model ids :mask mask) mask))))

(define (%sentence-of model)
  "What a folder of sentence-transformers says of the model, or #f."
  (cond ((text-encoder? model) (text-encoder-sentence model))
        ((decoder-encoder? model) (decoder-encoder-sentence model))
        (else #f)))

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
  cls or last, the state of the first or last token; mean-sqrt, their sum by the
  root of their number; weighted-mean, where a state counts as often as its
  position from 1.  A list of several: their vectors, one after the other.  A
  row of padding becomes zeros."
  (unless (or (memq pooling %poolings)
              (and (pair? pooling) (list? pooling)
                   (every (lambda (each) (memq each %poolings)) pooling)))
    (wrong-type "pool-states"
                "mean, max, cls, last, mean-sqrt or weighted-mean, or a list of \
them, as the pooling"
                pooling))
  (let* ((mask (if (tensor? mask)
                   (tensor-to mask 'bool)
                   (tensor-ones (take (tensor-shape states) 2) :dtype 'bool
                                :device (tensor-device states))))
         (real (tensor-unsqueeze mask 2))                        ; [n, t, 1]
         (states (tensor-masked-fill states (tensor-logical-not real) 0)))
    (if (pair? pooling)
        (tensor-cat (map (lambda (each) (%pool-masked states real each))
                         pooling)
                    1)
        (%pool-masked states real pooling))))

(define %poolings '(mean max cls last mean-sqrt weighted-mean))

(define (%pool-masked states real pooling)
  "The same for states that are zeros at padding."
  (case pooling
    ((mean mean-sqrt)
     (let ((count (tensor-clamp-min (tensor-to (tensor-sum real '(1))
                                               (tensor-dtype states))
                                    1)))
       (tensor-div (tensor-sum states '(1))
                   (if (eq? pooling 'mean) count (sqrt count)))))
    ((weighted-mean)
     (let ((weights (* real (tensor-unsqueeze
                             (tensor-arange 1 (+ 1 (tensor-size states 1))
                                            :dtype (tensor-dtype states)
                                            :device (tensor-device states))
                             1))))
       (tensor-div (tensor-sum (* states weights) '(1))
                   (tensor-clamp-min (tensor-sum weights '(1)) 1e-9))))
    ((last) (%first-states (tensor-flip states '(1)) (tensor-flip real '(1))))
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
