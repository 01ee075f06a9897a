; A cache holds fewer positions than the attention is told to look at.
(define (heads n t d) (tensor-ones 1 n t d))
(tensor-cached-attention (heads 4 1 8) (heads 2 16 8) (heads 2 16 8) 17)

; error, status 70:
; cached_attention_length.lisp:3:1: tensor-cached-attention: expected a length from 1, the queries, to 16, the room of the cache, got 17
;   3 | (tensor-cached-attention (heads 4 1 8) (heads 2 16 8) (heads 2 16 8) 17)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
