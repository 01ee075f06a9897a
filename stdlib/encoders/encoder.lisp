;; encoder.lisp - what all encoders of texts have in common: tokens become
;; vectors, layers change them, and every token may look at every other.
;;
;; What attention needs besides the states depends on the call and not on the
;; layer: the mask, the angles of positions, or what is added to scores.  A
;; relation computes it once: a procedure of (x mask), of which a model has one
;; for each kind of layer.  A layer is any module of x [n, t, width] and what its
;; relation has computed; encoder-parts.lisp has what most consist of.

(define-module (text-encoder config :embeddings #f :layers '() :kinds #f
                             :relations #f :norm #f :pooler #f :word-head #f
                             :context 512 :prefix "" :rules '() :heads #f)
  "An encoder of texts.  ids int64 [n, t] -> the states of the last layer, [n, t,
  width].

  A call may have :mask, bool [n, t], #f at padding, as encode-batch returns it,
  and :types, int64 [n, t], which of two joined texts a token is in, as
  encode-pairs returns it.

  config is the table of its settings, as in config.json.  embeddings: a module of
  ids, mask and types, such as text-embeddings; layers: modules of x and a
  relation; relations: procedures of x and mask, and kinds the index of each
  layer's relation, 0 unless given.  norm: the one after the layers, or #f.
  pooler: the layer of pooler-output; word-head: that of masked-logits.  context:
  the most tokens.  prefix: what names in files of models with a head begin with;
  rules say how they differ (load-state-dict!).  heads: a procedure of a task and
  a number of labels that returns a new head, as load-classifier needs it."
  ((config config)
   (embeddings embeddings)
   (layers layers)
   (kinds (or kinds (map (lambda (layer) 0) layers)))
   (relations (or relations (list key-relation)))
   (norm norm)
   (pooler pooler)
   (word-head word-head)
   (context context)
   (prefix prefix)
   (rules rules)
   (heads heads)
   (sentence #f))                                 ; see sentence-head.lisp
  (forward (ids :mask #f :types #f)
    (%check-encoder-ids ids mask context)
    (let* ((mask (and (tensor? mask) (tensor-to mask 'bool)))
           (x (embeddings ids mask types))
           (computed (map (lambda (relation) (relation x mask)) relations))
           (x (let loop ((x x) (layers layers) (kinds kinds))
                (if (null? layers)
                    x
                    (loop ((car layers) x (list-ref computed (car kinds)))
                          (cdr layers) (cdr kinds))))))
      (if norm (norm x) x))))

(define (%check-encoder-ids ids mask context)
  "Check the arguments of a call."
  (unless (and (tensor? ids) (= (tensor-rank ids) 2))
    (wrong-type "text-encoder" "a tensor of ids [n, t]" ids))
  (when (> (tensor-size ids 1) context)
    (%error-with-hint
     (format "text-encoder: ~a tokens are more than the ~a that the model has \
positions for"
             (tensor-size ids 1) context)
     '() "embed and :length of encode-batch cut texts"))
  (unless (or (eq? mask #f) (tensor? mask))
    (wrong-type "text-encoder" "a tensor [n, t] or #f as the mask" mask))
  (unless (or (eq? mask #f) (equal? (tensor-shape mask) (tensor-shape ids)))
    (error (format "text-encoder: the mask ~a must have the shape of the ids ~a"
                   (tensor-shape mask) (tensor-shape ids)))))

(define (masked-logits model ids :mask #f :types #f)
  "Which words a masked language model expects at each position: ids [n, t] ->
  [n, t, vocabulary].  An error if the model has no head for words, as those of
  folders without one."
  (let ((head (%encoder-part "masked-logits" model text-encoder-word-head)))
    (head (model ids :mask mask :types types)
          (embedding-weight
           (text-embeddings-words (text-encoder-embeddings model))))))

(define (pooler-output model states)
  "What BERT makes of the first token for tasks about whole texts: tanh of a
  linear layer of the states [n, t, width] -> [n, width]."
  (let ((pooler (%encoder-part "pooler-output" model text-encoder-pooler)))
    (tensor-tanh (pooler (tensor-select states 1 0)))))

(define (%encoder-part who model part)
  "The pooler or the head of a model; part is the accessor."
  (unless (text-encoder? model)
    (wrong-type who "an encoder, such as load-encoder returns" model))
  (or (part model)
      (error (string-append who ": the model has no such layer"))))
