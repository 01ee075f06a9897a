; A model whose logits are nan or infinite: every way to choose a token refuses, in the same words.
(define (model-of x)
  (lambda (ids) (tensor-full (list (tensor-size ids 0) (tensor-size ids 1) 5) x)))
(define (spoilt-at k x)
  (lambda (ids)
    (let ((logits (tensor-zeros (list (tensor-size ids 0) (tensor-size ids 1) 5))))
      (tensor-fill! (tensor-select logits 2 k) x)
      logits)))
(define fair (model-of 0.0))
(define (said model . options)
  (guard (e (#t (error-object-message e)))
    (apply generate model #f '(1 2) :max-tokens 3 options)))
(define (all-of model)
  (list (said model :greedy #t) (said model) (said model :temperature 0) (said model :top-k 1)
        (said model :beams 2) (said model :greedy #t :count 2)
        (said model :greedy #t :repetition-penalty 1.2) (said model :top-p 0.5 :seed 1)
        (said model :greedy #t :draft fair) (said model :seed 1 :draft fair)
        (said fair :greedy #t :draft model) (said fair :seed 1 :draft model)
        (said model :greedy #t :allow (lambda (ids) #t))
        (said model :beams 2 :repetition-penalty 1.2)))
(define (alike x) (let ((first (car x))) (if (every (lambda (y) (equal? first y)) x) first x)))
(print (alike (all-of (model-of +nan.0))))  ; => tensor-sample: the logits contain nan
(print (alike (all-of (spoilt-at 3 +nan.0))))  ; => tensor-sample: the logits contain nan
(print (alike (all-of (model-of +inf.0))))  ; => tensor-sample: the logits contain inf
(print (alike (all-of (spoilt-at 0 +inf.0))))  ; => tensor-sample: the logits contain inf
(print (alike (all-of (model-of -inf.0))))  ; => tensor-sample: no token is allowed: all logits are -inf
(print (said (spoilt-at 0 -inf.0) :greedy #t) (length (said (spoilt-at 0 -inf.0) :seed 1)))  ; => (1 1 1) 3
; Each row is looked at, in every dtype.
(define (refused logits)
  (guard (e (#t (error-object-message e))) (greedy-token logits)))
(print (refused [[0.0 1.0] [+nan.0 0.0]]))  ; => tensor-sample: the logits contain nan
(print (refused [[0.0 1.0] [2.0 0.0]]))  ; => [1 0]
(print (map (lambda (dtype) (refused (tensor [1.0 3.0] :dtype dtype)))
            '(bfloat16 float16 float64)))  ; => (1 1 1)
(print (alike (map (lambda (dtype) (refused (tensor [1.0 +nan.0] :dtype dtype)))
                   '(bfloat16 float16 float64))))  ; => tensor-sample: the logits contain nan
(print (guard (e (#t (error-object-message e))) (sample-token [0.0 +nan.0] :temperature 0)))  ; => tensor-sample: the logits contain nan
; A language model, whose requests in an engine end with the error.
(import (only "../../examples/lib/tiny-model.lisp" write-tiny-model delete-model))
(define folder (string "/tmp/" (random 1000000000) "-nan"))
(write-tiny-model folder '("a tensor is a number and a shape."))
(define model (load-llm folder))
(define tokenizer (load-tokenizer folder))
(no-grad (for-each (lambda (p) (tensor-fill! p +nan.0)) (parameters model)))
(define engine (batch-engine model tokenizer))
(define (show text result)
  (when result
    (print (generation-reason result) (cdr (assq 'error (generation-statistics result))))))
(engine-submit! engine "a" '((greedy . #t) (max-tokens . 3)) show)
(engine-submit! engine "a" '((max-tokens . 3)) show)
(engine-submit! engine "a" (list (cons 'greedy #t) (cons 'grammar (json-grammar))) show)
(engine-run! engine)
; => error tensor-sample: the logits contain nan
; => error tensor-sample: the logits contain nan
; => error tensor-sample: the logits contain nan
(print (guard (e (#t (error-object-message e))) (generate model tokenizer "a" :greedy #t)))  ; => tensor-sample: the logits contain nan
(delete-model folder)
