; A module inside the model has a result that is not finite.
(define-module (root) () (forward (x) (sqrt x)))
(define-module (net) ((layers (list (linear 2 2) (root)))) (forward (x) ((cadr layers) ((car layers) x))))
(define model (net))
(no-grad (tensor-fill! (linear-bias (module-at model "layers.0")) -9))
(fit model (tensor-dataset (tensor-ones 4 2)) :optimizer (sgd (parameters model) :lr 0.1)
     :loss (lambda (y x) (tensor-mean y)) :progress #f :detect-nan #t)

; error, status 70:
; fit_module_not_finite.lisp:6:1: fit: the loss is +nan.0: the result (4 2) of the module "layers.1", a root, for (4 2) is not finite
;   6 | (fit model (tensor-dataset (tensor-ones 4 2)) :optimizer (sgd (parameters model) :lr 0.1)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: its arguments and parameters are finite: look at what it calculates
