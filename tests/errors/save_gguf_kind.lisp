(save-gguf (llama :vocabulary 8 :width 32 :hidden 32 :layers 1 :heads 2)
           "/no/such/folder/x.gguf" :kind 'Q9)

; error, status 70:
; save_gguf_kind.lisp:1:1: save-gguf: expected F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q3_K_M, Q3_K_L, Q4_K, Q4_K_M, Q5_K, Q5_K_M, Q6_K as the kind, got Q9
;   1 | (save-gguf (llama :vocabulary 8 :width 32 :hidden 32 :layers 1 :heads 2)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
