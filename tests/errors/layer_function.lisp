; The name of a layer creates one; functions of tensors have names that begin with tensor-.
(define scores [[1.0 2.0]])
(print (softmax scores))

; error, status 70:
; layer_function.lisp:3:8: softmax: expected an integer for dim, got a tensor float32 (1 2)
;   3 | (print (softmax scores))
;     |        ^^^^^^^^^^^^^^^^
; hint: (softmax ...) creates a layer; (tensor-softmax x dim) applies it to a tensor
