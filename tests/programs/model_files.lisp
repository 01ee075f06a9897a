; save-model and load-model!.
(define path (string "/tmp/lambent-model-" (random 1000000000)))
(define (message thunk)
  (guard (e (#t (error-object-message e))) (thunk)))
(define (net hidden) (sequential (linear 2 hidden) (relu) (linear hidden 1)))
(define model (net 3))
(save-model path model)
(print (hash-keys (load-tensors path)))          ; => (0.weight 0.bias 2.weight 2.bias)
(define other (net 3))
(print (equal? (parameters model) (parameters other))) ; => #f
(print (eq? (load-model! path other) other))     ; => #t
(print (equal? (parameters model) (parameters other))) ; => #t
(backward (tensor-sum (forward other [[1.0 2.0]])))
(print (tensor-shape (tensor-grad (car (parameters other))))) ; => (3 2)

; A model that does not fit stays as it is.
(define before (map tensor-copy (parameters other)))
(define wide (net 4))
(print (guard (e (#t (cons (error-object-message e) (error-object-irritants e))))
         (load-model! path wide)))               ; => (load-model!: tensor "0.weight" has shape (3 2), the model's has (4 2))
(print (guard (e (#t (cons (error-object-message e) (error-object-irritants e))))
         (load-model! path (sequential other (linear 1 1))))) ; => (load-model!: the file has no tensor 0.0.weight)
(print (guard (e (#t (cons (error-object-message e) (error-object-irritants e))))
         (load-model! path (linear 2 3))))       ; => (load-model!: the file has no tensor weight)
(print (guard (e (#t (cons (error-object-message e) (error-object-irritants e))))
         (load-model! path (sequential (linear 2 3))))) ; => (load-model!: the model has no parameter 2.weight)
(print (equal? before (parameters other)))       ; => #t
(delete-file path)
(print (message (lambda () (load-model! "no-such-model" other)))) ; => load-tensors: cannot open "no-such-model": No such file or directory
