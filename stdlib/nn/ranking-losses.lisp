;; ranking-losses.lisp - losses with margins, of similarity, and of sequences.
;;
;; As in losses.lisp they are procedures with the keywords of torch.nn's losses.

;; Labels are 1 or -1.

(define (%need-labels who name x labels)
  "Raise an error unless x is a floating tensor and the labels, tensors of 1
  and -1, have its shape."
  (%need-floating who name x)
  (%need-tensor who "labels" labels)
  (unless (equal? (tensor-shape x) (tensor-shape labels))
    (%error-with-hint
     (string who ": " name " " (tensor-shape x) " and labels "
             (tensor-shape labels) " differ in shape")
     '()
     "every element has a label, 1 or -1"))
  (when (eq? (tensor-dtype labels) 'bool)
    (%error-with-hint
     (string who ": expected labels 1 and -1, got "
             (%shaped "labels" labels))
     '()
     "(tensor-where labels 1.0 -1.0)")))

(define (hinge-embedding-loss distances labels :margin 1.0 :reduction 'mean)
  "The distance where the label is 1, and where it is -1 how much the distance
  falls short of the margin.  distances and labels have the same shape."
  (%need-labels "hinge-embedding-loss" "distances" distances labels)
  (tensor-hinge-embedding-loss distances labels margin
                               (%reduction "hinge-embedding-loss" reduction distances)))

(define (margin-ranking-loss first second labels :margin 0.0 :reduction 'mean)
  "How much first falls short of second and the margin where the label is 1,
  and second of first where it is -1.  All have the same shape."
  (%need-alike "margin-ranking-loss" "first" first "second" second)
  (%need-labels "margin-ranking-loss" "first" first labels)
  (tensor-margin-ranking-loss first second labels margin
                              (%reduction "margin-ranking-loss" reduction first)))

(define (soft-margin-loss predictions labels :reduction 'mean)
  "log(1 + exp(- label x)) for each element.  predictions and labels, 1 or -1,
  have the same shape."
  (%need-labels "soft-margin-loss" "predictions" predictions labels)
  (tensor-soft-margin-loss predictions
                           (tensor-to labels (tensor-dtype predictions))
                           (%reduction "soft-margin-loss" reduction predictions)))

(define (cosine-embedding-loss first second labels :margin 0.0
                               :reduction 'mean)
  "1 - cos(first, second) where the label is 1, and where it is -1 how much the
  cosine exceeds the margin, which is from -1 to 1.

  first and second [n, d] and labels [n], or [d] and []."
  (%need-alike "cosine-embedding-loss" "first" first "second" second)
  (unless (memv (tensor-rank first) '(1 2))
    (error (string "cosine-embedding-loss: expected vectors [d] or [n, d], got "
                   "shape")
           (tensor-shape first)))
  (%need-tensor "cosine-embedding-loss" "labels" labels)
  (unless (= (tensor-numel labels) (%vector-count first))
    (error (string "cosine-embedding-loss: expected a label for each of "
                   (%vector-count first) " vectors, got labels "
                   (tensor-shape labels))))
  (tensor-cosine-embedding-loss first second labels margin
                                (%reduction "cosine-embedding-loss" reduction
                                            (%vector-count first))))

(define (%vector-count x)
  "How many vectors are in x, [n, d] or [d]."
  (if (= (tensor-rank x) 1) 1 (tensor-size x 0)))

;; Classes.

(define (multi-margin-loss scores targets :p 1 :margin 1.0 :weight #f
                           :reduction 'mean)
  "How much the score of the right class falls short of the others and the
  margin, to the power of p, which is 1 or 2: the mean over the classes.

  scores [n, classes] or [classes], targets indices of classes [n] or [];
  weight [classes] multiplies the losses of a right class."
  (%need-classes "multi-margin-loss" "scores" scores targets)
  (%need-class-weight "multi-margin-loss" scores weight)
  (unless (memv p '(1 2))
    (error "multi-margin-loss: expected 1 or 2 for :p, got" p))
  (let ((reduction (%reduction "multi-margin-loss" reduction targets)))
    (%explained
     (lambda ()
       (tensor-multi-margin-loss scores targets p margin weight reduction))
     (lambda ()
       (%fail-of-range "multi-margin-loss" "scores" scores targets -1)))))

(define (multilabel-margin-loss scores targets :reduction 'mean)
  "How much the scores of the right classes fall short of the others and 1: the
  mean over the classes.

  scores [n, classes] or [classes]; targets, int64 in the same shape, are the
  right classes of each example, then -1."
  (%need-floating "multilabel-margin-loss" "scores" scores)
  (%need-tensor "multilabel-margin-loss" "targets" targets)
  (unless (and (equal? (tensor-shape scores) (tensor-shape targets))
               (eq? (tensor-dtype targets) 'int64))
    (%error-with-hint
     (string "multilabel-margin-loss: expected targets of int64 "
             (tensor-shape scores) ", got " (tensor-dtype targets) " "
             (tensor-shape targets))
     '()
     "each row has the indices of the right classes, then -1 to its end"))
  (let ((reduction (%reduction "multilabel-margin-loss" reduction
                               (%row-count scores))))
    (%explained
     (lambda () (tensor-multilabel-margin-loss scores targets reduction))
     (lambda ()
       (%fail-of-range "multilabel-margin-loss" "scores" scores targets
                       -1)))))

(define (multilabel-soft-margin-loss logits targets :weight #f
                                     :reduction 'mean)
  "The binary-cross-entropy-with-logits of each class: the mean over the
  classes, the last dimension.

  logits and targets, from 0 to 1, have the same shape.  weight, which
  broadcasts to it, multiplies the losses."
  (%need-alike "multilabel-soft-margin-loss" "logits" logits
               "targets" targets)
  (when weight (%need-floating "multilabel-soft-margin-loss" "weight" weight))
  (tensor-multilabel-soft-margin-loss
   logits targets weight
   :reduction (%reduction "multilabel-soft-margin-loss" reduction
                          (%row-count logits))))

;; Distances.

(define (triplet-margin-loss anchor positive negative :margin 1.0 :p 2.0
                             :eps 1e-6 :swap #f :reduction 'mean)
  "How much the positives fall short of being nearer to the anchors than the
  negatives by the margin.

  All are [n, d] or [d].  p is the norm's power; eps is added to the
  differences.  With :swap #t the distance from the positive to the negative
  counts if it is smaller than that from the anchor."
  (%need-alike "triplet-margin-loss" "anchor" anchor "positive" positive)
  (%need-alike "triplet-margin-loss" "anchor" anchor "negative" negative)
  (tensor-triplet-margin-loss anchor positive negative margin p eps swap
                              (%reduction "triplet-margin-loss" reduction
                                          (%row-count anchor))))

(define (triplet-margin-with-distance-loss
         anchor positive negative
         :distance-function tensor-pairwise-distance
         :margin 1.0 :swap #f :reduction 'mean)
  "As triplet-margin-loss, with the distance that a procedure of two tensors
  returns.  The tensors have the same rank; all else is up to the procedure."
  (%check-triplet "triplet-margin-with-distance-loss" anchor positive negative
                  margin)
  (let* ((who "triplet-margin-with-distance-loss")
         (near (distance-function anchor positive))
         (far (distance-function anchor negative))
         (far (if swap
                  (tensor-minimum far (distance-function positive negative))
                  far))
         (losses (tensor-clamp-min (- (+ margin near) far) 0)))
    (%reduced losses (%reduction who reduction losses))))

(define (%check-triplet who anchor positive negative margin)
  "Raise an error unless the tensors have the same rank, and the margin is
  greater than 0."
  (%need-tensor who "anchor" anchor)
  (for-each
   (lambda (name x)
     (%need-tensor who name x)
     (unless (= (tensor-rank x) (tensor-rank anchor))
       (error (string who ": expected " name " of the rank of anchor "
                      (tensor-shape anchor) ", got shape")
              (tensor-shape x))))
   '("positive" "negative") (list positive negative))
  (unless (and (real? margin) (> margin 0))
    (error (string who ": expected a margin greater than 0, got") margin)))

;; Sequences.

(define (ctc-loss log-probabilities targets input-lengths target-lengths
                  :blank 0 :reduction 'mean :zero-infinity #f)
  "The negative log-likelihood of sequences of labels whose positions in the
  input are unknown (connectionist temporal classification, Graves et al.
  2006).

  log-probabilities [t, n, classes] or [t, classes]; targets, classes other
  than blank, [n, s] or all of them in one vector; input-lengths and
  target-lengths are tensors [n] or lists of integers, or integers for [t,
  classes].  'mean divides each loss
  by its target's length first.  zero-infinity replaces the infinite losses of
  inputs that are shorter than their targets by zero."
  (%need-floating "ctc-loss" "log-probabilities" log-probabilities)
  (%need-tensor "ctc-loss" "targets" targets)
  (unless (memv (tensor-rank log-probabilities) '(2 3))
    (error (string "ctc-loss: expected log-probabilities [t, n, classes] or "
                   "[t, classes], got shape")
           (tensor-shape log-probabilities)))
  (let ((classes (tensor-size log-probabilities -1)))
    (unless (and (exact-integer? blank) (< -1 blank classes))
      (error (string "ctc-loss: expected the index of one of " classes
                     " classes for :blank, got")
             blank))
    (%need-labels-of-sequences targets blank classes))
  (tensor-ctc-loss log-probabilities targets
                   (%lengths "input-lengths" input-lengths)
                   (%lengths "target-lengths" target-lengths)
                   blank (%reduction "ctc-loss" reduction
                                     (lambda ()
                                       (%lengths "target-lengths"
                                                 target-lengths)))
                   zero-infinity))

(define (%need-labels-of-sequences targets blank classes)
  "Raise an error unless the targets are indices of classes.  blank may fill
  rows up; LibTorch does not test the range."
  (unless (memv (tensor-dtype targets) '(int64 int32))
    (%error-with-hint
     (string "ctc-loss: expected indices of classes, got "
             (%shaped "targets" targets))
     '()
     "(tensor-to targets 'int64)"))
  (let ((wrong (tensor-logical-or (tensor-lt targets 0)
                                  (tensor-ge targets classes))))
    (when (tensor-item (tensor-any wrong))
      (error (string "ctc-loss: target "
                     (tensor-item
                      (tensor-ref (tensor-masked-select targets wrong) 0))
                     " is out of range for " classes " classes")))))

(define (%lengths name x)
  "Lengths as a tensor of int64."
  (cond ((tensor? x) x)
        ((exact-integer? x) (tensor x :dtype 'int64))
        ((and (list? x) (every exact-integer? x)) (tensor x :dtype 'int64))
        (else
         (wrong-type "ctc-loss" (string "a tensor or a list of integers for "
                                        name)
                     x))))
