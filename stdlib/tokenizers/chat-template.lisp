;; chat-template.lisp - messages as the text that a model was trained on.
;;
;; The template is the model's own; template-*.lisp run it.

(define (apply-chat-template tokenizer messages
                             :generation-prompt #t :tools #f :template #f
                             :variables '())
  "The text of a conversation, as the tokenizer's chat template writes it.

  messages: a list of alists or hash tables with a role and a content, such as
  ((\"role\" . \"user\") (\"content\" . \"Hi\")).  generation-prompt: whether the
  beginning of an answer follows.  tools: a list of tools that the model may
  call, as JSON describes them.  template: a template, or the name of one if the
  tokenizer has several.  variables: an alist of what else the template may use,
  such as ((\"enable_thinking\" . #f)).

  Templates are Jinja's.  Encode the text with :special #f, because templates
  write the special tokens themselves.  An error in a template, and one that it
  raises itself, names its line."
  (let* ((text (%chosen-template tokenizer template tools))
         (nodes (%parsed-template tokenizer text))
         (arguments
          (%template-table
           "apply-chat-template"
           (append
            (%special-names tokenizer)
            (list (cons "messages" messages)
                  (cons "tools" (or tools 'null))
                  (cons "documents" 'null)
                  (cons "add_generation_prompt" (if generation-prompt #t #f)))
            variables))))
    (unless (list? messages)
      (wrong-type "apply-chat-template" "a list of messages" messages))
    (%run-template nodes arguments (length messages))))

(define (chat-template tokenizer)
  "The chat template of a tokenizer: a string, an alist of names and strings, or
  #f if it has none."
  (%tokenizer-setting "chat-template" tokenizer 'template))

(define (%special-names tokenizer)
  "The texts of special tokens by the names that templates use."
  (or (and (tokenizer? tokenizer)
           (%tokenizer-setting "apply-chat-template" tokenizer 'names))
      '()))

(define (%chosen-template tokenizer template tools)
  "The text of the template that is asked for."
  (let* ((own (and (tokenizer? tokenizer) (chat-template tokenizer)))
         (named (lambda (name)
                  (let ((found (and (pair? own) (assoc name own))))
                    (and found (cdr found))))))
    (unless (or (not template) (string? template) (symbol? template))
      (wrong-type "apply-chat-template" "a string as the template" template))
    (cond ((and template (named (if (symbol? template)
                                    (symbol->string template)
                                    template))))
          ((string? template) template)
          ((string? own) own)
          ((and tools (named "tool_use")))
          ((named "default"))
          ((pair? own)
           (error (string "apply-chat-template: choose a template by :template; "
                          "the tokenizer has "
                          (string-join (map car own) ", "))))
          (else
           (error "apply-chat-template: the tokenizer has no chat template; \
pass one as :template")))))

(define (%parsed-template tokenizer text)
  "The statements of a template; a tokenizer keeps those of the last one."
  (let ((kept (and (tokenizer? tokenizer)
                   (%tokenizer-field "apply-chat-template" tokenizer 5))))
    (if (and kept (string=? (car kept) text))
        (cdr kept)
        (let ((nodes (%parse-template text)))
          (when (tokenizer? tokenizer)
            (%record-set! tokenizer %tokenizer-type 5 (cons text nodes)
                          "apply-chat-template"))
          nodes))))
