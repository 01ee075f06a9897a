; A step was so large that a parameter is not finite.
(define model (sequential (linear 2 3) (relu) (linear 3 1)))
(no-grad (tensor-fill! (linear-weight (module-at model "2")) +nan.0))
(fit model (tensor-dataset (tensor-ones 4 2) (tensor-ones 4 1)) :optimizer (sgd (parameters model) :lr 0.1)
     :loss mse-loss :progress #f :detect-nan #t)

; error, status 70:
; fit_parameter_not_finite.lisp:4:1: fit: the loss is +nan.0: the parameter "2.weight" (1 3) has elements that are not finite
;   4 | (fit model (tensor-dataset (tensor-ones 4 2) (tensor-ones 4 1)) :optimizer (sgd (parameters model) :lr 0.1)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: an earlier step was too large: try a smaller learning rate, or :clip-norm 1.0
