; An input that does not fit a layer inside a model: the message names the layer's path.
(define-module (net)
  ((features (sequential (conv2d 1 4 3) (batch-norm2d 8)))
   (head (linear 8 2)))
  (forward (x) (head (tensor-flatten (features x) 1))))
(define model (net))
(model (tensor-ones 2 1 5 5))

; error, status 70:
; layer_input.lisp:5:38: batch-norm2d: expected 8 channels, got 4 in shape (2 4 3 3)
;   5 |   (forward (x) (head (tensor-flatten (features x) 1))))
;     |                                      ^^^^^^^^^^^^
;   in module features.1 (batch-norm2d)
;   in net.forward, called at layer_input.lisp:7:1
