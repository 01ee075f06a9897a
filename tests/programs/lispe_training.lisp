; Models, training and files of LispETorch: each function with a checked result.
(use 'lispe_torch)
(setq folder (+ (command "mktemp -d | tr -d '\n'") "/"))
(defun near(x y) (< (max (map 'abs (- x y))) 0.0001))
(defun shape-of(x) (tensor_shape x))

; An MLP learns.
(setq x (tensor_create (list (list 0.0 0.0) (list 0.0 1.0) (list 1.0 0.0) (list 1.0 1.0))))
(setq y (tensor_create (list (list 0.0) (list 1.0) (list 1.0) (list 0.0))))
(manual-seed 3)
(setq model (torch_model 2 16 1))
(println model (shape-of (torch_forward model x)) (shape-of (torch_mlp_forward model x)) (shape-of (torch_model_forward (torch_model_create 2 4 1) x)))  ; => PyTorch MLP Model (4 1) (4 1) (4 1)
(setq optimizer (torch_optimizer model 0.05 "adam"))
(println optimizer)  ; => PyTorch Optimizer (adam, lr=0.05)
(loop epoch (range 0 200 1)
   (setq loss (torch_mse_loss (torch_forward model x) y))
   (torch_optimizer_zero_grad optimizer)
   (torch_backward loss)
   (torch_optimizer_step optimizer))
(println (< (@ loss 0) 0.01) (< loss 0.01) (round (torch_forward model x)))  ; => true true [[0.0] [1.0] [1.0] [0.0]]
(println (> (torch_clip_grad_norm optimizer 0.0001) 0))  ; => true

; Layers.
(setq lin (torch_linear 2 3))
(println lin (shape-of (torch_linear_forward lin x)))  ; => PyTorch Linear Layer (4 3)
(setq emb (torch_embedding 10 4))
(println emb (shape-of (torch_embedding_forward emb (tensor_create (integers 1 2 3)))) (torch_embedding_create 3 2))  ; => PyTorch Embedding Layer (3 4) PyTorch Embedding Layer
(setq norm (torch_layer_norm 4))
(println norm (< (torch_norm (tensor_sum (torch_layer_norm_forward norm (tensor_randn (integers 2 4))))) 0.0001) (torch_layer_norm (list 2 4)) (torch_layer_norm_create 4))  ; => PyTorch Layer Norm true PyTorch Layer Norm PyTorch Layer Norm
(setq att (torch_multihead_attention 8 2))
(setq seq (tensor_randn (integers 2 5 8)))
(println att (shape-of (torch_attention_forward att seq seq seq)) (shape-of (torch_forward att seq)))  ; => PyTorch Multi-Head Attention (2 5 8) (2 5 8)
(setq padded (tensor_create (list (list 1 1 1 0 0) (list 1 1 1 1 1))))
(println (shape-of (torch_multihead_attention_forward att seq padded)))  ; => (2 5 8)
(setq block (torch_transformer_block 8 2 16))
(println block (shape-of (torch_transformer_forward block seq)) (shape-of (torch_transformer_block_forward (torch_transformer_block_create 8 2 16) seq)))  ; => PyTorch Transformer Block (2 5 8) (2 5 8)
(setq pos (torch_positional_encoding 8 20))
(println pos (== (torch_positional_forward pos seq) (torch_positional_encoding_forward pos seq)) (at (torch_positional_forward pos (tensor_zeros (integers 1 2 8))) 0 0))  ; => PyTorch Positional Encoding true [0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0]
(setq rot (torch_rotary_embedding 8 16))
(setq tables (torch_rotary_forward rot 5 "cpu"))
(println rot (map 'tensor_shape (torch_rotary_forward rot 5)))  ; => PyTorch Rotary Embedding ((5 8) (5 8))
(setq turned (torch_apply_rotary_pos_emb seq (@ tables 0) (@ tables 1)))
(println (== (at turned 0 0) (at seq 0 0)) (< (torch_norm (tensor_sub (tensor_mul turned turned) (tensor_zeros 1))) 1000) (near (list (torch_norm turned)) (list (torch_norm seq))))  ; => true true true
(setq lm (torch_model_create "transformer" (dictionary "vocab_size" 11 "embed_dim" 8 "num_heads" 2 "num_layers" 1 "ff_dim" 16 "max_seq_length" 12)))
(setq ids (tensor_create (list (list 1 2 3))))
(println (shape-of (torch_forward lm ids)) (torch_dtype (@ (torch_forward (torch_model_to_dtype (torch_linear 2 2) "float64") (tensor_create (list (numbers 1 2)))) 0)))  ; => (1 3 11) float64

; Checkpoints that compute again have the same gradients.
(setq ck (torch_checkpoint_create model))
(println ck (== (torch_checkpoint_forward ck x) (torch_forward model x)) (torch_checkpoint_disable ck) (torch_checkpoint_enable ck) (torch_set_checkpoint ck false))  ; => PyTorch Checkpoint true true true true
(torch_optimizer_zero_grad optimizer)
(torch_backward (torch_mse_loss (torch_checkpoint_forward ck x) y))
(println (> (torch_clip_grad_norm optimizer 10.0) 0))  ; => true

; Optimizers, with parameters that come later.
(println (torch_adam_optimizer 0.01) (torch_adamw_optimizer 0.01) (torch_sgd_optimizer 0.1) (torch_optimizer_create lin 0.1 "sgd") (torch_adamw_optimizer_create 0.5))  ; => PyTorch Optimizer (adam, lr=0.01) PyTorch Optimizer (adamw, lr=0.01) PyTorch Optimizer (sgd, lr=0.1) PyTorch Optimizer (sgd, lr=0.1) PyTorch Optimizer (adamw, lr=0.5)
(println (catch (torch_optimizer_step (torch_adam_optimizer 0.01))))  ; => Error: torch_optimizer_step: the optimizer has no parameters, which torch_optimizer_add_params adds
(setq sgd (torch_optimizer_add_params (torch_sgd_optimizer 0.1) lin))
(println sgd (torch_optimizer_add_params (list (@ (torch_lora_trainable_params (torch_lora_linear 2 2 1 1)) 0)) 0.001 0.01))  ; => PyTorch Optimizer (sgd, lr=0.1) PyTorch Optimizer (adamw, lr=0.001)
(setq logits (torch_linear_forward lin x))
(setq targets (tensor_create (integers 0 1 2 0)))
(println (near (list (torch_cross_entropy logits targets)) (list (torch_crossentropy_loss logits targets))) (> (torch_loss_crossentropy logits targets) 0))  ; => true true
(torch_backward (torch_cross_entropy logits targets) true)
(setq before (clone (@ (torch_state_dict lin) "bias")))
(torch_optimizer_step sgd)
(println (== before (@ (torch_state_dict lin) "bias")))  ; => nil
(torch_set_grad_enabled false)
(println (catch (torch_backward (torch_mse_loss (torch_forward model x) y))))  ; => Error: backward: nothing that this was computed from requires grad
(torch_set_grad_enabled true)

; Schedules.
(setq sch (torch_lr_scheduler sgd "cosine" (dictionary "initial_lr" 0.1 "min_lr" 0.0 "total_steps" 4)))
(println sch)  ; => LR Scheduler (Cosine, step=0, lr=0.1)
(loopcount 2 i (torch_scheduler_step sch))
(println (torch_scheduler_get_lr sch) sch (torch_scheduler_set_lr sch 0.5) (torch_scheduler_get_lr sch) sgd)  ; => 0.05 LR Scheduler (Cosine, step=2, lr=0.5) true 0.5 PyTorch Optimizer (sgd, lr=0.5)
(defun rates(kind config) (setq s (torch_lr_scheduler sgd kind config)) (setq r (floats)) (loopcount 4 i (push r (torch_scheduler_get_lr s)) (torch_scheduler_step s)) r)
(println (rates "step" (dictionary "initial_lr" 1 "step_size" 2 "gamma" 0.5)) (rates "exponential" {"initial_lr":1 "gamma":0.5}) (rates "linear" {"initial_lr":1 "total_steps":4}) (rates "constant" {"initial_lr":1}))  ; => (1 1 0.5 0.5) (1 0.5 0.25 0.125) (1 0.75 0.5 0.25) (1 1 1 1)
(println (rates "linear_warmup_cosine" {"initial_lr":1 "warmup_steps":2 "total_steps":4}))  ; => (0 0.5 1 0.5)

; Files.
(torch_save_model model (+ folder "model.pt"))
(setq other (torch_model 2 16 1))
(println (== (torch_forward (torch_load_model (+ folder "model.pt") other) x) (torch_forward model x)))  ; => true
(torch_load_model (torch_model 2 16 1) (+ folder "model.pt"))
(setq sd (torch_state_dict lin))
(println sd (size sd) (torch_load_state_dict (torch_linear 2 3) sd) (catch (torch_load_state_dict lin 3)))  ; => PyTorch State Dict (2 parameters) 2 true Error: torch_load_state_dict: expected a state dict, got 3
(println (torch_save_checkpoint model optimizer 7 (+ folder "check.pt")))  ; => true
(setq check-point (torch_load_checkpoint (+ folder "check.pt")))
(println check-point (@ check-point "epoch") (== (@ check-point "fc1.bias") (@ (torch_state_dict model) "fc1.bias")))  ; => PyTorch State Dict (4 parameters) 7 true
(println (torch_load_checkpoint (+ folder "check.pt") model optimizer))  ; => PyTorch State Dict (4 parameters)

; Low-rank adapters.
(setq lora (torch_lora_linear 512 256 8 16))
(println lora (shape-of (torch_lora_forward lora (tensor_ones (integers 2 512)))) (torch_lora_linear_create 4 4 2 4))  ; => LoRA Linear Layer (512 -> 256, rank=8, alpha=16, merged=false) (2 256) LoRA Linear Layer (4 -> 4, rank=2, alpha=4, merged=false)
(println (shape-of (torch_lora_linear_forward lora (tensor_ones (integers 2 512)))) (size (torch_lora_trainable_params lora)))  ; => (2 256) 2
(setq small (torch_lora_apply_to_linear lin 2 4))
(println (== (torch_lora_forward small x) (torch_linear_forward lin x)) (torch_lora_get_adaptation_magnitude small))  ; => true 0
(setq adapt (torch_optimizer_add_params (torch_lora_trainable_params small) 0.05 0.0))
(loopcount 20 i
   (torch_optimizer_zero_grad adapt)
   (setq loss (torch_mse_loss (torch_lora_forward_with_gradients small x true) (tensor_ones (integers 4 3))))
   (torch_backward loss)
   (torch_optimizer_step adapt))
(println (> (torch_lora_get_adaptation_magnitude small) 0.1) (shape-of (torch_lora_compute_delta small)))  ; => true (3 2)
(torch_lora_save_adapters small (+ folder "adapters.pt"))
(setq again (torch_lora_apply_to_linear lin 2 4))
(torch_lora_load_adapters again (+ folder "adapters.pt"))
(println (== (torch_lora_forward again x) (torch_lora_forward small x)))  ; => true
(setq before (torch_lora_forward small x))
(torch_lora_merge_weights small)
(println small (< (torch_norm (tensor_sub before (torch_lora_forward small x))) 0.0001))  ; => LoRA Linear Layer (2 -> 3, rank=2, alpha=4, merged=true) true

; Flash attention.
(setq flash (torch_flash_attention_create 256 8 0.1 true))
(println flash (catch (torch_flash_attention_create 10 3 0.0 true)))  ; => Flash Attention (embed_dim=256, num_heads=8, head_dim=32, dropout=0.1, bias=true) Error: torch_flash_attention_create: embed_dim 10 is not divisible by num_heads 3
(setq flash (torch_flash_attention_create 8 2 0.0 true))
(println (shape-of (torch_flash_attention_forward flash seq seq seq)) (shape-of (torch_forward flash seq)))  ; => (2 5 8) (2 5 8)
(println (< (torch_norm (tensor_sub (torch_flash_attention_with_mask flash seq seq seq (tensor_ones (integers 2 2 5 5))) (torch_flash_attention_forward flash seq seq seq))) 0.001) (shape-of (torch_flash_attention_masked flash seq seq seq (tensor_zeros (integers 5 5)))))  ; => true (2 5 8)
(println (== (torch_flash_attention_with_dropout flash seq seq seq 0.9 false) (torch_flash_attention_forward flash seq seq seq)) (== (torch_flash_attention_with_dropout flash seq seq seq 0.9 true) (torch_flash_attention_forward flash seq seq seq)))  ; => true nil
(setq q (tensor_randn (integers 1 2 6 4)))
(setq plain (torch_flash_attention q q q))
(println (< (torch_norm (tensor_sub plain (torch_flash_attention q q q 0.5 2))) 0.0001) (< (torch_norm (tensor_sub plain (torch_flash_attention q q q 0.5))) 0.0001))  ; => true true
(println (< (torch_norm (tensor_sub plain (torch_scaled_dot_product_attention q q q nil 0.0 false))) 0.0001) (== (at (torch_scaled_dot_product_attention q q q nil 0.0 true 0.5) 0 0 0) (at q 0 0 0)))  ; => true true

; Quantization.
(setq w (tensor_create (floats -1 -0.5 0 0.25 1)))
(defun loss-of(q) (< (tensor_max (tensor_abs (tensor_sub w (torch_dequantize q)))) 0.006))
(println (torch_quantize_dynamic w "int8") (loss-of (torch_quantize_dynamic w "uint8")) (loss-of (torch_quantize_dynamic w "qint8")))  ; => Quantized Tensor (int8, shape=(5), scale=0.00784313725490196, zero_point=0) true true
(println (torch_quantize_static w 0.01 0 "int8") (loss-of (torch_quantize_static w 0.01 0)) (catch (torch_quantize_static w 0.1 300 "uint8")))  ; => Quantized Tensor (int8, shape=(5), scale=0.01, zero_point=0) true Error: torch_quantize_static: zero point 300 is not within 0 and 255
(println (torch_quantize_linear w 0.5 1) (torch_dequantize (torch_quantize_linear w 0.5 1)) (torch_quantize_dynamic w 1.0 0) (tensor_shape (torch_quantize_int8 w)))  ; => Quantized Tensor (int8, shape=(5), scale=0.5, zero_point=1) [-1.0 -0.5 0.0 0.0 1.0] Quantized Tensor (int8, shape=(5), scale=1, zero_point=0) (5)
(println (loss-of (torch_quantize_int8 w)) (torch_dtype (torch_quantize_fp16 w)) (torch_tensor_to_int8 w) (torch_dtype (torch_tensor_to_fp16 w)) (torch_dtype (torch_dequantize (torch_quantize_fp16 w))))  ; => true float16 [-1 0 0 0 1] float16 float32
(setq pc (torch_quantize_per_channel (tensor_create (list (list 1.0 2.0) (list 10.0 20.0))) (tensor_create (floats 0.5 5)) (tensor_create (integers 0 0)) 0))
(println pc (torch_dequantize pc))  ; => Quantized Tensor (int8, shape=(2 2), axis=0) [[1.0 2.0] [10.0 20.0]]
(setq q8 (torch_model_quantize_dynamic model))
(println (< (torch_norm (tensor_sub (torch_forward q8 x) (torch_forward model x))) 0.05))  ; => true
(setq s8 (torch_model_quantize_static model x))
(println (< (torch_norm (tensor_sub (torch_forward s8 x) (torch_forward model x))) 0.05) (shape-of (torch_forward (torch_model_quantize_dynamic lin) x)))  ; => true (4 3)

; Words.
(setq tok (torch_simple_tokenizer))
(println tok)  ; => Simple Tokenizer (vocab size: 4)
(setq tokens (torch_encode tok "Hello world! This is a test."))
(println tokens (torch_decode tok tokens) (torch_vocab_size tok) (size tokens))  ; => [2 4 5 6 7 8 9 10 11 3] hello world! this is a test. 12 10
(setq tok2 (torch_tokenizer_create))
(println (torch_tokenizer_encode tok2 "a b") (torch_tokenizer_decode tok2 (integers 4 5 99)) (torch_tokenizer_get_vocab_size tok2))  ; => [2 4 5 3] a b <UNK> 6
(setq rows (torch_pad_sequences (list tokens (integers 5 6)) 4))
(println rows (torch_attention_mask rows 0) (torch_create_attention_mask rows) (torch_pad_sequence (list (integers 1)) 2 9) (torch_attention_mask (list (list 0 1))))  ; => [[2 4 5 6] [5 6 0 0]] [[1 1 1 1] [1 1 0 0]] [[1 1 1 1] [1 1 0 0]] [[1 9]] [[0 1]]

; Generation.
(setq gen (torch_generator_create lm "cpu"))
(torch_set_generation_params gen 8 0.8 3 0.9)
(torch_generator_config gen (dictionary "seed" 1))
(setq out (torch_generate gen ids "greedy"))
(println gen (shape-of out) (== out (torch_generate gen ids "greedy")) (== out (torch_generator_greedy gen ids 8)))  ; => PyTorch Generator (1 8) true true
(println (shape-of (torch_generate gen (integers 1 2) "top_k")) (== (torch_generate gen ids "top_p") (torch_generator_top_p gen ids)) (shape-of (torch_generator_top_k gen ids 5 1 1.0)))  ; => (1 8) true (1 5)
(println (== (torch_generator_top_k gen ids 8 1 1.0) out) (shape-of (torch_generator_top_p gen ids 6 0.5 1.0)) (shape-of (torch_generate gen ids "sample")))  ; => true (1 6) (1 8)
(println (shape-of (torch_generate gen ids "beam_search")) (== (torch_generator_beam_search gen ids 8 1) out) (torch_generator_set_device gen "cpu"))  ; => (1 8) true PyTorch Generator
(println (torch_generator_configure gen (("max_length" 6) ("top_k" 2))) (shape-of (torch_generator_generate gen ids "greedy")) (catch (torch_generate gen ids "magic")))  ; => true (1 6) Error: torch_generate: unknown strategy magic, expected greedy, top_k, top_p, sample or beam_search
(println (torch_set_autocast true) (torch_dtype (torch_linear_forward lin x)) (torch_set_autocast false) (torch_dtype (torch_linear_forward lin x)) (== (torch_compile model) model))  ; => true bfloat16 true float32 true
