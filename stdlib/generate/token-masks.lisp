;; token-masks.lisp - which tokens a grammar allows next.
;;
;; A text's state in a grammar is a number.  For each state ctorch finds what
;; each token of the vocabulary leads to, and keeps that, because the same
;; states come again and again.

(define %first-state 0)

(define (%token-table tokenizer)
  "The tokens of a tokenizer, sorted by their bytes; the tokenizer keeps them."
  (or (%tokenizer-field "generate" tokenizer 6)
      (let ((table (%procedure "token-table"
                               (%tokenizer-object "generate" tokenizer)
                               (eos-ids tokenizer))))
        (%record-set! tokenizer %tokenizer-type 6 table "generate")
        table)))

(define (%grammatical-logits grammar table state remaining logits)
  "The logits [vocabulary] in float32 with -inf for tokens that the grammar does
  not allow, or after which so many more tokens could not complete the text."
  (or (%procedure "generate" (%grammar-object grammar) table state remaining
                  logits)
      (error (string "generate: no token of the vocabulary continues the text "
                     "as the grammar demands"))))

(define (%state-after-token grammar table state id)
  "A list of the state after a token, and whether the text must end there."
  (or (%procedure "grammar-state" (%grammar-object grammar) table state id)
      (list state #t)))
