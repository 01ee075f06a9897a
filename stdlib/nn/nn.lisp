;; nn.lisp - models: layers and their parameters.
;;
;; Layers are modules (modules.lisp).  With the same seed, the initial weights
;; are those of PyTorch's layers of the same name.

;; Layers.

(define-module (linear in out :bias #t)
  "The layer x w' + b.  x [..., in] -> [..., out].

  Weights begin uniform within 1 / sqrt(in) of zero."
  ((weight (%uniform in (list out in)) :parameter)          ; [out, in]
   (bias (and bias (%uniform in (list out))) :parameter))   ; [out]
  (forward (x) (tensor-linear x weight bias)))

(define (%uniform fan shape)
  "A tensor, uniform within 1 / sqrt(fan) of zero."
  (let ((bound (/ (sqrt (inexact fan)))))
    (tensor-uniform! (tensor-empty shape) (- bound) bound)))

(define-module (relu)
  "The layer that replaces negative elements by zero."
  ()
  (forward (x) (tensor-relu x)))

(define-module (flatten)
  "The layer that flattens each example.  x [n, ...] -> [n, m]."
  ()
  (forward (x) (tensor-flatten x 1)))

(define-module (sequential . layers)
  "The model that passes the result of each layer to the next.  Any procedure
  of one tensor is a layer."
  ((layers layers :unnamed))
  (forward (x)
    (let loop ((x x) (rest layers))
      (if (null? rest)
          x
          (loop ((car rest) x) (cdr rest))))))

;; Files.

(define (save-model path model)
  "Write the named-parameters of a model as a safetensors file."
  (save-tensors path (named-parameters model)))

(define (load-model! path model)
  "Read the parameters that save-model wrote into a model, and return it.

  The file must have all of them, in the model's shapes, and no others;
  otherwise the model is unchanged."
  (let ((saved (load-tensors path))
        (own (named-parameters model)))
    (for-each (lambda (entry) (%check-saved saved (car entry) (cdr entry))) own)
    (for-each (lambda (name)
                (unless (assoc name own)
                  (error "load-model!: the model has no parameter" name)))
              (hash-keys saved))
    (no-grad
      (for-each (lambda (entry)
                  (tensor-copy! (cdr entry) (hash-ref saved (car entry))))
                own))
    model))

(define (%check-saved saved name parameter)
  "Raise an error unless the table has a tensor of the parameter's shape."
  (unless (hash-has-key? saved name)
    (error "load-model!: the file has no tensor" name))
  (let ((found (tensor-shape (hash-ref saved name)))
        (wanted (tensor-shape parameter)))
    (unless (equal? found wanted)
      (error (format "load-model!: tensor ~s has shape ~s, the model's has"
                     name found)
             wanted))))
