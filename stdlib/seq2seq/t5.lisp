;; t5.lisp - T5 (Raffel et al. 2020), its version 1.1, FLAN-T5 and mT5: the
;; distance of two tokens adds to their score, a number for each head that all
;; layers share; no biases, scores without a scale.

(define-module (t5-positions buckets heads distance both)
  "What T5 adds to scores: positions of `count` queries from `start`, and of
  `length` keys from 0, -> [1, heads, count, length].

  Distances fall into buckets: half of them for the small ones, the others for
  ranges that grow up to `distance`.  both: whether keys after a query count,
  which then have buckets of their own."
  ((table (blank-embedding buckets heads))
   (buckets buckets)
   (distance distance)
   (both both))
  (forward (start count length)
    (let* ((device (tensor-device (embedding-weight table)))
           (queries (tensor-arange start (+ start count) :device device))
           (keys (tensor-arange length :device device))
           (bucket (%t5-buckets (- keys (tensor-unsqueeze queries 1)) buckets
                                distance both)))
      (tensor-unsqueeze (tensor-permute (table bucket) '(2 0 1)) 0))))

(define (%t5-buckets offsets buckets distance both)
  "The buckets of offsets int64 [t, s] of keys from queries."
  (let* ((count (if both (quotient buckets 2) buckets))
         (size (if both (abs offsets) (tensor-clamp-min (- offsets) 0)))
         (exact (quotient count 2))
         (grown (* (/ (tensor-log (/ (tensor-to (tensor-clamp-min size 1)
                                                'float32)
                                     exact))
                      (log (/ distance exact)))
                   (- count exact)))
         (large (tensor-clamp (+ exact (tensor-to grown 'int64))
                              :max (- count 1)))
         (bucket (tensor-where (tensor-lt size exact) size large)))
    (if both
        (+ bucket (* count (tensor-to (tensor-gt offsets 0) 'int64)))
        bucket)))

(define (%t5-of config)
  "The model that the settings of T5 describe."
  (%t5-like config
            (%config-flag config "scale_decoder_outputs"
                          (%config-flag config "tie_word_embeddings" #t))))

(define (%mt5-of config)
  "The model that the settings of mT5 describe: T5's version 1.1."
  (%t5-like (%config-with config '(("feed_forward_proj" . "gated-gelu"))) #f))

(define (%t5-like config scaled)
  "The model of settings that are named as T5's.  scaled: whether logits are
  divided by the root of the width."
  (let* ((width (%config-size config "d_model"))
         (table (blank-embedding (%config-size config "vocab_size") width))
         (layers (%config-size config "num_layers")))
    (seq2seq
     config
     :encoder (source-encoder :embed-tokens table
                              :layers (%t5-layers config layers #f)
                              :norm (%t5-norm config))
     :decoder (decoder (%decoder-settings config %unlimited-context)
                       :embed-tokens table
                       :layers (%t5-layers config
                                           (%config-size config
                                                         "num_decoder_layers"
                                                         layers)
                                           #t)
                       :norm (%t5-norm config)
                       :lm-head (tied-head table)
                       :logit-scale (and scaled (/ (sqrt (inexact width)))))
     :rules (list '(gate_up_proj :from (wi_0 wi_1)) %t5-name))))

;; Positions are distances, so a text may be of any length.
(define %unlimited-context 1000000)

(define (%t5-norm config)
  (llm-norm (%config-size config "d_model")
            :eps (%config-number config "layer_norm_epsilon" 1e-6)))

(define (%t5-layers config count written)
  "The layers of the encoder, or with written, of the decoder."
  (let* ((width (%config-size config "d_model"))
         (heads (%config-size config "num_heads"))
         (positions (%t5-positions-of config heads (not written))))
    (define (attention-of role layer)
      (seq2seq-attention role width heads :layer layer :bias #f :scale 1.0
                         :head-dim (%config-size config "d_kv")
                         :positions (and (not (eq? role 'memory)) positions)))
    (map (lambda (k)
           (seq2seq-layer (attention-of (if written 'decoder 'encoder) k)
                          (%t5-norm config)
                          (%t5-mlp config width)
                          (%t5-norm config)
                          :cross (and written (attention-of 'memory k))
                          :cross-norm (and written (%t5-norm config))
                          :drop-rate (%config-rate config "dropout_rate" 0.1)))
         (range count))))

(define (%t5-positions-of config heads both)
  (let ((buckets (%config-size config "relative_attention_num_buckets" 32))
        (distance (%config-size config "relative_attention_max_distance" 128)))
    (unless (and (>= buckets 4) (even? buckets))
      (%bad-setting "relative_attention_num_buckets" "an even integer from 4 up"
                    buckets))
    (unless (> distance (quotient buckets 2))
      (%bad-setting "relative_attention_max_distance"
                    (format "an integer above ~a" (quotient buckets 2))
                    distance))
    (t5-positions buckets heads distance both)))

(define (%t5-mlp config width)
  "The MLP of a layer: relu, or gated-gelu as in version 1.1."
  (let* ((name (%config-name config "feed_forward_proj" "relu"))
         (gated (string-prefix? "gated-" name))
         (name (if gated (substring name 6) name))
         (hidden (%config-size config "d_ff")))
    (if gated
        (gated-mlp width hidden
                   :activation (if (string=? name "gelu") "gelu_new" name))
        (plain-mlp width hidden :activation name :bias #f))))

(define (%t5-name name)
  "The name in a file of a weight."
  (let* ((parts (string-split name "."))
         (written (string=? (car parts) "decoder")))
    (define (join . parts) (string-join parts "."))
    (define (block part . rest)
      (apply join (car parts) "block" (caddr parts) "layer" part rest))
    (define (end) (string-join (list-tail parts 4) "."))
    (cond ((member (cadr parts) '("embed_tokens")) "shared.weight")
          ((string=? (cadr parts) "lm_head") "lm_head.weight")
          ((string=? (cadr parts) "norm")
           (join (car parts) "final_layer_norm.weight"))
          (else
           (let ((mlp (if written "2" "1")) (part (list-ref parts 3)))
             (cond ((string=? part "self_attn")
                    (block "0" "SelfAttention" (%t5-projection (end))))
                   ((string=? part "encoder_attn")
                    (block "1" "EncDecAttention" (%t5-projection (end))))
                   ((string=? part "mlp")
                    (block mlp "DenseReluDense" (%t5-matrix (end))))
                   ((string=? part "self_attn_layer_norm")
                    (block "0" "layer_norm.weight"))
                   ((string=? part "encoder_attn_layer_norm")
                    (block "1" "layer_norm.weight"))
                   (else (block mlp "layer_norm.weight"))))))))

(define (%t5-projection name)
  "q of q_proj, and so on."
  (let ((found (assoc name '(("q_proj.weight" . "q.weight")
                             ("k_proj.weight" . "k.weight")
                             ("v_proj.weight" . "v.weight")
                             ("out_proj.weight" . "o.weight")))))
    (if found (cdr found) "relative_attention_bias.weight")))

(define (%t5-matrix name)
  "wi and wo of fc1 and fc2; wi_0 and wi_1 have been named before."
  (cond ((string=? name "fc1.weight") "wi.weight")
        ((member name '("fc2.weight" "down_proj.weight")) "wo.weight")
        (else name)))
