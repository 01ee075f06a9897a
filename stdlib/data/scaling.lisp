;; scaling.lisp - putting features on one scale, and classes into columns.
;;
;; A scaler is fitted to the training data, and used for all data:
;;
;;     (define s (standardizer train-x))
;;     (scale s test-x)      (unscale s predictions)

;; Scaled x is (x - offset) / width.
(define %scaler-type
  (%record-type 'scaler #(method #f #f)))

(define (standardizer x)
  "The scaler that gives each feature mean 0 and standard deviation 1 over the
  examples of x [n, ...].  A feature that is the same in all examples becomes 0.
  The deviation is that of the examples themselves, divided by n."
  (%check-scaled "standardizer" x)
  (let ((x (%as-floating x)))
    (%record %scaler-type 'standard
             (tensor-mean x '(0))
             (%without-zeros (tensor-std x '(0) :correction 0)))))

(define (min-max-scaler x :low 0 :high 1)
  "The scaler that gives each feature the range from low to high over the
  examples of x [n, ...].  A feature that is the same in all examples becomes
  low."
  (%check-scaled "min-max-scaler" x)
  (unless (and (real? low) (real? high) (< low high))
    (error (string "min-max-scaler: expected low below high, got " low
                   " and " high)))
  (let* ((x (%as-floating x))
         (least (tensor-amin x '(0)))
         (width (/ (%without-zeros (- (tensor-amax x '(0)) least))
                   (- high low))))
    (%record %scaler-type 'min-max (- least (* width low)) width)))

(define (%check-scaled who x)
  "Raise an error unless x is a tensor with examples."
  (unless (and (tensor? x) (> (tensor-rank x) 0))
    (wrong-type who "a tensor of examples" x))
  (when (= (car (tensor-shape x)) 0)
    (error (string who ": expected at least one example, got shape "
                   (tensor-shape x)))))

(define (%as-floating x)
  "x without gradients; integers as float32."
  (let ((x (detach x)))
    (if (tensor-is-floating-point x) x (tensor-float x))))

(define (%without-zeros x)
  "x with 1 in the place of 0."
  (tensor-where (tensor-eq x 0) (tensor-ones-like x) x))

(define (scaler? x)
  "Whether it is a scaler."
  (%record? x %scaler-type))

(define (%scaler-field who s k)
  "A field of a scaler."
  (unless (scaler? s)
    (wrong-type who "a scaler" s))
  (%record-ref s %scaler-type k "scaler"))

(define (scaler-offset s)
  "What a scaler subtracts from each feature: of a standardizer the mean."
  (%scaler-field "scaler-offset" s 1))

(define (scaler-width s)
  "What a scaler then divides each feature by: of a standardizer the standard
  deviation."
  (%scaler-field "scaler-width" s 2))

(define (scale s x)
  "Examples x [..., features] on the scaler's scale."
  (/ (- x (%scaler-field "scale" s 1)) (%scaler-field "scale" s 2)))

(define (unscale s y)
  "The examples that the scaler has scaled to y."
  (+ (* y (%scaler-field "unscale" s 2)) (%scaler-field "unscale" s 1)))

(define (scaler-state s)
  "A scaler as an alist of strings and values, to be saved."
  (list (cons "type" "scaler")
        (cons "method" (symbol->string (%scaler-field "scaler-state" s 0)))
        (cons "offset" (tensor-copy (scaler-offset s)))
        (cons "width" (tensor-copy (scaler-width s)))))

(define (load-scaler-state! s state)
  "Give a scaler the state from another's scaler-state, and return it."
  (%scaler-field "load-scaler-state!" s 0)
  (unless (and (list? state) (every pair? state)
               (equal? (assoc "type" state) '("type" . "scaler")))
    (wrong-type "load-scaler-state!" "an alist from scaler-state" state))
  (for-each (lambda (k name convert)
              (%record-set! s %scaler-type k
                            (convert (cdr (assoc name state)))
                            "load-scaler-state!"))
            '(0 1 2) '("method" "offset" "width")
            (list string->symbol tensor-copy tensor-copy))
  s)

(define (one-hot classes :count #f :dtype 'float32)
  "Classes [...] of integers from 0 as rows with a 1 in the column of the class
  and 0 elsewhere: [..., count].  count is one more than the largest class
  unless it is given."
  (let ((classes (if (list? classes) (tensor classes) classes)))
    (unless (tensor? classes)
      (wrong-type "one-hot" "a tensor of classes" classes))
    (tensor-to (tensor-one-hot (tensor-to classes 'int64) (or count -1))
               dtype)))
