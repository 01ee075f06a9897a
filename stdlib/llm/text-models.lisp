;; text-models.lisp - the language model in the folder of a model that also
;; reads pictures.
;;
;;     config.json       {"model_type": "gemma3", "text_config": {...}, ...}
;;     model.safetensors language_model.model.layers.0 ..., vision_tower ...
;;
;; The tensors of the other parts are not loaded; save-llm writes a folder of
;; the language model alone.

;; Models by their "model_type", whose language models the library knows.
(define %models-with-text '("gemma3" "mistral3"))

(define (%has-text-model? config)
  "Whether settings are those of a model that has a language model inside."
  (and (member (hash-ref config "model_type" #f) %models-with-text)
       (hash-table? (hash-ref config "text_config" #f))))

(define (%text-settings config)
  "The settings of the language model inside."
  (let ((text (hash-copy (hash-ref config "text_config"))))
    (for-each (lambda (key)
                (let ((value (config-ref config key 'null)))
                  (unless (or (eq? value 'null)
                              (not (eq? (config-ref text key 'null) 'null)))
                    (hash-set! text key value))))
              '("dtype" "torch_dtype" "tie_word_embeddings"))
    (unless (hash-has-key? text "model_type")
      (hash-set! text "model_type"
                 (string (hash-ref config "model_type") "_text")))
    text))

(define (%text-tensors table)
  "The tensors of the language model inside, by the names that it has alone.
  Newer files have other names than older ones."
  (let ((own (make-hash-table)))
    (hash-for-each
     table
     (lambda (name x)
       (cond ((string-prefix? "lm_head." name) (hash-set! own name x))
             ((string-prefix? "language_model." name)
              (hash-set! own (substring name 15) x))
             ((string-prefix? "model.language_model." name)
              (hash-set! own (string "model." (substring name 21)) x)))))
    own))
