; save-model and load-model!: models in files.
(define path (string "/tmp/lambent-model-" (random 1000000000)))
(define (refusal thunk)
  (guard (e (#t (print (string-join (string-split (error-object-message e) path) "PATH")))) (thunk)))
(define (net hidden) (sequential (linear 2 hidden) (relu) (linear hidden 1)))
(define model (net 3))
(save-model path model)
(print (hash-keys (load-tensors path)))          ; => (0.weight 0.bias 2.weight 2.bias)
(print (hash->list (tensors-metadata path)))     ; => ((format . pt))
(define other (net 3))
(print (equal? (parameters model) (parameters other))) ; => #f
(print (eq? (load-model! path other) other))     ; => #t
(print (equal? (parameters model) (parameters other))) ; => #t
(backward (tensor-sum (forward other [[1.0 2.0]])))
(print (tensor-shape (tensor-grad (car (parameters other))))) ; => (3 2)

; A model that does not fit stays as it is, and the error says all that differs.
(define before (map tensor-copy (parameters other)))
(define wide (net 4))
(refusal (lambda () (load-model! path wide)))
; => load-model!: "PATH" does not fit the model:
; =>   shape: "0.weight" is (3 2), in the model (4 2)
; =>   shape: "0.bias" is (3), in the model (4)
; =>   shape: "2.weight" is (1 3), in the model (1 4)
(refusal (lambda () (load-model! path (sequential (linear 2 3) (linear 3 1)))))
; => load-model!: "PATH" does not fit the model:
; =>   missing: "1.weight" (1 3), near "2.weight" (1 3)
; =>   missing: "1.bias" (1), near "2.bias" (1)
; =>   unexpected: "2.weight" (1 3)
; =>   unexpected: "2.bias" (1)
(refusal (lambda () (load-model! path (sequential other (linear 1 1)))))
; => load-model!: "PATH" does not fit the model:
; =>   missing: "0.0.weight" (3 2), near "0.weight" (3 2)
; =>   missing: "0.0.bias" (3), near "0.bias" (3)
; =>   missing: "0.2.weight" (1 3), near "2.weight" (1 3)
; =>   missing: "0.2.bias" (1), near "2.bias" (1)
; =>   missing: "1.weight" (1 1), near "0.weight" (3 2)
; =>   missing: "1.bias" (1), near "2.bias" (1)
; =>   unexpected: "0.weight" (3 2)
; =>   unexpected: "0.bias" (3)
; =>   unexpected: "2.weight" (1 3)
; =>   unexpected: "2.bias" (1)
(print (equal? before (parameters other)))       ; => #t

; A prefix, another dtype, parts of a file.
(save-model path model :prefix "model." :dtype 'float16 :metadata '(("by" . "me")))
(print (hash->list (tensors-metadata path)))     ; => ((format . pt) (by . me))
(print (map (lambda (e) (list (car e) (tensor-dtype (cdr e)))) (hash->list (load-tensors path))))
; => ((model.0.weight float16) (model.0.bias float16) (model.2.weight float16) (model.2.bias float16))
(load-model! path wide :prefix "model.2" :strict #f) ; no name of the model begins so
(load-model! path other :prefix "model.")
(print (map tensor-dtype (parameters other)) (equal? before (parameters other))) ; => (float32 float32 float32 float32) #f
(print (tensor-allclose (car before) (car (parameters other)) :atol 1e-3)) ; => #t
(define first (linear 2 3))
(load-model! path first :prefix "model.0." )
(print (equal? (tensor-to (linear-bias first) 'float16) (hash-ref (load-tensors path) "model.0.bias"))) ; => #t
(refusal (lambda () (load-model! path first :prefix "model.0." :convert #f)))
; => load-model!: "PATH" does not fit the model:
; =>   dtype: "model.0.weight" is float16, in the model float32
; =>   dtype: "model.0.bias" is float16, in the model float32
(delete-file path)
(refusal (lambda () (load-model! path other)))   ; => load-tensors: cannot open "PATH": No such file or directory
