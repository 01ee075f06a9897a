;; hf-weights.lisp - the weights in a model's files, by Hugging Face's names.

(define (%llm-files who name)
  "A table of the tensors in a model's files."
  (let ((path (%llm-path (%llm who name))))
    (if (string-suffix? ".gguf" path) (gguf-tensors path) (load-tensors path))))

(define (torch_hf_list_weights name)
  "The names of the weights in a model's files, sorted."
  (%new-list 'strings (sort (hash-keys (%llm-files "torch_hf_list_weights" name))
                            string<?)))

(define (torch_hf_get_weight name weight)
  "A weight of a model's files."
  (%weight "torch_hf_get_weight" name (list weight)))

(define (%weight who name candidates)
  "The first weight whose name ends with one of the candidates."
  (let* ((table (%llm-files who name))
         (found (any (lambda (wanted)
                       (find (lambda (key)
                               (or (equal? key wanted)
                                   (string-suffix? (string "." wanted) key)))
                             (hash-keys table)))
                     candidates)))
    (if found
        (hash-ref table found #f)
        (%fail who ": the model has no weight " (string-join candidates " or ")))))

(define (%layer-weight who name layer part)
  "A weight of a layer."
  (%weight who name (list (string "layers." layer "." part ".weight"))))

(define (%rows-of who name layer joined from to part)
  "A weight that may be in a file alone, or as rows of a joined one; from and to
  are parts of its rows."
  (guard (e (#t (let* ((all (%layer-weight who name layer joined))
                       (rows (tensor-size all 0)))
                  (tensor-slice all 0 (exact (round (* rows from)))
                                (exact (round (* rows to)))))))
    (%layer-weight who name layer part)))

(define (%qkv-parts name)
  "Where queries end and values begin among the rows of a joined projection."
  (let* ((info (torch_hf_model_info name))
         (heads (hash-ref info "num_heads" 1))
         (kv (hash-ref info "num_kv_heads" 1))
         (all (+ heads kv kv)))
    (cons (/ heads all) (/ (+ heads kv) all))))

(define (torch_hf_get_q_weight name layer)
  "The weight of a layer's queries."
  (%rows-of "torch_hf_get_q_weight" name layer "self_attn.qkv_proj" 0
            (car (%qkv-parts name)) "self_attn.q_proj"))

(define (torch_hf_get_k_weight name layer)
  "The weight of a layer's keys."
  (%rows-of "torch_hf_get_k_weight" name layer "self_attn.qkv_proj"
            (car (%qkv-parts name)) (cdr (%qkv-parts name)) "self_attn.k_proj"))

(define (torch_hf_get_v_weight name layer)
  "The weight of a layer's values."
  (%rows-of "torch_hf_get_v_weight" name layer "self_attn.qkv_proj"
            (cdr (%qkv-parts name)) 1 "self_attn.v_proj"))

(define (torch_hf_get_o_weight name layer)
  "The weight after a layer's attention."
  (%layer-weight "torch_hf_get_o_weight" name layer "self_attn.o_proj"))

(define (torch_hf_get_qkv_fused_weight name layer)
  "The weights of a layer's queries, keys and values, one after the other."
  (tensor-cat (list (torch_hf_get_q_weight name layer)
                    (torch_hf_get_k_weight name layer)
                    (torch_hf_get_v_weight name layer))
              0))

(define (torch_hf_get_gate_weight name layer)
  "The weight of a layer's gate."
  (%rows-of "torch_hf_get_gate_weight" name layer "mlp.gate_up_proj" 0 1/2
            "mlp.gate_proj"))

(define (torch_hf_get_up_weight name layer)
  "The weight of a layer's projection up."
  (%rows-of "torch_hf_get_up_weight" name layer "mlp.gate_up_proj" 1/2 1
            "mlp.up_proj"))

(define (torch_hf_get_down_weight name layer)
  "The weight of a layer's projection down."
  (%layer-weight "torch_hf_get_down_weight" name layer "mlp.down_proj"))

(define (torch_hf_get_gate_up_fused_weight name layer)
  "The weights of a layer's gate and projection up, one after the other."
  (tensor-cat (list (torch_hf_get_gate_weight name layer)
                    (torch_hf_get_up_weight name layer))
              0))

(define (torch_hf_embeddings name ids)
  "The vectors of ids, before the first layer.  [n, t, width]"
  (tensor-embedding (%weight "torch_hf_embeddings" name
                             '("embed_tokens.weight" "wte.weight"))
                    (%batch-of ids)))
