;; autograd.lisp - procedures that compute gradients of procedures.
;;
;; The procedure is called with new tensors instead of those at argnum, and
;; LibTorch computes the gradients in them.  A tensor that already requires a
;; gradient, as inside another grad, is replaced by a view, so that gradients
;; nest; any other one is replaced by a new leaf.

;; Arguments.

(define (%marked x)
  "A new tensor for x to take gradients in; a number becomes a tensor."
  (with-grad
   (cond ((number? x) (requires-grad! (tensor (inexact x) :dtype 'float64)))
         ((requires-grad? x) (tensor-alias x))
         (else (requires-grad! (detach x))))))

(define (%marked-at who indices arguments)
  "The arguments, with those at the indices replaced for gradients."
  (let loop ((k 0) (left arguments))
    (cond ((null? left) '())
          ((memv k indices)
           (%check-differentiable who (car left))
           (let ((x (%marked (car left))))
             (cons x (loop (+ k 1) (cdr left)))))
          (else
           (cons (car left) (loop (+ k 1) (cdr left)))))))

(define (%check-differentiable who x)
  "Raise an error unless gradients can be taken in x."
  (cond ((number? x) #t)
        ((not (tensor? x)) (wrong-type who "a number or a tensor" x))
        ((not (or (tensor-is-floating-point x) (tensor-is-complex x)))
         (wrong-type who "a tensor of floating-point numbers" x))))

(define (%indices who argnum count)
  "argnum as a list of indices of count arguments."
  (let ((indices (if (pair? argnum) argnum (list argnum))))
    (for-each (lambda (k) (%check-argnum who k count)) indices)
    indices))

(define (%check-argnum who k count)
  "Raise an error unless k is the index of one of count arguments."
  (unless (and (exact-integer? k) (>= k 0))
    (wrong-type who "an index or a list of indices for :argnum" k))
  (unless (< k count)
    (error (string who ": :argnum " k " is out of range for " count
                   (if (= count 1) " argument" " arguments")))))

(define (%at indices items)
  "The items at the indices."
  (map (lambda (k) (list-ref items k)) indices))

(define (%like argnum items)
  "The result for argnum: one item, or the list if argnum is a list of indices."
  (if (pair? argnum) items (car items)))

;; Results.

(define (%outer ys xs)
  "Whether the graph of the ys is still needed after the gradients in the xs:
  other tensors require gradients, too, and recording is on."
  (and (grad-enabled?)
       (%needs-others? ys xs)))

(define (%settled result number xs)
  "The result, detached from a graph that was only for the xs; as a number, if
  a number is expected and it has one element."
  (cond ((%outer (list result) xs) result)
        ((and number (= (tensor-rank result) 0)) (tensor-item result))
        (else (detach result))))

(define (%gradients-or-zeros ys xs weights retain create)
  "The gradients of the ys in the xs, zeros in those that no y depends on."
  (let ((ys-weights (%recorded ys weights)))
    (if (null? (car ys-weights))
        (map tensor-zeros-like (map detach xs))
        (map (lambda (gradient x) (or gradient (tensor-zeros-like (detach x))))
             (gradients (car ys-weights) xs
                        :grad-outputs (cdr ys-weights)
                        :retain-graph retain
                        :create-graph create
                        :allow-unused #t)
             xs))))

(define (%recorded ys weights)
  "The ys that were recorded, and their weights, as a pair of lists; weights
  may be #f."
  (let loop ((ys ys) (weights weights) (kept '()) (kept-weights '()))
    (cond ((null? ys)
           (cons (reverse kept) (and weights (reverse kept-weights))))
          ((requires-grad? (car ys))
           (loop (cdr ys) (and weights (cdr weights))
                 (cons (car ys) kept)
                 (and weights (cons (car weights) kept-weights))))
          (else
           (loop (cdr ys) (and weights (cdr weights)) kept kept-weights)))))

(define (%as-tensor who y what)
  "A procedure's result as a tensor."
  (cond ((tensor? y) y)
        ((number? y) (tensor (inexact y) :dtype 'float64))
        (else
         (error (string who ": expected " what " from the procedure, got") y))))

;; The first derivative.

(define (%value-and-gradients who f argnum arguments)
  "The result of f, and its gradients at argnum, as a pair."
  (let* ((indices (%indices who argnum (length arguments)))
         (marked (%marked-at who indices arguments))
         (xs (%at indices marked))
         (y (%one-element who (with-grad (apply f marked))))
         (create (%outer (list y) xs))
         (found (%gradients-or-zeros (list y) xs #f #f create))
         (given (%at indices arguments)))
    (cons (%settled y (number? (car given)) xs)
          (map (lambda (gradient x) (%settled gradient (number? x) xs))
               found given))))

(define (%one-element who y)
  "The result of a procedure to differentiate, as a tensor of one element."
  (let ((y (%as-tensor who y "a number or a tensor of one element")))
    (if (= (tensor-numel y) 1)
        y
        (%error-with-hint
         (string who ": expected a number or a tensor of one element "
                 "from the procedure, got one of shape")
         (list (tensor-shape y))
         "jacobian takes procedures that return several numbers"))))

(define (grad f :argnum 0)
  "The procedure that returns the gradient of f in one of its arguments: a
  number for a number, a tensor for a tensor.  argnum is the argument's index;
  for a list of indices the result is a list of gradients.  f returns a number
  or a tensor of one element.

  ((grad (lambda (x) (* x x x))) 2.0)   ; 12.0

  It nests: (grad (grad f)) is the second derivative.  Where f depends on
  other tensors that require gradients, so does the result, which is a tensor
  then."
  (lambda arguments
    (%like argnum (cdr (%value-and-gradients "grad" f argnum arguments)))))

(define (value-and-grad f :argnum 0)
  "As grad, but the procedure returns a list of f's result and the gradient."
  (lambda arguments
    (let ((both (%value-and-gradients "value-and-grad" f argnum arguments)))
      (list (car both) (%like argnum (cdr both))))))

;; Matrices of derivatives.

(define (jacobian f :argnum 0)
  "The procedure that returns the derivatives of all elements of f's result in
  all elements of one of its arguments: a tensor whose shape is that of the
  result and then that of the argument.  f returns a tensor, or a list of
  tensors, for which the result is a list; argnum is as in grad."
  (lambda arguments
    (let* ((indices (%indices "jacobian" argnum (length arguments)))
           (marked (%marked-at "jacobian" indices arguments))
           (xs (%at indices marked))
           (given (%at indices arguments))
           (y (with-grad (apply f marked))))
      (if (pair? y)
          (map (lambda (part) (%jacobian-of part xs given argnum)) y)
          (%jacobian-of y xs given argnum)))))

(define (%jacobian-of y xs given argnum)
  "The derivatives of one result in the xs, which replace the given arguments."
  (let* ((y (%as-tensor "jacobian" y "a number, a tensor or a list of tensors"))
         (create (%outer (list y) xs))
         (flat (with-grad (tensor-reshape y '(-1))))
         (rows (map (lambda (k)                          ; of each, one for each x
                      (%gradients-or-zeros
                       (list (with-grad (tensor-select flat 0 k)))
                       xs #f #t create))
                    (iota (tensor-numel y)))))
    (%like argnum
           (map (lambda (k x original)
                  (%settled (%stacked (map (lambda (row) (list-ref row k)) rows)
                                      (append (tensor-shape y) (tensor-shape x))
                                      x)
                            (number? original)
                            xs))
                (iota (length xs)) xs given))))

(define (%stacked rows shape x)
  "The rows as one tensor of a shape; without rows, one like x."
  (if (null? rows)
      (tensor-new-zeros (detach x) shape)
      (tensor-reshape (tensor-stack rows) shape)))

(define (hessian f :argnum 0)
  "The procedure that returns the second derivatives of f, which returns a
  number or a tensor of one element, in one of its arguments: a tensor whose
  shape is twice that of the argument, a number for a number.  For a list of
  indices as argnum the result is a list of lists."
  (jacobian (grad f :argnum argnum) :argnum argnum))

;; Products.

(define (vjp f . arguments)
  "A list of f's result for the arguments, and a procedure from a gradient in
  that result to the gradients in the arguments: for one argument its
  gradient, for several a list.  The procedure may be called more than once.

  ((cadr (vjp exp [0.0 1.0])) [1.0 10.0])   ; [1.0 27.1828]"
  (let* ((indices (iota (length arguments)))
         (xs (%marked-at "vjp" indices arguments))
         (y (with-grad (apply f xs)))
         (ys (map (lambda (part)
                    (%as-tensor "vjp" part
                                "a number, a tensor or a list of tensors"))
                  (if (pair? y) y (list y))))
         (values (map (lambda (part)
                        (%settled part (number? (car arguments)) xs))
                      ys)))
    (list (if (pair? y) values (car values))
          (lambda (gradient)
            (%pulled (if (pair? y) gradient (list gradient))
                     ys xs arguments)))))

(define (%pulled weights ys xs given)
  "The gradients in the xs of the weighted ys."
  (let* ((weights (map %weight weights ys))
         (create (or (%outer ys xs)
                     (%outer weights xs)))
         (found (%gradients-or-zeros ys xs weights #t create))
         (settled (map (lambda (gradient x) (%settled gradient (number? x) xs))
                       found given)))
    (if (null? (cdr settled))
        (car settled)
        settled)))

(define (%weight weight y)
  "A gradient in y, given as a number or a tensor."
  (if (number? weight)
      (tensor-full-like (detach y) weight)
      weight))

(define (jvp f xs directions)
  "A list of f's result for a list of arguments, and its derivative along the
  directions, a list of the same length.

  (jvp (lambda (x) (* x x)) (list 3.0) (list 1.0))   ; (9.0 6.0)"
  (unless (= (length xs) (length directions))
    (error (string "jvp: expected " (length xs) " directions, as many as "
                   "arguments, got " (length directions))))
  (let* ((marked (%marked-at "jvp" (iota (length xs)) xs))
         (y (%as-tensor "jvp" (with-grad (apply f marked))
                        "a number or a tensor"))
         (number (number? (car xs)))
         (create (or (%outer (list y) marked)
                     (%outer (filter tensor? directions) marked))))
    (list (%settled y number marked)
          (%settled (%pushed y marked (map %weight directions marked) create)
                    number
                    marked))))

(define (%pushed y xs directions create)
  "The derivative of y along the directions.  The gradients in the xs are
  linear in the gradient in y; the gradient of that linear function is the
  derivative."
  (let* ((pulled (requires-grad! (tensor-zeros-like (detach y))))
         (found (with-grad
                 (%gradients-or-zeros (list y) xs (list pulled) #t #t))))
    (car (%gradients-or-zeros found (list pulled) directions #f create))))
