(define model
  (quantize-model! (llama :vocabulary 8 :width 32 :hidden 32 :layers 1 :heads 2)))
(save-gguf model "/no/such/folder/x.gguf")

; error, status 70:
; save_gguf_quantized.lisp:3:1: save-gguf: the model is quantized already
;   3 | (save-gguf model "/no/such/folder/x.gguf")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: load it as floats, (load-llm folder :expand #t) for a folder that other programs have quantized, and let :kind quantize it
