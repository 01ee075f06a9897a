;; LibTorch's private operators, whose names or namespaces begin with _: private- asks for them.
(print (tensor-private--softmax [1.0 2.0] 0 #f))                  ; => [0.2689 0.7311]
(print (tensor-private---and-- [1 3] [2 2]))                      ; => [0 2]
(print (map tensor-private--neg-view (list [4.0])) (apply tensor-private--neg-view (list [2.0])))  ; => ([-4.0]) [-2.0]
(print (boolean? (tensor-private-mkldnn::-is-mkldnn-bf16-supported)))                     ; => #t
(define x [1.0])
(define-syntax try
  (syntax-rules ()
    ((_ e) (print (guard (x (#t (error-object-message x))) e)))))
(try (tensor-private--neg-view! x))  ; => unknown operator: tensor-private--neg-view!
(try (tensor--softmax [1.0 2.0] 0 #f))  ; => unknown operator: tensor--softmax
(try (map tensor--neg-view (list x)))  ; => unknown operator: tensor--neg-view
(try (apply tensor--foreach-add! (list (list x) 1)))  ; => unknown operator: tensor--foreach-add!
(try (tensor---and-- [1 3] [2 2]))  ; => unknown operator: tensor---and--
(try (tensor-_softmax [1.0 2.0] 0 #f))  ; => unknown operator: tensor--softmax
(try (tensor-aten::-softmax [1.0 2.0] 0 #f))  ; => unknown operator: tensor-aten::-softmax
(try (tensor-mkldnn::-is-mkldnn-bf16-supported))  ; => unknown operator: tensor-mkldnn::-is-mkldnn-bf16-supported
(try (tensor--c10d-functional::all-reduce x "sum" "0"))  ; => unknown operator: tensor--c10d-functional::all-reduce
(try (tensor-private-softmax [1.0 2.0] 0))  ; => unknown operator: tensor-private-softmax
(try (tensor-private-aten::add x x))  ; => unknown operator: tensor-private-aten::add
(try (tensor-private--softmx [1.0 2.0] 0 #f))  ; => unknown operator: tensor-private--softmx
(try (tensor--softmx [1.0 2.0] 0 #f))  ; => unknown operator: tensor--softmx
