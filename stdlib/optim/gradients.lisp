;; gradients.lisp - what happens to gradients between backward and the step:
;; their norm, and clipping.

(define (%gradients-of who parameters)
  "The gradients of the parameters that have one, as a list."
  (let ((tensors (if (tensor? parameters) (list parameters) parameters)))
    (unless (and (list? tensors) (every tensor? tensors))
      (wrong-type who "a list of tensors" parameters))
    (filter tensor? (map tensor-grad tensors))))

(define (grad-norm parameters :norm-type 2.0)
  "The norm of the gradients of a list of parameters, as if they were one
  vector: a tensor without dimensions.  norm-type may be +inf.0, for the
  largest absolute value."
  (%norm-of (%gradients-of "grad-norm" parameters) norm-type))

(define (%norm-of gradients norm-type)
  "The norm of several tensors as one vector.  Those without elements add
  nothing to it: they have no norms of infinite order."
  (let ((filled (remove %without-elements? gradients)))
    (cond ((pair? filled) (%norm-of-filled filled norm-type))
          ((null? gradients) (tensor 0.0))
          (else (tensor-sum (detach (car gradients)))))))

(define (%without-elements? x)
  "Whether a tensor has no elements."
  (= (tensor-numel x) 0))

(define (%norm-of-filled gradients norm-type)
  "The norm of one tensor or more, which have elements, as one vector."
  (no-grad
    (cond
          ((any tensor-is-sparse gradients)
           (%norm-of (map (lambda (g)
                            (if (tensor-is-sparse g)
                                (tensor-values (tensor-coalesce g))
                                g))
                          gradients)
                     norm-type))
          (else
           (let ((norms (tensor-private--foreach-norm gradients norm-type)))
             (tensor-linalg-vector-norm
              (tensor-stack (if (%one-device? norms)
                                norms
                                (map tensor-cpu norms)))
              norm-type))))))

(define (%one-device? tensors)
  "Whether the tensors are on the same device."
  (let ((device (tensor-device (car tensors))))
    (every (lambda (x) (equal? (tensor-device x) device)) (cdr tensors))))

(define (clip-grad-norm! parameters max-norm
                         :norm-type 2.0 :error-if-nonfinite #f)
  "Scale the gradients of a list of parameters so that their norm, as that of
  one vector, is at most max-norm.  The result is the norm before, a tensor
  without dimensions.  With :error-if-nonfinite #t it is an error if that is
  infinite or not a number; otherwise such gradients stay what they are.
  (Pascanu et al. 2013.)"
  (unless (and (real? max-norm) (>= max-norm 0))
    (wrong-type "clip-grad-norm!" "a number of at least 0 as the largest norm"
                max-norm))
  (let* ((gradients (%gradients-of "clip-grad-norm!" parameters))
         (norm (%norm-of gradients norm-type)))
    (when (and error-if-nonfinite
               (not (tensor-item (tensor-isfinite norm))))
      (%error-with-hint
       "clip-grad-norm!: the norm of the gradients is"
       (list (tensor-item norm))
       (string "a smaller learning rate may avoid that; without "
               ":error-if-nonfinite #t it is not an error")))
    (no-grad
      (%scale! gradients
               (tensor-clamp (/ max-norm (+ norm 1e-6)) :max 1.0)))
    norm))

(define (%scale! gradients factor)
  "Multiply tensors by a tensor of one element, in place."
  (cond ((null? gradients) #t)
        ((%one-device? (cons factor gradients))
         (tensor-private--foreach-mul! gradients factor))
        (else
         (for-each (lambda (g)
                     (tensor-mul! g (tensor-to factor (tensor-device g))))
                   gradients))))

(define (clip-grad-value! parameters value)
  "Limit each element of the gradients of a list of parameters to the range
  from -value to value."
  (unless (and (real? value) (>= value 0))
    (wrong-type "clip-grad-value!" "a number of at least 0 as the limit" value))
  (let ((gradients (%gradients-of "clip-grad-value!" parameters)))
    (no-grad
      (for-each (lambda (g) (tensor-clamp! g (- value) value)) gradients))
    (if #f #f)))
