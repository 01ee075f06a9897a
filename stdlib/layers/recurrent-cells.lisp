;; recurrent-cells.lisp - one step of a recurrent network, for loops of one's
;; own.
;;
;; x [n, input-size] and the state [n, hidden-size], which is zeros unless it
;; is given; both may lack the dimension of examples.

(define-module (rnn-cell input-size hidden-size :bias #t :nonlinearity "tanh")
  "One step of rnn: h' = tanh(w x + b + w' h + b').  x [n, input-size], :hx [n,
  hidden-size] -> [n, hidden-size].  ((rnn-cell 4 8) x) applies it to a tensor."
  ((input-size (%positive "rnn-cell" "input-size" input-size))
   (hidden-size (%positive "rnn-cell" "hidden-size" hidden-size))
   (nonlinearity (%choice "rnn-cell" "nonlinearity" nonlinearity
                          '("tanh" "relu")))
   (weight-ih (%cell-weight hidden-size (list hidden-size input-size))
              :parameter)
   (weight-hh (%cell-weight hidden-size (list hidden-size hidden-size))
              :parameter)
   (bias-ih (and bias (%cell-weight hidden-size (list hidden-size)))
            :parameter)
   (bias-hh (and bias (%cell-weight hidden-size (list hidden-size)))
            :parameter))
  (forward (x :hx #f)
    (if (= (tensor-rank x) 1)
        (tensor-squeeze (self (tensor-unsqueeze x 0)
                              :hx (and hx (tensor-unsqueeze hx 0)))
                        0)
        (let ((h (or hx (%cell-state x hidden-size))))
          (if (equal? nonlinearity "tanh")
              (tensor-rnn-tanh-cell x h weight-ih weight-hh bias-ih bias-hh)
              (tensor-rnn-relu-cell x h weight-ih weight-hh bias-ih
                                    bias-hh))))))

(define-module (gru-cell input-size hidden-size :bias #t)
  "One step of gru.  x [n, input-size], :hx [n, hidden-size] -> [n,
  hidden-size].  ((gru-cell 4 8) x) applies it to a tensor."
  ((input-size (%positive "gru-cell" "input-size" input-size))
   (hidden-size (%positive "gru-cell" "hidden-size" hidden-size))
   (weight-ih (%cell-weight hidden-size (list (* 3 hidden-size) input-size))
              :parameter)
   (weight-hh (%cell-weight hidden-size (list (* 3 hidden-size) hidden-size))
              :parameter)
   (bias-ih (and bias (%cell-weight hidden-size (list (* 3 hidden-size))))
            :parameter)
   (bias-hh (and bias (%cell-weight hidden-size (list (* 3 hidden-size))))
            :parameter))
  (forward (x :hx #f)
    (if (= (tensor-rank x) 1)
        (tensor-squeeze (self (tensor-unsqueeze x 0)
                              :hx (and hx (tensor-unsqueeze hx 0)))
                        0)
        (tensor-gru-cell x (or hx (%cell-state x hidden-size))
                         weight-ih weight-hh bias-ih bias-hh))))

(define-module (lstm-cell input-size hidden-size :bias #t)
  "One step of lstm.  x [n, input-size], :hx a list of the state and the cell,
  each [n, hidden-size]; the values are the next state and cell.  ((lstm-cell 4
  8) x) applies it to a tensor."
  ((input-size (%positive "lstm-cell" "input-size" input-size))
   (hidden-size (%positive "lstm-cell" "hidden-size" hidden-size))
   (weight-ih (%cell-weight hidden-size (list (* 4 hidden-size) input-size))
              :parameter)
   (weight-hh (%cell-weight hidden-size (list (* 4 hidden-size) hidden-size))
              :parameter)
   (bias-ih (and bias (%cell-weight hidden-size (list (* 4 hidden-size))))
            :parameter)
   (bias-hh (and bias (%cell-weight hidden-size (list (* 4 hidden-size))))
            :parameter))
  (forward (x :hx #f)
    (let* ((single (= (tensor-rank x) 1))
           (batch (lambda (y) (if single (tensor-unsqueeze y 0) y)))
           (states (or (%state-list "lstm-cell" hx '(state cell))
                       (let ((zeros (%cell-state x hidden-size)))
                         (list zeros zeros)))))
      (apply values
             (map (lambda (y) (if single (tensor-squeeze y 0) y))
                  (tensor-lstm-cell (batch x) (map batch states)
                                    weight-ih weight-hh bias-ih bias-hh))))))

(define (%cell-weight hidden-size shape)
  "A weight, uniform within 1 / sqrt(hidden-size) of zero."
  (%uniform! (tensor-empty shape) (/ (sqrt (inexact hidden-size)))))

(define (%cell-state x hidden-size)
  "A state of zeros for x."
  (tensor-new-zeros x (append (drop-right (tensor-shape x) 1)
                              (list hidden-size))))
