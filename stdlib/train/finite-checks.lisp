;; finite-checks.lisp - where a number that is not finite came from, for fit's
;; :detect-nan.
;;
;; A loss that is not finite is followed back: to the parts of the batch, to
;; the parameters, and then to the first module whose result is not finite.
;; For that the batch is calculated again with a check around each module.

(define (%check-loss model parts loss loss-of)
  "Raise an error that says where a loss that is not finite comes from."
  (unless (%finite-tensor? loss)
    (let ((source (or (%part-source parts)
                      (and (module? model)
                           (or (%parameter-source model)
                               (%module-source model parts loss-of))))))
      (%error-with-hint
       (string "fit: the loss is " (tensor-item loss)
               (if source (string ": " (car source)) ""))
       '()
       (if source
           (cdr source)
           "the batch, the parameters and the results of the modules are \
finite: look at the loss")))))

(define (%check-gradients model)
  "Raise an error that names the parameters whose gradients are not finite."
  (when (module? model)
    (let ((wrong (filter (lambda (entry)
                           (let ((g (tensor-grad (cdr entry))))
                             (and (tensor? g) (not (%finite-tensor? g)))))
                         (named-parameters model))))
      (when (pair? wrong)
        (%error-with-hint
         (string "fit: the loss is finite, but not the gradient of "
                 (string-join (map %described-parameter wrong) ", "))
         '()
         "look at roots, logarithms and divisions near zero; :clip-norm does \
not help against nan")))))

(define (%finite-tensor? x)
  "Whether all elements are finite, if it is a tensor."
  (or (not (tensor? x)) (%all-finite? x)))

(define (%described-parameter entry)
  (format "~s ~a" (car entry) (tensor-shape (cdr entry))))

;; Sources: pairs of a description and a hint.

(define (%part-source parts)
  "The first part of a batch that is not finite."
  (let loop ((k 0) (left parts))
    (cond ((null? left) #f)
          ((%finite-tensor? (car left)) (loop (+ k 1) (cdr left)))
          (else
           (cons (format "part ~a of the batch, ~a, has elements that are not \
finite" k (tensor-shape (car left)))
                 "clean the data: (tensor-isfinite x) shows where")))))

(define (%parameter-source model)
  "The parameters that are not finite."
  (let ((wrong (remove (lambda (entry) (%finite-tensor? (cdr entry)))
                       (named-parameters model))))
    (and (pair? wrong)
         (cons (string "the parameter "
                       (string-join (map %described-parameter wrong) ", ")
                       " has elements that are not finite")
               "an earlier step was too large: try a smaller learning rate, \
or :clip-norm 1.0"))))

(define (%module-source model parts loss-of)
  "The first module whose result is not finite: each leaf is replaced by a
  procedure that checks it while the batch is calculated again."
  (let* ((entries (named-modules model))
         (holders (map cdr entries))
         (source #f)
         (note! (lambda (text) (unless source (set! source text))))
         (leaves (map (lambda (entry)
                        (cons (cdr entry) (%checked-module entry note!)))
                      (filter %leaf-entry? entries))))
    (define (replace-all! old new)
      (for-each (lambda (holder) (%replace-in! holder old new)) holders))
    (for-each (lambda (leaf) (replace-all! (car leaf) (cdr leaf))) leaves)
    (%try (lambda () (no-grad (apply loss-of (list parts)))))
    (for-each (lambda (leaf) (replace-all! (cdr leaf) (car leaf))) leaves)
    source))

(define (%checked-module entry note!)
  "A procedure that calls a module, and notes a result that is not finite."
  (lambda arguments
    (let ((y (apply (cdr entry) arguments)))
      (unless (%finite-tensor? y)
        (note! (%described-result entry arguments y)))
      y)))

(define (%leaf-entry? entry)
  "Whether an entry of named-modules is a module without others in it."
  (and (not (equal? (car entry) ""))
       (null? (module-children (cdr entry)))))

(define (%described-result entry arguments y)
  (cons (format "the result ~a of the module ~s, a ~a, for ~a is not finite"
                (tensor-shape y) (car entry)
                (record-type-name (record-type (cdr entry)))
                (string-join (map (lambda (x)
                                    (if (tensor? x)
                                        (string (tensor-shape x))
                                        (%brief x)))
                                  arguments)
                             ", "))
        "its arguments and parameters are finite: look at what it calculates"))
