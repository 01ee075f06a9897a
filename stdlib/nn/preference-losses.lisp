;; preference-losses.lisp - losses of models that learn from other models:
;; distillation, and direct preference optimization.

;; Distillation.

(define (distillation-loss student-logits teacher-logits targets
                           :temperature 2.0 :alpha 0.5 :ignore-index -100
                           :label-smoothing 0.0)
  "The loss of a student that learns from a teacher and from targets: alpha
  temperature^2 KL(teacher || student) + (1 - alpha) cross-entropy, where both
  distributions are those of the logits divided by the temperature (Hinton et
  al. 2015).

  Both logits are [n, classes] or [n, classes, d ...], targets are the indices
  that cross-entropy takes, or #f for the first term alone, without its alpha.
  Examples whose target is ignore-index do not count in either term.  The
  teacher gets no gradient."
  (%need-alike "distillation-loss" "student-logits" student-logits
               "teacher-logits" teacher-logits)
  (when (< (tensor-rank student-logits) 2)
    (error (string "distillation-loss: expected logits [n, classes], got shape")
           (tensor-shape student-logits)))
  (%need-within "distillation-loss" ":alpha" alpha 0 1)
  (%need-positive "distillation-loss" ":temperature" temperature)
  (when targets
    (%need-classes "distillation-loss" "student-logits" student-logits
                   targets))
  (let ((losses (%soft-losses student-logits (detach teacher-logits)
                              temperature)))
    (if targets
        (+ (* alpha (%masked-mean losses (tensor-ne targets ignore-index)))
           (* (- 1 alpha)
              (cross-entropy student-logits targets
                             :ignore-index ignore-index
                             :label-smoothing label-smoothing)))
        (begin
          (%note-reduction! 1 losses)
          (tensor-mean losses)))))

(define (%soft-losses student teacher temperature)
  "The divergence of the softened distributions of each example, times
  temperature^2."
  (let ((p (tensor-log-softmax (/ teacher temperature) 1))
        (q (tensor-log-softmax (/ student temperature) 1)))
    (* (square temperature)
       (tensor-sum (tensor-kl-div q p 0 :log-target #t) 1))))

(define (%masked-mean losses mask)
  "The mean of the losses where the mask is true."
  (/ (tensor-sum (* losses mask))
     (tensor-clamp-min (tensor-sum mask) 1)))

(define (%need-within who name x least largest)
  "Raise an error unless x is a number in a closed interval."
  (unless (and (number? x) (<= least x largest))
    (error (string who ": expected a number from " least " to " largest
                   " for " name ", got")
           x)))

(define (%need-positive who name x)
  "Raise an error unless x is a positive number."
  (unless (and (number? x) (> x 0))
    (error (string who ": expected a positive number for " name ", got") x)))

;; Sequences.

(define (sequence-log-probabilities logits targets :mask #f :average #f
                                    :ignore-index -100)
  "The logarithms of the probabilities of sequences: the sums over their
  tokens, [n], or with :average #t the means.

  logits [n, t, classes] predict the tokens targets [n, t]: for a causal model,
  the logits without the last position, and the tokens without the first.
  Tokens count where mask [n, t] is true, or not 0, and are not ignore-index."
  (%need-floating "sequence-log-probabilities" "logits" logits)
  (%need-tensor "sequence-log-probabilities" "targets" targets)
  (unless (and (= (tensor-rank logits) 3)
               (equal? (take (tensor-shape logits) 2) (tensor-shape targets)))
    (%error-with-hint
     (string "sequence-log-probabilities: expected logits [n, t, classes] and "
             "targets [n, t], got " (tensor-shape logits) " and "
             (tensor-shape targets))
     '()
     "the logits of position k predict token k + 1: slice both"))
  (let* ((losses (cross-entropy (tensor-flatten logits 0 1)
                                (tensor-flatten targets)
                                :reduction 'none :ignore-index ignore-index))
         (losses (tensor-reshape losses (tensor-shape targets)))  ; [n, t]
         (counts (%counted-tokens targets mask ignore-index))
         (sums (- (tensor-sum (* losses counts) 1))))
    (if average
        (/ sums (tensor-clamp-min (tensor-sum counts 1) 1))
        sums)))

(define (%counted-tokens targets mask ignored)
  "The mask of the tokens that count."
  (let ((counts (tensor-ne targets ignored)))
    (cond ((eq? mask #f) counts)
          ((not (and (tensor? mask)
                     (equal? (tensor-shape mask) (tensor-shape targets))))
           (error (string "sequence-log-probabilities: expected a mask of shape "
                          (tensor-shape targets) ", got")
                  (if (tensor? mask) (tensor-shape mask) mask)))
          (else (tensor-logical-and counts mask)))))

;; Preferences.

(define (dpo-loss policy-chosen policy-rejected
                  reference-chosen reference-rejected
                  :beta 0.1 :label-smoothing 0.0 :variant 'sigmoid
                  :reduction 'mean)
  "The loss of direct preference optimization (Rafailov et al. 2023).  The
  arguments, all [n], are the logarithms of the probabilities that the policy
  and the reference model give to the chosen and to the rejected answers, as
  sequence-log-probabilities returns them.

  With h = (policy-chosen - policy-rejected) - (reference-chosen -
  reference-rejected), variant 'sigmoid is -log sigmoid(beta h), of which
  label-smoothing is the probability that a pair is the wrong way round;
  'hinge is max(0, 1 - beta h); 'ipo is (h - 1 / (2 beta))^2 (Azar et al.
  2023), for which the logarithms are averages."
  (%need-log-probabilities policy-chosen policy-rejected
                           reference-chosen reference-rejected)
  (%need-positive "dpo-loss" ":beta" beta)
  (%need-within "dpo-loss" ":label-smoothing" label-smoothing 0 0.5)
  (let ((h (- (- policy-chosen policy-rejected)
              (detach (- reference-chosen reference-rejected)))))
    (%reduced (%dpo-losses h beta label-smoothing variant)
              (%reduction "dpo-loss" reduction h))))

(define (%need-log-probabilities chosen . others)
  "Raise an error unless all are floating tensors of the same shape."
  (for-each (lambda (x name)
              (%need-alike "dpo-loss" "policy-chosen" chosen name x))
            others
            '("policy-rejected" "reference-chosen" "reference-rejected")))

(define (%dpo-losses h beta smoothing variant)
  "The loss of each pair."
  (case (if (string? variant) (string->symbol variant) variant)
    ((sigmoid)
     (let ((losses (- (tensor-log-sigmoid (* beta h)))))
       (if (= smoothing 0)
           losses
           (- (* (- 1 smoothing) losses)
              (* smoothing (tensor-log-sigmoid (* (- beta) h)))))))
    ((hinge) (tensor-relu (- 1 (* beta h))))
    ((ipo) (square (- h (/ 1 (* 2 beta)))))
    (else
     (error "dpo-loss: expected 'sigmoid, 'hinge or 'ipo for :variant, got"
            variant))))

(define (dpo-rewards policy reference :beta 0.1)
  "The rewards that a policy implies, beta (policy - reference), without
  gradients.  Both are logarithms of probabilities [n]; an answer is preferred
  where its reward is larger."
  (%need-alike "dpo-rewards" "policy" policy "reference" reference)
  (* beta (- (detach policy) (detach reference))))
