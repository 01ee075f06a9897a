; Adam keeps averages of all elements, so it takes no sparse gradients.
(define w (requires-grad! (tensor-ones 5 2)))
(define opt (adam (list w)))
(backward (tensor-sum (tensor-embedding w [1 3] :sparse #t)))
(optimizer-step opt)

; error, status 70:
; optimizer_sparse_gradient.lisp:5:1: optimizer-step: adam takes no sparse gradients, and one has shape (5 2)
;   5 | (optimizer-step opt)
;     | ^^^^^^^^^^^^^^^^^^^^
; hint: sgd and adagrad take them; an embedding without :sparse #t has dense gradients
