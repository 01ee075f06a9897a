;; preferences.lisp - training language models on preferences: pairs of
;; answers of which one was chosen (direct preference optimization, Rafailov et
;; al. 2023).  The loop is fit:
;;
;;     (fit policy (data-loader (preference-dataset triples) :batch-size 8)
;;          :batch-loss (preference-loss policy reference)
;;          :optimizer (adamw (parameters policy) :lr 1e-5))

(define (preference-dataset triples :pad 0 :max-length #f)
  "The dataset of triples (prompt chosen rejected), each a list of tokens or a
  tensor [t]: examples are the tokens of prompt and chosen answer, the mask of
  the answer, and the same of the rejected one.

  Sequences are padded at their end with the token pad to the longest, or to
  max-length, beyond which they are cut."
  (when (or (not (list? triples)) (null? triples))
    (wrong-type "preference-dataset" "a list of (prompt chosen rejected)"
                triples))
  (let* ((rows (map %checked-triple triples))
         (longest (fold (lambda (row n)
                          (max n (%joined-length row 1) (%joined-length row 2)))
                        0 rows))
         (size (if max-length (min max-length longest) longest)))
    (apply tensor-dataset
           (append-map (lambda (k) (%padded-answers rows k size pad)) '(1 2)))))

(define (%checked-triple triple)
  "The three lists of tokens of a triple."
  (unless (and (list? triple) (= (length triple) 3))
    (wrong-type "preference-dataset" "a list of prompt, chosen and rejected"
                triple))
  (map (lambda (tokens)
         (cond ((tensor? tokens) (tensor->list tokens))
               ((and (list? tokens) (every exact-integer? tokens)) tokens)
               (else (wrong-type "preference-dataset"
                                 "a list of tokens or a tensor" tokens))))
       triple))

(define (%joined-length row k)
  "The length of the prompt and the answer k of a row."
  (+ (length (car row)) (length (list-ref row k))))

(define (%padded-answers rows k size pad)
  "Tokens and masks of the answers k: two tensors [n, size]."
  (list (tensor (map (lambda (row)
                       (%padded-tokens (append (car row) (list-ref row k)) size pad))
                     rows)
                :dtype 'int64)
        (tensor (map (lambda (row)
                       (%padded-tokens (append (map (lambda (token) 0) (car row))
                                        (map (lambda (token) 1)
                                             (list-ref row k)))
                                size 0))
                     rows)
                :dtype 'bool)))

(define (%padded-tokens items size pad)
  "A list of that size: items, cut, or with pads at the end."
  (let ((n (length items)))
    (if (>= n size)
        (take items size)
        (append items (make-list (- size n) pad)))))

(define (preference-loss policy reference :beta 0.1 :label-smoothing 0.0
                         :variant 'sigmoid)
  "The batch-loss for fit on a preference-dataset: the dpo-loss of a policy
  beside a reference model.

  Both take tokens [n, t] to logits [n, t, tokens].  reference #f: the policy
  without its adapters, which lora! has added, so no second model is needed."
  (let ((before (or reference (%without-adapters policy))))
    (lambda (chosen chosen-mask rejected rejected-mask)
      (dpo-loss (%answer-logs policy chosen chosen-mask)
                (%answer-logs policy rejected rejected-mask)
                (no-grad (%answer-logs before chosen chosen-mask))
                (no-grad (%answer-logs before rejected rejected-mask))
                :beta beta :label-smoothing label-smoothing
                :variant variant))))

(define (%without-adapters policy)
  "The procedure that calls a model without its adapters."
  (%checked-adapters "preference-loss" policy)
  (lambda (x) (call-without-lora policy (lambda () (policy x)))))

(define (%answer-logs model tokens mask)
  "The logarithms of the probabilities of the answers.  [n]"
  (let ((t (tensor-size tokens 1)))
    (sequence-log-probabilities
     (model (tensor-slice tokens 1 0 (- t 1)))
     (tensor-slice tokens 1 1 t)
     :mask (tensor-slice mask 1 1 t))))

(define (preference-accuracy policy reference loader)
  "The fraction of a loader's pairs whose chosen answer the policy prefers more
  than the reference does.  reference may be #f, as for preference-loss."
  (let ((before (or reference (%without-adapters policy)))
        (right 0) (count 0))
    (for-each-batch
     (lambda (chosen chosen-mask rejected rejected-mask)
       (no-grad
         (let ((margin (- (- (%answer-logs policy chosen chosen-mask)
                             (%answer-logs policy rejected rejected-mask))
                          (- (%answer-logs before chosen chosen-mask)
                             (%answer-logs before rejected rejected-mask)))))
           (set! right (+ right (tensor-item (tensor-sum (tensor-gt margin 0)))))
           (set! count (+ count (tensor-size chosen 0))))))
     loader)
    (inexact (/ right count))))
