;; clip-text.lisp - the half of CLIP that reads texts; diffusion models use it,
;; too.

(define (text-features model ids)
  "A vector for each text, which image-features of the same model compare with:
  ids int64 [m, t], padded at the right after the last token, for SigLIP to the
  whole context -> [m, width]."
  (unless (clip? model)
    (wrong-type "text-features" "a model of images and texts, such as CLIP"
                model))
  ((clip-text-projection model) ((clip-text model) ids)))

(define-module (clip-text-model vocabulary width context layers norm end)
  "The model of texts: ids int64 [m, t] -> the state of the last token, [m,
  width].  Every token sees those before it, so that padding at the right changes
  nothing.  end: the id of the last token, or #f where it is the largest one."
  ((words (blank-embedding vocabulary width))
   (positions (blank-embedding context width))
   (context context)
   (layers layers)
   (norm norm)
   (end end))
  (forward (ids)
    (let* ((x (clip-text-states self ids))
           (at (if end
                   (tensor-argmax (tensor-to (tensor-eq ids end) 'int32) 1)
                   (tensor-argmax ids 1))))
      (tensor-squeeze
       (tensor-gather x 1 (tensor-expand (tensor-reshape at '(-1 1 1))
                                         (list -1 1 (tensor-size x 2))))
       1))))

(define (clip-text-states model ids)
  "The states of all tokens of a clip-text-model, [m, t, width], after its last
  norm: what diffusion models see of a text.  ids int64 [m, t]."
  (unless (clip-text-model? model)
    (wrong-type "clip-text-states" "a clip-text-model" model))
  (%check-clip-ids ids (clip-text-model-context model))
  (let* ((places (tensor-arange (tensor-size ids 1)
                                :device (tensor-device ids)))
         (relation (%make-relation
                    (tensor-le (tensor-unsqueeze places 0)
                               (tensor-unsqueeze places 1))
                    #f #f))
         (x (+ ((clip-text-model-words model) ids)
               ((clip-text-model-positions model) places))))
    ((clip-text-model-norm model)
     (fold (lambda (layer x) (layer x relation)) x
           (clip-text-model-layers model)))))

(define (%check-clip-ids ids context)
  "Raise an error unless ids [m, t] fit into the positions."
  (unless (and (tensor? ids) (= (tensor-rank ids) 2)
               (<= 1 (tensor-size ids 1) context))
    (%error-with-hint
     (format "text-features: expected ids [m, t] with t from 1 to ~a, got"
             context)
     (list (if (tensor? ids) (tensor-shape ids) ids))
     (format "(encode-batch tokenizer texts :length ~a) cuts longer texts"
             context))))

(define (%clip-text-of config)
  "The model of texts that settings describe."
  (let* ((width (%config-size config "hidden_size" 512))
         (end (config-ref config "eos_token_id" 49407)))
    (clip-text-model (%config-size config "vocab_size" 49408) width
                     (%config-size config "max_position_embeddings" 77)
                     (%clip-layers config width 8 2048 pre-norm-layer)
                     ((%clip-norms config width))
                     (if (memv end '(2 #f)) #f end))))

;; Ours and theirs in the layers of both halves of CLIP.
(define %clip-layer-names
  '(("layers" . "encoder.layers")
    ("layer.attention.query" . "self_attn.q_proj")
    ("layer.attention.key" . "self_attn.k_proj")
    ("layer.attention.value" . "self_attn.v_proj")
    ("layer.attention.out" . "self_attn.out_proj")
    ("layer.attention_norm" . "layer_norm1")
    ("layer.mlp_norm" . "layer_norm2")))

(define %clip-text-name
  (encoder-names
   "text_model."
   `(("words" . "embeddings.token_embedding")
     ("positions" . "embeddings.position_embedding")
     ("norm" . "final_layer_norm")
     . ,%clip-layer-names)))
