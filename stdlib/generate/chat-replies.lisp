;; chat-replies.lisp - replies to the messages of a conversation.
;;
;; A tokenizer's template turns messages into the text that the model was
;; trained on, with a beginning of the reply; the rest is generation.

(define (chat-reply model tokenizer messages . options)
  "What a model replies to the messages of a conversation, such as
  '(((\"role\" . \"user\") (\"content\" . \"Hi\"))).  options: the keywords of
  generation-settings; :tools and :template are those of apply-chat-template.
  With :count, the result is a list of replies."
  (let ((result (%chat-result model tokenizer messages
                              (%settings-of options))))
    (if (list? result)
        (map generation-text result)
        (generation-text result))))

(define (chat-result model tokenizer messages . options)
  "The same as chat-reply, as a generation."
  (%chat-result model tokenizer messages (%settings-of options)))

(define (%chat-result model tokenizer messages settings)
  "The generation of a reply."
  (unless (tokenizer? tokenizer)
    (wrong-type "chat-reply" "a tokenizer" tokenizer))
  (let* ((text (apply-chat-template tokenizer messages
                                    :tools (%settings-tools settings)
                                    :template (%settings-template settings)))
         (ids (encode tokenizer text :special #f)))
    (when (null? ids)
      (error "chat-reply: the chat template makes no text of the messages"))
    (%generate model tokenizer ids settings)))
