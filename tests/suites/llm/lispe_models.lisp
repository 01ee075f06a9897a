; Models in files: what tests/suites/llm/test_lispe.py runs.  FOLDER is a model's folder.
(use 'lispe_torch)
(use 'lispe_tiktoken)
(defun near(x y) (< (torch_norm (tensor_sub x y)) 0.001))

; TorchScript.
(setq expected (load-tensors "expected.safetensors"))
(setq x (@ expected "x"))
(setq net (torch_jit_load "net.pt" "cpu"))
(println net (near (torch_jit_model_forward net x) (@ expected "y")) (near (torch_forward net x) (@ expected "y"))) ; => TorchScript Model (net.pt) true true
(println (@ (torch_jit_model_info net) "parameters") (torch_jit_model_list_methods net)) ; => 6 ("forward")
(println (torch_jit_model_list_buffers net) (torch_jit_model_get_buffer net "shift")) ; => ("shift") [1.0 1.0]
(println (torch_jit_model_list_parameter_names net)) ; => ("fc1.weight" "fc1.bias" "blocks.0.weight" "blocks.0.bias" "blocks.1.weight" "blocks.1.bias")
(println (size (torch_jit_model_list_tensor_names net)) (torch_jit_model_get_tensor_shape net "fc1.weight") (tensor_shape (torch_jit_model_get_tensor net "fc1.bias"))) ; => 7 (4 3) (4)
(setq states (torch_jit_model_get_intermediate_states net x (strings "fc1" "blocks.0")))
(println (near (@ states "fc1") (@ expected "fc1")) (near (@ states "blocks.0") (@ expected "blocks.0"))) ; => true true
(setq lora (torch_lora_linear 3 4 2 4))
(torch_jit_model_register_lora_hook net "fc1" lora)
(println (near (torch_jit_model_forward_with_lora net x) (@ expected "y"))) ; => true
(setq optimizer (torch_optimizer_add_params (torch_lora_trainable_params lora) 0.1 0.0))
(loopcount 3 i
  (torch_optimizer_zero_grad optimizer)
  (torch_backward (torch_mse_loss (torch_jit_model_forward_with_lora net x) (tensor_ones (integers 2 2))))
  (torch_optimizer_step optimizer))
(println (near (torch_jit_model_forward_with_lora net x) (@ expected "y")) (near (torch_jit_model_forward net x) (@ expected "y"))) ; => nil true
(torch_jit_model_update_weight net "blocks.1.bias" (tensor_full 2 5))
(println (near (torch_jit_model_forward net x) (@ expected "changed"))) ; => true
(println (torch_jit_model_to_device net "cpu") (torch_jit_model_to_mps net) (near (torch_forward (torch_jit_model_to_best_device net) x) (@ expected "changed"))) ; => TorchScript Model (net.pt) TorchScript Model (net.pt) true
(println (catch (torch_jit_model_get_buffer net "none")) (torch_jit_unload net) (catch (torch_jit_model_forward net x))) ; => Error: torch_jit_model_get_buffer: no buffer none true Error: torch_jit_model_forward: the model is unloaded

; Tokenizers of files.
(setq corpus "")
(loopcount 60 i (+= corpus "natural language processing is fun number " i " and machine learning models need tokens\n"))
(fwrite "corpus.txt" corpus)
(println (torch_train_sentencepiece "corpus.txt" "model" 60 "bpe")) ; => Training completed successfully. Model saved as: model.model
(setq sp (torch_sentencepiece_tokenizer "model.model"))
(println sp (torch_vocab_size sp)) ; => SentencePiece Tokenizer (vocab size: 60) 60
(setq ids (torch_encode sp "natural language learning"))
(println (> (size ids) 3) (torch_decode sp ids)) ; => true natural language learning
(setq vocab {"h":0 "e":1 "l":2 "o":3 "Ġ":4 "w":5 "r":6 "d":7 "he":8 "ll":9 "hell":10 "hello":11 "Ġw":12 "or":13 "Ġwor":14 "Ġworld":15 "ld":16 "<|end|>":17})
(setq bpe (tiktoken_create vocab (list {"content":"<|end|>" "id":17}) "'s|'t| ?\\p{L}+| ?\\p{N}+|\\s+"))
(setq ids (tiktoken_encode bpe "hello world"))
(println ids (tiktoken_decode bpe ids) (tiktoken_special_encode bpe "<|end|>") (tiktoken_special_encode bpe "nope") (tiktoken_vocab_size bpe)) ; => (11 15) hello world 17 -1 18
(println (tiktoken_encode bpe "hell<|end|>") (tiktoken_decode_single_token_bytes bpe 15) (chrbyte (tiktoken_decode_bytes bpe ids))) ; => (10 17) (32 119 111 114 108 100) hello world
(println (tiktoken_set_space bpe "_") (tiktoken_add_meta bpe "hell" "HELL") (tiktoken_decode bpe (integers 10 3)) (tiktoken_remove_meta bpe "hell") (tiktoken_decode bpe (integers 10 3))) ; => true true HELLo true hello
(println (== (@ (tiktoken_list_meta bpe) "Ċ") "\n") (tiktoken_list_meta bpe {"l":"L"}) (tiktoken_decode bpe (integers 10)) (@@ (tiktoken_token_byte_values bpe) 0 3)) ; => true true heLL ((32) (32 119) (32 119 111 114))
(println (catch (tiktoken_encode 5 "a")) (catch (tiktoken_create 1 2 3))) ; => Error: expecting a 'tiktoken_' type Error: Wrong vocabulary format for tiktoken

; A model in Hugging Face's layout.
(setq path "FOLDER")
(setq ids (tensor_create (list (list 1 5 9 7))))
(println (== (torch_hf_load_model path (dictionary "device" "mps")) path)) ; => true
(setq info (torch_hf_model_info path))
(println (@ info "model_type") (@ info "hidden_size") (@ info "num_layers") (@ info "num_kv_heads")) ; => llama 48 2 2
(println (in (torch_hf_model_summary path) "vocab_size: 400") (== (torch_hf_memory_usage path) (* 4 (@ info "parameters"))) (in (torch_hf_list_weights path) "lm_head.weight")) ; => true true true
(println (map 'tensor_shape (list (torch_hf_get_q_weight path 0) (torch_hf_get_k_weight path 0) (torch_hf_get_v_weight path 1) (torch_hf_get_o_weight path 0) (torch_hf_get_qkv_fused_weight path 0)))) ; => ((48 48) (24 48) (24 48) (48 48) (96 48))
(println (map 'tensor_shape (list (torch_hf_get_gate_weight path 0) (torch_hf_get_up_weight path 0) (torch_hf_get_down_weight path 1) (torch_hf_get_gate_up_fused_weight path 0)))) ; => ((80 48) (80 48) (48 80) (160 48))
(println (== (torch_hf_get_weight path "model.layers.0.self_attn.q_proj.weight") (torch_hf_get_q_weight path 0)) (== (torch_hf_get_rms_norm_eps path) 0.00001) (tensor_shape (torch_hf_embeddings path ids))) ; => true true (1 4 48)
(setq logits (torch_hf_forward path ids))
(setq cache (torch_hf_enable_kv_cache path true))
(torch_hf_forward path (tensor_slice ids 1 0 3) cache)
(setq second (torch_hf_forward path (tensor_slice ids 1 3 4) cache))
(println (tensor_shape logits) (near (tensor_select second 1 0) (tensor_select logits 1 3)) (torch_hf_reset_kv_cache cache) (torch_hf_enable_kv_cache path false)) ; => (1 4 400) true true nil
(println (== (torch_hf_forward_manual path ids) logits) (torch_hf_forward_attention_size path)) ; => true 2
(setq scores (torch_hf_forward_attention_scores path 1))
(println (tensor_shape scores) (< (abs (- (tensor_sum scores) 16)) 0.001) (torch_hf_clear_attention_scores path) (torch_hf_forward_attention_size path)) ; => (1 4 4 4) true true 0
(setq greedy (torch_hf_generate path (integers 1 5 9 7) -1 5))
(setq gen (torch_generator_create path))
(torch_set_generation_params gen 9 1.0 5 0.9)
(println (size greedy) (== greedy (@ (tensor_to_list (torch_generate gen ids "greedy")) 0)) (tensor_shape (torch_generate gen ids "beam_search"))) ; => 9 true (1 9)
(setq seen (list))
(setq data (list))
(defun note(new data) (push seen (@ new 0)) (push data 1))
(setq sampled (torch_hf_generate path (integers 1 5) (integers 0 2) 6 (dictionary "topk" 5 "temperature" 0.7 "top_p" 0.9 "seed" 3 "repetition_penalty" 1.1 "callback" 'note "data" data)))
(println (== seen (@@ sampled 2 0)) (== (size data) (size seen))) ; => true true
(torch_hf_load_model_lora "tuned" path (dictionary "device" "cpu"))
(println (torch_hf_lora_init "tuned" 4 8 (strings "q_proj" "v_proj" "down_proj") "float32")) ; => true
(setq params (torch_hf_lora_get_parameters "tuned"))
(println (size params) (size (torch_hf_lora_parameters "tuned")) (tensor_shape (@ params 0)) (tensor_shape (@ params 1))) ; => 12 12 (4 48) (48 4)
(println (near (torch_hf_forward "tuned" ids) logits)) ; => true
(setq optimizer (torch_optimizer_add_params params 0.05 0.0))
(setq losses (floats))
(loopcount 4 i
  (torch_optimizer_zero_grad optimizer)
  (setq out (torch_hf_forward "tuned" ids))
  (setq loss (torch_cross_entropy (tensor_slice out 1 0 3) (tensor_slice ids 1 1 4)))
  (push losses (@ loss 0))
  (torch_backward loss)
  (torch_optimizer_step optimizer))
(setq tuned (torch_hf_forward "tuned" ids))
(torch_hf_lora_save "tuned" "adapters.pt")
(torch_hf_lora_enable "tuned" false)
(println (< (@ losses 3) (@ losses 0)) (near (torch_hf_forward "tuned" ids) logits)) ; => true true
(torch_hf_lora_enable "tuned" true)
(torch_hf_lora_merge "tuned")
(println (near (torch_hf_forward "tuned" ids) tuned) (near tuned logits)) ; => true nil
(torch_hf_lora_unmerge "tuned")
(println (near (torch_hf_forward "tuned" ids) tuned)) ; => true
(torch_hf_load_model_lora path (dictionary "device" "cpu") "again")
(torch_hf_lora_init "again" (dictionary "rank" 4 "alpha" 8 "target_modules" (strings "q_proj" "v_proj" "down_proj")))
(torch_hf_lora_load "again" "adapters.pt")
(println (== (torch_hf_forward "again" ids) tuned) (catch (torch_hf_lora_init "again" 4 8 (strings "q_proj")))) ; => true Error: torch_hf_lora_init: the model has adapters already
(println (catch (torch_hf_get_weight path "nothing")) (in (string (catch (torch_hf_load_model "no-such"))) "Error: load-llm")) ; => Error: torch_hf_get_weight: the model has no weight nothing true
