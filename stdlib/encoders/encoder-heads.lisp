;; encoder-heads.lisp - what stands on top of encoders: words that a masked
;; language model expects, and labels of texts or tokens.

(define-module (word-head width inner vocabulary activation :norm #f :bias #t
                          :dense #t :dense-bias #t :table #f)
  "The head of a masked language model: states [..., width] -> logits [...,
  vocabulary].  A call also gets the table of words, [vocabulary, inner], which is
  used unless the head has a table of its own.  dense, norm and bias: which steps
  there are; activation is a procedure."
  ((dense (and dense (blank-linear width inner :bias dense-bias)))
   (activation activation)
   (norm norm)
   (table (and table (blank-linear inner vocabulary :bias bias)))
   (bias (and bias (not table)
              (tensor-zeros vocabulary :dtype (%weight-dtype)))
         :parameter))
  (forward (x words)
    (let* ((x (if dense (activation (dense x)) x))
           (x (if norm (norm x) x)))
      (if table
          (table x)
          (tensor-linear x words bias)))))

(define-module (task-head width labels :dense #f :dense-bias #t :activation #f
                          :norm #f :pooling #f :drop-rate 0.0)
  "A head for labels: states [n, t, width] and a mask -> logits [n, labels], or
  without pooling [n, t, labels].  pooling: first and last, the state of
  that token; mean, their mean; late, the mean of the logits of all tokens.  dense: whether a
  layer of activation, a procedure, and norm, a module or #f, comes before the
  last one."
  ((pooling pooling)
   (dense (and dense (blank-linear width width :bias dense-bias)))
   (activation activation)
   (norm norm)
   (dropout (dropout :p drop-rate))
   (out (blank-linear width labels :bias #t)))
  (forward (states mask)
    (let* ((x (case pooling
                ((first) (tensor-select states 1 0))
                ((mean) (%mean-of-real states mask))
                ((last) (pool-states states mask 'last))
                (else states)))
           (x (if dense (activation (dense (dropout x))) x))
           (x (out (dropout (if norm (norm x) x)))))
      (if (eq? pooling 'late) (%mean-of-real x mask) x))))

(define (%mean-of-real x mask)
  "The mean over tokens [n, t, m] that are not padding: [n, m]."
  (if (tensor? mask)
      (pool-states x mask 'mean)
      (tensor-mean x '(1))))

(define (%new-head head . names)
  "A head and the names of its layers in files: an alist."
  (cons head names))

(define (%usual-heads width config text)
  "The heads of most families, for text-encoder: texts have the one that a
  procedure of the number of labels returns, tokens and answers a linear layer."
  (lambda (task labels)
    (let ((drop-rate (%head-drop-rate config)))
      (case task
        ((text) (text labels drop-rate))
        ((tokens) (%new-head (task-head width labels :drop-rate drop-rate)
                             '("out" . "classifier")))
        (else (%new-head (task-head width labels :drop-rate drop-rate)
                         '("out" . "qa_outputs")))))))

(define (%head-drop-rate config)
  "How many of the features that reach a new head are dropped in training."
  (%config-rate config "classifier_dropout"
                (%config-rate config "classifier_dropout_prob"
                              (%config-rate config "hidden_dropout_prob" 0.1))))

(define (%pooled-head width config pooler)
  "The heads of BERT and those like it: a text's is on top of the pooler, whose
  name is in files."
  (%usual-heads width config
                (lambda (labels drop-rate)
                  (%new-head (task-head width labels :dense #t :pooling 'first
                                        :activation tensor-tanh
                                        :drop-rate drop-rate)
                             (cons "dense" pooler)
                             '("out" . "classifier")))))

(define (%first-token-head width config activation)
  "The heads of RoBERTa and those like it: a text's are two layers of their own."
  (%usual-heads width config
                (lambda (labels drop-rate)
                  (%new-head (task-head width labels :dense #t :pooling 'first
                                        :activation activation
                                        :drop-rate drop-rate)
                             '("dense" . "classifier.dense")
                             '("out" . "classifier.out_proj")))))
