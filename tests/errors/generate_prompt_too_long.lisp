; A prompt must leave room in the model's context.
(define model (llama :vocabulary 20 :width 8 :hidden 8 :layers 1 :heads 2 :context 6))
(print (length (generate model #f '(1 2 3 4) :max-tokens 99 :greedy #t)))  ; => 2
(generate model #f '(1 2 3 4 5 6))

; error, status 70:
; generate_prompt_too_long.lisp:4:1: generate: the prompt has 6 tokens, and the model's context is 6
;   4 | (generate model #f '(1 2 3 4 5 6))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: shorten the prompt, keep its end: (take-right ids n), or let the cache forget: :window n :sinks 4
