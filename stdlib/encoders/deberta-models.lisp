;; deberta-models.lisp - DeBERTa v2 and v3 from their settings.  Their attention
;; is in deberta.lisp.

(define-module (convolved-layer layer convolution convolution-norm activation)
  "The first layer of some models: a convolution over its input is added to its
  result.  x [n, t, width], which is 0 at padding -> the same shape."
  ((layer layer)
   (convolution convolution)
   (convolution-norm convolution-norm)
   (activation activation))
  (forward (x distances)
    (let* ((keys (%distances-mask distances))             ; [n, 1, 1, t]
           (padding (and (tensor? keys)
                         (tensor-logical-not
                          (tensor-unsqueeze
                           (tensor-squeeze (tensor-squeeze keys 1) 1) 2))))
           (cleared (lambda (x)
                      (if (tensor? padding)
                          (tensor-masked-fill x padding 0)
                          x)))
           (y (tensor-transpose (convolution (tensor-transpose x 1 2)) 1 2)))
      (cleared (convolution-norm (+ (layer x distances)
                                    (activation (cleared y))))))))

(define (%deberta-of config)
  "The encoder that the settings of DeBERTa v2 or v3 describe."
  (%check-deberta config)
  (let* ((width (%config-size config "hidden_size"))
         (context (%config-size config "max_position_embeddings" 512))
         (relative (%config-flag config "relative_attention" #f))
         (relation (if relative
                       (%deberta-relation config width context)
                       (lambda (x mask)
                         (%make-distances (%key-mask mask) #f #f #f))))
         (model
          (bert-like config "deberta." :types 0
                     :positions (%config-flag config "position_biased_input" #t)
                     :relations (list relation)
                     :layer (lambda ()
                              (%deberta-layer config width relative))
                     :names %deberta-names
                     :heads (%deberta-heads width config))))
    (set-text-embeddings-masked! (text-encoder-embeddings model) #t)
    (set-text-encoder-pooler! model #f)
    (%convolve-first! model config width)
    model))

(define (%check-deberta config)
  "Refuse settings of other models."
  (unless (= (%config-size config "embedding_size"
                           (%config-size config "hidden_size"))
             (%config-size config "hidden_size"))
    (%bad-setting "embedding_size" "the hidden_size"
                  (config-ref config "embedding_size")))
  (unless (%config-flag config "legacy" #t)
    (%bad-setting "legacy" "true" #f))
  (unless (hash-has-key? config "layer_norm_eps")
    (hash-set! config "layer_norm_eps" 1e-7)))

(define (%deberta-span config context)
  "The largest distances that differ, and up to which the far ones go: values of
  buckets or #f, and the limit."
  (let ((limit (config-ref config "max_relative_positions" -1))
        (buckets (config-ref config "position_buckets" -1)))
    (values (and (exact-integer? buckets) (> buckets 0) buckets)
            (if (and (exact-integer? limit) (> limit 0)) limit context))))

(define (%deberta-relation config width context)
  "What the layers of relative attention share."
  (let-values (((buckets limit) (%deberta-span config context)))
    (let ((norms (%config-name config "norm_rel_ebd" "none")))
      (distance-vectors (or buckets limit) (and buckets #t) limit width
                        (and (string-contains norms "layer_norm")
                             ((%encoder-norms config)))))))

(define (%deberta-layer config width relative)
  "A layer of the settings."
  (let ((norm (%encoder-norms config))
        (drop-rate (%config-rate config "hidden_dropout_prob" 0.1)))
    (post-norm-encoder-layer
     (disentangled-attention
      width
      (%dividing-count config "num_attention_heads" width "hidden_size")
      (if relative (%deberta-parts config) '())
      (%config-flag config "share_att_key" #f)
      :drop-rate (%config-rate config "attention_probs_dropout_prob" 0.1)
      :vector-drop drop-rate)
     (norm) (%bert-mlp config) (norm) :drop-rate drop-rate)))

(define (%deberta-parts config)
  "Which of c2p and p2c the scores have: a list, or names with | between them."
  (let* ((written (config-ref config "pos_att_type" '()))
         (names (if (string? written)
                    (map string-trim (string-split written "|"))
                    written)))
    (unless (and (list? names)
                 (every (lambda (name) (member name '("c2p" "p2c"))) names))
      (%bad-setting "pos_att_type" "a list of \"c2p\" and \"p2c\"" written))
    (map string->symbol names)))

(define (%convolve-first! model config width)
  "Put the convolution around the first layer, if the settings have one."
  (let ((size (%config-count config "conv_kernel_size" 0))
        (layers (text-encoder-layers model)))
    (when (> size 0)
      (set-text-encoder-layers!
       model
       (cons (convolved-layer
              (car layers)
              (conv1d width width size :padding (quotient (- size 1) 2)
                      :groups (%config-size config "conv_groups" 1))
              ((%encoder-norms config))
              (%deberta-activation (%config-name config "conv_act" "tanh")))
             (cdr layers))))))

(define (%deberta-activation name)
  (if (equal? name "tanh") tensor-tanh (%plain-activation name)))

(define (%deberta-heads width config)
  "The heads of DeBERTa: a text's has a layer of its own."
  (%usual-heads width config
                (lambda (labels drop-rate)
                  (%new-head (task-head width labels :dense #t :pooling 'first
                                        :activation
                                        (%deberta-activation
                                         (%config-name config
                                                       "pooler_hidden_act"
                                                       "gelu"))
                                        :drop-rate drop-rate)
                             '("dense" . "pooler.dense")
                             '("out" . "classifier")))))

(define %deberta-names
  (append
   '(("relations.0.table" . "encoder.rel_embeddings")
     ("relations.0.norm" . "encoder.LayerNorm")
     ("layers.0.convolution" . "encoder.conv.conv")
     ("layers.0.convolution_norm" . "encoder.conv.LayerNorm"))
   (append-map
    (lambda (pair)
      (list (cons (string "layer." (car pair)) (cdr pair))
            (cons (string "layer.layer." (car pair)) (cdr pair))))
    '(("attention.query" . "attention.self.query_proj")
      ("attention.key" . "attention.self.key_proj")
      ("attention.value" . "attention.self.value_proj")
      ("attention.distance_key" . "attention.self.pos_key_proj")
      ("attention.distance_query" . "attention.self.pos_query_proj")
      ("attention.out" . "attention.output.dense")
      ("attention_norm" . "attention.output.LayerNorm")
      ("mlp.fc1" . "intermediate.dense")
      ("mlp.fc2" . "output.dense")
      ("norm" . "output.LayerNorm")))))
