;; grouped-experts.lisp - experts of which some groups are chosen first, and
;; then some of these groups (DeepSeek-AI 2024).

(define-module (score-gate width count :corrected #f)
  "The scores of experts in float32: tokens [m, width] -> [m, count].
  corrected: whether there are numbers that are added where experts are
  chosen."
  ((weight (tensor-empty count width :dtype (%weight-dtype)) :parameter)
   (e-score-correction-bias (and corrected (tensor-zeros count)) :buffer))
  (forward (tokens)
    (tensor-matmul (tensor-to tokens 'float32)
                   (tensor-t (tensor-to weight 'float32)))))

(define-module (grouped-experts gate choose experts shared-experts)
  "An MLP of experts that a procedure chooses, and of some that all tokens use.
  x [..., width] -> the same shape.

  choose: a procedure from scores [m, count] and the gate's corrections to the
  experts of each token [m, top] int64 and a pair's other half, their weights."
  ((gate gate)
   (choose choose)
   (experts experts)
   (shared-experts shared-experts))
  (forward (x)
    (let* ((tokens (tensor-reshape x (list -1 (tensor-size x -1))))
           (choice (choose (gate tokens)
                           (score-gate-e-score-correction-bias gate)))
           (y (%use-experts tokens experts
                            (cons (car choice)
                                  (tensor-to (cdr choice)
                                             (tensor-dtype tokens))))))
      (tensor-reshape (+ y (shared-experts tokens)) (tensor-shape x)))))

;; Choices of the settings.

(define (%greedy-choice config count)
  "The experts of the largest probabilities."
  (let ((top (%config-experts config count))
        (factor (%config-number config "routed_scaling_factor" 1.0)))
    (lambda (scores corrections)
      (%top-experts (tensor-softmax scores -1) top factor))))

(define (%group-choice config count)
  "The experts of the largest probabilities in the groups that have the largest
  ones."
  (let-values (((groups kept) (%config-groups config count)))
    (let ((top (%config-experts config count))
          (factor (%config-number config "routed_scaling_factor" 1.0)))
      (lambda (scores corrections)
        (let ((shares (tensor-softmax scores -1)))
          (%top-experts
           (tensor-masked-fill shares
                               (%outside-groups
                                (tensor-amax (%by-groups shares groups) -1)
                                kept (quotient count groups))
                               0.0)
           top factor))))))

(define (%corrected-choice config count)
  "The experts of the largest corrected scores, in the groups whose best two
  have the largest sums; their weights are the scores without corrections."
  (let-values (((groups kept) (%config-groups config count)))
    (let ((top (%config-experts config count))
          (normalized (%config-flag config "norm_topk_prob" #t))
          (factor (%config-number config "routed_scaling_factor" 1.0)))
      (lambda (scores corrections)
        (let* ((scores (tensor-sigmoid scores))
               (corrected (+ scores corrections))
               (best (tensor-sum (car (tensor-topk (%by-groups corrected groups)
                                                   2 -1))
                                 -1))
               (chosen (cadr
                        (tensor-topk
                         (tensor-masked-fill
                          corrected
                          (%outside-groups best kept (quotient count groups))
                          -inf.0)
                         top -1)))
               (weights (tensor-gather scores 1 chosen))
               (weights (if normalized
                            (/ weights (+ (tensor-sum weights -1 :keepdim #t)
                                          1e-20))
                            weights)))
          (cons chosen (* weights factor)))))))

(define (%top-experts shares top factor)
  (let-list (((weights chosen) (tensor-topk shares top -1)))
    (cons chosen (* weights factor))))

(define (%config-groups config count)
  "How many groups of experts there are, and how many a token goes to."
  (let* ((groups (%config-size config "n_group" 1))
         (kept (%config-size config "topk_group" groups)))
    (unless (and (zero? (remainder count groups)))
      (%bad-setting "n_group" (format "a divisor of n_routed_experts, ~a" count)
                    groups))
    (unless (<= kept groups)
      (%bad-setting "topk_group" (format "an integer up to n_group, ~a" groups)
                    kept))
    (values groups kept)))

(define (%by-groups scores groups)
  "Scores [m, count] as [m, groups, count / groups]."
  (tensor-unflatten scores -1 (list groups -1)))

(define (%outside-groups best kept size)
  "The mask [m, count] of the experts that are not in the best groups, of `size`
  experts each."
  (let ((groups (cadr (tensor-topk best kept -1))))
    (tensor-repeat-interleave
     (tensor-scatter (tensor-ones-like best :dtype 'bool) 1 groups #f)
     size -1)))
