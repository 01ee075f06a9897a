; A mask that forbids every token.
(define logits (tensor-masked-fill (tensor-randn 5) (tensor-ones 5 :dtype 'bool)
                                   (- (/ 1.0 0.0))))
(tensor-sample logits 0.8 :top-k 3)

; error, status 70:
; sample_no_token.lisp:4:1: tensor-sample: no token is allowed: all logits are -inf
;   4 | (tensor-sample logits 0.8 :top-k 3)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: does a mask forbid all of them?
