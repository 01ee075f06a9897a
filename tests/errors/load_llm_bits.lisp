;; Weights are quantized to 8 or 4 bits only.
(load-llm "no-such-folder" :bits 5)

; error, status 70:
; load_llm_bits.lisp:2:1: load-llm: weights can have 8 or 4 bits, or 'nf4, or a kind of GGUF's blocks (Q2_K, Q3_K, Q3_K_M, Q3_K_L, Q4_K, Q4_K_M, Q5_K, Q5_K_M, Q6_K), got 5
;   2 | (load-llm "no-such-folder" :bits 5)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
