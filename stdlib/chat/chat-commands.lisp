;; chat-commands.lisp - what can be typed in a chat besides messages.
;;
;;     /system You are a pirate.     /set top-k 40     /save talk.json

(define %chat-command-table
  '(("/help" "" "print this")
    ("/reset" "" "forget the conversation, but not the system message")
    ("/system" "[TEXT]" "set the system message; - removes it")
    ("/set" "[NAME [VALUE]]" "show or change a setting; - removes it")
    ("/retry" "" "answer the last message again")
    ("/save" "FILE" "write the conversation as JSON")
    ("/load" "FILE" "continue a conversation that /save wrote")
    ("/stats" "" "show or hide tokens/s after each answer")
    ("/quit" "" "end, as Ctrl-D does")))

(define (%chat-command chat line)
  "Run a command; the symbol quit if it ends the conversation."
  (let*-values (((name rest) (%first-word line))
                ((row) (assoc name %chat-command-table)))
    (unless row
      (%error-with-hint (string "unknown command: " name) '()
                        "/help lists the commands; // begins a message with /"))
    (when (and (string-null? (cadr row)) (not (string-null? rest)))
      (error (string name " takes nothing, got " rest)))
    (case (string->symbol name)
      ((/help) (%print-chat-help))
      ((/reset) (%set-chat-messages! chat '()))
      ((/system) (%change-system chat rest))
      ((/set) (%change-setting chat rest))
      ((/retry) (%retry chat))
      ((/save) (%save-chat chat (%needed-file name rest)))
      ((/load) (%load-chat! chat (%needed-file name rest)))
      ((/stats) (%set-chat-stats! chat (not (%chat-stats? chat))))
      ((/quit) 'quit))))

(define (%first-word line)
  "Two values: the first word, and the rest without spaces around it."
  (let ((at (string-index line char-whitespace?)))
    (if at
        (values (substring line 0 at)
                (string-trim (substring line at (string-length line))))
        (values line ""))))

(define (%needed-file name rest)
  "The name of a file after a command."
  (when (string-null? rest)
    (error (string name " takes the name of a file")))
  rest)

(define (%print-chat-help)
  (for-each (lambda (row)
              (print (string "  " (string-pad-right
                                   (string (car row) " " (cadr row)) 24)
                             (list-ref row 2))))
            %chat-command-table)
  (print "  Ctrl-C ends an answer, Ctrl-D the conversation."))

(define (%change-system chat text)
  "Show or set the system message."
  (cond ((string-null? text)
         (print (or (%chat-system chat) "no system message")))
        ((string=? text "-") (%set-chat-system! chat #f))
        (else (%set-chat-system! chat text))))

(define (%retry chat)
  "Answer the last message again."
  (let* ((messages (%chat-messages chat))
         (asked (if (and (pair? messages)
                         (string=? (%message-role (last messages))
                                   "assistant"))
                    (drop-right messages 1)
                    messages)))
    (when (null? asked)
      (error "/retry: there is no message yet"))
    (%set-chat-messages! chat asked)
    (%answer-last chat)))

;; Settings: the sampling options of the command, without their dashes.

(define (%change-setting chat text)
  "Show all settings, or one, or change one."
  (let-values (((name word) (%first-word text)))
    (if (string-null? name)
        (%print-settings chat)
        (let ((option (%setting-option name)))
          (if (string-null? word)
              (%print-setting chat (%command-option-key option))
              (%set-chat-settings!
               chat
               (%changed-settings (%chat-settings chat) option word)))))))

(define (%setting-option name)
  "The option that a setting is named after."
  (or (find (lambda (option)
              (and (string=? (%command-option-name option)
                             (string "--" name))
                   (memq (%command-option-key option) (%settable-keys))))
            %sampling-options)
      (%error-with-hint
       (string "unknown setting: " name) '()
       (string "settings are "
               (string-join (map %keyword-name (%settable-keys)) ", ")))))

(define (%settable-keys)
  "The keywords of what /set changes."
  (append %sampling-keys '(:stop)))

(define (%keyword-name key)
  "top-k for :top-k"
  (let ((text (format "~a" key)))
    (substring text 1 (string-length text))))

(define (%changed-settings settings option word)
  "The settings after a change; - removes one."
  (let ((key (%command-option-key option)))
    (cond ((string=? word "-")
           (filter (lambda (entry) (not (eq? (car entry) key))) settings))
          ((eq? (%command-option-takes option) 'flag)
           (%with-setting settings key (%switch-value option word)))
          ((eq? key :stop) (%with-setting settings key (list word)))
          (else
           (%with-setting settings key (%checked-setting option word))))))

(define (%switch-value option word)
  "The truth that on or off means."
  (cond ((member word '("on" "yes" "true")) #t)
        ((member word '("off" "no" "false")) #f)
        (else (error (string (%keyword-name (%command-option-key option))
                             " takes on or off, got " word)))))

(define (%checked-setting option word)
  "The value of a word, or an error that says what the setting takes."
  (let* ((reader (assq (%command-option-takes option) (%option-readers)))
         (value (%read-option-number reader word)))
    (or value
        (error (string (%keyword-name (%command-option-key option)) " takes "
                       (list-ref reader 2) ", got " word)))))

(define (%print-settings chat)
  "Print the settings that are not as usual."
  (for-each (lambda (entry) (%print-setting chat (car entry)))
            (%chat-settings chat)))

(define (%print-setting chat key)
  (let ((entry (assq key (%chat-settings chat))))
    (print (%keyword-name key)
           (cond ((not entry) "is not set")
                 ((eq? key :stop) (format "~s" (cdr entry)))
                 ((eq? (cdr entry) #t) "on")
                 ((not (cdr entry)) "off")
                 (else (cdr entry))))))

;; Files: a list of messages as in the protocol that `lambent serve` speaks.

(define (%save-chat chat path)
  "Write the system message and the conversation."
  (let ((messages (%messages-with (%chat-system chat) (%chat-messages chat))))
    (call-with-output-file path
      (lambda (port)
        (write-json (map %table-of messages) :indent 2 port)
        (newline port)))
    (when (%typed?)
      (print (string "saved " (length messages) " messages in " path)))))

(define (%load-chat! chat path)
  "Replace the conversation by that of a file."
  (let ((messages (map (lambda (x) (%table->message x path))
                       (%listed-messages (read-json path) path))))
    (define (system? message) (string=? (%message-role message) "system"))
    (%set-chat-system! chat (and (pair? messages) (system? (car messages))
                                 (%message-content (car messages))))
    (%set-chat-messages! chat (remove system? messages))))

(define (%listed-messages data path)
  "The list that a file must hold."
  (if (list? data)
      data
      (error (string path ": expected a list of messages"))))

(define (%table->message x path)
  "The message of a JSON object with the strings role and content."
  (define (field name)
    (let ((value (and (hash-table? x) (hash-ref x name #f))))
      (if (string? value)
          value
          (error (string path ": a message lacks the string " name)))))
  (let ((role (field "role")))
    (unless (member role '("system" "user" "assistant"))
      (error (string path ": unknown role: " role)))
    (%message role (field "content"))))
