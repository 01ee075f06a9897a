; define-module: models as data.
(define-module (feed-forward width hidden :depth 1)
  "A gated layer."
  ((up-projection (linear width hidden))
   (down (linear hidden width :bias #f))
   (scale (tensor-full (list width) 2.0) :parameter)
   (seen (tensor-zeros 1) :buffer)
   (width width)
   (twice (* depth 2)))
  (forward (x :shift 0.0) (+ shift (* scale (down (tensor-relu (up-projection x)))))))
(manual-seed 0)
(define m (feed-forward 3 4 :depth 5))
(print (module? m) (feed-forward? m) (linear? m) (procedure? m))  ; => #t #t #f #t
(print (feed-forward-width m) (feed-forward-twice m) (module? (feed-forward-down m)))  ; => 3 10 #t
(print (tensor-shape (m (tensor-ones 2 3))) (equal? (m [1.0 2.0 3.0]) (forward m [1.0 2.0 3.0])))  ; => (2 3) #t
(print (equal? (+ 1 (m [1.0 2.0 3.0])) (m [1.0 2.0 3.0] :shift 1)))  ; => #t
(print (map car (named-parameters m)))  ; => (up_projection.weight up_projection.bias down.weight scale)
(print (map car (named-buffers m)) (length (state-dict m)))  ; => (seen) 5
(print (map car (module-children m)) (parameter-count m))  ; => (up_projection down) 31
(print (every requires-grad? (parameters m)) (requires-grad? (feed-forward-seen m)))  ; => #t #f
; Lists and vectors of modules, an unnamed field, procedures as layers.
(define s (sequential (linear 3 4) (relu) (sequential (linear 4 2)) tensor-sigmoid))
(print (map car (named-parameters s)))  ; => (0.weight 0.bias 2.0.weight 2.0.bias)
(print (map car (named-modules s)))  ; => ( 0 1 2 2.0)
(define-module (stack n)
  ((blocks (list->vector (map (lambda (k) (linear 2 2)) (iota n))))
   (scales (list (tensor-ones 1) (tensor-ones 2)) :parameter))
  (forward (x) (vector-for-each (lambda (b) (set! x (b x))) blocks) x))
(define t (stack 2))
(print (map car (named-parameters t)))  ; => (blocks.0.weight blocks.0.bias blocks.1.weight blocks.1.bias scales.0 scales.1)
(print (tensor-shape (t [1.0 2.0])))  ; => (2)
; Several arguments, several values, none.
(define-module (twin) () (forward (x y) (values (+ x y) (- x y))))
(receive (a b) ((twin) 5 3) (print a b))  ; => 8 2
(define-module (holder a) ((a a)))
(print (holder-a (holder 5)))  ; => 5
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () ((holder 5) 1))))  ; => holder: the module has no forward clause, so it cannot be called
; Modes, freezing.
(print (training? m) (training? (feed-forward-down (eval-mode! m))) (training? (train-mode! m)))  ; => #t #f #t
(freeze! (feed-forward-down m))
(print (map requires-grad? (parameters m)))  ; => (#t #t #f #t)
(unfreeze! m)
(print (every requires-grad? (parameters m)))  ; => #t
; A tied parameter is listed once, and saved under both names.
(define-module (tied) ((a (linear 2 2 :bias #f)) (b (linear 2 2 :bias #f))) (forward (x) (b (a x))))
(define u (tied))
(set-linear-weight! (tied-b u) (linear-weight (tied-a u)))
(print (map car (named-parameters u)) (map car (state-dict u)))  ; => (a.weight) (a.weight b.weight)
; Copies share nothing with the original, and what was shared stays shared.
(define v (copy-module u))
(print (equal? (state-dict u) (state-dict v)) (eq? (linear-weight (tied-a u)) (linear-weight (tied-a v))) (eq? (linear-weight (tied-a v)) (linear-weight (tied-b v))))  ; => #t #f #t
(print (requires-grad? (linear-weight (tied-a v))) (eq? (record-type u) (record-type v)))  ; => #t #t
; Dtypes: parameters stay the same objects.
(define w (linear-weight (tied-a u)))
(to! u 'float64)
(print (tensor-dtype w) (eq? w (linear-weight (tied-a u))) (requires-grad? w) (tensor-is-leaf w))  ; => float64 #t #t #t
(backward (tensor-sum (u (tensor-ones 2 2 :dtype 'float64))))
(print (tensor-dtype (tensor-grad w)) (tensor-dtype (tensor-grad (begin (to! u 'float32) w))))  ; => float64 float32
; Modules by path, and what replaces them.
(print (eq? (module-at m "down") (feed-forward-down m)))  ; => #t
(replace-module! s "2.0" (linear 4 7))
(print (tensor-shape (s (tensor-ones 1 3))) (map car (named-parameters s)))  ; => (1 7) (0.weight 0.bias 2.0.weight 2.0.bias)
(print (message (lambda () (module-at m "dwn"))))  ; => module-at: no module has the path "dwn"; there are
(set-feed-forward-scale! m (tensor-zeros 3))
(print (requires-grad? (feed-forward-scale m)) (m [1.0 2.0 3.0]))  ; => #t [0.0 0.0 0.0]
(print (message (lambda () (set-feed-forward-scale! m 5))))  ; => set-feed-forward-scale!: field scale: expected a tensor or #f, got 5
(print (message (lambda () (parameters 5))))  ; => parameters: expected a module, got 5
