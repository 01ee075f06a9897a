;; generate.lisp - text generation from a model folder, which this program
;; writes itself.
;;
;;   lambent examples/generate.lisp [FOLDER PROMPT]
;;   lambent compile examples/generate.lisp -o generate && ./generate
;;
;; With FOLDER, a model in Hugging Face's layout, it continues PROMPT instead.

(import "lib/tiny-model.lisp")

(define sentences
  '("the compiler decides where every tensor dies."
    "the program runs as a script and as an executable."
    "every tensor dies at its last use."
    "a script prints the same text as an executable."
    "the model writes a text and the program prints it."
    "a tensor is a number and a shape."
    "the last use of a tensor is where it dies."
    "an executable needs no interpreter."))

(define (continue folder prompt)
  "Print how a model continues a prompt, as it is written."
  (let ((model (load-llm folder)) (tokenizer (load-tokenizer folder)))
    (display prompt)
    (generate model tokenizer prompt :greedy #t :max-tokens 64 :stream display)
    (newline)))

(define (demonstrate folder)
  "Print texts of several kinds."
  (let ((model (load-llm folder)) (tokenizer (load-tokenizer folder)))
    (define (show title text) (print (string title ":") text))
    (show "greedy" (generate model tokenizer "the program" :greedy #t
                             :max-tokens 12))
    (for-each (lambda (text) (show "sampled" text))
              (generate model tokenizer "a tensor" :count 3 :seed 1
                        :temperature 0.8 :top-p 0.9 :max-tokens 16))
    (for-each (lambda (prompt text) (show prompt text))
              '("every" "the last use of")
              (generate model tokenizer '("every" "the last use of")
                        :greedy #t :max-tokens 8))
    (show "stopped" (generate model tokenizer "the" :seed 4 :stop "tensor"))
    (let ((found (generate-result model tokenizer "a script" :beams 3
                                  :max-tokens 10)))
      (show "beam search" (generation-text found))
      (show "its end" (generation-reason found)))
    (show "of a grammar"
          (generate model tokenizer "Is it a script?" :seed 2
                    :grammar (make-grammar
                              '((answer (or " yes" " no") ", it is "
                                        (or "a script" "an executable"))))))
    (show "JSON" (generate model tokenizer "the program" :seed 7
                           :grammar (json-schema-grammar
                                     '(("type" . "array")
                                       ("items" . (("enum" . ("tensor" "shape"
                                                              1 2))))
                                       ("minItems" . 2) ("maxItems" . 4))
                                     :whitespace #f)))
    (show "perplexity"
          (round (perplexity-of model tokenizer (car sentences))))))

(define arguments (cdr (command-line)))
(if (= (length arguments) 2)
    (apply continue arguments)
    (let ((folder (temporary-folder "lambent-generate")))
      (write-tiny-model folder sentences)
      (demonstrate folder)
      (delete-model folder)))
