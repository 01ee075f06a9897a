;; custom-gradient.lisp - procedures whose gradients the program defines.
;;
;; %custom-gradient adds a node to the graph that calls the procedure of
;; %puller.  The node holds the tensors itself, as LibTorch's nodes do, so the
;; procedure must not: it holds only the other arguments, and the positions of
;; tensors.

(define (custom-gradient forward backward)
  "A procedure with the results of forward, a tensor or a list of tensors, and
  the gradients of backward.  backward is called with the gradient in the
  result, then the arguments, then the result; it returns a list of the
  gradients in the arguments, #f for none (and for an argument that is not a
  tensor), or for a single argument its gradient.  If forward returns a list,
  the gradients in the results and the results are lists.

  (define clipped-exp
    (custom-gradient
     (lambda (x) (exp x))
     (lambda (g x y) (* g (tensor-clamp y :max 10.0)))))

  With :create-graph #t, the operations of backward are recorded, so second
  derivatives are those of backward.  Without a tensor among its arguments the
  procedure is forward."
  (lambda arguments
    (if (any tensor? arguments)
        (%recorded-call forward backward arguments)
        (apply forward arguments))))

(define (%recorded-call forward backward arguments)
  "The result of forward for the arguments, with the gradients of backward."
  (let* ((result (no-grad (apply forward arguments)))
         (several (pair? result))
         (results (if several result (list result))))
    (unless (every tensor? results)
      (error (string "custom-gradient: expected a tensor or a list of tensors "
                     "from the forward procedure, got")
             result))
    (let ((recorded
           (%custom-gradient (filter tensor? arguments)
                             results
                             (%puller backward
                                      (map %without-tensor arguments)
                                      several))))
      (if several recorded (car recorded)))))

;; The procedures that LibTorch calls.

(define %tensor-mark (list 'tensor))

(define (%without-tensor x)
  "The argument, or the placeholder of a tensor."
  (if (tensor? x) %tensor-mark x))

(define (%with-tensors arguments tensors)
  "The arguments, with tensors instead of placeholders."
  (cond ((null? arguments) '())
        ((eq? (car arguments) %tensor-mark)
         (cons (car tensors) (%with-tensors (cdr arguments) (cdr tensors))))
        (else
         (cons (car arguments) (%with-tensors (cdr arguments) tensors)))))

(define (%puller backward template several)
  "The procedure that LibTorch calls for gradients: lists of the gradients in
  the results, of the inputs and of the results -> a list of the gradients in
  the inputs."
  (lambda (gradients inputs results)
    (let* ((arguments (%with-tensors template inputs))
           (answer (if several
                       (apply backward gradients
                              (append arguments (list results)))
                       (apply backward (car gradients)
                              (append arguments results)))))
      (%checked-gradients (%answers answer (length arguments)) arguments))))

(define (%answers answer count)
  "The result of a backward procedure of count arguments, as a list."
  (let ((answers (if (and (= count 1) (not (pair? answer)))
                     (list answer)
                     answer)))
    (unless (list? answers)
      (error (string "custom-gradient: expected a list of " count
                     " gradients from the backward procedure, got")
             answer))
    (unless (= (length answers) count)
      (error (string "custom-gradient: expected " count
                     (if (= count 1) " gradient" " gradients")
                     " from the backward procedure, got " (length answers))))
    answers))

(define (%checked-gradients answers arguments)
  "The gradients in those of the arguments that are tensors."
  (let loop ((k 0) (answers answers) (arguments arguments))
    (cond ((null? arguments) '())
          ((tensor? (car arguments))
           (%check-gradient k (car answers) (car arguments))
           (cons (car answers)
                 (loop (+ k 1) (cdr answers) (cdr arguments))))
          ((car answers)
           (error (string "custom-gradient: argument " k
                          " is not a tensor: expected #f for its gradient, got")
                  (car answers)))
          (else
           (loop (+ k 1) (cdr answers) (cdr arguments))))))

(define (%check-gradient k gradient x)
  "Raise an error unless it may be the gradient in x, the argument at k."
  (cond ((not gradient) #t)
        ((not (tensor? gradient))
         (error (string "custom-gradient: expected a tensor or #f for the "
                        "gradient in argument " k ", got")
                gradient))
        ((not (equal? (tensor-shape gradient) (tensor-shape x)))
         (error (string "custom-gradient: the gradient in argument " k
                        " has shape " (tensor-shape gradient)
                        ", and the argument " (tensor-shape x))))
        ((not (eq? (tensor-dtype gradient) (tensor-dtype x)))
         (error (string "custom-gradient: the gradient in argument " k
                        " is of " (tensor-dtype gradient)
                        ", and the argument of " (tensor-dtype x))))))
