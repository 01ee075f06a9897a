;; hf.lisp - LispETorch's functions on models in Hugging Face's layout, over
;; load-llm.  A model is known by the path it was loaded from, or by a name.

(define-record-type %llm-type (%make-llm path model config scores) %llm?
  (path %llm-path)
  (model %llm-model)
  (config %llm-config)                     ; what the program gave: a dictionary
  (scores %llm-scores %set-llm-scores!))   ; an alist of caches and the ids read

(define %llms (make-hash-table))   ; names to records

(define (torch_hf_load_model path . config)
  "Load the model of a folder or a GGUF file; returns its path, which names it.
  config: a dictionary with device, dtype, temperature, top_p, top_k,
  repetition_penalty, max_seq_len, max_cache_len; without a device of that name
  the model stays with the processor."
  (%load-llm! path path (%option config 0 #f)))

(define (torch_hf_load_model_lora first second third)
  "Load a model under a name, for adapters: (torch_hf_load_model_lora name path
  config), or (torch_hf_load_model_lora path config name)."
  (if (string? second)
      (%load-llm! first second third)
      (%load-llm! third first second)))

(define (%load-llm! name path config)
  "Put a model into the table; returns its name."
  (let ((device (%config-ref config "device" #f))
        (dtype (%config-ref config "dtype" #f)))
    (hash-set! %llms name
               (%make-llm path
                          (load-llm path :dtype (and dtype (string->symbol dtype))
                                    :device (and device
                                                 (not (equal? device "cpu"))
                                                 (%has-device? device)
                                                 device))
                          config '()))
    name))

(define (%llm who name)
  "The record of a model, which is loaded at its first use."
  (unless (string? name)
    (%fail who ": expected the path or name of a model, got " (%text name)))
  (unless (hash-has-key? %llms name) (torch_hf_load_model name))
  (hash-ref %llms name #f))

(define (%llm-of who name) (%llm-model (%llm who name)))

(define (torch_hf_unload_model name)
  "Forget a model, so that its memory is free."
  (hash-delete! %llms name)
  #t)

;; What is known of a model.

(define (torch_hf_model_info name)
  "A dictionary: path, model_type, vocab_size, hidden_size, num_layers,
  num_heads, num_kv_heads, max_position_embeddings, dtype, device, parameters,
  bytes."
  (let* ((llm (%llm "torch_hf_model_info" name))
         (config (model-config (%llm-model llm)))
         (entry (lambda (key) (config-ref config key #f))))
    (%dictionary
     "path" (%llm-path llm)
     "model_type" (entry "model_type")
     "vocab_size" (entry "vocab_size")
     "hidden_size" (or (entry "hidden_size") (entry "n_embd"))
     "num_layers" (or (entry "num_hidden_layers") (entry "n_layer"))
     "num_heads" (or (entry "num_attention_heads") (entry "n_head"))
     "num_kv_heads" (or (entry "num_key_value_heads")
                        (entry "num_attention_heads") (entry "n_head"))
     "max_position_embeddings" (model-context (%llm-model llm))
     "dtype" (string (model-dtype (%llm-model llm)))
     "device" (string (tensor-device (car (parameters (%llm-model llm)))))
     "parameters" (parameter-count (%llm-model llm))
     "bytes" (torch_hf_memory_usage name))))

(define (torch_hf_model_summary name)
  "What is known of a model, as a text of lines."
  (let ((info (torch_hf_model_info name)))
    (string-join (map (lambda (key)
                        (string key ": " (%text (hash-ref info key #f))))
                      (%dictionary-keys info))
                 "\n")))

(define (torch_hf_memory_usage name)
  "The bytes of a model's weights."
  (fold (lambda (x n) (+ n (tensor-nbytes x)))
        0
        (parameters (%llm-of "torch_hf_memory_usage" name))))

(define (torch_hf_get_rms_norm_eps name)
  "The eps of a model's norms."
  (let ((config (model-config (%llm-of "torch_hf_get_rms_norm_eps" name))))
    (or (config-ref config "rms_norm_eps" #f)
        (config-ref config "layer_norm_epsilon" #f)
        (config-ref config "layer_norm_eps" 1e-6))))

;; Runs.

(define (%batch-of ids)
  "Ids as int64 [n, t]."
  (let ((x (%ids ids)))
    (if (= (tensor-rank x) 1) (tensor-unsqueeze x 0) x)))

(define (torch_hf_forward name ids . cache)
  "The logits [n, t, vocabulary] of ids [n, t], which follow those that a cache
  holds."
  (let ((model (%llm-of "torch_hf_forward" name)) (x (%batch-of ids)))
    (if (%option cache 0 #f)
        (tensor-copy (model x :cache (car cache)))   ; programs may change it
        (model x))))

(define (torch_hf_forward_manual name ids . cache)
  "The same; afterwards torch_hf_forward_attention_scores returns how strongly
  tokens saw each other."
  (let* ((llm (%llm "torch_hf_forward_manual" name))
         (key (%option cache 0 #f))
         (x (%batch-of ids))
         (before (and key (assq key (%llm-scores llm))))
         (all (if before (tensor-cat (list (cdr before) x) 1) x)))
    (%set-llm-scores! llm (cons (cons key all) (%other-scores llm key)))
    (apply torch_hf_forward name x cache)))

(define (%other-scores llm key)
  (remove (lambda (entry) (eq? (car entry) key)) (%llm-scores llm)))

(define (torch_hf_forward_attention_scores name layer . cache)
  "How strongly each token saw each one before it in the last
  torch_hf_forward_manual: [n, heads, t, t], rows sum to 1."
  (let* ((llm (%llm "torch_hf_forward_attention_scores" name))
         (found (assq (%option cache 0 #f) (%llm-scores llm))))
    (unless found
      (%fail "torch_hf_forward_attention_scores: no scores, "
             "torch_hf_forward_manual keeps them"))
    (attention-scores (%llm-model llm) (cdr found) layer)))

(define (torch_hf_forward_attention_size name . cache)
  "Of how many layers there are scores."
  (let ((llm (%llm "torch_hf_forward_attention_size" name)))
    (if (assq (%option cache 0 #f) (%llm-scores llm))
        (%layer-count (%llm-model llm))
        0)))

(define (torch_hf_clear_attention_scores name . cache)
  "Forget the scores."
  (let ((llm (%llm "torch_hf_clear_attention_scores" name)))
    (%set-llm-scores! llm (%other-scores llm (%option cache 0 #f)))
    #t))

(define (torch_hf_enable_kv_cache name enable)
  "A new cache for torch_hf_forward, or nil."
  (let ((llm (%llm "torch_hf_enable_kv_cache" name)))
    (and (%true? enable)
         (kv-cache (%llm-model llm)
                   :length (%config-ref (%llm-config llm) "max_cache_len" #f)))))

(define (torch_hf_reset_kv_cache cache)
  "Empty a cache."
  (cache-reset! cache)
  #t)

;; Generation.

(define (torch_hf_generate name ids eos most . options)
  "The ids and at most that many new ones, as integers; it ends after eos, an id or
  a list of ids.  options: a dictionary with temperature, topk (top_k), top_p,
  repetition_penalty, seed, callback (a function of the new tokens, and of data)
  and data; without temperature, topk or top_p the likeliest token is taken."
  (let* ((llm (%llm "torch_hf_generate" name))
         (given (%option options 0 #f))
         (entry (lambda (key) (or (%config-ref given key #f)
                                  (%config-ref (%llm-config llm) key #f))))
         (start (%flat (list ids)))
         (config (%dictionary "max_length" (+ (length start) most)
                              "eos_token_id" eos
                              "temperature" (or (entry "temperature") 1.0)
                              "top_k" (or (entry "topk") (entry "top_k"))
                              "top_p" (entry "top_p")
                              "repetition_penalty" (or (entry "repetition_penalty") 1.0)
                              "seed" (entry "seed")))
         (draws? (or (entry "temperature") (entry "topk") (entry "top_k")
                     (entry "top_p"))))
    (no-grad
      (%new-list 'integers
                 (%continued (%llm-model llm) start config
                             (if draws? (%filtered-draw config) %likeliest)
                             (%token-callback (entry "callback") (entry "data")))))))

(define (%filtered-draw config)
  "The procedure that draws from warmed and filtered logits."
  (lambda (logits)
    (let* ((warm (%warm logits config))
           (k (hash-ref config "top_k" #f))
           (p (hash-ref config "top_p" #f))
           (some (if k (%only-top-k warm k) warm)))
      (%drawn (if p (%only-top-p some p) some)))))

(define (%token-callback callback data)
  "The procedure that is called with each new id; #f for none."
  (and callback
       (lambda (id)
         (if data
             (%call callback (%new-list 'integers (list id)) data)
             (%call callback (%new-list 'integers (list id)))))))
