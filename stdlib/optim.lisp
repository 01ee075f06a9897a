;; optim.lisp - optimizers: how parameters follow their gradients.
;;
;; An optimizer is a vector #(optimizer KIND PARAMETERS STEP): STEP changes the
;; parameters in place, by what backward has left in their gradients.

(define (make-optimizer kind parameters step)
  "An optimizer of the parameters whose step is a procedure of no arguments."
  (vector 'optimizer kind parameters step))

(define (optimizer? x)
  "Whether it is an optimizer."
  (and (vector? x)
       (= (vector-length x) 4)
       (eq? (vector-ref x 0) 'optimizer)))

(define (optimizer-step optimizer)
  "Move the parameters against their gradients."
  (if (optimizer? optimizer)
      ((vector-ref optimizer 3))
      (wrong-type "optimizer-step" "an optimizer" optimizer)))

(define (zero-grad optimizer)
  "Forget the gradients of the parameters."
  (if (optimizer? optimizer)
      (apply zero-grad! (vector-ref optimizer 2))
      (wrong-type "zero-grad" "an optimizer" optimizer)))

(define (sgd parameters :lr 0.001 :momentum 0)
  "Stochastic gradient descent.  A parameter p with gradient g and velocity v,
  which begins at zero:  v <- momentum v + g,  p <- p - lr v."
  (let ((velocities (if (= momentum 0) #f (map tensor-zeros-like parameters))))
    (make-optimizer
     'sgd parameters
     (lambda ()
       (no-grad
        (if velocities
            (for-each (lambda (p v) (%momentum-step p v lr momentum))
                      parameters velocities)
            (for-each (lambda (p) (%plain-step p lr)) parameters)))))))

(define (%momentum-step p v lr momentum)
  "Move one parameter by its velocity.  v has the shape of p."
  (let ((g (tensor-grad p)))
    (when (tensor? g)
      (tensor-add! (tensor-mul! v momentum) g)
      (tensor-add! p v :alpha (- lr)))))

(define (%plain-step p lr)
  "Move one parameter against its gradient."
  (let ((g (tensor-grad p)))
    (when (tensor? g)
      (tensor-add! p g :alpha (- lr)))))
