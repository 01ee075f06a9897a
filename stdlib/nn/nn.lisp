;; nn.lisp - models: layers and their parameters.
;;
;; Any procedure of one tensor is a layer without parameters, so (sequential
;; (linear 4 8) tensor-relu (linear 8 2)) is a model; and a model is a layer.
;; With the same seed, the initial weights are those of PyTorch's layers of the
;; same name.  A layer prints as a form that creates one like it:
;;
;;     #<layer model: (sequential (linear 4 8) (relu)) parameters: 40>

;; The fields without a name, the alist and the function, are not printed.
(define %layer-type (%record-type 'layer #(model parameters #f #f)))

(define (make-layer model named-parameters function)
  "A layer that calls function, and whose parameters are the tensors of the
  alist.

  model is its printed form: a symbol, or the form that creates it."
  (%record %layer-type model (%element-count named-parameters)
           named-parameters function))

(define (%element-count named-parameters)
  "The number of elements in the tensors of an alist."
  (fold (lambda (entry n) (+ n (tensor-numel (cdr entry)))) 0 named-parameters))

(define (layer? x)
  "Whether it is a layer with parameters of its own, or a model of layers."
  (%record? x %layer-type))

(define (%layer-form x)
  "The form that creates a layer, or the procedure used as one."
  (if (layer? x) (%record-ref x %layer-type 0 "sequential") x))

(define (forward model x)
  "The result of a model, a layer or a procedure for x."
  (cond ((layer? model) ((%record-ref model %layer-type 3 "forward") x))
        ((procedure? model) (model x))
        (else (wrong-type "forward" "a model" model))))

(define (named-parameters model)
  "The parameters of a model, as an alist: ((\"0.weight\" . tensor) ...)."
  (cond ((layer? model) (%record-ref model %layer-type 2 "named-parameters"))
        ((procedure? model) '())
        (else (wrong-type "named-parameters" "a model" model))))

(define (parameters model)
  "The parameters of a model, as a list."
  (map cdr (named-parameters model)))

;; Layers.

(define (linear in out :bias #t)
  "The layer x w' + b.  x [..., in] -> [..., out].

  Weights begin uniform within 1 / sqrt(in) of zero."
  (let* ((bound (/ (sqrt (inexact in))))
         (weight (%uniform-parameter (list out in) bound))          ; [out, in]
         (offset (and bias (%uniform-parameter (list out) bound)))) ; [out]
    (make-layer (if bias `(linear ,in ,out) `(linear ,in ,out :bias #f))
                (if bias
                    (list (cons "weight" weight) (cons "bias" offset))
                    (list (cons "weight" weight)))
                (lambda (x) (tensor-linear x weight offset)))))

(define (relu)
  "The layer that replaces negative elements by zero."
  (make-layer '(relu) '() tensor-relu))

(define (flatten)
  "The layer that flattens each example.  x [n, ...] -> [n, m]."
  (make-layer '(flatten) '() (lambda (x) (tensor-flatten x 1))))

(define (sequential . layers)
  "The model that passes the result of each layer to the next."
  (make-layer (cons 'sequential (map %layer-form layers))
              (append-map %numbered-parameters (iota (length layers)) layers)
              (lambda (x) (fold forward x layers))))

(define (%numbered-parameters k layer)
  "The named parameters of the layer at index k, with k before each name."
  (map (lambda (entry) (cons (string k "." (car entry)) (cdr entry)))
       (named-parameters layer)))

(define (%uniform-parameter shape bound)
  "A parameter, uniform between -bound and bound."
  (requires-grad! (tensor-uniform! (tensor-empty shape) (- bound) bound)))

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
