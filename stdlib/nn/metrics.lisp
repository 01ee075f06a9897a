;; metrics.lisp - measures of how good predictions are.
;;
;; Losses are for gradients, measures for people: they return Lisp numbers, or
;; tensors where there is a number for each class.  Where a measure takes
;; predictions of classes, these are logits or other scores [n, classes], of
;; which the largest counts, or indices of classes [n].
;;
;;     (confusion-matrix [[2.0 1.0] [0.0 3.0] [4.0 0.0]] [0 1 1])
;;     =>  [[1 0] [1 1]]

;; Accuracy.

(define (correct-count logits targets :k 1)
  "The number of examples whose right class is among the k with the largest
  logits.  logits [n, classes] or [n, classes, d ...], targets of the same
  shape without the classes; with k = 1 also two tensors of indices."
  (cond ((= k 1)
         (let ((predicted (%predicted "correct-count" logits targets)))
           (tensor-item (tensor-sum (tensor-eq predicted targets)))))
        (else
         (%need-classes "correct-count" "logits" logits targets)
         (%check-top k (tensor-size logits 1))
         (let ((best (cadr (tensor-topk logits k 1))))
           (tensor-item (tensor-sum (tensor-eq best (tensor-unsqueeze targets
                                                                      1))))))))

(define (%check-top k count)
  "Raise an error unless k is a number of classes out of count."
  (unless (and (exact-integer? k) (<= 1 k count))
    (error (string "correct-count: expected a number from 1 to " count
                   ", the number of classes, for :k, got")
           k)))

(define (accuracy logits targets :k 1)
  "The fraction of the examples whose right class is among the k with the
  largest logits.  The arguments are those of correct-count."
  (let ((correct (correct-count logits targets :k k)))
    (%note-reduction! 1 targets)
    (%ratio (inexact correct) (tensor-numel targets))))

(define (%ratio x y)
  "x / y as a double, 0 if y is zero."
  (if (zero? y) 0.0 (/ (inexact x) y)))

(define (%predicted who predictions targets)
  "The predicted classes, in the shape of the targets."
  (%need-tensor who "predictions" predictions)
  (%need-tensor who "targets" targets)
  (cond ((tensor-is-floating-point predictions)
         (%need-classes who "predictions" predictions targets)
         (tensor-argmax predictions (if (= (tensor-rank predictions) 1) 0 1)))
        ((not (equal? (tensor-shape predictions) (tensor-shape targets)))
         (%error-with-hint
          (string who ": predictions " (tensor-shape predictions)
                  " and targets " (tensor-shape targets) " differ in shape")
          '()
          "predictions are scores [n, classes], or indices like the targets"))
        (else predictions)))

;; Classes: precision, recall and what combines them.

