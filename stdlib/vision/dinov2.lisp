;; dinov2.lisp - DINOv2 (Oquab et al. 2023), a ViT that learned without labels,
;; and the one with registers (Darcet et al. 2023): tokens that only compute.

(define (%dinov2-of config)
  "The model that the settings of DINOv2 describe."
  (%dinov2-like config "dinov2." :mask (%config-flag config "use_mask_token" #t)))

(define (%dinov2-with-registers-of config)
  "The same with registers."
  (%dinov2-like config "dinov2_with_registers." :mask #t :antialias #t
                :registers (%config-count config "num_register_tokens" 4)))

(define (%dinov2-like config prefix :mask #t :registers 0 :antialias #f)
  "A model with the parts of DINOv2.  registers: how many there are."
  (let ((width (%config-size config "hidden_size"))
        (first (+ 1 registers)))
    (vit-like config prefix
              :tokens (list 1 registers)
              :mask mask
              :antialias antialias
              :eps 1e-6
              :layer (lambda () (%dinov2-layer config))
              :names %dinov2-names
              :rules '(((mlp.gate mlp.up) :from mlp.weights_in))
              :pooler %first-token-state
              :head-input (lambda (states)
                            (tensor-cat (list (%first-token-state states)
                                              (%mean-of-patches states first))
                                        1))
              :heads (%image-heads config (* 2 width) '("" . "classifier")))))

(define (%dinov2-layer config)
  "A layer of DINOv2."
  (let* ((width (%config-size config "hidden_size"))
         (eps (%config-number config "layer_norm_eps" 1e-6))
         (hidden (exact (floor (* width
                                  (%config-number config "mlp_ratio" 4.0)))))
         (norm (lambda () (layer-norm width :eps eps))))
    (image-layer (norm) (%vit-attention config) (norm)
                 (if (%config-flag config "use_swiglu_ffn" #f)
                     (gate-and-up-mlp width (%swiglu-width hidden)
                                      :activation "silu" :bias #t
                                      :down-bias #t)
                     (plain-mlp width hidden
                                :activation (%config-name config "hidden_act"
                                                          "gelu")))
                 :scale (%config-number config "layerscale_value" 1.0)
                 :width width
                 :drop-path (%config-rate config "drop_path_rate" 0.0))))

(define (%swiglu-width hidden)
  "Two thirds of a width, as a multiple of 8."
  (* 8 (quotient (+ (quotient (* hidden 2) 3) 7) 8)))

(define %dinov2-names
  '(("layer.attention_norm" . "norm1")
    ("layer.mlp_norm" . "norm2")
    ("layer.attention_scale" . "layer_scale1.lambda1")
    ("layer.mlp_scale" . "layer_scale2.lambda1")
    ("layer.mlp.fc1" . "mlp.fc1")
    ("layer.mlp.fc2" . "mlp.fc2")
    ("layer.mlp.down" . "mlp.weights_out")
    ("embeddings.mask_token" . "embeddings.mask_token")
    ("embeddings.registers" . "embeddings.register_tokens")))
