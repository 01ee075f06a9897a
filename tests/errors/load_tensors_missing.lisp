; A file of tensors that is not there.
(define (load-model path) (hash-ref (load-tensors path) "w"))
(print (load-model "no-such-model.safetensors"))

; error, status 70:
; load_tensors_missing.lisp:2:37: load-tensors: cannot open "no-such-model.safetensors": No such file or directory
;   2 | (define (load-model path) (hash-ref (load-tensors path) "w"))
;     |                                     ^^^^^^^^^^^^^^^^^^^
;   in load-model, called at load_tensors_missing.lisp:3:8
