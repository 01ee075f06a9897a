;; bart.lisp - BART (Lewis et al. 2020), and mBART (Liu et al. 2020), whose norms
;; stand before attention and MLP; and what the relatives of both share.

(define-module (learned-positions count width offset :usual #f)
  "A table of positions: int64 [t] -> [t, width].  Position 0 is at row offset.
  usual: a procedure that returns the table where files have none, or #f."
  ((table (blank-embedding (+ count offset) width))
   (offset offset)
   (usual usual))
  (forward (positions) (table (+ positions offset))))

(define (%bart-of config)
  "The model that the settings of BART describe."
  (%bart-like config :norm-first #f :embed-norms #t
              :positions (%bart-positions config)))

(define (%mbart-of config)
  "The model that the settings of mBART describe."
  (let ((model (%bart-like config :norm-first #t :embed-norms #t
                           :positions (%bart-positions config))))
    (set-seq2seq-starts-with-last! model #t)
    model))

(define (%bart-positions config)
  "A procedure that makes learned positions, the first of which is at row 2."
  (lambda (table)
    (learned-positions (%bart-context config)
                       (%config-size config "d_model") 2)))

(define (%bart-context config)
  (%config-size config "max_position_embeddings" 1024))

(define (%bart-like config :norm-first #t :embed-norms #f :positions #f
                    :logits-bias #t)
  "The model of settings that are named as BART's.  norm-first: norms stand
  before each part, and after the last layer.  embed-norms: there is a norm before
  the first layer.  positions: a procedure of the table of tokens that returns a
  module of positions.  logits-bias: whether a number is added to each logit."
  (let* ((width (%config-size config "d_model"))
         (vocabulary (%config-size config "vocab_size"))
         (shared (%config-flag config "share_encoder_decoder_embeddings" #t))
         (written (%decoder-settings config (%bart-context config)))
         (words (blank-embedding vocabulary width))
         (count (%config-size written "vocab_size"))
         (table (if shared words (blank-embedding count width)))
         (scale (and (%config-flag config "scale_embedding" #f)
                     (sqrt (inexact width)))))
    (define (norm) (layer-norm width))
    (when (and shared (not (= count vocabulary)))
      (%bad-setting "decoder_vocab_size" (format "~a, as \"vocab_size\" is, \
where both share a table," vocabulary) count))
    (seq2seq
     config
     :encoder (source-encoder :embed-tokens words :scale scale
                              :positions (positions words)
                              :embed-norm (and embed-norms (norm))
                              :layers (%bart-layers config norm-first #f)
                              :norm (and norm-first (norm))
                              :context (%bart-context config))
     :decoder (decoder written
                       :embed-tokens table :scale scale
                       :positions (positions table)
                       :embed-norm (and embed-norms (norm))
                       :layers (%bart-layers config norm-first #t)
                       :norm (if norm-first (norm) (sequential))
                       :lm-head (if (%config-flag config "tie_word_embeddings"
                                                  #t)
                                    (tied-head table)
                                    (blank-linear width count)))
     :logits-bias (and logits-bias (tensor-zeros 1 count))
     :rules (append %bart-names
                    (if shared
                        '(("encoder.embed_tokens" :from shared)
                          ("decoder.embed_tokens" :from shared))
                        '())
                    (list %bart-prefix)))))

(define (%bart-layers config norm-first written :key-bias #t)
  "The layers of the encoder, or with written, of the decoder."
  (let* ((width (%config-size config "d_model"))
         (side (if written "decoder" "encoder"))
         (heads (%dividing-count config (string side "_attention_heads") width
                                 "d_model"))
         (hidden (%config-size config (string side "_ffn_dim"))))
    (define (norm) (layer-norm width))
    (define (attention-of role layer)
      (seq2seq-attention role width heads :layer layer :key-bias key-bias))
    (map (lambda (k)
           (seq2seq-layer
            (attention-of (if written 'decoder 'encoder) k) (norm)
            (plain-mlp width hidden
                       :activation (%config-name config "activation_function"
                                                 "gelu"))
            (norm)
            :cross (and written (attention-of 'memory k))
            :cross-norm (and written (norm))
            :norm-first norm-first
            :drop-rate (%config-rate config "dropout" 0.1)))
         (range (%config-size config (string side "_layers"))))))

(define %bart-names
  '((embed_norm :from layernorm_embedding)
    ("positions.table" :from embed_positions)
    ("mlp.fc1" :from fc1)
    ("mlp.fc2" :from fc2)
    (logits_bias :from final_logits_bias)
    ("encoder.norm" :from "encoder.layer_norm")
    ("decoder.norm" :from "decoder.layer_norm")
    ("decoder.lm_head" :from lm_head)))

(define (%bart-prefix name)
  "All names but those of the head begin with model in files."
  (if (or (string-prefix? "lm_head." name)
          (string-prefix? "final_logits_bias" name))
      name
      (string "model." name)))
