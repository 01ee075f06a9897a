; GGUF has no key for the activation: the file would be another model.
(define model
  (new-llm '(("model_type" . "mistral") ("vocab_size" . 8)
             ("hidden_size" . 16) ("intermediate_size" . 32)
             ("num_hidden_layers" . 1) ("num_attention_heads" . 2)
             ("hidden_act" . "gelu"))))
(save-gguf model "gelu.gguf")

; error, status 70:
; save_gguf_activation.lisp:7:1: save-gguf: GGUF cannot say that model.layers.0.mlp.activation is the one of its settings
;   7 | (save-gguf model "gelu.gguf")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: save-llm writes a folder that can
