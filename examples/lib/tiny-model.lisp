;; tiny-model.lisp - writes a small language model in Hugging Face's layout, so
;; that examples need no download: config.json, model.safetensors,
;; tokenizer.json and tokenizer_config.json.
;;
;; The weights are a formula.  Tokens are one-hot vectors, the layer of the Llama
;; adds nothing, and the head holds the logarithms of how often each token
;; follows each other in a text.  So the model writes new sentences of the
;; text's words.

;; The tokenizer: byte-level BPE.  Merges build each word from the left:
;; "Ġ t", "Ġt h", "Ġth e".

(define (byte-letters)
  "The letter for each byte in GPT-2's alphabet: printable ones stand for
  themselves, the others come after 255."
  (define (itself? b) (or (<= 33 b 126) (<= 161 b 172) (<= 174 b 255)))
  (let loop ((b 0) (next 256) (letters '()))
    (cond ((= b 256) (reverse letters))
          ((itself? b)
           (loop (+ b 1) next (cons (string (integer->char b)) letters)))
          (else
           (loop (+ b 1) (+ next 1)
                 (cons (string (integer->char next)) letters))))))

(define (word-merges words)
  "The merges that make each word, with a space before it, a token."
  (delete-duplicates
   (append-map
    (lambda (word)
      (map (lambda (k)
             (list (string "Ġ" (substring word 0 k))
                   (substring word k (+ k 1))))
           (iota (string-length word))))
    words)))

(define (table . keys-and-values)
  "A JSON object."
  (apply hash-table keys-and-values))

(define (write-tokenizer folder words special template)
  "Write tokenizer.json and tokenizer_config.json; special: names of tokens, of
  which the first ends a text."
  (let* ((merges (word-merges words))
         (tokens (append special (byte-letters)
                         (map (lambda (pair) (string-append (car pair)
                                                            (cadr pair)))
                              merges)))
         (ids (make-hash-table)))
    (for-each (lambda (token id) (hash-set! ids token id))
              tokens (iota (length tokens)))
    (write-json-file
     (string folder "/tokenizer.json")
     (table "version" "1.0"
            "added_tokens"
            (map (lambda (name id)
                   (table "id" id "content" name "special" #t
                          "single_word" #f "lstrip" #f "rstrip" #f
                          "normalized" #f))
                 special (iota (length special)))
            "normalizer" 'null
            "pre_tokenizer" (table "type" "ByteLevel" "add_prefix_space" #t
                                   "trim_offsets" #t "use_regex" #t)
            "post_processor" 'null
            "decoder" (table "type" "ByteLevel" "add_prefix_space" #t
                             "trim_offsets" #t "use_regex" #t)
            "model" (table "type" "BPE" "dropout" 'null "unk_token" 'null
                           "vocab" ids
                           "merges" (map (lambda (pair)
                                           (string-join pair " "))
                                         merges))))
    (write-json-file
     (string folder "/tokenizer_config.json")
     (apply table "tokenizer_class" "PreTrainedTokenizerFast"
            "eos_token" (car special)
            (if template (list "chat_template" template) '())))))

(define (write-json-file path value)
  "Write a value as a JSON file."
  (call-with-output-file path (lambda (port) (write-json value port))))

(define (words-of sentences)
  "The words and signs of sentences, each once."
  (delete-duplicates
   (append-map (lambda (sentence)
                 (string-split (string-replace sentence "." " .")))
               sentences)))

;; The model.

(define (write-tiny-model folder sentences)
  "Write a model that writes sentences like these, and its tokenizer.  A point
  ends a text."
  (make-folder folder)
  (write-tokenizer folder
                   (remove (lambda (word) (string=? word "."))
                           (words-of sentences))
                   '("</s>") #f)
  (let* ((tokenizer (load-tokenizer folder))
         (v (vocabulary-size tokenizer))
         (eye (tensor-eye v))
         (layer (lambda (name) (string "model.layers.0." name ".weight")))
         (zeros (lambda (n m) (tensor-zeros (list n m)))))
    (write-json-file
     (string folder "/config.json")
     (table "architectures" '("LlamaForCausalLM") "model_type" "llama"
            "vocab_size" v "hidden_size" v "intermediate_size" 2
            "num_hidden_layers" 1 "num_attention_heads" 1
            "num_key_value_heads" 1 "head_dim" 2 "hidden_act" "silu"
            "max_position_embeddings" 256 "rms_norm_eps" 1e-6
            "rope_theta" 10000.0 "tie_word_embeddings" #f
            "eos_token_id" 0 "dtype" "float32"))
    (save-tensors
     (string folder "/model.safetensors")
     (list (cons "model.embed_tokens.weight" eye)
           (cons (layer "input_layernorm") (tensor-ones v))
           (cons (layer "post_attention_layernorm") (tensor-ones v))
           (cons (layer "self_attn.q_proj") (zeros 2 v))
           (cons (layer "self_attn.k_proj") (zeros 2 v))
           (cons (layer "self_attn.v_proj") (zeros 2 v))
           (cons (layer "self_attn.o_proj") (zeros v 2))
           (cons (layer "mlp.gate_proj") (zeros 2 v))
           (cons (layer "mlp.up_proj") (zeros 2 v))
           (cons (layer "mlp.down_proj") (zeros v 2))
           (cons "model.norm.weight" (tensor-ones v))
           (cons "lm_head.weight"
                 (/ (log-shares tokenizer sentences v)
                    (sqrt (inexact v)))))     ; the norm multiplies by this
     :metadata '(("format" . "pt")))))

(define (log-shares tokenizer sentences v)
  "The logarithm of how often a token (row) follows another (column): [v, v]."
  (let ((counts (tensor-full (list v v) 1e-7)))
    (for-each
     (lambda (sentence)
       (let ((ids (append (encode tokenizer sentence) (eos-ids tokenizer))))
         (for-each (lambda (before after)
                     (tensor-add! (tensor-ref counts after before) 1))
                   (drop-right ids 1) (cdr ids))))
     sentences)
    (log (/ counts (tensor-sum counts 0)))))

(define (temporary-folder name)
  "The path of a new folder for a program's files."
  (string (or (getenv "TMPDIR") "/tmp") "/" name "-" (current-jiffy)))

(define (delete-model folder)
  "Delete the files of a model; the empty folder stays."
  (for-each (lambda (name) (delete-file (string folder "/" name)))
            (list-folder folder)))
