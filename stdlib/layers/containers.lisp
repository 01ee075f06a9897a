;; containers.lisp - models made of layers.
;;
;; Any procedure of one tensor is a layer without parameters, so (sequential
;; (linear 4 8) tanh (linear 8 2)) is a model; and a model is a layer.

(define-module (sequential . layers)
  "The model that passes the result of each layer to the next.

  A layer is a module or any procedure of one tensor.  Parameters have the
  layer's index before their name: \"0.weight\"."
  ((layers (%check-layers "sequential" layers) :unnamed))
  (forward (x)
    (let loop ((left layers) (x x))
      (if (null? left)
          x
          (loop (cdr left) ((car left) x))))))

(define-module (residual layer :shortcut #f)
  "The model x + layer(x); with a shortcut, another layer, shortcut(x) +
  layer(x).

  Parameters have \"layer.\" or \"shortcut.\" before their name."
  ((layer (%check-layer "residual" layer))
   (shortcut (and shortcut (%check-layer "residual" shortcut))))
  (forward (x)
    (+ (if shortcut (shortcut x) x) (layer x))))

(define (%check-layers who layers)
  "The list, whose elements must be layers."
  (for-each (lambda (layer) (%check-layer who layer)) layers)
  layers)

(define (%check-layer who layer)
  "The layer, which must be a procedure."
  (if (procedure? layer)
      layer
      (%error-with-hint
       (string who ": expected a layer, got") (list layer)
       "a layer is a module, (linear 4 2), or a procedure of a tensor")))
