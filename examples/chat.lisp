;; chat.lisp - the commands for language models in a program of its own.
;;
;;   lambent compile examples/chat.lisp -o chat
;;   ./chat FOLDER                        a conversation
;;   ./chat generate FOLDER "Once upon"   a continued text
;;   ./chat quantize FOLDER NEW           write it with weights of fewer bits
;;   ./chat bench FOLDER                  how fast that is
;;
;; The executable needs no Python.  FOLDER holds a model in Hugging Face's
;; layout; a GGUF file will do.

(define words (cdr (command-line)))

(define (command? word)
  (or (member word '("generate" "chat" "quantize" "bench" "help"))
      (string-prefix? "-" word)))

(language-model-command
 (if (or (null? words) (command? (car words)))
     words
     (cons "chat" words))
 :program "chat")