(define (confusion-matrix predictions targets :classes #f)
  "How often the class of the column was predicted for the class of the row:
  int64 [classes, classes].

  predictions [n, classes] or indices [n], targets [n].  classes is by default
  the number of scores, or one more than the largest index.  The sum of the
  matrices of batches is the matrix of all."
  (let* ((predicted (tensor-flatten (%predicted "confusion-matrix" predictions
                                                targets)))
         (targets (tensor-flatten targets))
         (classes (or classes (%default-classes predictions targets))))
    (%check-labels "predictions" predicted classes)
    (%check-labels "targets" targets classes)
    (tensor-reshape (tensor-bincount (+ (* targets classes) predicted)
                                     :minlength (* classes classes))
                    (list classes classes))))

(define (%default-classes predictions targets)
  "The number of classes of scores, or of indices."
  (cond ((tensor-is-floating-point predictions)
         (%class-count predictions))
        ((= (tensor-numel targets) 0) 0)
        (else
         (+ 1 (max (tensor-item (tensor-max predictions))
                   (tensor-item (tensor-max targets)))))))

(define (%check-labels name labels classes)
  "Raise an error unless all labels are indices of one of the classes."
  (when (> (tensor-numel labels) 0)
    (let ((least (tensor-item (tensor-min labels)))
          (largest (tensor-item (tensor-max labels))))
      (unless (and (>= least 0) (< largest classes))
        (%error-with-hint
         (string "confusion-matrix: class " (if (< least 0) least largest)
                 " in " name " is out of range for " classes " classes")
         '()
         (string ":classes is the number of classes, which count from 0"))))))

(define (precision predictions targets :average 'macro :classes #f)
  "The fraction of the predictions of a class that are right.

  The arguments are those of confusion-matrix.  average is 'macro for the mean
  over the classes, 'weighted for their mean by number of targets, 'micro for
  the fraction of all predictions, 'none for a tensor [classes].  A class that
  is never predicted counts as 0."
  (%class-score "precision" %precisions average
                (confusion-matrix predictions targets :classes classes)))

(define (recall predictions targets :average 'macro :classes #f)
  "The fraction of the examples of a class that are predicted.  The arguments
  are those of precision; a class without examples counts as 0."
  (%class-score "recall" %recalls average
                (confusion-matrix predictions targets :classes classes)))

(define (f1-score predictions targets :average 'macro :classes #f)
  "The harmonic mean of precision and recall, whose arguments it takes."
  (%class-score "f1-score" %f1-scores average
                (confusion-matrix predictions targets :classes classes)))

(define (class-report matrix)
  "Precision, recall, F1 score and number of examples of each class, as a list
  of four tensors [classes], from a confusion matrix."
  (list (%precisions matrix)
        (%recalls matrix)
        (%f1-scores matrix)
        (tensor-sum matrix 1)))

(define (%class-score who score average matrix)
  "The average of a score of classes."
  (let ((counts (tensor-sum matrix 1)))
    (case (if (string? average) (string->symbol average) average)
      ((none) (score matrix))
      ((macro) (tensor-item (tensor-mean (score matrix))))
      ((weighted)
       (%ratio (tensor-item (tensor-sum (* (score matrix) counts)))
               (tensor-item (tensor-sum counts))))
      ((micro)
       (%ratio (tensor-item (tensor-trace matrix))
               (tensor-item (tensor-sum counts))))
      (else
       (error (string who ": expected 'none, 'macro, 'micro or 'weighted for "
                      ":average, got")
              average)))))

(define (%right-over matrix counts)
  "The right predictions of each class by counts, 0 where these are 0."
  (/ (tensor-to (tensor-diagonal matrix) 'float64)
     (tensor-clamp-min counts 1)))

(define (%precisions matrix)
  "The precision of each class."
  (%right-over matrix (tensor-sum matrix 0)))

(define (%recalls matrix)
  "The recall of each class."
  (%right-over matrix (tensor-sum matrix 1)))

(define (%f1-scores matrix)
  "The F1 score of each class: 2 right / (predicted + examples)."
  (* 2.0 (%right-over matrix (+ (tensor-sum matrix 0)
                                (tensor-sum matrix 1)))))

;; Numbers.

(define (perplexity loss)
  "The exponential of a mean cross-entropy, a number or a tensor of one
  element: among how many equally likely tokens the model chooses."
  (exp (%as-number "perplexity" loss)))

(define (mean-absolute-error predictions targets)
  "The mean of the absolute differences.  Both have the same shape."
  (%need-alike "mean-absolute-error" "predictions" predictions
               "targets" targets)
  (%note-reduction! 1 targets)
  (no-grad (tensor-item (tensor-l1-loss predictions targets))))

(define (mean-squared-error predictions targets)
  "The mean of the squared differences.  Both have the same shape."
  (%need-alike "mean-squared-error" "predictions" predictions
               "targets" targets)
  (%note-reduction! 1 targets)
  (no-grad (tensor-item (tensor-mse-loss predictions targets))))

(define (r2-score predictions targets)
  "The coefficient of determination: 1 for exact predictions, 0 for those no
  better than the targets' mean.  Both are [n], or [n, d] for the mean of the
  scores of d outputs; targets that are all equal are an error."
  (%need-alike "r2-score" "predictions" predictions "targets" targets)
  (no-grad
    (let* ((x (tensor-to predictions 'float64))
           (y (tensor-to targets 'float64))
           (rest (tensor-sum (square (- y x)) 0))
           (all (tensor-sum (square (- y (tensor-mean y 0))) 0)))
      (when (tensor-item (tensor-any (tensor-eq all 0)))
        (error "r2-score: the targets do not vary: got shape"
               (tensor-shape targets)))
      (tensor-item (tensor-mean (- 1.0 (/ rest all)))))))

(define (%as-number who x)
  "A number, or the element of a tensor of one, as a double."
  (cond ((number? x) (inexact x))
        ((and (tensor? x) (= (tensor-numel x) 1)) (inexact (tensor-item x)))
        ((tensor? x)
         (%error-with-hint
          (string who ": expected a number, got a tensor of shape "
                  (tensor-shape x))
          '()
          "(tensor-mean x) has one element"))
        (else (wrong-type who "a number or a tensor of one element" x))))
