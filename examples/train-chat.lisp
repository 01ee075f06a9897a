;; train-chat.lisp - a language model that is defined, trained, saved in Hugging
;; Face's layout, loaded back, and then chats.
;;
;;   lambent examples/train-chat.lisp [STEPS [FOLDER]]
;;   lambent compile examples/train-chat.lisp -o train-chat && ./train-chat
;;
;; It learns a few answers by heart, which takes seconds.  With FOLDER the model
;; stays there: try `lambent chat FOLDER`, or load it with transformers.

(import "lib/tiny-model.lisp")

(define lessons
  '(("what is a tensor" "an array of numbers with a shape")
    ("who are you" "a small model that learned a few words")
    ("when does a tensor die" "after its last use")
    ("what is a model" "numbers that answer questions")
    ("what can you do" "answer a few questions")
    ("goodbye" "see you soon")))

(define template
  (string "{% for message in messages %}<|{{ message['role'] }}|>"
          "{{ message['content'] }}<|end|>{% endfor %}"
          "{% if add_generation_prompt %}<|assistant|>{% endif %}"))

(define (conversation question)
  "A question as the messages of a conversation."
  (list (list (cons "role" "user") (cons "content" question))))

;; Lessons as tokens: the question, the answer and the token that ends it.

(define (lesson-ids tokenizer lesson)
  "The tokens of a lesson, and how many of them are the question's."
  (let ((asked (encode tokenizer
                       (apply-chat-template tokenizer
                                            (conversation (car lesson)))
                       :special #f)))
    (cons (append asked (encode tokenizer (cadr lesson) :special #f)
                  (eos-ids tokenizer))
          (length asked))))

(define nothing -100)   ; a target that does not count

(define (padded ids size filler)
  (append ids (make-list (- size (length ids)) filler)))

(define (lesson-batch tokenizer)
  "All lessons: ids [n, t], and the token that should follow each, of answers
  only."
  (let* ((lessons (map (lambda (lesson) (lesson-ids tokenizer lesson))
                       lessons))
         (size (apply max (map (lambda (lesson) (length (car lesson)))
                               lessons)))
         (targets (lambda (ids asked)
                    (append (make-list (- asked 1) nothing)
                            (drop ids asked)))))
    (list (tensor (map (lambda (lesson) (padded (car lesson) size 0)) lessons))
          (tensor (map (lambda (lesson)
                         (padded (targets (car lesson) (cdr lesson)) size
                                 nothing))
                       lessons)))))

(define (train model tokenizer steps)
  "Train a model on all lessons."
  (let-list (((ids targets) (lesson-batch tokenizer)))
    (let ((optimizer (adamw (parameters model) :lr 3e-3 :weight-decay 0.01)))
      (train-mode! model)
      (do ((step 1 (+ step 1)))
          ((> step steps))
        (let ((loss (cross-entropy (tensor-flatten (model ids) 0 1)
                                   (tensor-flatten targets)
                                   :ignore-index nothing)))
          (when (or (= step 1) (= step steps))
            (print "step" step "loss" (/ (round (* 10 (tensor-item loss))) 10)))
          (backward loss)
          (clip-grad-norm! (parameters model) 1.0)
          (optimizer-step optimizer)
          (zero-grad optimizer)))
      (eval-mode! model))))

(define (chat model tokenizer)
  "Ask what was learned."
  (for-each (lambda (lesson)
              (print ">" (car lesson))
              (print (string-trim
                      (chat-reply model tokenizer (conversation (car lesson))
                                  :greedy #t :max-tokens 24))))
            lessons))

(define arguments (cdr (command-line)))
(define steps (if (pair? arguments) (string->number (car arguments)) 60))
(define folder (if (= (length arguments) 2)
                   (cadr arguments)
                   (temporary-folder "lambent-train-chat")))

(manual-seed 0)
(make-folder folder)
(write-tokenizer folder (words-of (append-map values lessons))
                 '("<|end|>" "<|user|>" "<|assistant|>") template)

(let* ((tokenizer (load-tokenizer folder))
       (model (llama :vocabulary (vocabulary-size tokenizer) :width 64
                     :hidden 128 :layers 2 :heads 4 :kv-heads 2
                     :context 64)))
  (print (parameter-count model) "parameters")
  (train model tokenizer steps)
  (save-llm model folder))

(chat (load-llm folder) (load-tokenizer folder))

(when (< (length arguments) 2)
  (delete-model folder))
