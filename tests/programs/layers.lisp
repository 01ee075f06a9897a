; Layers are modules: they are called, put together, printed, trained and looked into.
(manual-seed 0)
(set-num-threads 1)

; The program of the guide: a model, an optimizer, a step.
(define model (sequential (linear 784 128) (relu) (linear 128 10)))
(define opt (adam (parameters model) :lr 1e-3))
(define (train-step x y)
  (let ((loss (cross-entropy (forward model x) y)))
    (backward loss) (optimizer-step opt) (zero-grad opt) (tensor-item loss)))
(define x (tensor-rand 16 784))
(define y (tensor-randint 10 '(16)))
(define first-loss (train-step x y))
(dotimes (k 20) (train-step x y))
(print (< (train-step x y) (* 0.5 first-loss)))  ; => #t
(print (map car (named-parameters model)))  ; => (0.weight 0.bias 2.weight 2.bias)

; Any procedure of a tensor is a layer, and a model is a layer.
(define mixed (sequential (sequential (linear 4 3) tanh) identity (lambda (x) (* x 2))))
(print (tensor-shape (mixed (tensor-ones 5 4))) (map car (named-parameters mixed)))  ; => (5 3) (0.0.weight 0.0.bias)
(print (module? mixed) (sequential? mixed) (linear? mixed) (procedure? (relu)))  ; => #t #t #f #t

; Training and evaluation.
(define drops (sequential (dropout 0.5) (batch-norm1d 4)))
(drops (tensor-ones 3 4))
(eval-mode! drops)
(print (equal? (drops (tensor-zeros 2 4)) (drops (tensor-zeros 2 4))))  ; => #t
(print (map car (state-dict drops)))  ; => (1.weight 1.bias 1.running_mean 1.running_var 1.num_batches_tracked)

; A layer holds its arguments, and prints them.
(print (conv2d-stride (conv2d 3 4 3 :stride 2)) (dropout-p (dropout 0.2)) (dropout-p (dropout)))  ; => (2 2) 0.2 0.5
(print (leaky-relu 0.2) (softmax) (max-pool2d 2))  ; => #<leaky-relu negative-slope: 0.2> #<softmax dim: -1> #<max-pool2d kernel-size: (2 2) stride: (2 2) padding: (0 0) dilation: (1 1) return-indices: #f ceil-mode: #f>

; Networks over sequences return several values; lengths end them early.
(define net (lstm 3 4 :num-layers 2 :bidirectional #t :batch-first #t))
(receive (outputs states cells) (net (tensor-ones 2 5 3) :lengths '(5 2))
  (print (map tensor-shape (list outputs states cells)))  ; => ((2 5 8) (4 2 4) (4 2 4))
  (print (tensor-item (tensor-sum (tensor-abs (tensor-ref outputs 1 (range 2 5)))))))  ; => 0.0
(print (map car (take (named-parameters net) 5)))  ; => (weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_ih_l0_reverse)
(receive (output weights) ((multi-head-attention 4 2) (tensor-ones 3 1 4) (tensor-ones 5 1 4) (tensor-ones 5 1 4))
  (print (tensor-shape output) (tensor-shape weights)))  ; => (3 1 4) (1 3 5)

; Copies, dtypes and freezing reach parameters with names of their own.
(define small (gru 2 3))
(define copy (copy-module small))
(print (equal? (parameters small) (parameters copy)) (eq? (car (parameters small)) (car (parameters copy))))  ; => #t #f
(print (map tensor-dtype (parameters (to! copy 'float64))))  ; => (float64 float64 float64 float64)
(print (any requires-grad? (parameters (freeze! copy))) (parameter-count small))  ; => #f 63
(print (tensor-dtype (receive (y h) (copy (tensor-ones 4 2 :dtype 'float64)) y)))  ; => float64
(print small)  ; => #<gru 63 parameters, 252 bytes input-size: 2 hidden-size: 3 num-layers: 1 bias: #t batch-first: #f dropout: 0.0 bidirectional: #f weights: (weight_ih_l0: float32 (9 2), weight_hh_l0: float32 (9 3), bias_ih_l0: float32 (9), bias_hh_l0: float32 (9))>
(summary small)
; => module   type  parameters     memory  own shapes
; => (model)  gru           63  252 bytes  (9 2) (9 3) (9) (9)
; => 63 parameters, 63 of them learn; 252 bytes

; A field of parameters that have names of their own, in a module of the program.
(define-module (scales names)
  ((weights (map (lambda (name) (cons name (tensor-ones 2))) names) :parameters))
  (forward (x) (fold (lambda (entry y) (* y (cdr entry))) x weights)))
(define-module (holder) ((inner (scales '("a" "b.c")))) (forward (x) (inner x)))
(define held (holder))
(backward (tensor-sum (held [3.0 4.0])))
(print (map car (state-dict held)) (map tensor-grad (parameters held)))  ; => (inner.a inner.b.c) ([3.0 4.0] [3.0 4.0])
(print held)
; => #<holder 4 parameters, 16 bytes
; =>   inner: #<scales weights: (a: float32 (2), b.c: float32 (2))>>
(print (guard (e (#t (error-object-message e))) (set-scales-weights! (holder-inner held) '(1))))  ; => set-scales-weights!: field weights: expected an alist from name to tensor, got (1)
