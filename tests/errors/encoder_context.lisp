;; More tokens than the model has positions for.
(define encoder (bert :vocabulary 10 :width 8 :layers 1 :heads 2 :hidden 8 :context 4))
(encoder (tensor '((1 2 3 4 5))))

; error, status 70:
; encoder_context.lisp:3:1: text-encoder: 5 tokens are more than the 4 that the model has positions for
;   3 | (encoder (tensor '((1 2 3 4 5))))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: embed and :length of encode-batch cut texts
