;; modules.lisp - modules, the parts of models: what `define-module` needs.
;;
;; A module is a record of a type that `define-module` defined.  It has the
;; fields that the form names, and two more: whether it is in training, and its
;; name in the module that holds it, which messages show.  The role of a field
;; (parameter, parameters, buffer, unnamed, or #f) is the type's.  From the
;; fields and their roles follow what a model holds (module-contents.lisp) and
;; how it changes (module-changes.lisp).

(define (module? x)
  "Whether it is a module: a record of a type that define-module defined."
  (vector? (%record-roles x)))

(define (forward model . arguments)
  "The result of a model, which is a module or a procedure, for the arguments."
  (if (procedure? model)
      (apply model arguments)
      (wrong-type "forward" "a module or a procedure" model)))

(define (%no-forward name)
  "Raise the error of a module that has no forward clause."
  (error (string name ": the module has no forward clause, so it cannot be "
                 "called")))

;; Construction.

(define (%parameter who field value)
  "The value of a parameter field: #f, a tensor that requires grad, or a list
  or vector of those."
  (cond ((not value) #f)
        ((tensor? value) (%as-parameter who field value))
        ((list? value)
         (map (lambda (item) (%parameter who field item)) value))
        ((vector? value)
         (vector-map (lambda (item) (%parameter who field item)) value))
        (else (%refuse-field who field "a tensor or #f" value))))

(define (%as-parameter who field x)
  "The tensor as a leaf that requires grad; x itself if it is one."
  (cond ((not (or (tensor-is-floating-point x) (tensor-is-complex x)))
         (error (format "~a: the parameter ~a must be floating-point, got a \
                         tensor of dtype" who field)
                (tensor-dtype x)))
        ((and (requires-grad? x) (tensor-is-leaf x)) x)
        (else (requires-grad! (detach x)))))

(define (%parameters who field value)
  "The value of a field of parameters with names of their own: an alist from
  string to tensor."
  (if (and (list? value)
           (every (lambda (entry)
                    (and (pair? entry) (string? (car entry))
                         (tensor? (cdr entry))))
                  value))
      (map (lambda (entry)
             (cons (car entry) (%as-parameter who (car entry) (cdr entry))))
           value)
      (%refuse-field who field "an alist from name to tensor" value)))

(define (%buffer who field value)
  "The value of a buffer field: #f, a tensor, or a list or vector of those."
  (cond ((or (not value) (tensor? value)) value)
        ((list? value)
         (map (lambda (item) (%buffer who field item)) value))
        ((vector? value)
         (vector-map (lambda (item) (%buffer who field item)) value))
        (else (%refuse-field who field "a tensor or #f" value))))

(define (%refuse-field who field expected value)
  "Raise the error for a value that a field cannot hold."
  (wrong-type (format "~a: field ~a" who field) expected value))

(define (%module record)
  "A new module, whose submodules now have the names of its fields."
  (let ((roles (%record-roles record)))
    (let loop ((k 0)
               (names (record-type-fields (record-type record)))
               (values (record-fields record)))
      (when (pair? names)
        (%name-modules! (car values) (car names) (vector-ref roles k))
        (loop (+ k 1) (cdr names) (cdr values))))
    record))

(define (%name-modules! value field role)
  "Name the modules in a field's value after the field."
  (when (or (module? value) (pair? value) (vector? value))
    (%name-modules-in! value (%field-path field role))))

(define (%name-modules-in! value path)
  "Name the modules in a value: path, or path.index in lists and vectors."
  (cond ((module? value) (%set-module-name! value path))
        ((or (pair? value) (vector? value))
         (%for-each-element
          (lambda (k item) (%name-modules-in! item (%join-path path k)))
          value))))

(define (%for-each-element f items)
  "Call f with each index and element of a list or vector."
  (if (vector? items)
      (dotimes (k (vector-length items)) (f k (vector-ref items k)))
      (let loop ((k 0) (rest items))
        (when (pair? rest)
          (f k (car rest))
          (loop (+ k 1) (cdr rest))))))

(define (%field-path field role)
  "A field's name in a path: PyTorch's, so with _ for -."
  (if (memq role '(unnamed parameters))
      ""
      (string-join (string-split (symbol->string field) "-") "_")))

(define (%join-path path name)
  "The path of what has that name in the module at a path."
  (if (equal? path "")
      (string name)
      (if (equal? name "") path (string path "." name))))

(define (%set-module-field! record type k value who)
  "Replace a field of a module."
  (%record-ref record type k who)
  (let* ((roles (%record-roles record))
         (role (vector-ref roles k))
         (field (list-ref (record-type-fields type) k))
         (checked (cond ((eq? role 'parameter) (%parameter who field value))
                        ((eq? role 'parameters)
                         (%parameters who field value))
                        ((eq? role 'buffer) (%buffer who field value))
                        (else (%refuse-cycle who record value)
                              value))))
    (%record-set! record type k checked who)
    (%name-modules! checked field role)))

(define (%refuse-cycle who module value)
  "Raise an error if the value holds the module that is to hold it: no walk
  through such a model would end, and nothing would free it."
  (when (%holds? value module)
    (error (format "~a: the module would hold itself: the value is, or has in \
                     it, the same" who)
           (record-type-name (record-type module)))))

(define (%holds? value module)
  "Whether a value is the module or has it in its fields, lists or vectors."
  (cond ((eq? value module) #t)
        ((module? value) (%any-holds? (record-fields value) module))
        ((pair? value) (%any-holds? value module))
        ((vector? value) (%any-holds? (vector->list value) module))
        (else #f)))

(define (%any-holds? items module)
  "Whether one of the items holds the module."
  (and (pair? items)
       (or (%holds? (car items) module)
           (%any-holds? (cdr items) module))))

;; State that no field names.

(define (%module-slot module k)
  "The index of the state after the named fields."
  (+ (vector-length (%record-roles module)) k))

(define (training? module)
  "Whether a module is in training mode, as it is until eval-mode!."
  (%check-module "training?" module)
  (%record-slot module (%module-slot module 0)))

(define (%set-training! module on)
  "Set the mode of one module."
  (%set-record-slot! module (%module-slot module 0) on))

(define (%set-module-name! module name)
  "Name a module after its place in the module that holds it."
  (%set-record-slot! module (%module-slot module 1) name))

(define (%check-module who x)
  "Raise an error unless x is a module."
  (unless (module? x)
    (wrong-type who "a module" x)))
