(save-gguf (new-llm '(("model_type" . "gpt_neox") ("vocab_size" . 8)
                      ("hidden_size" . 16) ("intermediate_size" . 32)
                      ("num_hidden_layers" . 1) ("num_attention_heads" . 2)))
           "/no/such/folder/x.gguf")

; error, status 70:
; save_gguf_type.lisp:1:1: save-gguf: GGUF files are written for the model types llama, qwen2, qwen3, qwen2_moe, qwen3_moe, gemma, gemma2, phi, phi3, gpt2, gemma3_text, smollm3, olmo2, granite, granitemoe, glm4, cohere, cohere2, starcoder2, stablelm, nemotron, exaone4, ernie4_5, seed_oss, arcee, hunyuan_v1_dense; got "gpt_neox"
;   1 | (save-gguf (new-llm '(("model_type" . "gpt_neox") ("vocab_size" . 8)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
