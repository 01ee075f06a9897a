;; loss-checks.lisp - what the arguments of the losses must be, and reductions.
;;
;; A loss checks dtypes and shapes before its operator runs, which costs a few
;; comparisons.  Elements, such as classes that are out of range, are read only
;; after the operator has failed (%explained): reading them first would cost
;; more than many losses do.

;; Reductions.

(define (%reduction who reduction terms)
  "LibTorch's number of a reduction, a symbol or a string, which is noted with
  its terms, see %note-reduction!."
  (let ((number (%reduction-number who reduction)))
    (%note-reduction! number terms)
    number))

(define (%reduction-number who reduction)
  "LibTorch's number of a reduction, a symbol or a string."
  (cond ((eq? reduction 'mean) 1)
        ((eq? reduction 'sum) 2)
        ((eq? reduction 'none) 0)
        ((and (string? reduction) (member reduction '("mean" "sum" "none")))
         (%reduction-number who (string->symbol reduction)))
        (else (%bad-reduction who "'none, 'mean or 'sum" reduction))))

(define (%bad-reduction who choices reduction)
  "Raise the error for a reduction that does not exist."
  (%error-with-hint
   (string who ": expected " choices " for :reduction, got")
   (list reduction)
   ":reduction 'mean is the default; 'none returns the loss of each example"))

(define (%reduced losses reduction)
  "The losses, reduced as the number of %reduction says."
  (cond ((= reduction 1) (tensor-mean losses))
        ((= reduction 2) (tensor-sum losses))
        (else losses)))

;; Dtypes and shapes.

(define (%shaped name x)
  "A name, and the dtype and shape of its tensor, for messages."
  (string name " " (tensor-dtype x) " " (tensor-shape x)))

(define (%need-tensor who name x)
  "Raise an error unless x is a tensor."
  (unless (tensor? x)
    (wrong-type who (string "a tensor for " name) x)))

(define (%need-floating who name x)
  "Raise an error unless x is a tensor of floating-point numbers."
  (%need-tensor who name x)
  (unless (tensor-is-floating-point x)
    (%error-with-hint
     (string who ": expected floating-point numbers for " name ", got "
             (tensor-dtype x) " " (tensor-shape x))
     '()
     (string "(tensor-to " name " 'float32)"))))

(define (%need-alike who name x other-name y)
  "Raise an error unless both are floating tensors of the same shape."
  (unless (and (tensor? x)
               (tensor? y)
               (tensor-is-floating-point x)
               (tensor-is-floating-point y)
               (tensor-is-same-size x y))
    (%need-floating who name x)
    (%need-floating who other-name y)
    (%error-with-hint
     (string who ": " name " " (tensor-shape x) " and " other-name " "
             (tensor-shape y) " differ in shape")
     '()
     (%alike-hint name (tensor-shape x) other-name (tensor-shape y)))))

(define (%alike-hint name shape other-name other)
  "How to make both shapes equal."
  (cond ((equal? shape (append other '(1)))
         (string "(tensor-squeeze " name " -1) has shape " other))
        ((equal? other (append shape '(1)))
         (string "(tensor-squeeze " other-name " -1) has shape " shape))
        ((= (apply * shape) (apply * other))
         (string "(tensor-reshape " other-name " (tensor-shape " name "))"))
        (else
         (string "if " other-name " is meant to broadcast: (tensor-expand-as "
                 other-name " " name ")"))))

(define (%need-weight who name weight shape)
  "Raise an error unless the weight is #f or a floating tensor of the shape."
  (when weight
    (%need-floating who name weight)
    (unless (equal? (tensor-shape weight) shape)
      (error (string who ": expected " name " of shape " shape ", got "
                     (tensor-shape weight))))))

;; Classes.  Scores are [classes], [n, classes] or [n, classes, d ...]; targets
;; are indices of classes in the same shape without the classes.

(define (%class-count scores)
  "How many classes the scores are for."
  (tensor-size scores (if (= (tensor-rank scores) 1) 0 1)))

(define (%shape-of-classes scores)
  "The shape of the indices of classes for the scores."
  (let ((shape (tensor-shape scores)))
    (if (= (length shape) 1) '() (cons (car shape) (cddr shape)))))

(define (%classes? scores targets)
  "Whether the targets are indices of classes for the scores."
  (and (tensor? scores)
       (tensor? targets)
       (tensor-is-floating-point scores)
       (eq? (tensor-dtype targets) 'int64)
       (let ((rank (tensor-rank scores)))
         (if (= rank 2)
             (and (= (tensor-rank targets) 1)
                  (= (tensor-size scores 0) (tensor-size targets 0)))
             (and (> rank 0)
                  (equal? (tensor-shape targets)
                          (%shape-of-classes scores)))))))

(define (%need-classes who name scores targets)
  "Raise an error unless targets has indices of classes for the scores."
  (unless (%classes? scores targets)
    (%need-scores who name scores targets)
    (let ((expected (%shape-of-classes scores))
          (shape (tensor-shape targets)))
      (cond ((= (length shape) (tensor-rank scores))
             (%fail-of-one-hot who name scores targets))
            ((not (equal? shape expected))
             (%error-with-hint
              (string who ": expected targets of shape " expected " for "
                      (%shaped name scores) ", got " shape)
              '()
              (%classes-hint name (tensor-shape scores) shape)))
            ((not (eq? (tensor-dtype targets) 'int64))
             (%error-with-hint
              (string who ": expected indices of classes, of int64, got "
                      (%shaped "targets" targets))
              '()
              "(tensor-to targets 'int64)"))))))

(define (%need-scores who name scores targets)
  "Raise an error unless the scores and the targets are tensors, and the scores
  are floating-point numbers with a dimension of classes."
  (%need-tensor who name scores)
  (%need-tensor who "targets" targets)
  (when (and (not (tensor-is-floating-point scores))
             (tensor-is-floating-point targets))
    (%error-with-hint
     (string who ": " name " and targets are swapped: got "
             (%shaped name scores) ", " (%shaped "targets" targets))
     '()
     (string "(" who " " name " targets): the targets come second")))
  (%need-floating who name scores)
  (when (= (tensor-rank scores) 0)
    (error (string who ": expected " name " with a dimension of classes, got "
                   "a tensor of one number"))))

(define (%fail-of-one-hot who name scores targets)
  "Raise the error for targets with as many dimensions as the scores."
  (let ((axis (if (= (tensor-rank scores) 1) 0 1))
        (given (string "got " (%shaped "targets" targets) " for "
                       (%shaped name scores))))
    (if (and (= axis 1) (= (tensor-size targets 1) 1))
        (%error-with-hint
         (string who ": expected targets without a dimension of classes, "
                 given)
         '()
         (string "(tensor-squeeze targets 1) has shape "
                 (%shape-of-classes targets)))
        (%error-with-hint
         (string who ": expected indices of classes in shape "
                 (%shape-of-classes scores) ", " given)
         '()
         (string "if the targets are one-hot, (tensor-argmax targets " axis
                 ") has the indices")))))

(define (%classes-hint name scores shape)
  "What to do about scores and targets whose shapes do not fit."
  (cond ((and (> (length scores) 2)
              (equal? (take scores (- (length scores) 1)) shape))
         (string "dim 1 of " name " is that of the classes: (tensor-movedim "
                 name " -1 1) has it there"))
        ((and (= (length scores) 2)
              (= (apply * shape) (car scores)))
         "(tensor-flatten targets) has the right shape")
        (else
         (string "every example of " name " needs one target"))))

;; Elements, after a failure.

(define (%explained thunk explain)
  "The result of the thunk.  If it fails, explain may raise a better error."
  (let ((result (%try thunk)))
    (when (and (%caught? result) (%caught-error? result))
      (explain))
    (%finish (%settle result))))

(define (%fail-of-range who name scores targets ignored)
  "Raise an error if a target is not the index of a class."
  (let* ((count (%class-count scores))
         (wrong (tensor-logical-and
                 (tensor-logical-or (tensor-lt targets 0)
                                    (tensor-ge targets count))
                 (tensor-ne targets ignored))))
    (when (tensor-item (tensor-any wrong))
      (%error-with-hint
       (string who ": target "
               (tensor-item (tensor-ref (tensor-masked-select targets wrong)
                                        0))
               " is out of range for " count " classes: got "
               (%shaped name scores) ", " (%shaped "targets" targets))
       '()
       (string "classes count from 0 to " (- count 1)
               "; with :ignore-index, targets of that number do not count")))))

(define (%fail-of-interval who name x)
  "Raise an error if an element of x is not between 0 and 1."
  (let ((wrong (tensor-logical-not
                (tensor-logical-and (tensor-ge x 0) (tensor-le x 1)))))
    (when (tensor-item (tensor-any wrong))
      (%error-with-hint
       (string who ": expected numbers from 0 to 1 for " name ", got "
               (tensor-item (tensor-ref (tensor-masked-select x wrong) 0)))
       '()
       "binary-cross-entropy-with-logits takes logits of any size"))))
