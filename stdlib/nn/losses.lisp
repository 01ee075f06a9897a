;; losses.lisp - losses of classes, of numbers and of probabilities.
;;
;; They are procedures, with the keywords and defaults of torch.nn's losses.
;; What all of them share:
;;
;;     :reduction   'mean, 'sum, or 'none for the loss of each example; a
;;                  string does as well
;;
;; The operators, such as tensor-cross-entropy-loss, compute the same.  These
;; procedures also say what is wrong with the arguments of a loss.

;; Classes.

(define (cross-entropy logits targets :weight #f :reduction 'mean
                       :ignore-index -100 :label-smoothing 0.0)
  "The negative logarithm of the probability of the right class.

  logits [n, classes], [n, classes, d ...] or [classes], not normalized.
  targets are indices of classes, int64 [n], [n, d ...] or []; or probabilities
  of classes in the shape of the logits.  weight [classes] multiplies the loss
  of each class, and 'mean divides by the sum of the weights.  Targets equal to
  ignore-index do not count.  label-smoothing, from 0 to 1, mixes the targets
  with the same probability for all classes."
  (let ((classes (%classes? logits targets)))
    (unless (or classes (%probabilities? logits targets))
      (%need-classes "cross-entropy" "logits" logits targets))
    (when weight (%need-class-weight "cross-entropy" logits weight))
    (unless (eqv? label-smoothing 0.0) (%need-smoothing label-smoothing))
    (let ((reduction (%reduction "cross-entropy" reduction
                                 (lambda ()
                                   (if classes
                                       (%class-terms targets
                                                     (%class-count logits)
                                                     weight ignore-index)
                                       (quotient (tensor-numel logits)
                                                 (%class-count logits)))))))
      (%explained
       (lambda ()
         (tensor-cross-entropy-loss logits targets weight reduction
                                    ignore-index label-smoothing))
       (lambda ()
         (when classes
           (%fail-of-range "cross-entropy" "logits" logits targets
                           ignore-index)))))))

(define (%probabilities? logits targets)
  "Whether the targets are probabilities of classes for the logits."
  (and (tensor? logits)
       (tensor? targets)
       (> (tensor-rank logits) 0)
       (= (tensor-rank logits) (tensor-rank targets))
       (tensor-is-floating-point logits)
       (tensor-is-floating-point targets)
       (or (equal? (tensor-shape logits) (tensor-shape targets))
           (error (string "cross-entropy: logits " (tensor-shape logits)
                          " and targets " (tensor-shape targets)
                          ", probabilities of classes, differ in shape")))))

(define (%need-class-weight who scores weight)
  "Raise an error unless the weight is #f or has a number for each class."
  (when weight
    (%need-weight who "weight" weight (list (%class-count scores)))))

(define (%need-smoothing x)
  "Raise an error unless x is a number from 0 to 1."
  (unless (and (number? x) (<= 0 x 1))
    (error "cross-entropy: expected a number from 0 to 1 for :label-smoothing, got"
           x)))

(define (nll-loss log-probabilities targets :weight #f :reduction 'mean
                  :ignore-index -100)
  "The negative logarithm of the probability of the right class, taken from
  logarithms of probabilities: what tensor-log-softmax returns.

  log-probabilities [n, classes], [n, classes, d ...] or [classes]; targets and
  keywords are those of cross-entropy, targets only indices."
  (%need-classes "nll-loss" "log-probabilities" log-probabilities targets)
  (%need-class-weight "nll-loss" log-probabilities weight)
  (let ((reduction (%reduction "nll-loss" reduction
                               (lambda ()
                                 (%class-terms targets
                                               (%class-count log-probabilities)
                                               weight ignore-index)))))
    (%explained
     (lambda ()
       (tensor-nll-loss-nd log-probabilities targets weight reduction
                           ignore-index))
     (lambda ()
       (%fail-of-range "nll-loss" "log-probabilities" log-probabilities
                       targets ignore-index)))))

