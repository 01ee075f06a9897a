; Ports, loaders and what a model writes as generators of SRFI 158.
(import (srfi 158))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (port text) (open-input-string text))
(print (generator->list (port->generator (port "a b\nc")))) ; => (a b c)
(print (generator->list (port->generator (port "(a b) 5 x") read))) ; => ((a b) 5 x)
(print (generator->list (gfilter char-alphabetic? (port->generator (port "a-b") read-char)))) ; => (a b)
(print (generator->list (port->generator (open-input-bytevector #u8(1 2 3))))) ; => (1 2 3)
(print (generator->list (gtake (port->generator (port "a\nb\nc\nd")) 2))) ; => (a b)
(print (message (lambda () (port->generator 5)))) ; => port->generator: expected an input port, got 5
(print (message (lambda () (port->generator (port "") 5)))) ; => port->generator: expected a procedure, got 5

(define loader (data-loader (tensor-dataset (tensor-arange 5)) :batch-size 2))
(define batches (loader->generator loader))
(print (map (lambda (batch) (tensor->list (car batch))) (generator->list batches))) ; => ((0 1) (2 3) (4))
(print (eof-object? (batches)) (loader-epoch loader)) ; => #t 1
(define early (loader->generator loader))
(print (tensor->list (car (early)))) ; => (0 1)
(print (generator-fold (lambda (batch n) (+ n 1)) 0 (loader->generator loader))) ; => 3
(print (message early)) ; => loader->generator: another pass over the loader has begun
(print (message (lambda () (loader->generator 5)))) ; => loader->generator: expected a data loader, got 5

(import (only "../../examples/lib/tiny-model.lisp" write-tiny-model delete-model))
(define folder (string "/tmp/" (random 1000000000) "-generator"))
(write-tiny-model folder '("a tensor is a number and a shape."))
(define model (load-llm folder))
(define tokenizer (load-tokenizer folder))
(define (pieces . options) (generator->list (apply generate->generator model tokenizer "a tensor" options)))
(print (string=? (apply string-append (pieces :max-tokens 12 :seed 1))
                 (generate model tokenizer "a tensor" :max-tokens 12 :seed 1))) ; => #t
(print (> (length (pieces :max-tokens 12 :seed 1)) 1)) ; => #t
(define next (generate->generator model tokenizer "a tensor" :max-tokens 8 :seed 1))
(print (string? (next))) ; => #t
(print (message (lambda () (pieces :beams 2)))) ; => engine-submit!: a request does not take :beams, :draft, :cache, :window or :count
(no-grad (for-each (lambda (p) (tensor-fill! p +nan.0)) (parameters model)))
(print (message (lambda () (pieces :greedy #t)))) ; => generate->generator: tensor-sample: the logits contain nan
(delete-model folder)
