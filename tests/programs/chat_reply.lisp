;; A reply is what generate writes after the text of the chat template.

(import (only "../../examples/lib/tiny-model.lisp" write-tiny-model delete-model))

(define folder (string "/tmp/" (random 1000000000) "-reply"))
(write-tiny-model folder '("a tensor is a number and a shape." "every tensor dies."))
(define model (load-llm folder))
(define tokenizer (load-tokenizer folder))
(define messages
  '((("role" . "system") ("content" . "a tensor")) (("role" . "user") ("content" . "is"))))
(define template
  "{% for m in messages %}{{ m.content }} {% endfor %}{% if tools %}{{ tools[0].name }}{% endif %}")

(define (same? . options)
  "Whether chat-reply and generate on the template's text write the same."
  (define (without key)
    (let loop ((left options))
      (cond ((null? left) '())
            ((eq? (car left) key) (loop (cddr left)))
            (else (cons* (car left) (cadr left) (loop (cddr left)))))))
  (define (given key)
    (let ((found (memq key options))) (and found (cadr found))))
  (let* ((text (apply-chat-template tokenizer messages
                                    :tools (given :tools) :template (given :template)))
         (ids (encode tokenizer text :special #f))
         (plain (filter (lambda (x) x) options)))
    (set! options (without :tools))
    (let* ((rest (without :template))
           (reply (apply chat-reply model tokenizer messages plain)))
      (and (equal? reply (apply generate model tokenizer ids rest))
           (equal? reply (generation-text
                          (apply chat-result model tokenizer messages plain)))))))

(print (same? :greedy #t :max-tokens 9)
       (same? :seed 4 :max-tokens 9 :temperature 1.5)
       (same? :greedy #t :max-tokens 5 :template template)
       (same? :greedy #t :max-tokens 5 :template template :tools '((("name" . "shape")))))
; => #t #t #t #t
(define pieces '())
(define streamed
  (chat-reply model tokenizer messages :greedy #t :max-tokens 6
              :stream (lambda (text) (set! pieces (cons text pieces)))))
(print (equal? streamed (string-concatenate (reverse pieces)))) ; => #t

(define (message thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(message (lambda () (chat-reply model #f messages)))
; => chat-reply: expected a tokenizer, got #f
(message (lambda () (chat-reply model tokenizer messages :template "{# nothing #}")))
; => chat-reply: the chat template makes no text of the messages
(message (lambda () (chat-reply model tokenizer "Hi")))
; => apply-chat-template: expected a list of messages, got "Hi"
(delete-model folder)
