;; tensor-methods.lisp - methods of PyTorch's tensors that are not operators.
;;
;; `x.float()` is (tensor-float x).  Nearly all methods have an operator, and
;; are called as one: `x.relu()` is (tensor-relu x).

;; Dtypes.

(define (tensor-bool x :memory-format #f)
  "x as booleans."
  (tensor-to x 'bool :memory-format memory-format))

(define (tensor-byte x :memory-format #f)
  "x as uint8."
  (tensor-to x 'uint8 :memory-format memory-format))

(define (tensor-char x :memory-format #f)
  "x as int8."
  (tensor-to x 'int8 :memory-format memory-format))

(define (tensor-short x :memory-format #f)
  "x as int16."
  (tensor-to x 'int16 :memory-format memory-format))

(define (tensor-int x :memory-format #f)
  "x as int32."
  (tensor-to x 'int32 :memory-format memory-format))

(define (tensor-long x :memory-format #f)
  "x as int64."
  (tensor-to x 'int64 :memory-format memory-format))

(define (tensor-half x :memory-format #f)
  "x as float16."
  (tensor-to x 'float16 :memory-format memory-format))

(define (tensor-bfloat16 x :memory-format #f)
  "x as bfloat16."
  (tensor-to x 'bfloat16 :memory-format memory-format))

(define (tensor-float x :memory-format #f)
  "x as float32."
  (tensor-to x 'float32 :memory-format memory-format))

(define (tensor-double x :memory-format #f)
  "x as float64."
  (tensor-to x 'float64 :memory-format memory-format))

(define (tensor-cfloat x :memory-format #f)
  "x as complex64."
  (tensor-to x 'complex64 :memory-format memory-format))

(define (tensor-cdouble x :memory-format #f)
  "x as complex128."
  (tensor-to x 'complex128 :memory-format memory-format))

(define (tensor-type x . dtype)
  "x with another dtype; without one, the dtype that x has."
  (cond ((null? dtype) (tensor-dtype x))
        ((null? (cdr dtype)) (tensor-to x (car dtype)))
        (else (error "tensor-type: expected 1 to 2 arguments, got"
                     (+ 1 (length dtype))))))

;; Properties.

(define (tensor-ndimension x)
  "How many dimensions it has."
  (tensor-rank x))

(define (tensor-ndim x)
  "How many dimensions it has."
  (tensor-rank x))

(define (tensor-nelement x)
  "How many elements it has."
  (tensor-numel x))

(define (tensor-itemsize x)
  "The size of an element in bytes."
  (tensor-element-size x))

(define (tensor-nbytes x)
  "The size of its elements in bytes."
  (* (tensor-numel x) (tensor-element-size x)))

(define (tensor-tolist x)
  "Its elements as nested lists of numbers or booleans."
  (tensor->list x))

(define (tensor-T x)
  "The tensor with its dimensions in the opposite order: a view."
  (tensor-numpy-T x))

(define (tensor-H x)
  "The conjugate transpose of a matrix."
  (tensor-matrix-H x))

(define (tensor-to-sparse-coo x)
  "The tensor in sparse COO format."
  (tensor-to-sparse x))

;; Creation.

(define (tensor-as-tensor data :dtype #f :device #f)
  "data as a tensor; a tensor is returned itself if dtype and device fit."
  (if (tensor? data)
      (let ((x (if dtype (tensor-to data dtype) data)))
        (if device (tensor-to x device) x))
      (tensor data :dtype dtype :device device)))

(define (tensor-new-tensor x data :dtype #f :device #f :requires-grad #f)
  "A tensor of numbers or of another tensor's elements, with x's dtype and
  device."
  (let* ((made (if (tensor? data)
                   (tensor-copy (detach data))
                   (tensor data :dtype (or dtype (tensor-dtype x)))))
         (y (tensor-to made
                       (or device (tensor-device x))
                       (or dtype (tensor-dtype x)))))
    (if requires-grad (requires-grad! y) y)))

(define (tensor-broadcast-shapes . shapes)
  "The shape that these shapes broadcast to, as a list."
  (if (null? shapes)
      '()
      (tensor-shape
       (car (tensor-broadcast-tensors
             (map (lambda (shape) (tensor-empty shape :device "meta"))
                  shapes))))))

;; Elements by procedures.

(define (tensor-apply! x f)
  "Replace each element by the result of f on it, and return x."
  (%fill-from! x (map f (tensor->list (tensor-flatten x)))))

(define (tensor-map! x y f)
  "Replace each element of x by the result of f on it and y's, and return x."
  (%fill-from! x (map f
                      (tensor->list (tensor-flatten x))
                      (tensor->list
                       (tensor-flatten (tensor-expand-as y x))))))

(define (%fill-from! x numbers)
  "Set the elements of x to those of the list."
  (tensor-copy! x (tensor-view (tensor numbers :dtype (tensor-dtype x))
                               (tensor-shape x))))

;; Functions of single examples.

(define (vmap f :in-dims 0 :out-dims 0)
  "The procedure that calls f for each example, and stacks the results.

  in-dims says along which dimension of the arguments the examples lie, one
  number or a list of one for each argument, #f for an argument that all
  examples share."
  (lambda arguments
    (let* ((dims (if (list? in-dims)
                     in-dims
                     (map (lambda (x) (and (tensor? x) in-dims)) arguments)))
           (count (%example-count dims arguments))
           (results (map (lambda (k) (apply f (%example k dims arguments)))
                         (iota count))))
      (cond ((null? results) (error "vmap: there are no examples"))
            ((list? (car results))
             (apply map (lambda xs (tensor-stack xs out-dims)) results))
            (else (tensor-stack results out-dims))))))

(define (%example-count dims arguments)
  "The number of examples in the arguments."
  (unless (= (length dims) (length arguments))
    (error (format "vmap: :in-dims has ~a elements for ~a arguments"
                   (length dims) (length arguments))))
  (let ((sizes (delete-duplicates
                (append-map (lambda (dim x)
                              (if dim (list (tensor-size x dim)) '()))
                            dims arguments))))
    (cond ((null? sizes) (error "vmap: expected a tensor with examples"))
          ((pair? (cdr sizes))
           (error "vmap: the numbers of examples differ:" sizes))
          (else (car sizes)))))

(define (%example k dims arguments)
  "The arguments of example k."
  (map (lambda (dim x) (if dim (tensor-select x dim k) x)) dims arguments))
