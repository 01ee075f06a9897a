; What is for GPUs runs on the CPU too: captured graphs, and loaders that send their batches.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))

; On the CPU the procedure is the one that was given.
(define x (tensor-ones 3))
(define calls 0)
(define (twice) (set! calls (+ calls 1)) (* x 2))
(define graph (capture-graph twice))
(print (eq? graph twice) calls (graph) calls)     ; => #t 0 [2.0 2.0 2.0] 1
(tensor-copy! x [1.0 2.0 3.0])
(print (graph) ((capture-graph (lambda () (tensor-sum x)) :device "cpu" :warm-up 0)))  ; => [2.0 4.0 6.0] 6.0
(print (message (capture-graph 5)))               ; => capture-graph: expected a procedure, got 5
(print (message (capture-graph twice :warm-up -1)))  ; => capture-graph: expected a number of calls as warm-up, got -1
(print (message (capture-graph twice :device 3)))  ; => capture-graph: expected a device, got 3
(print (message (capture-graph twice :device "disk")))  ; => tensor-empty: expected a device, got "disk"

; The batches of a loader go to its device, gathered ahead or not, and so do collated ones.
(define (devices . options)
  (let ((seen '()))
    (do-batches ((x y) (apply data-loader options))
      (set! seen (cons (tensor-device x) seen)))
    seen))
(define examples (tensor-dataset (tensor-arange 5) (tensor-arange 5)))
(print (devices examples :batch-size 2 :device "meta"))  ; => (meta meta meta)
(print (devices examples :batch-size 2 :prefetch 2 :device 'meta))  ; => (meta meta meta)
(print (devices examples :batch-size 3 :device "meta" :collate (lambda (batch) (list (tensor-stack (map car batch)) 1))))  ; => (meta meta)
(do-batches ((x y) (data-loader examples :batch-size 3 :prefetch 1 :device "cpu"))
  (print x y))                                    ; => [0 1 2] [0 1 2]
                                                  ; => [3 4] [3 4]
(print (tensor-device (car (next-batch (data-loader examples :device "meta" :transform (lambda (x y) (list x)))))))  ; => meta
(print (message (data-loader examples :device "cuda:77")))  ; => tensor-empty: device cuda:77 is not available
(print (message (data-loader examples :device 5)))  ; => data-loader: expected a device, got 5
