;; aliases.lisp - the names that LispETorch's documents use for procedures that
;; have other names in its table.

(define (torch_zeros . arguments)
  "The same as tensor_zeros."
  (apply tensor_zeros arguments))

(define (torch_ones . arguments)
  "The same as tensor_ones."
  (apply tensor_ones arguments))

(define (torch_rand . arguments)
  "The same as tensor_rand."
  (apply tensor_rand arguments))

(define (torch_randn . arguments)
  "The same as tensor_randn."
  (apply tensor_randn arguments))

(define (torch_full_like . arguments)
  "The same as tensor_full_like."
  (apply tensor_full_like arguments))

(define (torch_add . arguments)
  "The same as tensor_add."
  (apply tensor_add arguments))

(define (torch_sub . arguments)
  "The same as tensor_sub."
  (apply tensor_sub arguments))

(define (torch_mul . arguments)
  "The same as tensor_mul."
  (apply tensor_mul arguments))

(define (torch_div_scalar . arguments)
  "The same as tensor_div_scalar."
  (apply tensor_div_scalar arguments))

(define (torch_matmul . arguments)
  "The same as tensor_matmul."
  (apply tensor_matmul arguments))

(define (torch_transpose . arguments)
  "The same as tensor_transpose."
  (apply tensor_transpose arguments))

(define (torch_reshape . arguments)
  "The same as tensor_reshape."
  (apply tensor_reshape arguments))

(define (torch_unsqueeze . arguments)
  "The same as tensor_unsqueeze."
  (apply tensor_unsqueeze arguments))

(define (torch_contiguous . arguments)
  "The same as tensor_contiguous."
  (apply tensor_contiguous arguments))

(define (torch_softmax . arguments)
  "The same as tensor_softmax."
  (apply tensor_softmax arguments))

(define (torch_item . arguments)
  "The same as tensor_item."
  (apply tensor_item arguments))

(define (torch_shape . arguments)
  "The same as tensor_shape."
  (apply tensor_shape arguments))

(define (torch_stack . arguments)
  "The same as tensor_stack."
  (apply tensor_stack arguments))

(define (torch_size . arguments)
  "The same as tensor_shape."
  (apply tensor_shape arguments))

(define (torch_squeeze . arguments)
  "The same as tensor_squeeze."
  (apply tensor_squeeze arguments))

(define (tensor_multinomial . arguments)
  "The same as torch_multinomial."
  (apply torch_multinomial arguments))

(define (torch_cuda_available . arguments)
  "The same as torch_cuda_is_available."
  (apply torch_cuda_is_available arguments))

(define (torch_mps_available . arguments)
  "The same as torch_mps_is_available."
  (apply torch_mps_is_available arguments))

(define (torch_tokenizer_create . arguments)
  "The same as torch_simple_tokenizer."
  (apply torch_simple_tokenizer arguments))

(define (torch_tokenizer_encode . arguments)
  "The same as torch_encode."
  (apply torch_encode arguments))

(define (torch_tokenizer_decode . arguments)
  "The same as torch_decode."
  (apply torch_decode arguments))

(define (torch_tokenizer_get_vocab_size . arguments)
  "The same as torch_vocab_size."
  (apply torch_vocab_size arguments))

(define (torch_pad_sequence . arguments)
  "The same as torch_pad_sequences."
  (apply torch_pad_sequences arguments))

(define (torch_create_attention_mask . arguments)
  "The same as torch_attention_mask."
  (apply torch_attention_mask arguments))

(define (torch_multihead_attention_forward . arguments)
  "The same as torch_attention_forward."
  (apply torch_attention_forward arguments))

(define (torch_positional_encoding_forward . arguments)
  "The same as torch_positional_forward."
  (apply torch_positional_forward arguments))

(define (torch_embedding_create . arguments)
  "The same as torch_embedding."
  (apply torch_embedding arguments))

(define (torch_layer_norm_create . arguments)
  "The same as torch_layer_norm."
  (apply torch_layer_norm arguments))

(define (torch_transformer_block_create . arguments)
  "The same as torch_transformer_block."
  (apply torch_transformer_block arguments))

(define (torch_transformer_block_forward . arguments)
  "The same as torch_transformer_forward."
  (apply torch_transformer_forward arguments))

(define (torch_model_forward . arguments)
  "The same as torch_forward."
  (apply torch_forward arguments))

(define (torch_model_to_dtype . arguments)
  "The same as torch_to_dtype."
  (apply torch_to_dtype arguments))

(define (torch_mlp_forward . arguments)
  "The same as torch_forward."
  (apply torch_forward arguments))

(define (torch_optimizer_create . arguments)
  "The same as torch_optimizer."
  (apply torch_optimizer arguments))

(define (torch_adamw_optimizer_create . arguments)
  "The same as torch_adamw_optimizer."
  (apply torch_adamw_optimizer arguments))

(define (torch_loss_crossentropy . arguments)
  "The same as torch_crossentropy_loss."
  (apply torch_crossentropy_loss arguments))

(define (torch_lora_linear_create . arguments)
  "The same as torch_lora_linear."
  (apply torch_lora_linear arguments))

(define (torch_lora_linear_forward . arguments)
  "The same as torch_lora_forward."
  (apply torch_lora_forward arguments))

(define (torch_flash_attention_masked . arguments)
  "The same as torch_flash_attention_with_mask."
  (apply torch_flash_attention_with_mask arguments))

(define (torch_generator_configure . arguments)
  "The same as torch_generator_config."
  (apply torch_generator_config arguments))

(define (torch_generator_generate . arguments)
  "The same as torch_generate."
  (apply torch_generate arguments))

;; Names of its plans.

(define (torch_compile model)
  "The model: programs here are compiled as a whole, by lambent compile."
  model)

(define (torch_set_autocast enabled . dtype)
  "Layers compute in a smaller dtype (\"bfloat16\") until this is called with
  false."
  (when (autocast-dtype) (%procedure "leave-autocast"))
  (when (%true? enabled)
    (%procedure "enter-autocast" (string->symbol (%option dtype 0 "bfloat16"))))
  #t)

(define (torch_set_checkpoint module enabled)
  "Whether a checkpoint computes its inner values again."
  (%checkpoint! module (%true? enabled)))
