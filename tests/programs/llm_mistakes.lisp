;; Wrong calls of attention, caches and language models: each is one clear error.

(define (message thunk)
  (guard (e ((error-object? e)
             (string-join (cons (error-object-message e)
                                (map string (error-object-irritants e)))
                          " ")))
    (thunk)
    "no error"))
(define-syntax try
  (syntax-rules () ((_ form) (print (message (lambda () form))))))

(manual-seed 1)
(define model (llama :vocabulary 10 :width 8 :hidden 8 :layers 1 :heads 2))
(define ids (tensor '((1 2 3))))

;; Token ids, padding, caches.
(try (model (tensor '(1 2 3))))
; => language model: expected token ids [n, t] of dtype int64, got (3) int64
(try (model (tensor '((1.0 2.0)))))
; => language model: expected token ids [n, t] of dtype int64, got (1 2) float32
(try (model '(1 2)))
; => language model: expected token ids [n, t] of dtype int64, got (1 2)
(try (model (tensor '((1 2 10)))))
; => tensor-embedding: index 10 is out of range for a weight of 10 rows; given weight float32 (10 8), indices int64 (1 3)
(try (model ids :padding (tensor '(3))))
; => language model: expected :padding as int64 [1] from 0 to 2, got [3]
(try (model ids :cache 3))
; => language model: expected a cache of kv-cache, got 3
(try (model ids :cache (kv-cache model :batch 2)))
; => language model: the cache has 2 rows, the tokens have 1
(define short (kv-cache model :length 4))
(try (begin (model ids :cache short) (model ids :cache short)))
; => language model: the cache is made for 4 tokens, this call needs 6
(print (cache-length short)) ; => 3
(try (model (tensor '((1))) :cache short :padding (tensor '(0))))
; => language model: :padding belongs to the first call with a cache, which has tokens already: 3
(try (cache-truncate! short 4))
; => cache-truncate!: expected an integer from 0 to 3, got 4
(try (cache-select! short '(0 1)))
; => cache-select!: expected rows from 0 to 0, got (0 1)
(try (cache-length 3))
; => cache-length: expected a cache of kv-cache, got 3
(try (kv-cache (linear 1 1)))
; => kv-cache: expected a language model, got a module, linear
(try (kv-cache model :bits 3))
; => kv-cache: expected 8, 4 or #f for bits, got 3
(try (kv-cache model :length 0))
; => kv-cache: expected a positive integer for length, got 0
(try (attention-scores model ids 1))
; => attention-scores: expected a layer from 0 to 0, got 1
(try (config-ref model "size"))
; => config-ref: there is no setting "size"; there are (architectures model_type vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads head_dim max_position_embeddings rope_theta rms_norm_eps tie_word_embeddings hidden_act dtype)

;; Pages.
(define pool (paged-cache model :pages 2 :page-size 2))
(define a (paged-sequence pool))
(try (model (tensor '((1) (2))) :cache (paged-batch (list a))))
; => language model: expected ids [1, 1] for a batch of 1 sequence, or [1, t], got (2 1)
(try (paged-batch (list a a))) ; => paged-batch: a sequence occurs twice
(try (paged-batch '())) ; => paged-batch: expected a list of sequences, got ()
(try (paged-batch (list a (paged-sequence (paged-cache model)))))
; => paged-batch: the sequences are of several pools
(sequence-free! a)
(sequence-free! a)
(try (paged-batch (list a))) ; => paged-batch: the sequence has been freed

;; Attention and rotary positions.
(define x (tensor-ones 1 2 3 4))
(try (attention x (tensor-ones 1 3 3 4) x))
; => attention: q (1 2 3 4), k (1 3 3 4) and v (1 2 3 4) do not fit
(try (attention (tensor-ones 3 4) x x))
; => attention: expected a tensor [n, heads, t, d] for q, got (3 4)
(try (attention x x x :dropout 2 :training #t))
; => attention: expected a number from 0 to 1 for dropout, got 2
(try (blockwise-attention x x x :block 0))
; => blockwise-attention: expected a positive integer for block, got 0
(try (attention x x x :window 0))
; => attention: expected a positive integer for window, got 0
(try (rope 5 3)) ; => rope: expected an even positive integer for dim, got 5
(try (rope 4 3 :scaling '(("rope_type" . "new"))))
; => rope: expected "default", "linear", "dynamic", "llama3", "yarn" or "longrope" for rope_type, got "new"
(try (rope 4 3 :scaling '(("rope_type" . "linear"))))
; => rope: the scaling "linear" needs a positive number "factor"
(try (rope 4 3 :scaling 2)) ; => rope: expected a table or an alist for scaling, got 2
(try (receive (cos sin) (rope 6 3) (apply-rope x cos sin)))
; => apply-rope: expected tables of equal shapes, [t, r] with an even r up to 4, got (3 6) (3 6)

;; Settings.
(define (settings . changed)
  (append (let loop ((left changed))
            (if (null? left) '()
                (cons (cons (car left) (cadr left)) (loop (cddr left)))))
          '(("model_type" . "llama") ("vocab_size" . 10) ("hidden_size" . 8)
            ("num_attention_heads" . 2) ("num_hidden_layers" . 1)
            ("intermediate_size" . 8))))
(define (new . changed) (new-llm (reverse (apply settings changed))))
(print (language-model? (new))) ; => #t
(try (new "num_key_value_heads" 3))
; => language model: num_key_value_heads must divide num_attention_heads, got 3 for 2
(try (new "hidden_size" -8))
; => language model: expected a positive integer below 1000000000 for the setting "hidden_size", got -8
(try (new "hidden_act" "tangent"))
; => language model: expected silu, gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, relu or relu2 as the activation, got "tangent"
(try (new "tie_word_embeddings" "no"))
; => language model: expected true or false for the setting "tie_word_embeddings", got "no"
(try (new "rope_scaling" (let ((table (make-hash-table)))
                           (hash-set! table "rope_type" "yarn")
                           table)))
; => no error
(try (new "model_type" "rwkv"))
; => load-llm: unknown architecture "rwkv"; known are llama, mistral, mixtral, qwen2, qwen3, qwen2_moe, qwen3_moe, gemma, gemma2, gemma3_text, smollm3, olmo2, olmo3, granite, granitemoe, granitemoeshared, glm, glm4, cohere, cohere2, starcoder2, stablelm, nemotron, exaone4, ernie4_5, ernie4_5_moe, seed_oss, arcee, apertus, helium, ministral, ministral3, hunyuan_v1_dense, phi, phi3, gpt2, gpt_neox, gptj, falcon, opt, bloom, mpt, gpt_oss, deepseek_v2, deepseek_v3, qwen3_next, lfm2, mamba, mamba2
(try (new-llm '(("model_type" . "gpt2") ("vocab_size" . 5))))
; => language model: the setting "n_embd" is missing; there are "model_type", "vocab_size"
(try ((new-llm '(("model_type" . "gpt2") ("vocab_size" . 5) ("n_embd" . 4)
                 ("n_head" . 2) ("n_layer" . 1) ("n_positions" . 2)))
      ids))
; => language model: the model has learned 2 positions, this call needs 3
(try (new-llm '(("model_type" . "llama")) :dtype 'int8))
; => load-llm: expected float32, float16 or bfloat16 for dtype, got int8
(try (load-llm "/nowhere")) ; => load-llm: there is no folder or file "/nowhere"
(try (architecture 'mine list)) ; => architecture: expected a string, got mine

;; Generation: prompts, tokens, options.
(try (generate model #f '(1 10)))
; => generate: token 10 of the prompt is out of range for a vocabulary of 10
(try (generate model #f '((1) (2 -1))))
; => generate: token -1 of the prompt is out of range for a vocabulary of 10
(try (perplexity-of model #f '(1 10)))
; => perplexity-of: token 10 of the prompt is out of range for a vocabulary of 10
(try (perplexity-of model #f '()))
; => perplexity-of: the prompt has no tokens
(try (generate model #f '(1) 4))
; => generation-settings: expected a keyword, such as :max-tokens, got 4
(try (generate model #f '(1) :greedy #t 'x))
; => generation-settings: expected a keyword, such as :max-tokens, got x
(try (generate model #f '(1) :allow (lambda (ids) '(3 10))))
; => generate: :allow returned tokens from 3 to 10, and the vocabulary has 10
(try (generate model #f '(1) :beams 2 :count 3))
; => generation-settings: :beams 2 finds no more than 2 texts, and :count is 3
(try (generate model #f '(1) :seed 99999999999999999999))
; => generation-settings: expected an integer of at most 18 digits for :seed, got 99999999999999999999
(print (equal? (generate model #f '(1) :top-p 0 :max-tokens 3)
               (generate model #f '(1) :greedy #t :max-tokens 3)))  ; => #t

;; A tokenizer without files cannot be saved; nothing is written then.
(define letters (bpe-tokenizer '("a" "b" "</s>") '() :eos 2 :special '("</s>")))
(define speaker (llama :vocabulary 3 :width 8 :hidden 8 :layers 1 :heads 2))
(define folder (string "/tmp/lambent-mistakes-" (random 1000000000)))
(try (save-llm speaker folder :tokenizer letters))
; => save-llm: the tokenizer was not read from a folder
(print (file-exists? (string folder "/config.json")))  ; => #f
(print (length (chat-reply speaker letters '((("role" . "user") ("content" . "ab")))
                           :template "{{ messages[0]['content'] }}" :count 2 :max-tokens 2)))  ; => 2
(try (generate model #f '(1 2 3) :draft speaker))
; => generate: the vocabulary of :draft has 3 tokens, the model's has 10
(try (save-llm (lora! speaker :targets '("lm_head")) folder))
; => save-llm: the model has adapters
