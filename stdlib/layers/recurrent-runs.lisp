;; recurrent-runs.lisp - how recurrent networks run: examples, first states
;; and lengths.
;;
;; A network has one state (rnn, gru) or two (lstm): states are lists here.
;; Its operator takes x and batch-sizes, which is #f unless x is packed.

(define (%rnn-tanh x sizes states weights bias layers p train two-way first)
  (if sizes
      (tensor-rnn-tanh x sizes (car states) weights bias layers p train
                       two-way)
      (tensor-rnn-tanh x (car states) weights bias layers p train two-way
                       first)))

(define (%rnn-relu x sizes states weights bias layers p train two-way first)
  (if sizes
      (tensor-rnn-relu x sizes (car states) weights bias layers p train
                       two-way)
      (tensor-rnn-relu x (car states) weights bias layers p train two-way
                       first)))

(define (%gru x sizes states weights bias layers p train two-way first)
  (if sizes
      (tensor-gru x sizes (car states) weights bias layers p train two-way)
      (tensor-gru x (car states) weights bias layers p train two-way first)))

(define (%lstm x sizes states weights bias layers p train two-way first)
  (if sizes
      (tensor-lstm x sizes states weights bias layers p train two-way)
      (tensor-lstm x states weights bias layers p train two-way first)))

(define (%run-recurrent operator who x hx lengths input-size features weights
                        bias layers p train two-way first)
  "The outputs and last states, as values.  features: the size of each
  state."
  (%check-sequence who x input-size)
  (if (= (tensor-rank x) 3)
      (let ((states (%states who hx features x (* layers (if two-way 2 1))
                             (tensor-size x (if first 0 1)))))
        (if lengths
            (%run-packed operator who x states lengths weights bias layers p
                         train two-way first)
            (apply values (operator x #f states weights bias layers p train
                                    two-way first))))
      (%run-unbatched operator who x hx lengths input-size features weights
                      bias layers p train two-way first)))

(define (%check-sequence who x input-size)
  "Raise an error unless x is a sequence of input-size features."
  (%check-rank who x 2 3)
  (unless (= (tensor-size x -1) input-size)
    (error (string who ": expected [..., " input-size "], got")
           (tensor-shape x))))

(define (%state-list who hx features)
  "The states of a call as a list; #f if it has none."
  (cond ((not hx) #f)
        ((and (tensor? hx) (null? (cdr features))) (list hx))
        ((and (list? hx) (= (length hx) (length features))) hx)
        (else (wrong-type who (if (null? (cdr features))
                                  "a tensor for hx"
                                  "a list of two tensors for hx")
                          hx))))

(define (%states who hx features x count n)
  "The states of a call, which are zeros if it has none."
  (if hx
      (let ((states (%state-list who hx features)))
        (for-each (lambda (h size) (%check-state who h (list count n size)))
                  states features)
        states)
      (map (lambda (size) (tensor-new-zeros x (list count n size)))
           features)))

(define (%check-state who state shape)
  "Raise an error unless the state has that shape."
  (unless (equal? (tensor-shape state) shape)
    (error (string who ": expected :hx of shape " shape ", got")
           (tensor-shape state))))

(define (%run-unbatched operator who x hx lengths . arguments)
  "The outputs and last states of a single example [t, input-size]."
  (when lengths
    (error (string who ": :lengths needs an input with a dimension of "
                   "examples, got shape")
           (tensor-shape x)))
  (let* ((dim (if (last arguments) 0 1))
         (states (%state-list who hx (cadr arguments))))
    (receive (y . states)
        (apply %run-recurrent operator who (tensor-unsqueeze x dim)
               (and states
                    (let ((with-batch (map (lambda (h) (tensor-unsqueeze h 1))
                                           states)))
                      (if (tensor? hx) (car with-batch) with-batch)))
               #f arguments)
      (apply values (tensor-squeeze y dim)
             (map (lambda (h) (tensor-squeeze h 1)) states)))))

;; Sequences of different lengths.  LibTorch wants the longest first.

(define (%run-packed operator who x states lengths weights bias layers p train
                     two-way first)
  "The outputs and last states of sequences of these lengths."
  (let* ((lengths (%sequence-lengths who lengths x first))
         (order (tensor-argsort lengths :descending #t))
         (rows (tensor-to order (tensor-device x)))
         (back (tensor-argsort rows)))
    (let-list (((data sizes)
                (tensor-private--pack-padded-sequence
                 (tensor-index-select x (if first 0 1) rows)
                 (tensor-index-select lengths 0 order)
                 first)))
      (let* ((results (operator data sizes
                                (map (lambda (h)
                                       (tensor-index-select h 1 rows))
                                     states)
                                weights bias layers p train two-way first))
             (y (car (tensor-private--pad-packed-sequence
                      (car results) sizes first 0.0
                      (tensor-size x (if first 1 0))))))
        (apply values
               (tensor-index-select y (if first 0 1) back)
               (map (lambda (h) (tensor-index-select h 1 back))
                    (cdr results)))))))

(define (%sequence-lengths who lengths x first)
  "The lengths as a tensor: one for each example, from 1 to the steps of x."
  (let* ((lengths (tensor-to (if (tensor? lengths) lengths (tensor lengths))
                             "cpu"))
         (n (tensor-size x (if first 0 1)))
         (steps (tensor-size x (if first 1 0))))
    (unless (equal? (tensor-shape lengths) (list n))
      (error (string who ": expected :lengths of " n " examples, got shape")
             (tensor-shape lengths)))
    (unless (<= 1 (tensor-item (tensor-min lengths))
                (tensor-item (tensor-max lengths)) steps)
      (error (string who ": expected :lengths from 1 to " steps ", got")
             lengths))
    lengths))
