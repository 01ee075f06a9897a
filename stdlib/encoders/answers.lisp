;; answers.lisp - the part of a text that answers a question.
;;
;; A long text is read in windows that overlap, each together with the question.

(define (answer-question model tokenizer question text :top 1 :length 384
                         :stride 128 :most 15)
  "The parts of a text that answer a question, best first: a list of (answer score
  start end).  start and end are places of characters in the text, end excluded;
  score is the product of the probabilities of both ends.

  model: a classifier of answers (load-classifier).  top: how many answers.
  length: the most tokens that are read at once, question included; stride: by
  how many tokens such windows overlap; most: the most tokens of an answer."
  (%check-classifier "answer-question" model 'answers)
  (%check-string "answer-question" question)
  (%check-string "answer-question" text)
  (%check-batch-and-top "answer-question" most top)
  (unless (and (exact-integer? stride) (>= stride 0))
    (wrong-type "answer-question" "an exact integer from 0 up as stride" stride))
  (let* ((tokens (list->vector (encode-offsets tokenizer text :special #f)))
         (length (%classifier-length model length))
         (found (%answers-in-windows model tokenizer question text tokens
                                     length stride most top))
         (ranked (sort (%distinct-answers found)
                       (lambda (a b) (> (car a) (car b))))))
    (map (lambda (answer)
           (let ((start (cadr (vector-ref tokens (cadr answer))))
                 (end (caddr (vector-ref tokens (caddr answer)))))
             (list (substring text start end) (car answer) start end)))
         (%first-few ranked top))))

(define (%distinct-answers answers)
  "Answers (score first last), of which windows may have found some twice."
  (let ((table (make-hash-table)))
    (for-each (lambda (answer)
                (let ((before (hash-ref table (cdr answer) 0.0)))
                  (hash-set! table (cdr answer) (max before (car answer)))))
              answers)
    (map (lambda (entry) (cons (cdr entry) (car entry))) (hash->list table))))

(define (%answers-in-windows model tokenizer question text tokens length stride
                             most top)
  "The best answers (score first last) of each window, in tokens of the text."
  (let loop ((skip 0) (found '()))
    (let-values (((ids mask types of)
                  (encode-pairs tokenizer (list question) (list text)
                                :length length :cut 'second
                                :skip (list skip))))
      (let* ((places (%places-of-second of))
             (count (vector-length places))
             (end (+ skip count))
             (found (append (if (= count 0)
                                '()
                                (%window-answers model ids types places skip
                                                 most top))
                            found)))
        (cond ((>= end (vector-length tokens)) found)
              ((> count stride) (loop (+ skip (- count stride)) found))
              (else (%no-room count stride)))))))

(define (%no-room count stride)
  "Raise the error for windows that do not move on."
  (%error-with-hint
   (format "answer-question: the question leaves room for ~a tokens of the text, \
no more than windows overlap, ~a"
           count stride)
   '() "give a larger :length, a smaller :stride or a shorter question"))

(define (%places-of-second of)
  "Where the tokens of the text are in a row."
  (list->vector
   (filter-map (lambda (k which) (and (= which 1) k))
               (range (tensor-size of 1))
               (tensor->list (tensor-select of 0 0)))))

(define (%window-answers model ids types places skip most top)
  "The best answers of a row: (score first last)."
  (let* ((device (tensor-device (cdar (state-dict model))))
         (logits (no-grad (tensor-to (model (tensor-to ids device)
                                            :types (tensor-to types device))
                                     'float32)))
         (first (vector-ref places 0))
         (count (vector-length places))
         (shares (tensor-softmax
                  (tensor-narrow (tensor-select logits 0 0) 0 first count) 0))
         (scores (tensor-tril            ; [start, end]: ends are not too far
                  (tensor-triu
                   (* (tensor-unsqueeze (tensor-select shares 1 0) 1)
                      (tensor-unsqueeze (tensor-select shares 1 1) 0)))
                  (- most 1))))
    (let-list (((best at) (tensor-topk (tensor-flatten scores)
                                       (min top (* count count)))))
      (map (lambda (score k)
             (list score (+ skip (quotient k count)) (+ skip (remainder k count))))
           (tensor->list best) (tensor->list at)))))
