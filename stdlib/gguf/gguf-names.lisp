;; gguf-names.lisp - the names of tensors in GGUF files, for those that
;; Hugging Face's files have.
;;
;;     model.layers.3.self_attn.q_proj.weight  =>  blk.3.attn_q.weight
;;     transformer.h.3.mlp.c_fc.bias           =>  blk.3.ffn_up.bias

(define %gguf-whole-names
  '(("model.embed_tokens" . "token_embd")
    ("model.norm" . "output_norm")
    ("model.final_layernorm" . "output_norm")
    ("lm_head" . "output")
    ("transformer.wte" . "token_embd")
    ("transformer.wpe" . "position_embd")
    ("transformer.ln_f" . "output_norm")))

(define %gguf-layer-names
  '(("input_layernorm" . "attn_norm")
    ("self_attn.q_proj" . "attn_q")
    ("self_attn.k_proj" . "attn_k")
    ("self_attn.v_proj" . "attn_v")
    ("self_attn.qkv_proj" . "attn_qkv")
    ("self_attn.o_proj" . "attn_output")
    ("self_attn.dense" . "attn_output")
    ("self_attn.q_norm" . "attn_q_norm")
    ("self_attn.k_norm" . "attn_k_norm")
    ("self_attn.query_layernorm" . "attn_q_norm")
    ("self_attn.key_layernorm" . "attn_k_norm")
    ("post_attention_layernorm" . "ffn_norm")
    ("mlp.gate_proj" . "ffn_gate")
    ("mlp.up_proj" . "ffn_up")
    ("mlp.gate_up_proj" . "ffn_up")
    ("mlp.down_proj" . "ffn_down")
    ("mlp.fc1" . "ffn_up")
    ("mlp.fc2" . "ffn_down")
    ("mlp.gate" . "ffn_gate_inp")
    ("block_sparse_moe.gate" . "ffn_gate_inp")
    ("block_sparse_moe.router.layer" . "ffn_gate_inp")
    ("block_sparse_moe.output_linear" . "ffn_down_exps")
    ("shared_mlp.output_linear" . "ffn_down_shexp")
    ("mlp.shared_expert_gate" . "ffn_gate_inp_shexp")
    ("mlp.shared_expert.gate_proj" . "ffn_gate_shexp")
    ("mlp.shared_expert.up_proj" . "ffn_up_shexp")
    ("mlp.shared_expert.down_proj" . "ffn_down_shexp")
    ("ln_1" . "attn_norm")
    ("attn.c_attn" . "attn_qkv")
    ("attn.c_proj" . "attn_output")
    ("ln_2" . "ffn_norm")
    ("mlp.c_fc" . "ffn_up")
    ("mlp.c_proj" . "ffn_down")))

;; Names that differ by the type of the model: Gemma 2 and others have norms
;; after attention and MLP, and some have them before these, too.
(define %gguf-post-norms
  '(("post_attention_layernorm" . "post_attention_norm")
    ("pre_feedforward_layernorm" . "ffn_norm")
    ("post_feedforward_layernorm" . "post_ffw_norm")))

(define %gguf-names-of-types
  (list (cons "gemma2" %gguf-post-norms)
        (cons "gemma3_text" %gguf-post-norms)
        (cons "olmo2" %gguf-post-norms)
        (cons "olmo3" %gguf-post-norms)
        (cons "exaone4" %gguf-post-norms)
        (cons "seed_oss" %gguf-post-norms)
        (cons "glm4" '(("post_self_attn_layernorm" . "post_attention_norm")
                       ("post_mlp_layernorm" . "post_ffw_norm")))))

(define %gguf-expert-names
  '(("gate_proj" . "ffn_gate_exps") ("up_proj" . "ffn_up_exps")
    ("down_proj" . "ffn_down_exps")
    ("w1" . "ffn_gate_exps") ("w3" . "ffn_up_exps") ("w2" . "ffn_down_exps")))

(define (%gguf-name name type)
  "The name in a GGUF file for one in Hugging Face's files of a type of model,
  or #f."
  (let* ((parts (string-split name "."))
         (end (last parts))
         (base (string-join (drop-right parts 1) "."))
         (whole (assoc base %gguf-whole-names)))
    (cond (whole (string (cdr whole) "." end))
          ((and (> (length parts) 3) (member (cadr parts) '("layers" "h")))
           (let* ((inner (string-join (drop-right (drop parts 3) 1) "."))
                  (own (assoc type %gguf-names-of-types))
                  (found (or (and own (assoc inner (cdr own)))
                             (assoc inner %gguf-layer-names))))
             (and found
                  (string "blk." (caddr parts) "." (cdr found) "." end))))
          (else #f))))

(define (%gguf-expert name)
  "For the name of an expert's weight in Hugging Face's files, the name of the
  tensor of all experts in a GGUF file, and which expert it is; or #f."
  (let ((parts (string-split name ".")))
    (and (= (length parts) 8)
         (equal? (list-ref parts 4) "experts")
         (let ((found (assoc (list-ref parts 6) %gguf-expert-names)))
           (and found
                (cons (string "blk." (caddr parts) "." (cdr found) ".weight")
                      (string->number (list-ref parts 5))))))))
