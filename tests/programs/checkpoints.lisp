; save-checkpoint and load-checkpoint!: a resumed training has the same losses, bit for bit.
(define base (string "/tmp/lambent-checkpoints-" (random 1000000000)))
(define file (string base ".ckpt"))
(define (refusal thunk)
  (guard (e (#t (print (string-join (string-split (error-object-message e) base) "BASE") (error-object-irritants e))))
    (thunk)))
(manual-seed 0)
(define xs (tensor-randn 50 4))
(define ys (tensor-sum (* xs xs) 1 :keepdim #t))

; Its parts: model, optimizer, schedule, ema, loader; dropout and (random) draw numbers.
(define-module (net)
  ((inside (linear 4 8)) (outside (linear 8 1)) (calls (tensor 0) :buffer))
  (forward (x)
    (no-grad (tensor-add! calls 1))
    (outside (tensor-dropout (tensor-relu (inside x)) 0.1 (training? self)))))
(define (parts seed)
  (manual-seed seed)
  (random-seed! seed)
  (let* ((m (net)) (o (adamw (parameters m) :lr 0.01)))
    (list :model m :optimizer o :schedule (cosine-schedule o :steps 40) :ema (ema (parameters m) :decay 0.9)
          :loader (data-loader (tensor-dataset xs ys) :batch-size 8 :shuffle #t))))
(define (part p key) (cadr (memq key p)))
(define (train! p from to save-at)
  (let ((n from) (losses '()))
    (let loop ()
      (when (< n to)
        (let* ((batch (next-batch (part p :loader)))
               (loss (* (+ 1 (random)) (mse-loss ((part p :model) (car batch)) (cadr batch)))))
          (with-optimizer (part p :optimizer)
            (backward loss)
            (optimizer-step)
            (zero-grad))
          (schedule-step! (part p :schedule))
          (ema-update! (part p :ema))
          (set! losses (cons (tensor-item loss) losses))
          (set! n (+ n 1))
          (when (eqv? n save-at)
            (apply save-checkpoint file :step n :extra '(("note" . "here")) :metrics '(("loss" . 0.5)) p))
          (loop))))
    (reverse losses)))

(define whole (train! (parts 1) 0 30 17))        ; 17 is inside the third epoch
(define resumed (parts 2))
(define found (apply load-checkpoint! file resumed))
(print (map car found) (cdr (assoc "step" found)) (cdr (assoc "extra" found))) ; => (step metrics extra path) 17 ((note . here))
(print (net-calls (part resumed :model)) (learning-rate (part resumed :optimizer))) ; => 17 0.006167226819279529
(print (equal? (drop whole 17) (train! resumed 17 30 #f))) ; => #t
(print (take (hash-keys (load-tensors file)) 6)) ; => (random.tensors.cpu model.inside.weight model.inside.bias model.outside.weight model.outside.bias model.calls)

; Parts alone, several of one sort, no random numbers.
(define m (net))
(load-checkpoint! file :model m :random #f)
(print (net-calls m))                            ; => 17
(load-model! file m :prefix "model.")
(save-checkpoint file :model (list m (linear 1 2)))
(define two (list (net) (linear 1 2)))
(define before (random-state))
(load-checkpoint! file :model two :random #f)
(print (equal? before (random-state)) (equal? (parameters m) (parameters (car two)))) ; => #t #t

; What does not fit changes nothing.
(define kept (tensor-copy (linear-weight (net-inside m))))
(apply save-checkpoint file (parts 3))
(define (try . options) (refusal (lambda () (apply load-checkpoint! file options))))
(try :model (linear 4 8))
; => load-checkpoint!: "BASE.ckpt" does not fit the model:
; =>   missing: "weight" (8 4), near "inside.weight" (8 4)
; =>   missing: "bias" (8), near "inside.bias" (8)
; =>   unexpected: "inside.weight" (8 4)
; =>   unexpected: "inside.bias" (8)
; =>   unexpected: "outside.weight" (1 8)
; =>   unexpected: "outside.bias" (1)
; =>   unexpected: "calls" () ()
(try :model m :optimizer (sgd (parameters m) :lr 0.1 :momentum 0.9))
; => load-optimizer-state!: the state has betas, which sgd does not use ()
(print (equal? kept (linear-weight (net-inside m)))) ; => #t
(define (states p) (list (optimizer-state (part p :optimizer)) (schedule-state (part p :schedule)) (ema-state (part p :ema))))
(define states-before (states resumed))
(apply try :loader (data-loader (tensor-dataset xs ys) :batch-size 9 :shuffle #t) (drop-right resumed 2))
; => load-loader-state!: the state has batch-size 8, the loader 9 ()
(print (equal? states-before (states resumed)))  ; => #t
(try :optimizer (list (part resumed :optimizer) (part resumed :optimizer) (part resumed :optimizer)))
; => load-checkpoint!: a list of 3 is given, saved were (2)
(save-checkpoint file :model m :step 3)
(try :model m :loader (part resumed :loader)) ; => load-checkpoint!: "BASE.ckpt" has no loader; it has step, metrics, random, model, extra ()
(save-state file '(("step" . 1)))
(try :model m)                                   ; => load-checkpoint!: "BASE.ckpt" holds a state, but not a checkpoint ()
(save-model file m)
(try :model m)                                   ; => load-state: "BASE.ckpt" holds tensors, but no state that save-state wrote ()
(delete-file file)

; Folders keep the latest and the best.
(define (names paths) (map (lambda (path) (substring path (+ (string-length base) 6) (string-length path))) paths))
(define folder (checkpoint-folder base :keep 2 :best 'loss))
(print (checkpoint-paths folder) (latest-checkpoint folder) (best-checkpoint folder)) ; => () #f #f
(refusal (lambda () (load-checkpoint! folder :model m))) ; => load-checkpoint!: "BASE" has no undamaged checkpoint ()
(refusal (lambda () (save-checkpoint folder :model m))) ; => save-checkpoint: a checkpoint-folder needs a step from 0, got (#f)
(for-each (lambda (step loss) (save-checkpoint folder :model m :step step :metrics (list (cons "loss" loss))))
          '(1 2 3 4 5 6) (list 0.5 0.25 +nan.0 0.75 0.25 0.5))
(print (names (checkpoint-paths folder)))        ; => (000000002.safetensors 000000005.safetensors 000000006.safetensors)
(print (names (list (latest-checkpoint folder) (best-checkpoint base :metric "loss") (best-checkpoint base :metric "loss" :larger #t))))
; => (000000006.safetensors 000000002.safetensors 000000006.safetensors)
(print (best-checkpoint base :metric "other"))   ; => #f
(save-checkpoint (checkpoint-folder base :keep #f) :model m :step 7)
(print (length (checkpoint-paths folder)))       ; => 4

; The latest undamaged one is taken: the header, or some elements, are destroyed.
(define (damage! path byte)
  (let* ((text (call-with-port (open-binary-input-file path) (lambda (port) (read-bytevector 10000000 port))))
         (at (if (< byte 0) (+ (bytevector-length text) byte) byte)))
    (bytevector-u8-set! text at (bitwise-xor (bytevector-u8-ref text at) 1))
    (call-with-port (open-binary-output-file path) (lambda (port) (write-bytevector text port)))))
(define (said thunk)
  (let ((port (open-output-string)))
    (parameterize ((current-error-port port)) (thunk))
    (for-each (lambda (line) (print (substring line 0 (min 61 (string-length line)))))
              (string-split (string-join (string-split (get-output-string port) base) "BASE") "\n"))))
(damage! (latest-checkpoint folder) 3)
(damage! (latest-checkpoint folder) -5)
(print (names (list (latest-checkpoint folder)))) ; => (000000005.safetensors)
(said (lambda () (print (cdr (assoc "step" (load-checkpoint! base :model m))))))
; => 5
; => load-checkpoint!: skipping "BASE/step-000000007.safetensors":
; => load-checkpoint!: skipping "BASE/step-000000006.safetensors":
; => 
(for-each delete-file (checkpoint-paths base))
