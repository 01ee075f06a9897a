;; grid-world.lisp - reinforcement learning: a policy that finds its way.
;;
;;   lambent examples/grid-world.lisp
;;
;; The agent walks from the top left corner to the goal at the bottom right,
;; around walls and a pit.  Each step costs a little, the pit costs much.  The
;; policy is a network from the place to the probabilities of four moves; it
;; learns by REINFORCE (Williams 1992) with the mean return as a baseline and a
;; bonus for entropy, so that it goes on exploring.  32 agents walk at once.

(define world
  '#("S..#."
     ".#..."
     ".#.P."
     "...#."
     ".#..G"))
(define size 5)
(define agents 32)
(define horizon 40)
(define moves '#((-1 . 0) (1 . 0) (0 . -1) (0 . 1)))   ; up, down, left, right
(define arrows '#("^" "v" "<" ">"))

(define (tile row column)
  "What is at a place; a wall beyond the edges."
  (if (and (< -1 row size) (< -1 column size))
      (string-ref (vector-ref world row) column)
      #\#))

(define (step place move)
  "The place after a move, the reward, and whether the walk ends."
  (let* ((row (+ (quotient place size) (car (vector-ref moves move))))
         (column (+ (remainder place size) (cdr (vector-ref moves move)))))
    (case (tile row column)
      ((#\#) (values place -0.1 #f))
      ((#\P) (values (+ (* row size) column) -1.0 #t))
      ((#\G) (values (+ (* row size) column) 1.0 #t))
      (else (values (+ (* row size) column) -0.05 #f)))))

(set-num-threads 1)
(manual-seed 2)
(define policy (sequential (embedding (* size size) 32) (relu) (linear 32 4)))
(define optimizer (adam (parameters policy) :lr 0.01))

(define (walk)
  "Let the agents walk: places, moves and rewards of each, three tensors
  [horizon, agents], and the mask of the steps that they made."
  (let loop ((t 0) (places (make-list agents 0)) (walking (make-list agents #t))
             (rows '()))
    (if (or (= t horizon) (not (any values walking)))
        (map (lambda (k) (tensor (map (lambda (row) (list-ref row k))
                                      (reverse rows))
                                 :dtype (if (< k 2) 'int64 'float32)))
             (iota 4))
        (let* ((logits (no-grad (policy (tensor places))))        ; [agents, 4]
               (chosen (tensor->list
                        (tensor-squeeze
                         (tensor-multinomial (tensor-softmax logits 1) 1) 1)))
               (results (map (lambda (place move on)
                               (if on
                                   (receive r (step place move) r)
                                   (list place 0.0 #t)))
                             places chosen walking)))
          (loop (+ t 1)
                (map car results)
                (map (lambda (r) (not (caddr r))) results)
                (cons (list places chosen (map cadr results)
                            (map (lambda (on) (if on 1.0 0.0)) walking))
                      rows))))))

(define (returns rewards)
  "The sum of the rewards from each step on, discounted.  [t, agents]."
  (let loop ((t (- (tensor-size rewards 0) 1)) (later 0.0) (found '()))
    (if (< t 0)
        (tensor-stack found)
        (let ((now (+ (tensor-select rewards 0 t) (* 0.97 later))))
          (loop (- t 1) now (cons now found))))))

(define (learn)
  "One round of walks and one step of the optimizer; the mean return."
  (let-list (((places moves rewards mask) (walk)))
    (let* ((gains (returns rewards))                              ; [t, agents]
           (baseline (/ (tensor-sum (* gains mask)) (tensor-sum mask)))
           (logs (tensor-log-softmax (policy places) 2))          ; [t, agents, 4]
           (chosen (tensor-squeeze
                    (tensor-gather logs 2 (tensor-unsqueeze moves 2)) 2))
           (entropy (- (tensor-sum (* (exp logs) logs) 2)))       ; [t, agents]
           (gain (+ (* chosen (- gains baseline)) (* 0.05 entropy))))
      (backward (- (/ (tensor-sum (* mask gain)) agents)))
      (optimizer-step optimizer)
      (zero-grad optimizer)
      (tensor-item (tensor-mean (tensor-select gains 0 0))))))

(dotimes (round-number 200)
  (let ((gain (learn)))
    (when (= 0 (remainder (+ round-number 1) 40))
      (print "round" (+ round-number 1) "mean return"
             (/ (round (* 100 gain)) 100)))))

(define best
  (tensor->list (no-grad (tensor-argmax (policy (tensor-arange 25)) 1))))
(dotimes (row size)
  (dotimes (column size)
    (let ((here (tile row column)))
      (display (if (memv here '(#\# #\P #\G))
                   here
                   (vector-ref arrows (list-ref best (+ (* row size) column)))))))
  (newline))
