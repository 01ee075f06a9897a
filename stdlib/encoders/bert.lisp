;; bert.lisp - BERT (Devlin et al. 2019), RoBERTa, XLM-RoBERTa, CamemBERT, and
;; those of the same structure, such as MiniLM.

(define (bert :vocabulary 30522 :width 768 :layers 12 :heads 12 :hidden 3072
              :context 512 :types 2 :eps 1e-12 :drop-rate 0.1
              :activation "gelu" :dtype #f)
  "A new encoder of the structure of BERT with random weights, in training mode:
  see text-encoder for its calls.  new-encoder makes the other families."
  (new-encoder `(("model_type" . "bert") ("vocab_size" . ,vocabulary)
                 ("hidden_size" . ,width) ("num_hidden_layers" . ,layers)
                 ("num_attention_heads" . ,heads)
                 ("intermediate_size" . ,hidden)
                 ("max_position_embeddings" . ,context)
                 ("type_vocab_size" . ,types) ("layer_norm_eps" . ,eps)
                 ("hidden_dropout_prob" . ,drop-rate)
                 ("hidden_act" . ,activation))
               :dtype dtype))

(define (%bert-of config)
  "The encoder that the settings of BERT describe."
  (bert-like config "bert."))

(define (%roberta-of config)
  "The same for RoBERTa, whose positions count from one after the padding's."
  (bert-like config "roberta." :counted #t :word-names %roberta-word-names
             :heads (%first-token-head (%config-size config "hidden_size")
                                       config tensor-tanh)))

(define (bert-like config prefix :counted #f :layer #f :relations #f :norm #f
                   :names '() :word-names %bert-word-names :heads #f
                   :embedding-size #f :positions #t :types 2 :rules '()
                   :word-activation #f)
  "An encoder with the parts of BERT and its names of weights.

  counted: whether padding has no position.  layer: a procedure that creates a
  layer, %bert-layer's unless given.  names replace those of BERT.
  embedding-size: the width of the vectors of tokens, if a projection follows.
  positions: whether they are learned.  The other keywords are text-encoder's."
  (let* ((width (%config-size config "hidden_size"))
         (inner (or embedding-size width))
         (eps (%config-number config "layer_norm_eps" 1e-12))
         (context (%config-size config "max_position_embeddings" 512))
         (first (if counted (%counted-start config context) 0))
         (layer (or layer (lambda () (%bert-layer config)))))
    (text-encoder config
                  :embeddings
                  (text-embeddings
                   (%config-size config "vocab_size") inner
                   :positions (and positions context)
                   :types (%config-types config types)
                   :norm (layer-norm inner :eps eps)
                   :project (and embedding-size
                                 (blank-linear inner width :bias #t))
                   :first-position first
                   :padding-id (%config-count config "pad_token_id" 0)
                   :drop-rate (%config-rate config "hidden_dropout_prob" 0.1))
                  :layers (map (lambda (k) (layer))
                               (range (%config-size config
                                                    "num_hidden_layers")))
                  :relations relations
                  :norm norm
                  :pooler (blank-linear width width :bias #t)
                  :word-head (%bert-word-head config width inner eps
                                              word-activation)
                  :context (- context first)
                  :prefix prefix
                  :rules (append rules
                                 (list (encoder-names
                                        prefix (append %bert-names word-names
                                                       names))))
                  :heads (or heads
                             (%pooled-head width config
                                           (string prefix "pooler.dense"))))))

(define (%config-types config default)
  "How many types of tokens there are."
  (let ((types (%config-count config "type_vocab_size" default)))
    (unless (<= types (%config-size config "vocab_size"))
      (%bad-setting "type_vocab_size" "an integer up to vocab_size" types))
    types))

(define (%counted-start config context)
  "The first position where padding has none: one after that of padding."
  (let ((padding (%config-count config "pad_token_id" 0)))
    (unless (< (+ padding 1) context)
      (%bad-setting "pad_token_id" (format "an integer below ~a" (- context 1))
                    padding))
    (+ padding 1)))

(define (%bert-layer config)
  "A layer of BERT."
  (let ((norm (%encoder-norms config)))
    (post-norm-encoder-layer (%bert-attention config) (norm)
                     (%bert-mlp config) (norm)
                     :drop-rate (%config-rate config "hidden_dropout_prob"
                                              0.1))))

(define (%encoder-norms config)
  "A procedure that creates a norm of the settings."
  (let ((width (%config-size config "hidden_size"))
        (eps (%config-number config "layer_norm_eps" 1e-12)))
    (lambda () (layer-norm width :eps eps))))

(define (%bert-attention config :bias #t)
  "The attention of the settings."
  (let ((width (%config-size config "hidden_size")))
    (encoder-attention width
                       (%dividing-count config "num_attention_heads" width
                                        "hidden_size")
                       :bias bias :out-bias bias
                       :drop-rate (%config-rate
                                   config "attention_probs_dropout_prob"
                                   0.1))))

(define (%bert-mlp config)
  "The MLP of the settings."
  (plain-mlp (%config-size config "hidden_size")
             (%config-size config "intermediate_size")
             :activation (%config-name config "hidden_act" "gelu")))

(define (%bert-word-head config width inner eps activation)
  "The head of the masked language model of the settings."
  (word-head width inner (%config-size config "vocab_size")
             (%plain-activation
              (or activation (%config-name config "hidden_act" "gelu")))
             :norm (layer-norm inner :eps eps)
             :table (not (%config-flag config "tie_word_embeddings" #t))))

(define %bert-names
  '(("embeddings.words" . "embeddings.word_embeddings")
    ("embeddings.positions" . "embeddings.position_embeddings")
    ("embeddings.type_vectors" . "embeddings.token_type_embeddings")
    ("embeddings.norm" . "embeddings.LayerNorm")
    ("pooler" . "pooler.dense")
    ("layers" . "encoder.layer")
    ("layer.attention.query" . "attention.self.query")
    ("layer.attention.key" . "attention.self.key")
    ("layer.attention.value" . "attention.self.value")
    ("layer.attention.out" . "attention.output.dense")
    ("layer.attention_norm" . "attention.output.LayerNorm")
    ("layer.mlp.fc1" . "intermediate.dense")
    ("layer.mlp.fc2" . "output.dense")
    ("layer.norm" . "output.LayerNorm")))

(define %bert-word-names
  '(("word_head.dense" . "cls.predictions.transform.dense")
    ("word_head.norm" . "cls.predictions.transform.LayerNorm")
    ("word_head.bias" . "cls.predictions.bias")
    ("word_head.table" . "cls.predictions.decoder")))

(define %roberta-word-names
  '(("word_head.dense" . "lm_head.dense")
    ("word_head.norm" . "lm_head.layer_norm")
    ("word_head.bias" . "lm_head.bias")
    ("word_head.table" . "lm_head.decoder")))
