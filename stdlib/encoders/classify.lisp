;; classify.lisp - labels of texts, and which of many texts fit a query best.

(define (classify model tokenizer texts :batch 32 :length #f :top #f)
  "The labels of texts, each an alist of labels and probabilities, the likeliest
  first.  texts: a string, whose labels are returned, or a list of strings, and of
  pairs of strings that belong together, such as (premise hypothesis): a list of
  their labels.

  model: a classifier of texts (load-classifier).  Where a text may have many
  labels, each has a probability of its own; where the problem is a number, it
  stands in place of a probability.  batch: how many texts are computed at once.
  length: the most tokens of a text, by default as many as the model has positions
  for; longer ones are cut.  top: how many labels are returned, all unless given."
  (%check-classifier "classify" model 'text)
  (%check-batch-and-top "classify" batch top)
  (let* ((single (string? texts))
         (texts (if single (list texts) texts)))
    (%check-list "classify" texts)
    (let ((answers
           (append-map
            (lambda (part)
              (map (lambda (row) (%ranked-labels model row top))
                   (tensor->list
                    (%probabilities model
                                    (%text-logits "classify" model tokenizer
                                                  part length)))))
            (if (null? texts) '() (%in-batches texts batch)))))
      (if single (car answers) answers))))

(define (%check-classifier who model task)
  (unless (and (classifier? model) (eq? (classifier-task model) task))
    (wrong-type who (format "a classifier of ~a, such as load-classifier returns"
                            task)
                model)))

(define (%check-batch-and-top who batch top)
  "Check how many texts are computed at once, and how many answers are returned."
  (unless (and (exact-integer? batch) (> batch 0))
    (wrong-type who "a positive exact integer as batch" batch))
  (unless (or (not top) (and (exact-integer? top) (> top 0)))
    (wrong-type who "a positive exact integer as top" top)))

(define (%probabilities model logits)
  "What the logits [n, labels] say."
  (case (classifier-problem model)
    ((one) (tensor-softmax logits -1))
    ((many) (tensor-sigmoid logits))
    (else logits)))

(define (%ranked-labels model row top)
  "The labels and their numbers, largest first."
  (let ((all (sort (map cons (classifier-labels model) row)
                   (lambda (a b) (> (cdr a) (cdr b))))))
    (if top (%first-few all top) all)))

(define (%text-logits who model tokenizer texts length)
  "The logits [n, labels] of texts and pairs of texts, in float32."
  (let*-values (((most) (%classifier-length model length))
                ((ids mask types) (%rows-of-texts who tokenizer texts most))
                ((device) (tensor-device (cdar (state-dict model)))))
    (no-grad
      (tensor-to (model (tensor-to ids device)
                        :mask (tensor-to mask device)
                        :types (and (tensor? types) (tensor-to types device)))
                 'float32))))

(define (%classifier-length model length)
  "The most tokens of a row."
  (let ((most (%most-tokens (classifier-encoder model) #f)))
    (if (and length most) (min length most) (or length most))))

(define (%rows-of-texts who tokenizer texts most)
  "Ids, mask and types of strings, or of pairs of strings."
  (cond ((every string? texts)
         (let-values (((ids mask) (%rows-for-encoder tokenizer texts most)))
           (values ids mask #f)))
        ((every %pair-of-texts? texts)
         (let-values (((ids mask types of)
                       (encode-pairs tokenizer (map car texts) (map cadr texts)
                                     :length most)))
           (values ids mask types)))
        ((find (lambda (text) (not (or (string? text) (%pair-of-texts? text))))
               texts)
         => (lambda (text)
              (wrong-type who "strings or lists of two strings as texts" text)))
        (else
         (error (string who ": texts and pairs of texts are mixed")))))

(define (%pair-of-texts? x)
  (and (list? x) (= (length x) 2) (every string? x)))

;; Ranking.

(define (rerank model tokenizer query texts :batch 32 :length #f :top #f)
  "How well texts fit a query, best first: a list of (index . score), index being
  the place of a text in the list.

  model: a cross-encoder, a classifier of texts with one label, which reads the
  query and a text together.  Scores are probabilities, or what the folder of the
  cross-encoder says (its activation).  The keywords are those of classify."
  (%check-classifier "rerank" model 'text)
  (%check-batch-and-top "rerank" batch top)
  (%check-string "rerank" query)
  (%check-list "rerank" texts)
  (%check-one-label model)
  (let* ((activation (%score-activation model))
         (scores
          (append-map
           (lambda (part)
             (tensor->list
              (activation
               (tensor-select
                (%text-logits "rerank" model tokenizer
                              (map (lambda (text) (list query text)) part)
                              length)
                1 0))))
           (if (null? texts) '() (%in-batches texts batch))))
         (ranked (%ranked-places scores)))
    (if top (%first-few ranked top) ranked)))

(define (%check-one-label model)
  "Raise an error unless a classifier has a single label."
  (let ((labels (classifier-labels model)))
    (unless (= (length labels) 1)
      (error (format "rerank: expected a model with one label, got ~a"
                     (length labels))))))

(define (%ranked-places scores)
  "Scores with their places, largest first."
  (sort (map cons (range (length scores)) scores)
        (lambda (a b) (> (cdr a) (cdr b)))))

(define (%first-few items count)
  "The first items, as many as there are up to a count."
  (take items (min count (length items))))

(define (%score-activation model)
  "What becomes of the logits of a cross-encoder: sentence-transformers writes
  its name into the settings."
  (let* ((config (or (classifier-config model) (make-hash-table)))
         (own (config-ref config "sentence_transformers" #f))
         (name (or (and (hash-table? own) (config-ref own "activation_fn" #f))
                   (config-ref config "sbert_ce_default_activation_function"
                               #f)))
         (found (and (string? name)
                     (assoc (last (string-split name "."))
                            %sentence-activations))))
    (cond (found (cdr found))
          ((not name) tensor-sigmoid)
          (else
           (error (format "rerank: the model has the activation ~s; ~a are \
available"
                          name
                          (string-join (map car %sentence-activations) ", ")))))))
