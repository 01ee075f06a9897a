; Gradients from tensors that the backward pass computes again.
(manual-seed 1)
(define (weight out in)
  (requires-grad! (tensor-mul! (tensor-randn out in) 0.3)))
(define weights (list (weight 8 8) (weight 8 8) (weight 8 8) (weight 8 8)))
(define input (requires-grad! (tensor-randn 5 8)))

; A block with dropout, whose parameters are not arguments of the region.
(define (block w :p 0.5)
  (lambda (x) (tensor-tanh (tensor-dropout (tensor-linear x w) p #t))))
(define (model through x)
  (fold (lambda (w x) (through (block w) x)) x weights))
(define (gradients-of thunk)
  (for-each zero-grad! (cons input weights))
  (manual-seed 7)
  (let* ((loss (tensor-sum (square (thunk)))) (after (tensor-rand 2)))
    (backward loss)
    (list (tensor-item loss) after (tensor-rand 2)
          (map tensor-grad (cons input weights)))))
(define (plainly f . arguments) (apply f arguments))
(define plain (gradients-of (lambda () (model plainly input))))
(define (same? thunk) (equal? plain (gradients-of thunk)))

; Bit for bit the same gradients and random numbers: a region for each block,
; one region for all, and regions in regions.
(print (same? (lambda () (model recompute input))))  ; => #t
(print (same? (lambda () (recompute (lambda (x) (model plainly x)) input))))  ; => #t
(print (same? (lambda () (recompute (lambda (x) (model recompute x)) input))))  ; => #t
(print (same? (lambda () (recompute recompute (lambda (x) (model recompute x)) input))))  ; => #t

; The procedure runs twice, the second time in the backward pass.
(define calls 0)
(define (counted x y :scale 1.0)
  (set! calls (+ calls 1))
  (* scale (exp x) y))
(define a (requires-grad! [1.0 2.0]))
(define b (requires-grad! [3.0 4.0]))
(define y (recompute counted a b :scale 2.0))
(print calls)  ; => 1
(backward (tensor-sum y))
(print calls (tensor-grad a) (tensor-grad b))  ; => 2 [16.3097 59.1124] [5.4366 14.7781]
(no-grad (recompute counted a b))
(print calls)  ; => 3

; Several results; arguments that are not tensors, or not floating.
(define (rows table indices n)
  (list (tensor-index-select table 0 indices) (square table) n))
(define table (requires-grad! [[1.0 2.0] [3.0 4.0]]))
(define results (recompute rows table [1 1] 'name))
(backward (+ (tensor-sum (car results)) (tensor-sum (cadr results))))
(print (tensor-grad table) (caddr results))  ; => [[2.0 4.0] [8.0 10.0]] name

; The graph may be used twice, and gradients of gradients work.
(define x (requires-grad! [0.5 2.0]))
(define z (tensor-sum (recompute (lambda (x) (* x x x)) x)))
(print (gradients z (list x) :retain-graph #t) (gradients z (list x)))  ; => ([0.75 12.0]) ([0.75 12.0])
(define cube (lambda (x) (tensor-sum (recompute (lambda (x) (* x x x)) x))))
(print ((grad (lambda (x) (tensor-sum ((grad cube) x)))) [0.5 2.0]))  ; => [3.0 12.0]
(define first
  (car (gradients (cube x) (list x) :create-graph #t)))
(print (gradients (tensor-sum first) (list x)))  ; => ([3.0 12.0])

; Custom gradients in a region.
(define doubled
  (custom-gradient (lambda (x) (* x 2.0)) (lambda (g x y) (* g x 10.0))))
(backward (tensor-sum (recompute (lambda (x) (square (doubled x))) x)))
(print (tensor-grad x))  ; => [10.0 160.0]

; In a region of autocast, the second call computes in the same dtypes.
(define matrix (tensor-ones 2 2))
(define dtypes '())
(define (noted x)
  (let ((y (tensor-matmul matrix x)))
    (set! dtypes (cons (tensor-dtype y) dtypes))
    (square y)))
(define m (requires-grad! (tensor-ones 2 2)))
(define product (with-autocast 'bfloat16 (recompute noted m)))
(backward (tensor-sum product))
(print dtypes (autocast-dtype) (tensor-grad m))  ; => (bfloat16 bfloat16) #f [[8.0 8.0] [8.0 8.0]]

; Errors and escapes in the first call leave the region.
(define (fails-at n)
  (let ((count 0))
    (lambda (x)
      (set! count (+ count 1))
      (if (= count n) (error "call number" n) (square x)))))
(define-syntax message-of
  (syntax-rules ()
    ((_ expression)
     (guard (e (#t (cons (error-object-message e) (error-object-irritants e))))
       expression))))
(print (message-of (recompute (fails-at 1) x)))  ; => (call number 1)
(print (call/cc (lambda (k) (recompute (lambda (x) (k 'out)) x))))  ; => out
(zero-grad! x)
(backward (tensor-sum (square x)))
(print (tensor-grad x))  ; => [1.0 4.0]

; Those in the second call leave the backward pass.
(define late (tensor-sum (recompute (fails-at 2) x)))
(print (message-of (backward late)))  ; => (call number 2)
(define k-late #f)
(define escaping
  (let ((count 0))
    (lambda (x)
      (set! count (+ count 1))
      (if (= count 2) (k-late 'left) (square x)))))
(define late-too (tensor-sum (recompute escaping x)))
(print (call/cc (lambda (k) (set! k-late k) (backward late-too))))  ; => left
(zero-grad! x)
(backward (tensor-sum (recompute square x)))
(print (tensor-grad x))  ; => [1.0 4.0]

; A procedure that does not compute the same again.
(define (changes)
  (let ((count 0))
    (lambda (x)
      (set! count (+ count 1))
      (if (= count 1) (square (exp x)) (exp x)))))
(print (message-of (backward (tensor-sum (recompute (changes) x)))))  ; => (backward: the procedure of recompute computed something else the second time)
(define (in-place x)
  (let* ((y (exp x)) (z (square y)))
    (tensor-add! y 1.0)
    z))
(print (message-of (backward (tensor-sum (recompute in-place x)))))  ; => (backward: a tensor that a gradient needs was changed in place inside of recompute: a tensor float32 (2))

(define scale [1.0 2.0])
(define scaled (recompute * x scale))
(tensor-add! scale 1.0)
(print (message-of (backward (tensor-sum scaled))))  ; => (backward: the gradient of tensor-mul needs a tensor of shape (2) that has been changed in place since)
(define once (tensor-sum (recompute exp x)))
(backward once)
(print (message-of (backward once)))  ; => (backward: the gradients of this computation have been computed before)

; Memory: between the passes, only the arguments of the regions.
(define (deep x)
  (let loop ((k 0) (x x))
    (if (= k 8) x (loop (+ k 1) (exp (tensor-tanh x))))))
(define (bytes name) (cdr (assq name (tensor-memory))))
(define big (requires-grad! (tensor-rand 50000)))
(define (kept thunk)
  (let* ((before (bytes 'live-bytes))
         (loss (thunk))
         (kept (- (bytes 'live-bytes) before)))
    (backward loss)
    (zero-grad! big)
    (quotient kept 200000)))               ; in tensors of that size
(define (segments through)
  (lambda ()
    (tensor-sum (through deep (through deep (through deep big))))))
(define less (kept (segments recompute)))
(define less-peak (bytes 'peak-bytes))
(print less (kept (segments plainly)))  ; => 2 48
(print (> (- (bytes 'peak-bytes) less-peak) (* 20 200000)))  ; => #t
