;; recurrent.lisp - recurrent networks over whole sequences.
;;
;; Inputs are [t, n, input-size], or [n, t, input-size] with :batch-first #t,
;; or [t, input-size] without a dimension of examples.  The values are the
;; output at each step, and the last state of each layer and direction.  One
;; call of LibTorch runs all steps, layers and directions.
;;
;; Sequences of different lengths are padded to the longest, and a call has
;; their :lengths: outputs after the end of a sequence are zeros, and its last
;; state is that at its end, as for torch's packed sequences.

;; Weights are an alist of PyTorch's names: weight_ih_l0, weight_hh_l0,
;; bias_ih_l0, bias_hh_l0, then those with _reverse for the other direction,
;; then those of _l1 ...

(define (%recurrent-weights gates input-size hidden-size num-layers bias
                            bidirectional proj-size)
  "The weights of all layers, each uniform within 1 / sqrt(hidden-size)."
  (append-map
   (lambda (layer)
     (let ((in (if (= layer 0)
                   input-size
                   (* (if bidirectional 2 1)
                      (if (> proj-size 0) proj-size hidden-size)))))
       (append-map
        (lambda (suffix)
          (%direction-weights (string "l" layer suffix) gates in hidden-size
                              bias proj-size))
        (if bidirectional '("" "_reverse") '("")))))
   (iota num-layers)))

(define (%direction-weights suffix gates in hidden-size bias proj-size)
  "The weights of one layer in one direction."
  (let ((rows (* gates hidden-size))
        (bound (/ (sqrt (inexact hidden-size)))))
    (map (lambda (name shape)
           (cons (string name "_" suffix)
                 (%uniform! (tensor-empty shape) bound)))
         (append '("weight_ih" "weight_hh")
                 (if bias '("bias_ih" "bias_hh") '())
                 (if (> proj-size 0) '("weight_hr") '()))
         (append (list (list rows in)
                       (list rows (if (> proj-size 0) proj-size hidden-size)))
                 (if bias (list (list rows) (list rows)) '())
                 (if (> proj-size 0)
                     (list (list proj-size hidden-size))
                     '())))))

(define-module (rnn input-size hidden-size :num-layers 1 :nonlinearity "tanh"
                    :bias #t :batch-first #f :dropout 0.0 :bidirectional #f)
  "The network h' = tanh(w x + b + w' h + b') (Elman 1990); :nonlinearity
  \"relu\" is the other choice.  The values are the outputs [t, n, hidden-size]
  and the last states [num-layers, n, hidden-size].

  Two directions double the features of the outputs, and the number of states.
  dropout is that between layers, in training.  A call may have the first
  states as :hx, and :lengths.  ((rnn 4 8) x) applies it to a tensor."
  ((input-size (%positive "rnn" "input-size" input-size))
   (hidden-size (%positive "rnn" "hidden-size" hidden-size))
   (num-layers (%positive "rnn" "num-layers" num-layers))
   (nonlinearity (%choice "rnn" "nonlinearity" nonlinearity '("tanh" "relu")))
   (bias bias)
   (batch-first batch-first)
   (dropout (%rate "rnn" "dropout" dropout))
   (bidirectional bidirectional)
   (weights (%recurrent-weights 1 input-size hidden-size num-layers bias
                                bidirectional 0)
            :parameters))
  (forward (x :hx #f :lengths #f)
    (%run-recurrent
     (if (equal? nonlinearity "tanh") %rnn-tanh %rnn-relu)
     "rnn" x hx lengths input-size (list hidden-size) (map cdr weights) bias
     num-layers dropout (training? self) bidirectional batch-first)))

(define-module (gru input-size hidden-size :num-layers 1 :bias #t
                    :batch-first #f :dropout 0.0 :bidirectional #f)
  "The gated recurrent network of Cho et al. 2014, with PyTorch's gates (reset,
  update, new).  The values are the outputs [t, n, hidden-size] and the last
  states [num-layers, n, hidden-size].

  The arguments, and those of a call, are those of rnn.  ((gru 4 8) x) applies
  it to a tensor."
  ((input-size (%positive "gru" "input-size" input-size))
   (hidden-size (%positive "gru" "hidden-size" hidden-size))
   (num-layers (%positive "gru" "num-layers" num-layers))
   (bias bias)
   (batch-first batch-first)
   (dropout (%rate "gru" "dropout" dropout))
   (bidirectional bidirectional)
   (weights (%recurrent-weights 3 input-size hidden-size num-layers bias
                                bidirectional 0)
            :parameters))
  (forward (x :hx #f :lengths #f)
    (%run-recurrent
     %gru "gru" x hx lengths input-size (list hidden-size) (map cdr weights)
     bias num-layers dropout (training? self) bidirectional batch-first)))

(define-module (lstm input-size hidden-size :num-layers 1 :bias #t
                     :batch-first #f :dropout 0.0 :bidirectional #f
                     :proj-size 0)
  "The long short-term memory of Hochreiter and Schmidhuber 1997, with
  PyTorch's gates (input, forget, cell, output).  The values are the outputs
  [t, n, hidden-size], the last states [num-layers, n, hidden-size], and the
  last cells of the same shape.

  proj-size above 0 projects the states to that many features (Sak et al.
  2014).  :hx of a call is a list of the first states and cells; the other
  arguments are those of rnn.  ((lstm 4 8) x) applies it to a tensor."
  ((input-size (%positive "lstm" "input-size" input-size))
   (hidden-size (%positive "lstm" "hidden-size" hidden-size))
   (num-layers (%positive "lstm" "num-layers" num-layers))
   (bias bias)
   (batch-first batch-first)
   (dropout (%rate "lstm" "dropout" dropout))
   (bidirectional bidirectional)
   (proj-size (%proj-size proj-size hidden-size))
   (weights (%recurrent-weights 4 input-size hidden-size num-layers bias
                                bidirectional proj-size)
            :parameters))
  (forward (x :hx #f :lengths #f)
    (%run-recurrent
     %lstm "lstm" x hx lengths input-size
     (list (if (> proj-size 0) proj-size hidden-size) hidden-size)
     (map cdr weights) bias num-layers dropout (training? self) bidirectional
     batch-first)))

(define (%proj-size proj-size hidden-size)
  "proj-size, from 0 and less than hidden-size."
  (if (and (exact-integer? proj-size) (< -1 proj-size hidden-size))
      proj-size
      (wrong-type "lstm"
                  (string "an integer from 0, less than " hidden-size
                          ", for proj-size")
                  proj-size)))