(define (linear-cross-entropy input linear-weight targets :linear-bias #f
                              :weight #f :reduction 'mean :ignore-index -100
                              :label-smoothing 0.0)
  "The cross-entropy of the linear layer's logits, input w' + b.

  input [n, features], linear-weight [classes, features], linear-bias
  [classes]; the others are those of cross-entropy."
  (%need-floating "linear-cross-entropy" "input" input)
  (%need-floating "linear-cross-entropy" "linear-weight" linear-weight)
  (cross-entropy (tensor-linear input linear-weight linear-bias) targets
                 :weight weight :reduction reduction
                 :ignore-index ignore-index :label-smoothing label-smoothing))

;; Numbers.

(define (mse-loss predictions targets :weight #f :reduction 'mean)
  "The squared differences.  predictions and targets have the same shape.

  weight, in that shape, multiplies the losses, and 'mean divides by the sum of
  the weights."
  (%need-alike "mse-loss" "predictions" predictions "targets" targets)
  (let ((reduction (%reduction "mse-loss" reduction (%weight-terms weight predictions))))
    (if weight
        (%weighed "mse-loss" (tensor-mse-loss predictions targets 0) weight
                  reduction)
        (tensor-mse-loss predictions targets reduction))))

(define (l1-loss predictions targets :weight #f :reduction 'mean)
  "The absolute differences.  Shapes and weight are those of mse-loss."
  (%need-alike "l1-loss" "predictions" predictions "targets" targets)
  (let ((reduction (%reduction "l1-loss" reduction (%weight-terms weight predictions))))
    (if weight
        (%weighed "l1-loss" (tensor-l1-loss predictions targets 0) weight
                  reduction)
        (tensor-l1-loss predictions targets reduction))))

(define (%weight-terms weight predictions)
  "What the mean of elements with weights divides by, see %note-reduction!."
  (if (tensor? weight)
      (lambda () (tensor-item (tensor-sum weight)))
      predictions))

(define (%weighed who losses weight reduction)
  "The losses of elements times their weights, reduced."
  (%need-weight who "weight" weight (tensor-shape losses))
  (let ((all (* losses weight)))
    (if (= reduction 1)
        (/ (tensor-sum all) (tensor-sum weight))
        (%reduced all reduction))))

(define (smooth-l1-loss predictions targets :beta 1.0 :reduction 'mean)
  "Squared below beta, absolute above: d^2 / (2 beta) for a difference d smaller
  than beta, |d| - beta / 2 for others.

  predictions and targets have the same shape; with beta 0 it is l1-loss."
  (%need-alike "smooth-l1-loss" "predictions" predictions "targets" targets)
  (unless (and (number? beta) (>= beta 0))
    (error "smooth-l1-loss: expected a number from 0 on for :beta, got" beta))
  (tensor-smooth-l1-loss predictions targets
                         (%reduction "smooth-l1-loss" reduction predictions)
                         beta))

(define (huber-loss predictions targets :delta 1.0 :weight #f :reduction 'mean)
  "Squared below delta, absolute above: d^2 / 2 for a difference d smaller than
  delta, delta (|d| - delta / 2) for others.

  predictions and targets have the same shape.  weight, in that shape,
  multiplies the losses; 'mean divides by their number."
  (%need-alike "huber-loss" "predictions" predictions "targets" targets)
  (unless (and (number? delta) (> delta 0))
    (error "huber-loss: expected a positive number for :delta, got" delta))
  (let ((reduction (%reduction "huber-loss" reduction predictions)))
    (cond (weight
           (%need-weight "huber-loss" "weight" weight
                         (tensor-shape predictions))
           (%reduced (* (tensor-huber-loss predictions targets 0 delta) weight)
                     reduction))
          (else
           (tensor-huber-loss predictions targets reduction delta)))))

(define (poisson-nll-loss predictions targets :log-input #t :full #f :eps 1e-8
                          :reduction 'mean)
  "The negative log-likelihood of counts that have Poisson distributions.

  predictions are logarithms of the rates, or with :log-input #f the rates, to
  which eps is added.  targets have the same shape.  full adds Stirling's
  approximation of the term that does not depend on the predictions."
  (%need-alike "poisson-nll-loss" "predictions" predictions "targets" targets)
  (tensor-poisson-nll-loss predictions targets log-input full eps
                           (%reduction "poisson-nll-loss" reduction predictions)))

(define (gaussian-nll-loss predictions targets variances :full #f :eps 1e-6
                           :reduction 'mean)
  "The negative log-likelihood of numbers that have normal distributions.

  predictions and targets have the same shape.  variances, none of which is
  negative, have that shape, that shape without the last dimension or with size
  1 in one dimension, or are one number.  Those below eps count as eps.  full
  adds the term log(2 pi) / 2."
  (%need-alike "gaussian-nll-loss" "predictions" predictions
               "targets" targets)
  (let ((variances (if (number? variances)
                       (tensor-full-like (detach predictions) variances)
                       variances)))
    (%need-floating "gaussian-nll-loss" "variances" variances)
    (let ((reduction (%reduction "gaussian-nll-loss" reduction predictions)))
      (%explained
       (lambda ()
         (tensor-gaussian-nll-loss predictions targets variances full eps
                                   reduction))
       (lambda () (%fail-of-variances variances))))))

(define (%fail-of-variances variances)
  "Raise an error if a variance is negative."
  (when (tensor-item (tensor-any (tensor-lt variances 0)))
    (%error-with-hint
     (string "gaussian-nll-loss: variances has negative elements: got "
             (%shaped "variances" variances))
     '()
     "tensor-softplus of what a model returns is positive")))

;; Probabilities.

(define (binary-cross-entropy probabilities targets :weight #f
                              :reduction 'mean)
  "The negative log-likelihood of yes or no.

  probabilities and targets, both from 0 to 1, have the same shape.  weight
  broadcasts to it, and multiplies the losses."
  (%need-alike "binary-cross-entropy" "probabilities" probabilities
               "targets" targets)
  (when weight (%need-floating "binary-cross-entropy" "weight" weight))
  (let ((reduction (%reduction "binary-cross-entropy" reduction probabilities)))
    (%explained
     (lambda ()
       (tensor-binary-cross-entropy probabilities targets weight reduction))
     (lambda ()
       (%fail-of-interval "binary-cross-entropy" "probabilities"
                          probabilities)))))

(define (binary-cross-entropy-with-logits logits targets :weight #f
                                          :pos-weight #f :reduction 'mean)
  "The binary-cross-entropy of the sigmoid of the logits, exact for large ones.

  logits and targets have the same shape.  weight and pos-weight broadcast to
  it: weight multiplies the losses, pos-weight only the part for yes."
  (%need-alike "binary-cross-entropy-with-logits" "logits" logits
               "targets" targets)
  (when weight
    (%need-floating "binary-cross-entropy-with-logits" "weight" weight))
  (when pos-weight
    (%need-floating "binary-cross-entropy-with-logits" "pos-weight"
                    pos-weight))
  (tensor-binary-cross-entropy-with-logits
   logits targets weight pos-weight
   (%reduction "binary-cross-entropy-with-logits" reduction logits)))

(define (kl-div log-probabilities targets :reduction 'mean :log-target #f)
  "The divergence of Kullback and Leibler, t (log t - x) for each element.

  log-probabilities and targets have the same shape; targets are probabilities,
  or with :log-target #t their logarithms.  'mean divides by the number of
  elements; 'batchmean, by the number of examples, is the divergence."
  (%need-alike "kl-div" "log-probabilities" log-probabilities
               "targets" targets)
  (cond ((memv reduction '(none mean sum))
         (tensor-kl-div log-probabilities targets
                        (%reduction "kl-div" reduction log-probabilities)
                        :log-target log-target))
        ((eq? reduction 'batchmean)
         (let ((n (if (= (tensor-rank log-probabilities) 0)
                      1
                      (tensor-size log-probabilities 0))))
           (%note-reduction! 1 n)
           (/ (tensor-kl-div log-probabilities targets 2
                             :log-target log-target)
              n)))
        ((member reduction '("none" "mean" "sum" "batchmean"))
         (kl-div log-probabilities targets :log-target log-target
                 :reduction (string->symbol reduction)))
        (else
         (%bad-reduction "kl-div" "'none, 'mean, 'sum or 'batchmean"
                         reduction))))
