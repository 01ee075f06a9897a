;; Weights are quantized to 8 or 4 bits only.
(load-llm "no-such-folder" :bits 5)

; error, status 70:
; load_llm_bits.lisp:2:1: load-llm: weights can have 8 or 4 bits, or 'nf4, got 5
;   2 | (load-llm "no-such-folder" :bits 5)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
