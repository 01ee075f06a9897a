;; classifier.lisp - encoders with a head for labels: of whole texts, of each
;; token, or of where an answer begins and ends.

(define-module (classifier encoder task-head task labels
                           :problem 'one :rules '() :config #f)
  "An encoder with a head.  ids int64 [n, t] -> logits: [n, labels] for the task
  text, [n, t, labels] for tokens, and [n, t, 2] for answers, which begin and end
  where the first and second are largest.

  A call may have the :mask and :types of text-encoder.  labels: their names, a
  list of strings.  problem: one if a text has one label, many if it may have any
  number, number if the logits are numbers to learn.  load-classifier and
  new-classifier make classifiers; classify, rerank, label-tokens and
  answer-question use them."
  ((encoder encoder)
   (task-head task-head)
   (task task)
   (labels labels)
   (problem problem)
   (rules rules)
   (config config))
  (forward (ids :mask #f :types #f)
    (task-head (if (text-encoder? encoder)
                   (encoder ids :mask mask :types types)
                   (encoder ids :mask mask))
               mask)))

(define %encoder-tasks
  '((text . "ForSequenceClassification") (tokens . "ForTokenClassification")
    (answers . "ForQuestionAnswering")))

(define (load-classifier folder :task #f :dtype #f :device #f
                         :architectures '())
  "The classifier in a folder of Hugging Face's layout: an encoder, or a language
  model for whole texts, with a head that transformers calls ForSequenceClassification,
  ForTokenClassification or ForQuestionAnswering; also a cross-encoder of
  sentence-transformers.

  task: text, tokens or answers; what the settings say unless given.  The other
  keywords are those of load-encoder.  The names of labels are those of the
  settings.  The model is in evaluation mode.  A head that the files lack is an
  error: (new-classifier (load-encoder folder) labels) makes a new one."
  (%check-string "load-classifier" folder)
  (%check-model-folder "load-classifier" folder "")
  (let ((config (%read-config "load-classifier" folder))
        (dtype (or dtype 'float32)))
    (parameterize ((%settings-source
                    (%settings-of-folder "load-classifier" folder)))
      (let* ((table (%encoder-tensors folder config))
             (task (or task (%task-of-settings config)))
             (labels (%labels-of config))
             (model
              (begin
                (%check-task "load-classifier" task)
                (if (%decoder-settings? config architectures)
                    (%decoder-classifier config table task labels dtype)
                    (%encoder-classifier
                     (%blank-encoder config table dtype architectures)
                     task labels config dtype)))))
        (%fill-encoder! "load-classifier" folder model table dtype
                        (classifier-rules model))
        (when device (to! model device))
        (eval-mode! model)))))

(define (new-classifier encoder labels :task 'text :problem 'one)
  "A classifier with a new head on top of an encoder, as load-encoder or
  new-encoder returns it, in training mode.  The encoder's weights are shared, so
  that they learn, too; its layers for words and pooling are left out.

  labels: the names of labels, a list of strings; for answers any two.  task: text,
  tokens or answers.  problem: one, many or number, see classifier.  In training,
  logits go to cross-entropy for one, binary-cross-entropy-with-logits for many
  and mse-loss for numbers."
  (unless (text-encoder? encoder)
    (wrong-type "new-classifier" "an encoder, such as load-encoder returns"
                encoder))
  (%check-task "new-classifier" task)
  (unless (and (list? labels) (pair? labels) (every string? labels))
    (wrong-type "new-classifier" "a list of strings as the labels" labels))
  (unless (memq problem '(one many number))
    (wrong-type "new-classifier" "one, many or number as the problem" problem))
  (let* ((config (hash-copy (text-encoder-config encoder)))
         (pooler (text-encoder-pooler encoder))
         (dtype (tensor-dtype (cdar (state-dict encoder)))))
    (%write-labels! config labels problem)
    (let ((model (%encoder-classifier encoder task labels config dtype)))
      (%initialized (classifier-task-head model) config)
      (when (and pooler (%pools-first? model))
        (set-task-head-dense! (classifier-task-head model) pooler))
      (to! model (tensor-device (cdar (state-dict encoder))))
      (train-mode! model))))

(define (%check-task who task)
  (unless (assq task %encoder-tasks)
    (wrong-type who "text, tokens or answers as the task" task)))

(define (%pools-first? model)
  "Whether the first layer of a head is the pooler of the encoder."
  (define (saved name) (%saved-names (list name) (classifier-rules model)))
  (and (task-head-dense (classifier-task-head model))
       (equal? (saved "task_head.dense.weight")
               (saved "encoder.pooler.weight"))))

(define (%encoder-classifier encoder task labels config dtype)
  "A classifier on top of an encoder; its head has no values yet."
  (let* ((head (parameterize ((%weight-dtype dtype))
                 ((text-encoder-heads encoder) task (length labels))))
         (names (%table-of (cdr head))))
    (classifier (%bare-encoder encoder) (to! (car head) dtype) task labels
                :problem (%problem-of config labels)
                :config config
                :rules (append (list (%without-start "encoder."))
                               (text-encoder-rules encoder)
                               (list (%head-names names))))))

(define (%bare-encoder encoder)
  "The encoder with the same weights, without layers for words and pooling."
  (text-encoder (text-encoder-config encoder)
                :embeddings (text-encoder-embeddings encoder)
                :layers (text-encoder-layers encoder)
                :kinds (text-encoder-kinds encoder)
                :relations (text-encoder-relations encoder)
                :norm (text-encoder-norm encoder)
                :context (text-encoder-context encoder)
                :prefix (text-encoder-prefix encoder)
                :rules (text-encoder-rules encoder)
                :heads (text-encoder-heads encoder)))

(define (%without-start prefix)
  "The rule that names lack what they begin with."
  (lambda (name)
    (if (string-prefix? prefix name)
        (substring name (string-length prefix) (string-length name))
        name)))

(define (%head-names names)
  "The rule for the names of a head; names is a table of ours and theirs."
  (lambda (name)
    (if (string-prefix? "task_head." name)
        (%their-part names (cdr (string-split name ".")))
        name)))

;; Language models: the state of the last token decides.

(define (%decoder-settings? config architectures)
  "Whether the settings are of a language model."
  (and (null? architectures)
       (not (%encoder-entry (config-ref config "model_type" #f)))
       (assoc (config-ref config "model_type" #f) (%known-decoders))
       #t))

(define (%decoder-classifier config table task labels dtype)
  "The classifier of the settings of a language model."
  (unless (eq? task 'text)
    (%settings-error "language models have heads for whole texts only"))
  (%check-plausible config table #f)
  (let* ((decoder (%built-model config dtype '()))
         (width (%config-size config "hidden_size"
                              (%config-size config "n_embd" 1)))
         (head (parameterize ((%weight-dtype dtype))
                 (task-head width (length labels) :pooling 'last))))
    (set-decoder-lm-head! decoder #f)
    (set-linear-bias! (task-head-out head) #f)
    (classifier (decoder-encoder decoder) (to! head dtype) task labels
                :problem (%problem-of config labels)
                :config config
                :rules (append (list (%without-start "encoder.decoder."))
                               (decoder-rules decoder)
                               (list (%score-name decoder))))))

(define (%score-name decoder)
  "The rule for the name of the last layer, before which the decoder's rules have
  put the prefix of its own names."
  (lambda (name)
    (if (string-suffix? "task_head.out.weight" name) "score.weight" name)))

;; Settings.

(define (%task-of-settings config)
  "The task that the name of the class in the settings says."
  (let* ((classes (%config-list config "architectures" string?
                                "a list of strings"))
         (found (find (lambda (entry)
                        (any (lambda (class) (string-suffix? (cdr entry) class))
                             classes))
                      %encoder-tasks)))
    (unless found
      (%error-with-hint
       (format "~a: the model ~a has no head for labels" (%settings-source)
               (if (null? classes) "without architectures" (car classes)))
       '() "(new-classifier (load-encoder folder) labels) makes a new one; \
:task says what a head is for"))
    (car found)))

(define (%labels-of config)
  "The names of the labels, by their numbers."
  (let* ((table (config-ref config "id2label" #f))
         (count (if (hash-table? table)
                    (hash-size table)
                    (%config-size config "num_labels" 2))))
    (map (lambda (k)
           (let ((name (and (hash-table? table)
                            (hash-ref table (number->string k) #f))))
             (if (string? name) name (format "LABEL_~a" k))))
         (range count))))

(define (%problem-of config labels)
  "What the logits of texts are for."
  (let* ((names '(("single_label_classification" . one)
                  ("multi_label_classification" . many)
                  ("regression" . number)))
         (name (config-ref config "problem_type" #f))
         (found (assoc name names)))
    (cond (found (cdr found))
          (name (%bad-setting "problem_type"
                              "single_label_classification, \
multi_label_classification or regression" name))
          ((= (length labels) 1) 'number)
          (else 'one))))

(define (%write-labels! config labels problem)
  "Let settings have labels."
  (let ((names (map (lambda (k) (number->string k)) (range (length labels)))))
    (hash-set! config "id2label" (%table-of (map cons names labels)))
    (hash-set! config "label2id" (%table-of (map cons labels
                                                 (range (length labels)))))
    (hash-set! config "problem_type"
               (cdr (assq problem '((one . "single_label_classification")
                                    (many . "multi_label_classification")
                                    (number . "regression")))))))
