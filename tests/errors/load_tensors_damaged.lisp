; A file whose header says more than the file holds.
(define model (load-tensors "data/short.safetensors"))

; error, status 70:
; load_tensors_damaged.lisp:2:15: load-tensors: "data/short.safetensors", byte 9: tensor "w" of float32 (2 2) takes 16 bytes, its offsets span 12
;   2 | (define model (load-tensors "data/short.safetensors"))
;     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
