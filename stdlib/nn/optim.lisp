;; optim.lisp - optimizers, which change parameters by their gradients.
;;
;; The step of an optimizer changes its parameters in place, by the gradients
;; that backward has accumulated.  It prints as #<optimizer kind: sgd
;; parameters: 26>.

;; Fields without a name, the list and the procedure, are not printed.
(define %optimizer-type (%record-type 'optimizer #(kind parameters #f #f)))

(define (make-optimizer kind parameters step)
  "An optimizer of the parameters whose step is a procedure of no arguments."
  (%record %optimizer-type kind (fold + 0 (map tensor-numel parameters))
           parameters step))

(define (optimizer? x)
  "Whether it is an optimizer."
  (%record? x %optimizer-type))

(define (optimizer-step optimizer)
  "Move the parameters against their gradients."
  (if (optimizer? optimizer)
      ((%record-ref optimizer %optimizer-type 3 "optimizer-step"))
      (wrong-type "optimizer-step" "an optimizer" optimizer)))

(define (zero-grad optimizer)
  "Clear the gradients of the parameters."
  (if (optimizer? optimizer)
      (apply zero-grad!
             (%record-ref optimizer %optimizer-type 2 "zero-grad"))
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
