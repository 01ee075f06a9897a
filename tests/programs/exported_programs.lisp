; Packages that Python's torch.export.save wrote.
(define m (load-module "tests/programs/data/exported.pt2"))
(print m (exported-program? m) (torchscript-module? m) (exported-program? 5)) ; => #<exported-program model> #t #f #f
(print (module-methods m)) ; => (model)
(define x (tensor-ones 3 4))
(define y (tensor-ones 3 3))
(define result (call-module m x y :scale 2.0))
(print (hash-keys result)) ; => (sum parts top)
(print (tensor-select (hash-ref result "sum") 0 0)) ; => [3.5 7.5 12.5]
(print (map tensor-shape (hash-ref result "parts"))) ; => ((3 1) (3 2))
(print (tensor-select (cadr (hash-ref result "top")) 0 0)) ; => [2 1]
(print (map car (module-parameters m))) ; => (linear.weight linear.bias norm.weight norm.bias)
(print (map car (module-buffers m))) ; => (kept lost norm.running_mean norm.running_var norm.num_batches_tracked)
; A constant may be left out, arguments may be named, and a batch may have another size.
(print (tensor-shape (hash-ref (call-module m :y (tensor-ones 7 3) :x (tensor-ones 7 4)) "sum"))) ; => (7 3)
; Its parameters learn.
(backward (tensor-sum (hash-ref (call-module m x y) "sum")))
(print (tensor-shape (tensor-grad (cdr (assoc "linear.weight" (module-parameters m)))))) ; => (3 4)
; Mistakes.
(define (call . arguments)
  (guard (e (#t (error-object-message e))) (apply call-module m arguments)))
(print (call x)) ; => call-module: argument y is missing
(print (call x y 2.0)) ; => call-module: expected at most 2 arguments before keywords
(print (call x y :scale 3.0)) ; => call-module: argument scale: the program was exported with 2.0, got 3.0
(print (call x y :size 3.0)) ; => call-module: unknown keyword :size
(print (call x y :scale)) ; => call-module: keyword :scale has no value
(print (call x 5)) ; => call-module: argument y: expected a tensor, got 5
(print (call x (tensor-to y 'float64))) ; => call-module: argument y: expected a tensor of float32, got a tensor float64 (3 3)
(print (call x (tensor-ones 3))) ; => call-module: argument y: expected a tensor of rank 2, got a tensor float32 (3)
(print (call x (tensor-ones 4 3))) ; => call-module: argument y: dimension 0 is 4, but argument x: dimension 0 is 3, and the program was exported for equal ones
(print (call (tensor-ones 3 5) y)) ; => call-module: argument x: dimension 1 is 5, but the program was exported for 4
(print (call (tensor-ones 65 4) (tensor-ones 65 3))) ; => call-module: argument x: dimension 0 is 65, but the program was exported for at least 3 and at most 64
(print (guard (e (#t (error-object-message e))) (module-eval! m))) ; => module-eval!: an exported program stays in the mode in which it was exported
(print (guard (e (#t (error-object-message e))) (call-module-method m "other" x y))) ; => call-module-method: the package has no model "other"
(print (guard (e (#t (error-object-message e))) (load-module "tests/programs/data/arrays.npz"))) ; => load-module: "tests/programs/data/arrays.npz": it does not hold a TorchScript module
