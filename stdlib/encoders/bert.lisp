;; bert.lisp - encoders of the BERT family: BERT (Devlin et al. 2019), RoBERTa,
;; DistilBERT, and those of the same structure, such as MiniLM.
;;
;; They turn texts into vectors; embed.lisp is what most programs call.  The
;; names of weights are the family's in files (encoder-names.lisp).

(define-module (bert-layer width heads hidden :eps 1e-12 :drop-rate 0.1
                           :activation tensor-gelu)
  "A layer of BERT: attention of all tokens to all, then an MLP, each added to
  what came in and followed by a norm.  x [n, t, width] -> the same shape.

  A call may have :mask, bool [n, 1, 1, t]: #f where no token may look."
  ((heads heads)
   (query (%encoder-linear width width))
   (key (%encoder-linear width width))
   (value (%encoder-linear width width))
   (attention-out (%encoder-linear width width))
   (attention-norm (layer-norm width :eps eps))
   (widen (%encoder-linear width hidden))
   (activation activation)
   (narrow (%encoder-linear hidden width))
   (norm (layer-norm width :eps eps))
   (dropout (dropout :p drop-rate)))
  (forward (x :mask #f)
    (let* ((y (tensor-scaled-dot-product-attention
               (%heads-apart (query x) heads) (%heads-apart (key x) heads)
               (%heads-apart (value x) heads) mask))
           (y (tensor-flatten (tensor-transpose y 1 2) 2))  ; [n, t, width]
           (x (attention-norm (+ x (dropout (attention-out y)))))
           (y (narrow (activation (widen x)))))
      (norm (+ x (dropout y))))))

(define (%heads-apart x heads)
  "x [n, t, width] as [n, heads, t, width / heads]."
  (tensor-transpose (tensor-unflatten x 2 (list heads -1)) 1 2))

(define-module (bert :vocabulary 30522 :width 768 :layers 12 :heads 12
                     :hidden 3072 :context 512 :types 2 :eps 1e-12
                     :drop-rate 0.1 :activation "gelu" :first-position 0
                     :padding-id 0 :pooler #f :head #f :config #f)
  "An encoder of the BERT family.  ids int64 [n, t] -> the states of the last
  layer, [n, t, width].

  A call may have :mask, bool [n, t], #f at padding, as encode-batch returns it,
  and :types, int64 [n, t], which of two joined texts a token is in.  types is how
  many there are, 0 for DistilBERT.  first-position is 0, or for RoBERTa one more
  than its padding-id.  pooler: whether the model has the layer of pooler-output;
  head: whether it has that of masked-logits."
  ((config config)
   (first-position first-position)
   (padding-id padding-id)
   (words (%encoder-table vocabulary width))
   (positions (%encoder-table context width))
   (context (- context first-position))           ; the most tokens
   (type-vectors (and (> types 0) (%encoder-table types width)))
   (norm (layer-norm width :eps eps))
   (dropout (dropout :p drop-rate))
   (layers (map (lambda (k)
                  (bert-layer width (%dividing-heads width heads) hidden :eps eps
                              :drop-rate drop-rate
                              :activation (%encoder-activation activation)))
                (range layers)))
   (pooler (and pooler (%encoder-linear width width)))
   (head (and head (word-head width vocabulary eps
                              (%encoder-activation activation))))
   (sentence #f))                                 ; see sentence-head.lisp
  (forward (ids :mask #f :types #f)
    (%check-encoder-ids ids mask context)
    (let ((x (+ (words ids)
                (positions (%encoder-positions ids first-position padding-id))))
          (mask (and (tensor? mask)
                     (tensor-unsqueeze
                      (tensor-unsqueeze (tensor-to mask 'bool) 1) 1))))
      (let loop ((x (dropout (norm (%with-types self x ids types))))
                 (left layers))
        (if (null? left)
            x
            (loop ((car left) x :mask mask) (cdr left)))))))

(define (%with-types model x ids types)
  "x with the vectors of types added, if the model has any."
  (let ((table (bert-type-vectors model)))
    (if table
        (+ x (table (if (tensor? types) types (tensor-zeros-like ids))))
        x)))

(define (%encoder-positions ids first padding-id)
  "The position of each token: [1, t], or where padding does not count, [n, t]."
  (if (= first 0)
      (tensor-unsqueeze (tensor-arange (tensor-size ids 1)
                                       :device (tensor-device ids))
                        0)
      (let ((real (tensor-to (tensor-ne ids padding-id) 'int64)))
        (+ (* (tensor-cumsum real 1) real) padding-id))))

(define (%check-encoder-ids ids mask context)
  "Check the arguments of a call."
  (unless (and (tensor? ids) (= (tensor-rank ids) 2))
    (wrong-type "bert" "a tensor of ids [n, t]" ids))
  (when (> (tensor-size ids 1) context)
    (%error-with-hint
     (format "bert: ~a tokens are more than the ~a that the model has positions for"
             (tensor-size ids 1) context)
     '() "embed and :length of encode-batch cut texts"))
  (unless (or (eq? mask #f) (tensor? mask))
    (wrong-type "bert" "a tensor [n, t] or #f as the mask" mask))
  (unless (or (eq? mask #f) (equal? (tensor-shape mask) (tensor-shape ids)))
    (error (format "bert: the mask ~a must have the shape of the ids ~a"
                   (tensor-shape mask) (tensor-shape ids)))))

(define (%dividing-heads width heads)
  "heads, which must divide width."
  (unless (and (exact-integer? heads) (> heads 0)
               (zero? (remainder width heads)))
    (error (format "bert: ~a heads do not divide a width of ~a" heads width)))
  heads)

(define (%encoder-activation name)
  "The procedure for the name of an activation in config.json."
  (cond ((equal? name "gelu") tensor-gelu)
        ((member name '("gelu_new" "gelu_pytorch_tanh" "gelu_fast"))
         (lambda (x) (tensor-gelu x :approximate "tanh")))
        ((equal? name "relu") tensor-relu)
        ((member name '("silu" "swish")) tensor-silu)
        ((%settings-source)
         (%settings-error
          (format "expected gelu, gelu_new, relu or silu as the activation, \
got ~s" name)))
        (else
         (wrong-type "bert" "gelu, gelu_new, relu or silu as the activation"
                     name))))

;; What stands on top.

(define-module (word-head width vocabulary eps activation)
  "The head of a masked language model: states [..., width] -> [...,
  width], which the table of words turns into logits; see masked-logits."
  ((dense (%encoder-linear width width))
   (activation activation)
   (norm (layer-norm width :eps eps))
   (bias (tensor-zeros vocabulary) :parameter))
  (forward (x words)
    (tensor-linear (norm (activation (dense x))) words bias)))

(define (masked-logits model ids :mask #f :types #f)
  "Which words a masked language model expects at each position: ids [n, t] ->
  [n, t, vocabulary].  An error if the model was made without a head."
  (let ((head (%encoder-part "masked-logits" model bert-head)))
    (head (model ids :mask mask :types types)
          (embedding-weight (bert-words model)))))

(define (pooler-output model states)
  "What BERT makes of the first token for tasks about whole texts: tanh of a
  linear layer of the states [n, t, width] -> [n, width]."
  (let ((pooler (%encoder-part "pooler-output" model bert-pooler)))
    (tensor-tanh (pooler (tensor-select states 1 0)))))

(define (%encoder-part who model part)
  "The pooler or the head of a model; part is the accessor."
  (unless (bert? model)
    (wrong-type who "an encoder, such as bert or load-encoder returns" model))
  (or (part model)
      (error (string-append who ": the model has no such layer"))))
