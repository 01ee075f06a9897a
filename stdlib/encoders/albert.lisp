;; albert.lisp - ALBERT (Lan et al. 2019): BERT whose layers share their weights,
;; in one or a few groups, and whose vectors of tokens are small.

(define-module (repeated-layers groups order)
  "Layers that run several times.  groups: lists of layers; order: the index of
  each group that runs.  x [n, t, width] -> the same shape."
  ((groups groups)
   (order order))
  (forward (x relation)
    (fold (lambda (k x)
            (fold (lambda (layer x) (layer x relation)) x
                  (list-ref groups k)))
          x order)))

(define (%albert-of config)
  "The encoder that the settings of ALBERT describe."
  (let* ((layers (%config-size config "num_hidden_layers"))
         (groups (%config-size config "num_hidden_groups" 1))
         (inner (%config-size config "inner_group_num" 1))
         (settings (%albert-settings config))
         (model
          (bert-like settings "albert."
                     :embedding-size (%config-size config "embedding_size" 128)
                     :names %albert-names :word-names %albert-word-names
                     :rules (list %albert-layer-name)
                     :heads (%pooled-head (%config-size config "hidden_size")
                                          config "albert.pooler"))))
    (set-text-encoder-layers!
     model
     (list (repeated-layers
            (map (lambda (g)
                   (map (lambda (k) (%bert-layer settings)) (range inner)))
                 (range groups))
            (map (lambda (k) (quotient (* k groups) layers)) (range layers)))))
    (set-text-encoder-kinds! model '(0))
    (set-text-encoder-config! model config)
    model))

(define (%albert-settings config)
  "The settings with the defaults of ALBERT, and without layers of their own."
  (let ((settings (hash-copy config)))
    (for-each (lambda (entry)
                (hash-set! settings (car entry)
                           (config-ref config (car entry) (cdr entry))))
              '(("hidden_act" . "gelu_new") ("hidden_dropout_prob" . 0.0)
                ("attention_probs_dropout_prob" . 0.0)))
    (hash-set! settings "num_hidden_layers" 1)
    settings))

(define (%albert-layer-name name)
  "The name in files of a layer's weight; other names as they are."
  (let ((parts (string-split name ".")))
    (if (and (string=? (car parts) "layers") (> (length parts) 5))
        (string-join (cons* "encoder.albert_layer_groups" (list-ref parts 3)
                            "albert_layers" (list-ref parts 4)
                            (%albert-part (drop parts 5)))
                     ".")
        name)))

(define (%albert-part parts)
  "The last parts of a name in files."
  (let* ((count (- (length parts) 1))
         (found (assoc (string-join (take parts count) ".")
                       %albert-layer-names)))
    (if found (list (cdr found) (list-ref parts count)) parts)))

(define %albert-layer-names
  '(("attention.out" . "attention.dense")
    ("attention_norm" . "attention.LayerNorm")
    ("mlp.fc1" . "ffn") ("mlp.fc2" . "ffn_output")
    ("norm" . "full_layer_layer_norm")))

(define %albert-names
  '(("embeddings.project" . "encoder.embedding_hidden_mapping_in")
    ("pooler" . "pooler")))

(define %albert-word-names
  '(("word_head.dense" . "predictions.dense")
    ("word_head.norm" . "predictions.LayerNorm")
    ("word_head.bias" . "predictions.bias")
    ("word_head.table" . "predictions.decoder")))
