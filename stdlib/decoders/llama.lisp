;; llama.lisp - Llama 1 to 3 and models of the same structure (Touvron et al.
;; 2023), which settings describe: Mistral, and in files of their own Qwen,
;; Mixtral and others.

(define (llama :vocabulary 32000 :width 288 :hidden 768 :layers 6 :heads 6
               :kv-heads #f :head-dim #f :context 2048 :base 10000.0
               :eps 1e-5 :tied #f :dtype 'float32)
  "A new Llama: a language model with random weights.  ids [n, t] -> logits
  [n, t, vocabulary].

  width is the size of a token's vector, hidden that inside MLPs; kv-heads, of
  keys and values, divides heads, and is the same unless given; base is that of
  rotary positions."
  (new-llm (list (cons "architectures" '("LlamaForCausalLM"))
                 (cons "model_type" "llama")
                 (cons "vocab_size" vocabulary)
                 (cons "hidden_size" width)
                 (cons "intermediate_size" hidden)
                 (cons "num_hidden_layers" layers)
                 (cons "num_attention_heads" heads)
                 (cons "num_key_value_heads" (or kv-heads heads))
                 (cons "head_dim" (or head-dim (quotient width heads)))
                 (cons "max_position_embeddings" context)
                 (cons "rope_theta" (inexact base))
                 (cons "rms_norm_eps" eps)
                 (cons "tie_word_embeddings" tied)
                 (cons "hidden_act" "silu"))
           :dtype dtype))

(define (%llama-of config)
  "The model that the settings of Llama or Mistral describe."
  (llama-like config
              :bias (%config-flag config "attention_bias" #f)
              :out-bias (%config-flag config "attention_bias" #f)))

(define (llama-like config :bias #f :out-bias #f :tied #f :norm #f :mlp #f
                    :head-norm #f :scale #f :joined #f :rules '()
                    :attention #f :layer #f :rotation #f :softcap #f
                    :logit-scale #f :head-bias #f)
  "The decoder of a model whose layers are Llama's.

  bias, out-bias: of the projections of attention.  tied: whether the head is
  the table of tokens if the settings do not say.  norm: a procedure that
  creates a norm of a size, llm-norm unless given.  mlp: a procedure that
  creates the MLP of a layer.  head-norm: whether queries and keys have norms.
  scale multiplies the vectors of tokens, logit-scale logits, softcap bounds
  them.  rules come before those that join projections; joined: whether files
  have them joined already.  attention: a procedure that creates the attention
  of a layer.  layer: one of a procedure that creates norms, an attention and an
  MLP, which creates the layer.  rotation: of decoder-rotation-of.  head-bias:
  whether the head has a bias."
  (let* ((width (%config-size config "hidden_size"))
         (norm (or norm (config-norm config)))
         (mlp (or mlp (lambda (layer) (config-mlp config))))
         (attention (or attention
                        (lambda (k)
                          (config-attention config k :bias bias
                                            :out-bias out-bias
                                            :norm (and head-norm norm)))))
         (layer (or layer %plain-layer))
         (table (blank-embedding (%config-size config "vocab_size") width)))
    (decoder config
             :embed-tokens table
             :layers (map (lambda (k)
                            (layer (lambda () (norm width)) (attention k)
                                   (mlp k)))
                          (range (%config-size config "num_hidden_layers")))
             :norm (norm width)
             :lm-head (head-of config table tied :bias head-bias)
             :rotation (or rotation (decoder-rotation-of config))
             :scale scale
             :softcap softcap
             :logit-scale logit-scale
             :rules (append rules
                            (if joined '() (qkv-rules config))
                            (list (base-prefix "model"))))))

(define (%plain-layer norm attention mlp)
  "Llama's layer."
  (decoder-layer (norm) attention (norm) mlp))

(define (config-norm config)
  "A procedure that creates the root-mean-square norm of the settings."
  (let ((eps (%config-number config "rms_norm_eps" 1e-6)))
    (lambda (size) (llm-norm size :eps eps))))

(define (config-mlp config)
  "The gated MLP of the settings."
  (gated-mlp (%config-size config "hidden_size")
             (%config-size config "intermediate_size")
             :activation (%config-name config "hidden_act" "silu")
             :bias (%config-flag config "mlp_bias" #f)))

(define (config-attention config layer :bias #f :out-bias #f :norm #f
                          :heads-norm #f :scale #f :softcap #f
                          :rotation 'model :rotate-first #f :query-scale #f
                          :grouped #f :clip #f :key-bias #f :sinks #f)
  "The attention of a layer, of the settings.  norm: a procedure that creates
  the norm of queries and of keys, or #f; heads-norm: one that creates the norm
  of so many heads of a size.  The other keywords are those of self-attention."
  (let-values (((heads kv-heads size) (%config-heads config)))
    (self-attention (%config-size config "hidden_size") heads
                    :kv-heads kv-heads :head-dim size :layer layer
                    :bias bias :out-bias out-bias
                    :window (%config-window config layer)
                    :scale scale :softcap softcap :rotation rotation
                    :rotate-first rotate-first :query-scale query-scale
                    :grouped grouped :clip clip
                    :key-bias key-bias :sinks sinks
                    :dropout (%config-rate config "attention_dropout" 0.0)
                    :q-norm (cond (norm (norm size))
                                  (heads-norm (heads-norm heads size))
                                  (else #f))
                    :k-norm (cond (norm (norm size))
                                  (heads-norm (heads-norm kv-heads size))
                                  (else #f)))))
