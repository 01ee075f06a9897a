;; token-tasks.lisp - what is found inside texts: names and other parts that have
;; labels, answers to questions, and words that are hidden.

(define (label-tokens model tokenizer text)
  "The parts of a text that have labels, such as names of people: a list of
  (label part start end score), in their order.  start and end are places of
  characters, end excluded; score is the mean probability of the label.

  model: a classifier of tokens (load-classifier).  Tokens of one label that
  follow each other are one part; labels that begin with B- begin a part, I-
  continues it, and O is none.  A text that is longer than the model's positions
  is read in pieces."
  (%check-classifier "label-tokens" model 'tokens)
  (%check-string "label-tokens" text)
  (let* ((inner (encode-offsets tokenizer text :special #f))
         (frame (%frame-around tokenizer text inner))
         (most (- (or (%classifier-length model #f) (+ 512 (length inner)))
                  (length (car frame)) (length (cdr frame)))))
    (%parts-of-labels
     text
     (append-map (lambda (tokens)
                   (map cons tokens (%token-labels model frame tokens)))
                 (if (null? inner) '() (%in-batches inner (max most 1)))))))

(define (%frame-around tokenizer text inner)
  "The ids of special tokens before and after those of a text: a pair of lists."
  (let* ((all (encode tokenizer text))
         (ids (map car inner))
         (start (or (find (lambda (k)
                            (equal? (take (drop all k) (length ids)) ids))
                          (range (+ 1 (- (length all) (length ids)))))
                    0)))
    (cons (take all start) (drop all (+ start (length ids))))))

(define (%token-labels model frame tokens)
  "The label and its probability of each token (id start end): a list of pairs."
  (let* ((ids (append (car frame) (map car tokens) (cdr frame)))
         (device (tensor-device (cdar (state-dict model))))
         (logits (no-grad (tensor-to (model (tensor (list ids) :dtype 'int64
                                                    :device device))
                                     'float32)))
         (shares (tensor-narrow (tensor-softmax (tensor-select logits 0 0) -1)
                                0 (length (car frame)) (length tokens))))
    (let-list (((best at) (tensor-max shares 1)))
      (map (lambda (k score)
             (cons (list-ref (classifier-labels model) k) score))
           (tensor->list at) (tensor->list best)))))

(define (%parts-of-labels text tokens)
  "The parts of tokens ((id start end) . (label . score)) that have labels."
  (define (finished part parts)
    (if part (cons (%labelled-part text part) parts) parts))
  (let loop ((left tokens) (part '()) (parts '()))
    (if (null? left)
        (reverse (finished (and (pair? part) (reverse part)) parts))
        (let* ((token (car left))
               (label (cadr token)))
          (cond ((equal? label "O")
                 (loop (cdr left) '()
                       (finished (and (pair? part) (reverse part)) parts)))
                ((and (pair? part) (not (string-prefix? "B-" label))
                      (equal? (%label-name label)
                              (%label-name (cadr (car part)))))
                 (loop (cdr left) (cons token part) parts))
                (else
                 (loop (cdr left) (list token)
                       (finished (and (pair? part) (reverse part)) parts))))))))

(define (%label-name label)
  "A label without B- or I-."
  (if (or (string-prefix? "B-" label) (string-prefix? "I-" label))
      (substring label 2 (string-length label))
      label))

(define (%labelled-part text tokens)
  "The entry of tokens that belong together."
  (let ((start (cadr (car (car tokens))))
        (end (caddr (car (last tokens))))
        (scores (map cddr tokens)))
    (list (%label-name (cadr (car tokens)))
          (substring text start end) start end
          (/ (apply + scores) (length scores)))))

;; Hidden words.

(define (likely-words model tokenizer text :top 5)
  "What a masked language model expects at each mask token of a text, such as
  [MASK] or <mask>: for each of them a list of (word . probability), likeliest
  first.  model: an encoder with a head for words.  top: how many words.  Models
  may have more words than their tokenizers; those are never expected."
  (%check-string "likely-words" text)
  (%check-batch-and-top "likely-words" 1 top)
  (let* ((mask (%mask-id tokenizer))
         (ids (encode tokenizer text))
         (places (filter-map (lambda (k id) (and (= id mask) k))
                             (range (length ids)) ids)))
    (when (null? places)
      (error (format "likely-words: the text has no mask token, ~a"
                     (id->token tokenizer mask))))
    (let ((shares (%word-shares model tokenizer ids)))
      (map (lambda (place)
             (let-list (((best at) (tensor-topk (tensor-select shares 0 place)
                                                (min top (tensor-size shares
                                                                      1)))))
               (map (lambda (id share) (cons (decode tokenizer (list id)) share))
                    (tensor->list at) (tensor->list best))))
           places))))

(define (%word-shares model tokenizer ids)
  "The probabilities of the tokenizer's words at each token, [t, words]."
  (let* ((ids (tensor (list ids) :dtype 'int64
                      :device (tensor-device (cdar (state-dict model)))))
         (logits (no-grad (masked-logits model ids)))
         (shares (tensor-softmax
                  (tensor-to (tensor-select logits 0 0) 'float32) -1)))
    (tensor-narrow shares 1 0 (min (tensor-size shares 1)
                                   (vocabulary-size tokenizer)))))

(define (%mask-id tokenizer)
  "The id of the token that hides a word."
  (let* ((names (or (%tokenizer-setting "likely-words" tokenizer 'names) '()))
         (name (assoc "mask_token" names)))
    (or (and name (token->id tokenizer (cdr name)))
        (token->id tokenizer "[MASK]")
        (token->id tokenizer "<mask>")
        (error "likely-words: the tokenizer has no mask token"))))
