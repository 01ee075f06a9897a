;; Encoders of texts and classifiers: shapes, masks, and what is refused.

(define (message thunk)
  (print (guard (e ((error-object? e) (error-object-message e))) (thunk) "nothing")))
(define (settings type . more)
  (append more
          `(("model_type" . ,type) ("vocab_size" . 20) ("hidden_size" . 8)
            ("intermediate_size" . 12) ("num_hidden_layers" . 2)
            ("num_attention_heads" . 2) ("max_position_embeddings" . 16))))
(define (near? a b) (tensor-allclose a b :rtol 0 :atol 1e-5))

;; What stands at padding changes nothing, in windows, distances and averages.
(define ids (tensor '((3 4 5 6 7))))
(define padded (tensor '((3 4 5 6 7 1 1 1 1 1 1))))
(define other (tensor '((3 4 5 6 7 9 8 9 8 9 8))))
(define mask (tensor-ne padded 1))
(for-each
 (lambda (entry)
   (let ((model (eval-mode! (new-encoder entry))))
     (no-grad
       (print (cdr (assoc "model_type" entry))
              (tensor-shape (model ids))
              (near? (model ids) (tensor-narrow (model padded :mask mask) 1 0 5))
              (near? (model ids) (tensor-narrow (model other :mask mask) 1 0 5))))))
 (list (settings "bert") (settings "electra" '("embedding_size" . 4))
       (settings "albert" '("embedding_size" . 4)) (settings "modernbert" '("local_attention" . 2))
       (settings "deberta-v2" '("relative_attention" . #t) '("pos_att_type" . ("c2p" "p2c"))
                 '("position_buckets" . 4) '("conv_kernel_size" . 3))
       (settings "nomic_bert") (settings "gte") (settings "eurobert")))
; => bert (1 5 8) #t #t
; => electra (1 5 8) #t #t
; => albert (1 5 8) #t #t
; => modernbert (1 5 8) #t #t
; => deberta-v2 (1 5 8) #t #t
; => nomic_bert (1 5 8) #t #t
; => gte (1 5 8) #t #t
; => eurobert (1 5 8) #t #t

;; Rows of padding only are numbers, also where windows hide all of them.
(define modern (eval-mode! (new-encoder (settings "modernbert" '("local_attention" . 2)))))
(define empty (tensor-zeros 1 9 :dtype 'bool))
(print (tensor-item (tensor-all (tensor-isfinite
                                 (no-grad (modern (tensor-ones 1 9 :dtype 'int64)
                                                  :mask empty))))))  ; => #t

;; Heads.
(define encoder (new-encoder (settings "bert")))
(for-each (lambda (task)
            (let ((model (new-classifier encoder '("a" "b") :task task)))
              (print task (tensor-shape (model ids)) (classifier-problem model))))
          '(text tokens answers))
; => text (1 2) one
; => tokens (1 5 2) one
; => answers (1 5 2) one
(print (tensor-shape (masked-logits encoder ids)))             ; => (1 5 20)
(print (tensor-shape (pooler-output encoder (encoder ids))))   ; => (1 8)
(print (tensor-dtype ((new-encoder (settings "mpnet" '("pad_token_id" . 1)) :dtype 'bfloat16)
                      ids)))                                   ; => bfloat16

;; Refusals.
(message (lambda () (new-encoder '(("model_type" . "unknown")))))
; => new-encoder: expected one of bert, roberta, xlm-roberta, camembert, roberta-prelayernorm, distilbert, electra, albert, mpnet, deberta-v2, modernbert, nomic_bert, gte, jina_embeddings_v3, eurobert for the setting "model_type", got "unknown"
(message (lambda () (new-encoder (settings "bert" '("hidden_act" . "mish")))))
; => new-encoder: expected silu, gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, relu or relu2 as the activation, got "mish"
(message (lambda () (new-encoder (settings "mpnet" '("pad_token_id" . 0)))))
; => new-encoder: expected 1 for the setting "pad_token_id", got 0
(message (lambda () (new-encoder (settings "deberta-v2" '("legacy" . #f)))))
; => new-encoder: expected true for the setting "legacy", got false
(message (lambda () (new-encoder (settings "nomic_bert" '("prenorm" . #t)))))
; => new-encoder: expected #f for the setting "prenorm", got true
(message (lambda () (new-encoder (settings "modernbert" '("layer_types" . ("full_attention"))))))
; => new-encoder: expected 2 types for the setting "layer_types", got ["full_attention"]
(message (lambda () (modern (tensor-zeros 1 17 :dtype 'int64))))
; => text-encoder: 17 tokens are more than the 16 that the model has positions for
(message (lambda () (modern ids :mask (tensor-ones 1 4))))
; => text-encoder: the mask (1 4) must have the shape of the ids (1 5)
(message (lambda () (new-classifier encoder '())))
; => new-classifier: expected a list of strings as the labels, got ()
(message (lambda () (new-classifier encoder '("a") :task 'words)))
; => new-classifier: expected text, tokens or answers as the task, got words
(message (lambda () (classify encoder 1 "x")))
; => classify: expected a classifier of text, such as load-classifier returns, got a module, text-encoder
(message (lambda () (rerank (new-classifier encoder '("a" "b")) 1 "x" '("y"))))
; => rerank: expected a model with one label, got 2
(call-with-output-file "/tmp/lambent-encoders.txt"
  (lambda (port) (write-string "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n" port)))
(define tokenizer (load-tokenizer "/tmp/lambent-encoders.txt"))
(define labelled (eval-mode! (new-classifier encoder '("x" "y"))))
(print (classify labelled tokenizer '()))                      ; => ()
(message (lambda () (classify labelled tokenizer '("a") :batch 0)))
; => classify: expected a positive exact integer as batch, got 0
(message (lambda () (classify labelled tokenizer '("a" ("a" "b")))))
; => classify: texts and pairs of texts are mixed
(message (lambda () (classify labelled tokenizer '(("a" "b" "a")))))
; => classify: expected strings or lists of two strings as texts, got ("a" "b" "a")
(define (text-of n) (string-join (make-list n "a") " "))
(print (length (classify labelled tokenizer (list (text-of 10000)))))  ; => 1
(define answering (eval-mode! (new-classifier encoder '("start" "end") :task 'answers)))
(print (answer-question answering tokenizer "b" ""))           ; => ()
(print (length (answer-question answering tokenizer "b" (text-of 500) :top 3 :stride 4)))  ; => 3
(message (lambda () (answer-question answering tokenizer (text-of 12) (text-of 50) :stride 4)))
; => answer-question: the question leaves room for 1 tokens of the text, no more than windows overlap, 4
(define naming (eval-mode! (new-classifier encoder '("O" "B-X") :task 'tokens)))
(print (label-tokens naming tokenizer ""))                     ; => ()
(print (list? (label-tokens naming tokenizer (text-of 500))))  ; => #t
(message (lambda () (likely-words encoder tokenizer "a")))
; => likely-words: the text has no mask token, [MASK]
(message (lambda () (likely-words encoder tokenizer (string "[MASK] " (text-of 100)))))
; => text-encoder: 103 tokens are more than the 16 that the model has positions for
(message (lambda () (encode-pairs tokenizer '("a") '())))
; => encode-pairs: 1 first texts and 0 second texts are not pairs
(message (lambda () (encode-pairs tokenizer '("a") '("b") :length 2)))
; => encode-pairs: rows of 2 tokens cannot hold the 3 special tokens of a pair
(message (lambda () (embedding-similarity encoder (tensor-ones 2) (tensor-ones 2 2))))
; => embedding-similarity: expected vectors of texts [n, width], got a tensor float32 (2)
