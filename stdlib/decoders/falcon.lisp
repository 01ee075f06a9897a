;; falcon.lisp - Falcon (Almazrouei et al. 2023): attention and MLP side by side
;; after one norm or two, one head of keys or a few, rotary positions or ALiBi.

(define (%falcon-of config)
  "The model that the settings of Falcon describe."
  (let* ((settings (%falcon-settings config))
         (width (%config-size config "hidden_size"))
         (alibi (%config-flag config "alibi" #f))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k) (%falcon-layer settings k alibi))
                          (range (%config-size config "num_hidden_layers")))
             :norm (%falcon-norm config)
             :lm-head (head-of config table #t)
             :rotation (if alibi #f (decoder-rotation-of settings))
             :rules (append '((embed_tokens :from word_embeddings)
                              (layers :from h)
                              (norm :from ln_f)
                              ("self_attn.qkv_proj"
                               :from "self_attention.query_key_value")
                              ("self_attn.o_proj"
                               :from "self_attention.dense"))
                            (if (%falcon-two-norms? config)
                                '((input_layernorm :from ln_attn)
                                  (post_attention_layernorm :from ln_mlp))
                                '())
                            %four-times-names
                            (list (base-prefix "transformer"))))))

(define (%falcon-settings config)
  "The settings with the number of heads of keys under its usual name."
  (let ((heads (%config-size config "num_attention_heads"))
        (copy (hash-copy config)))
    (hash-set! copy "num_key_value_heads"
               (cond ((%falcon-new? config)
                      (%config-size config "num_kv_heads" heads))
                     ((%config-flag config "multi_query" #t) 1)
                     (else heads)))
    copy))

(define (%falcon-new? config)
  "Whether a model is of the second structure, of 40 billion parameters and
  more."
  (%config-flag config "new_decoder_architecture" #f))

(define (%falcon-parallel? config)
  (let ((parallel (%config-flag config "parallel_attn" #t)))
    (when (and (%falcon-new? config) (not parallel))
      (%bad-setting "parallel_attn" "true with new_decoder_architecture" #f))
    parallel))

(define (%falcon-two-norms? config)
  "Whether attention and MLP have norms of their own."
  (and (%falcon-new? config)
       (= (%config-size config "num_ln_in_parallel_attn" 2) 2)))

(define (%falcon-layer settings k alibi)
  (let ((norm (lambda () (%falcon-norm settings)))
        (attention (%falcon-attention settings k alibi))
        (mlp (%falcon-mlp settings)))
    (cond ((not (%falcon-parallel? settings))
           (decoder-layer (norm) attention (norm) mlp))
          ((%falcon-two-norms? settings)
           (parallel-layer (norm) attention (norm) mlp))
          (else (phi-layer (norm) attention mlp)))))

(define (%falcon-norm config)
  (layer-norm (%config-size config "hidden_size")
              :eps (%config-number config "layer_norm_epsilon" 1e-5)))

(define (%falcon-attention settings layer alibi)
  (let-values (((heads kv-heads size) (%config-heads settings))
               ((bias) (%config-flag settings "bias" #f)))
    (config-attention settings layer :bias bias :out-bias bias
                      :grouped (or (%falcon-new? settings) (= kv-heads heads))
                      :key-bias (and alibi (%falcon-key-bias heads size)))))

(define (%falcon-key-bias heads size)
  "ALiBi as the model has learned it: products in bfloat16, and scaled as the
  scores are."
  (let ((slopes (alibi-slopes heads)) (scale (/ (sqrt (inexact size)))))
    (lambda (positions)
      (* (tensor-to (* (%head-column slopes 'bfloat16 (tensor-device positions))
                       (%beside-heads positions))
                    'float32)
         scale))))

(define (%falcon-mlp settings)
  (let ((width (%config-size settings "hidden_size")))
    (plain-mlp width (%config-size settings "ffn_hidden_size" (* 4 width))
               :activation (%config-name settings "activation" "gelu")
               :bias (%config-flag settings "bias" #f))))
