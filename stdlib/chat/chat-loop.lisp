;; chat-loop.lisp - a conversation with a language model at a terminal.
;;
;;     > Who are you?
;;     I am ...            printed as it comes; Ctrl-C ends the answer only
;;     > /set temperature 0.7
;;
;; Lines that begin with / are commands (chat-commands.lisp).  In a pipe each
;; line is a message, and only the answers are printed.

(define-record-type %chat
  (%make-chat model tokenizer system messages settings stats? last)
  %chat?
  (model %chat-model)
  (tokenizer %chat-tokenizer)
  (system %chat-system %set-chat-system!)          ; a string or #f
  (messages %chat-messages %set-chat-messages!)    ; the oldest first
  (settings %chat-settings %set-chat-settings!)    ; an alist of keywords
  (stats? %chat-stats? %set-chat-stats!)           ; shown after each answer
  (last %chat-last %set-chat-last!))               ; a generation, or #f

(define %usual-answer 512)   ; tokens

(define (%run-chat plain found)
  "The command chat."
  (let-values (((model tokenizer) (%open-model (car plain) found)))
    (let ((chat (%make-chat model tokenizer (%option-ref found :system #f) '()
                            (%chat-settings-of found)
                            (%option-ref found :stats #f) #f))
          (file (%option-ref found :load #f)))
      (when file (%load-chat! chat file))
      (when (%typed?) (%greet (car plain) chat))
      (%chat-loop chat))))

(define (%chat-settings-of found)
  "The settings of a chat as an alist, from the command's options."
  (let loop ((left (%sampling-arguments found))
             (settings (list (cons :max-tokens %usual-answer))))
    (if (null? left)
        settings
        (loop (cddr left) (%with-setting settings (car left) (cadr left))))))

(define (%with-setting settings key value)
  "The settings with one replaced, in their order."
  (if (assq key settings)
      (map (lambda (entry) (if (eq? (car entry) key) (cons key value) entry))
           settings)
      (append settings (list (cons key value)))))

(define (%greet path chat)
  "Say which model talks."
  (print (string path ": " (%model-text (%chat-model chat))
                 "; /help lists the commands, Ctrl-D ends")))

(define (%model-text model)
  "15.2 million parameters, float32"
  (string (%short-number (/ (parameter-count model) 1e6) 3)
          " million parameters, " (model-dtype model)))

(define (%typed?)
  "Whether a person types the messages and sees the answers."
  (and (terminal-port? (current-input-port))
       (terminal-port? (current-output-port))))

(define (%chat-loop chat)
  "Read and answer until the input ends."
  (let ((line (edit-line "> " :history "chat")))
    (cond ((eof-object? line) (if #f #f))
          ((not line) (%chat-loop chat))
          ((eq? (%chat-line chat line) 'quit) (if #f #f))
          (else (%chat-loop chat)))))

(define (%chat-line chat line)
  "Do what a line says; the symbol quit if it ends the conversation.  Where a
  person types, an error is shown, and the conversation continues."
  (let ((text (string-trim line)))
    (define (act)
      (cond ((string-null? text) #t)
            ((string-prefix? "//" text)
             (%answer chat (substring text 1 (string-length text))))
            ((string-prefix? "/" text) (%chat-command chat text))
            (else (%answer chat text))))
    (if (%typed?)
        (guard (e (#t (%show-chat-error e)))
          (act))
        (act))))

(define (%show-chat-error e)
  "Print an error, and its hint, below what has been printed."
  (let ((port (current-error-port))
        (hint (and (error-object? e) (error-object-hint e))))
    (flush-output-port (current-output-port))
    (write-string (string (%error-text e %chat-options) "\n") port)
    (when hint
      (write-string (string "hint: " (%naming-options %chat-options hint) "\n")
                    port))))

;; Answers.

(define (%answer chat text)
  "Answer a message; both become part of the conversation."
  (let ((messages (append (%chat-messages chat)
                          (list (%message "user" text)))))
    (%set-chat-messages! chat messages)
    (%answer-last chat)))

(define (%answer-last chat)
  "Answer the last message.  If that fails, the message is forgotten; if Ctrl-C
  ends it, what was said so far remains."
  (let ((asked (%chat-messages chat))
        (said (open-output-string)))
    (define (take-piece! piece)
      (write-string piece said)
      (%print-piece piece))
    (define (say note)
      (newline)
      (when note (print note))
      (%set-chat-messages!
       chat
       (append (%chat-messages chat)
               (list (%message "assistant" (get-output-string said))))))
    (guard (e (#t (unless (string-null? (get-output-string said)) (newline))
                  (%set-chat-messages! chat (drop-right asked 1))
                  (raise e)))
      (if (%catches-interrupt?)
          (catch-interrupt
           (lambda () (%generate-answer chat take-piece!) (say #f))
           (lambda () (say "(stopped)")))
          (begin (%generate-answer chat take-piece!) (say #f))))
    (when (and (%chat-stats? chat) (%chat-last chat))
      (%print-statistics (%chat-last chat)))))

(define (%catches-interrupt?)
  "Whether Ctrl-C ends only the answer; in a pipe it ends the program."
  (%typed?))

(define (%generate-answer chat take-piece!)
  "Generate the answer to the last message.  What the conversation had before
  is in the cache of the last answer, if that was not interrupted."
  (let* ((before (%chat-last chat))
         (cache (and before (generation-cache before))))
    (%set-chat-last! chat #f)
    (%set-chat-last!
     chat
     (apply generate-result (%chat-model chat) (%chat-tokenizer chat)
            (%fitting-ids chat)
            :stream take-piece! :cache cache :keep-cache #t
            (append-map (lambda (entry) (list (car entry) (cdr entry)))
                        (%chat-settings chat))))))

;; The context: the oldest messages leave a conversation that grows too long.

(define (%fitting-ids chat)
  "The tokens of the conversation.  While they and the answer do not fit into
  the model's context, the oldest message and its answer are forgotten, but for
  a cache with sinks, which takes texts of any length."
  (let ((ids (%chat-ids (%chat-tokenizer chat)
                        (%messages-with (%chat-system chat)
                                        (%chat-messages chat)))))
    (if (or (%setting chat :sinks #f)   ; its cache forgets tokens
            (<= (+ (length ids) (%answer-room chat))
                (model-context (%chat-model chat)))
            (<= (length (%chat-messages chat)) 1))
        ids
        (begin (%forget-oldest! chat)
               (%fitting-ids chat)))))

(define (%answer-room chat)
  "How many tokens are kept for an answer: a quarter of the context at most."
  (min (%setting chat :max-tokens %usual-answer)
       (quotient (model-context (%chat-model chat)) 4)))

(define (%setting chat key default)
  "A setting of the chat."
  (let ((entry (assq key (%chat-settings chat))))
    (if entry (cdr entry) default)))

(define (%forget-oldest! chat)
  "Forget the oldest message, and the answer to it."
  (let* ((rest (cdr (%chat-messages chat)))
         (rest (if (and (pair? (cdr rest))
                        (string=? (%message-role (car rest)) "assistant"))
                   (cdr rest)
                   rest)))
    (when (%typed?)
      (print "(the oldest messages no longer fit, and are forgotten)"))
    (%set-chat-messages! chat rest)))

(define (%message-role message) (cdr (assoc "role" message)))
(define (%message-content message) (cdr (assoc "content" message)))
