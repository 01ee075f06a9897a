;; inference.lisp - the form inference-mode, whose regions LibTorch knows.

(define (%inference-mode body)
  "Call the body in inference mode; every exit restores the mode before."
  (let* ((before (%procedure "enter-inference-mode"))
         (result (%settle (%try body))))
    (%procedure "leave-inference-mode" before)
    (%finish result)))

(define (inference-mode?)
  "Whether the tensors that are made now are those of inference-mode, which
  take no part in gradients."
  (%procedure "inference-mode?"))
