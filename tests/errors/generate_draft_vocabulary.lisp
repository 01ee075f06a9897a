; A draft model must have the same tokens.
(define model (llama :vocabulary 20 :width 8 :hidden 8 :layers 1 :heads 2))
(define draft (llama :vocabulary 30 :width 8 :hidden 8 :layers 1 :heads 2))
(generate model #f '(1 2 3) :draft draft :greedy #t)

; error, status 70:
; generate_draft_vocabulary.lisp:4:1: generate: the vocabulary of :draft has 30 tokens, the model's has 20
;   4 | (generate model #f '(1 2 3) :draft draft :greedy #t)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
