;; experts.lisp - MLPs of which each token uses a few (Shazeer et al. 2017).

(define-module (mixture-of-experts width count top expert :normalized #t
                                   :shared #f :shared-gated #t :choose #f)
  "An MLP that consists of several, its experts: each token uses the `top` ones
  to which gate gives the largest probabilities, and their results are weighted
  by these.  x [..., width] -> the same shape.

  expert: a procedure that creates one.  normalized: whether the weights of a
  token add up to 1.  choose: a module or procedure from what the gate returns
  [m, count] to a pair of the experts of each token [m, top] int64 and their
  weights, if it is not that.  shared: an expert that all tokens use too, with
  shared-gated behind a gate of its own."
  ((width width)
   (top (begin (unless (<= top count)
                 (error (format "mixture-of-experts: expected at most ~a \
experts for a token, got" count)
                        top))
               top))
   (normalized normalized)
   (gate (blank-linear width count))
   (experts (map (lambda (k) (expert)) (range count)))
   (shared-expert shared)
   (shared-expert-gate (and shared shared-gated (blank-linear width 1)))
   (choose (or choose
               (lambda (scores) (%chosen-experts scores top normalized)))))
  (forward (x)
    (let* ((tokens (tensor-reshape x (list -1 width)))       ; [m, width]
           (y (%use-experts tokens experts (choose (gate tokens))))
           (y (cond ((not shared-expert) y)
                    (shared-expert-gate
                     (+ y (* (tensor-sigmoid (shared-expert-gate tokens))
                             (shared-expert tokens))))
                    (else (+ y (shared-expert tokens))))))
      (tensor-reshape y (tensor-shape x)))))

(define (%chosen-experts scores top normalized)
  "The experts of each token [m, top] int64, and their weights [m, top]."
  (let-list (((weights chosen)
              (tensor-topk (tensor-softmax scores -1 'float32) top -1)))
    (cons chosen
          (tensor-to (if normalized
                         (/ weights (tensor-sum weights -1 :keepdim #t))
                         weights)
                     (tensor-dtype scores)))))

(define (%use-experts tokens experts choice)
  "The weighted sums of what the chosen experts return for tokens [m, width]."
  (if (= (tensor-size tokens 0) 1)
      (%use-for-one tokens experts choice)
      (%use-for-many tokens experts choice)))

(define (%use-for-one token experts choice)
  "The sum for a single token, without looking for the tokens of experts."
  (let loop ((left (tensor->list (tensor-select (car choice) 0 0)))
             (k 0) (sum #f))
    (if (null? left)
        sum
        (let ((y (* ((list-ref experts (car left)) token)
                    (tensor-narrow (cdr choice) 1 k 1))))
          (loop (cdr left) (+ k 1) (if sum (+ sum y) y))))))

(define (%use-for-many tokens experts choice)
  "The sums for several tokens: each expert gets all of its tokens at once."
  (let loop ((left experts) (k 0) (sum (tensor-zeros-like tokens)))
    (if (null? left)
        sum
        (let* ((hits (tensor-eq (car choice) k))             ; [m, top]
               (rows (tensor-flatten
                      (tensor-nonzero (tensor-any hits -1)))))
          (loop (cdr left) (+ k 1)
                (if (= (tensor-size rows 0) 0)
                    sum
                    (%add-expert sum (car left) tokens rows
                                 (tensor-sum (* (cdr choice) hits) -1
                                             :keepdim #t))))))))

(define (%add-expert sum expert tokens rows weights)
  "The sum and what an expert returns for some rows, by weights [m, 1]."
  (tensor-index-add sum 0 rows
                    (* (expert (tensor-index-select tokens 0 rows))
                       (tensor-index-select weights 0 rows))))

;; Mixtral (Jiang et al. 2024): Llama's layers, whose MLPs are these.

(define (%mixtral-of config)
  "The model that the settings of Mixtral describe."
  (let ((width (%config-size config "hidden_size"))
        (count (%config-size config "num_local_experts")))
    (llama-like
     config
     :mlp (lambda (layer)
            (mixture-of-experts
             width
             count
             (%config-experts config count)
             (lambda ()
               (gated-mlp width (%config-size config "intermediate_size")
                          :activation (%config-name config "hidden_act"
                                                    "silu")))))
     :rules '((mlp :from block_sparse_moe)
              (gate_up_proj :from (w1 w3))
              (down_proj :from w2)))))
