; What Python's torch has written: TorchScript modules and state dicts.
(define (message thunk)
  (guard (e (#t (error-object-message e))) (thunk)))

; Modules.
(define m (load-module "tests/programs/data/module.pt"))
(print m (torchscript-module? m) (torchscript-module? 5) (equal? m m))   ; => #<module Net> #t #f #t
(write (list m (module-methods m))) (newline)    ; => (#<module Net> ("forward" "parts" "refuse"))
(module-eval! m)
(define x [[1.0 1.0]])
(print (call-module m x))                        ; => [[3.5 6.5]]
(print (call-module m x 2) (call-module m x 0.5 [1.0 1.0])) ; => [[7.0 13.0]] [[2.75 4.25]]
(print (call-module m x :bias [1.0 2.0]))        ; => [[4.5 8.5]]
(define table (make-hash-table))
(hash-set! table "a" [1 2])
(define results (call-module-method m "parts" (list x) table "hey" #t '(1 2.5)))
(print (car results) (hash->list (cadr results)) (cddr results)) ; => [[1.0 1.0]] ((a . [2 4])) (hey! #t (1 2.5) #f (1 2))

; What it learns are tensors like any other.
(print (module-parameters m))                    ; => ((fc.weight . [[1.0 2.0] [3.0 4.0]]) (fc.bias . [0.5 -0.5]))
(print (module-buffers m))                       ; => ((count . 3))
(define weight (cdr (assoc "fc.weight" (module-parameters m))))
(backward (tensor-sum (call-module m x)))
(print (tensor-grad weight))                     ; => [[1.0 1.0] [1.0 1.0]]
(no-grad (tensor-sub! weight (tensor-grad weight)))
(print (call-module m x))                        ; => [[1.5 4.5]]
(manual-seed 0)
(print (tensor-shape (call-module (module-train! m) x))) ; => (1 2)

; A module's mistakes, and those of its callers.
(define (call . arguments) (message (lambda () (apply call-module-method m arguments))))
(print (call "refuse" x))                        ; => call-module-method: x must not be positive
(print (call "refuse" (- x)))                    ; => call-module-method: inner sizes differ: (1 2) times (1 2)
(print (call "nothing" x))                       ; => call-module-method: #<module Net> has no method "nothing"
(print (call "forward"))                         ; => call-module-method: method forward: argument x is missing
(print (call "forward" 5))                       ; => call-module-method: argument x: expected a tensor, got 5
(print (call "forward" x "a"))                   ; => call-module-method: argument scale: expected a number, got "a"
(print (call "forward" x 1 #f 2))                ; => call-module-method: method forward: expected at most 3 arguments
(print (call "forward" x :gain 1))               ; => call-module-method: unknown keyword :gain
(print (call "parts" (list x) table "hey" #t '(1))) ; => call-module-method: argument pair: expected a list of 2, got (1)
(print (call "parts" x table "hey" #t '(1 2)))   ; => call-module-method: argument xs: expected a list, got a tensor float32 (1 2)
(print (message (lambda () (call-module table x)))) ; => call-module: expected a module, got #<hash-table "a": [1 2]>
(print (message (lambda () (+ m 1))))            ; => +: expected a number, got #<module Net>
(print (message (lambda () (load-module "tests/programs/data/checkpoint.pt")))) ; => load-module: "tests/programs/data/checkpoint.pt": it does not hold a TorchScript module

; State dicts, and what else training saves with them.
(define saved (load-state-dict "tests/programs/data/checkpoint.pt"))
(print (hash-keys saved))                        ; => (model epoch rate tied transposed names weight)
(print (hash->list (hash-ref saved "model")))    ; => ((count . 3) (fc.weight . [[1.0 2.0] [3.0 4.0]]) (fc.bias . [0.5 -0.5]))
(print (hash-ref saved "epoch") (hash-ref saved "rate") (hash-ref saved "names")) ; => 3 0.5 (a #f (1 #t))
(print (tensor-dtype (hash-ref saved "weight"))) ; => bfloat16
(tensor-add! (hash-ref saved "tied") 10)         ; they share a storage, as they did
(print (hash-ref saved "transposed"))            ; => [[10.0 13.0] [11.0 14.0] [12.0 15.0]]
(print (message (lambda () (load-state-dict "tests/programs/data/module.pt")))) ; => load-state-dict: "tests/programs/data/module.pt": it is a TorchScript module
(print (message (lambda () (load-state-dict "tests/programs/data/points.csv")))) ; => load-state-dict: "tests/programs/data/points.csv", byte 34: it is not a ZIP archive, or its end is missing
