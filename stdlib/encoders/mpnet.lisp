;; mpnet.lisp - MPNet (Song et al. 2020): BERT without types of tokens, whose
;; scores get a learned number for the distance between two tokens.

(define-module (distance-scores heads buckets)
  "The relation of layers whose scores depend on distances.  x [n, t, width] and
  a mask [n, t] or #f.  Near distances have a number each, far ones share them in
  logarithmic steps, apart for tokens before and after."
  ((table (blank-embedding buckets heads)))
  (forward (x mask)
    (let* ((scores (tensor-permute (table (%distance-buckets x)) '(2 0 1)))
           (scores (tensor-unsqueeze scores 0))          ; [1, heads, t, t]
           (keys (%key-mask mask)))
      (%make-relation
       (if (tensor? keys)
           (tensor-where keys scores (tensor-full-like scores -inf.0))
           scores)
       #f #f))))

;; The numbers of MPNet: its settings may say how many buckets the table has,
;; but the distances always use 32 of them, up to 128 tokens.
(define %distance-bucket-count 32)
(define %distance-limit 128)

(define (%distance-buckets x)
  "The bucket of each pair of places: int64 [t, t]."
  (let* ((places (tensor-arange (tensor-size x 1) :device (tensor-device x)))
         (distance (- (tensor-unsqueeze places 1) places))   ; query - key
         (half (quotient %distance-bucket-count 2))
         (exact (quotient half 2))
         (size (tensor-abs distance))
         (far (+ exact
                 (tensor-to
                  (* (/ (tensor-log (/ (tensor-to size 'float32) exact))
                        (log (/ %distance-limit exact)))
                     (- half exact))
                  'int64)))
         (far (tensor-clamp-max far (- half 1))))
    (+ (tensor-where (tensor-lt size exact) size far)
       (* half (tensor-to (tensor-lt distance 0) 'int64)))))

(define (%mpnet-of config)
  "The encoder that the settings of MPNet describe."
  (let* ((width (%config-size config "hidden_size"))
         (heads (%dividing-count config "num_attention_heads" width
                                 "hidden_size"))
         (buckets (%config-size config "relative_attention_num_buckets" 32)))
    (unless (>= buckets %distance-bucket-count)
      (%bad-setting "relative_attention_num_buckets"
                    (format "an integer from ~a up" %distance-bucket-count)
                    buckets))
    (bert-like (%mpnet-settings config) "mpnet." :counted #t :types 0
               :relations (list (distance-scores heads buckets))
               :names %mpnet-names :word-names %roberta-word-names
               :word-activation "gelu"
               :heads (%first-token-head width config tensor-tanh))))

(define (%mpnet-settings config)
  "The settings with the padding that the model always has."
  (let ((padding (%config-count config "pad_token_id" 1)))
    (unless (= padding 1) (%bad-setting "pad_token_id" "1" padding))
    (unless (hash-has-key? config "pad_token_id")
      (hash-set! config "pad_token_id" 1))
    config))

(define %mpnet-names
  '(("relations.0.table" . "encoder.relative_attention_bias")
    ("layer.attention.query" . "attention.attn.q")
    ("layer.attention.key" . "attention.attn.k")
    ("layer.attention.value" . "attention.attn.v")
    ("layer.attention.out" . "attention.attn.o")
    ("layer.attention_norm" . "attention.LayerNorm")))
