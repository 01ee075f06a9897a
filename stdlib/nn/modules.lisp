;; modules.lisp - modules, the parts of models, as data: their parameters by
;; path, modes, dtypes, copies.
;;
;; A module is a record of a type that `define-module` defined.  It has the
;; fields that the form names, and two more: whether it is in training, and its
;; name in the module that holds it, which messages show.  The role of a field
;; (parameter, parameters, buffer, unnamed, or #f) is the type's.  Everything
;; here follows from the fields and their roles.

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

;; Records of any type.

(define (record-ref record field)
  "The field of that name, a symbol, of any record."
  (%record-slot record (%field-index "record-ref" record field)))

(define (record-set! record field value)
  "Replace the field of that name, a symbol, of any record."
  (let ((k (%field-index "record-set!" record field)))
    (if (module? record)
        (%set-module-field! record (record-type record) k value "record-set!")
        (%set-record-slot! record k value))))

(define (%field-index who record field)
  "The index of the field of that name."
  (unless (record? record) (wrong-type who "a record" record))
  (let ((names (record-type-fields (record-type record))))
    (or (list-index (lambda (name) (eq? name field)) names)
        (error (format "~a: ~a has no field ~s; its fields are" who
                       (record-type-name (record-type record)) field)
               names))))

;; Walks.

(define (%walk module path on-module on-tensor)
  "Call on-module with the path of each module, before those in it, and
  on-tensor with path, role and each tensor in their fields."
  (on-module path module)
  (let ((roles (%record-roles module)))
    (let loop ((k 0)
               (names (record-type-fields (record-type module)))
               (values (record-fields module)))
      (when (pair? names)
        (let* ((role (vector-ref roles k))
               (field (%field-path (car names) role)))
          (%walk-value (car values) role (%join-path path field)
                       on-module on-tensor))
        (loop (+ k 1) (cdr names) (cdr values))))))

(define (%walk-value value role path on-module on-tensor)
  "Walk what a field holds."
  (cond ((tensor? value) (on-tensor path role value))
        ((eq? role 'parameters)
         (for-each (lambda (entry)
                     (on-tensor (%join-path path (car entry)) 'parameter
                                (cdr entry)))
                   value))
        ((module? value) (%walk value path on-module on-tensor))
        ((or (pair? value) (vector? value))
         (%for-each-element
          (lambda (k item)
            (%walk-value item role (%join-path path k) on-module on-tensor))
          value))))

(define (%ignore . arguments)
  "Do nothing."
  #f)

(define (%named-tensors who module wanted? once?)
  "The alist of path and tensor for the roles that wanted? accepts; with
  once?, each tensor only under its first path."
  (%check-module who module)
  (let ((found '())
        (seen (%make-identity-table)))
    (%walk module "" %ignore
           (lambda (path role x)
             (when (and (wanted? role)
                        (not (and once? (hash-has-key? seen x))))
               (hash-set! seen x #t)
               (set! found (cons (cons path x) found)))))
    (reverse found)))

;; What a model holds.

(define (named-parameters module)
  "The parameters of a module and the modules in it, as an alist from path to
  tensor: ((\"0.weight\" . tensor) ...).  Paths are those of PyTorch's
  state_dict.  A tensor that has several paths is listed under the first."
  (%named-tensors "named-parameters" module
                  (lambda (role) (eq? role 'parameter)) #t))

(define (parameters module)
  "The parameters of a module and the modules in it, each once, as a list."
  (%check-module "parameters" module)
  (map cdr (named-parameters module)))

(define (named-buffers module)
  "The buffers of a module and the modules in it, as an alist from path to
  tensor: what is saved, but not learned."
  (%named-tensors "named-buffers" module
                  (lambda (role) (eq? role 'buffer)) #t))

(define (state-dict module)
  "The parameters and buffers of a module, as an alist from path to tensor, in
  the order of PyTorch's state_dict.  A tensor that has several paths is listed
  under each."
  (%named-tensors "state-dict" module
                  (lambda (role) (memq role '(parameter buffer))) #f))

(define (named-modules module)
  "A module and the modules in it, as an alist from path to module; the path of
  the module itself is \"\"."
  (%check-module "named-modules" module)
  (let ((found '()))
    (%walk module ""
           (lambda (path m) (set! found (cons (cons path m) found)))
           %ignore)
    (reverse found)))

(define (module-children module)
  "The modules directly in a module, as an alist from name to module."
  (%check-module "module-children" module)
  (let ((found '()))
    (for-each (lambda (name role value)
                (%collect-children value (%field-path name role)
                                   (lambda (path m)
                                     (set! found
                                           (cons (cons path m) found)))))
              (record-type-fields (record-type module))
              (vector->list (%record-roles module))
              (record-fields module))
    (reverse found)))

(define (%collect-children value path collect)
  "Call collect with path and module for the outermost modules of a value."
  (cond ((module? value) (collect path value))
        ((or (pair? value) (vector? value))
         (%for-each-element
          (lambda (k item)
            (%collect-children item (%join-path path k) collect))
          value))))

(define (parameter-count module)
  "The number of elements in all parameters of a module."
  (fold (lambda (x n) (+ n (tensor-numel x))) 0 (parameters module)))

;; Modes.

(define (train-mode! module)
  "Put a module and the modules in it into training mode; returns it."
  (%set-mode! "train-mode!" module #t))

(define (eval-mode! module)
  "Put a module and the modules in it into evaluation mode, in which dropout
  does nothing and batch norm uses its running statistics; returns it."
  (%set-mode! "eval-mode!" module #f))

(define (%set-mode! who module on)
  "Set the mode of a module and the modules in it."
  (%check-module who module)
  (%walk module "" (lambda (path m) (%set-training! m on)) %ignore)
  module)

(define (freeze! module)
  "Let the parameters of a module learn no more; returns it."
  (for-each (lambda (x) (%set-learning! x #f)) (parameters module))
  module)

(define (unfreeze! module)
  "Let the parameters of a module learn again; returns it."
  (for-each (lambda (x) (%set-learning! x #t)) (parameters module))
  module)

(define (%set-learning! x on)
  "Whether a parameter requires grad from now on; off drops its gradient."
  (if on
      (requires-grad! x)
      (begin (zero-grad! x)
             (requires-grad! x #f))))

;; Modules by path.

(define (module-at module path)
  "The module at a path such as \"layers.0.mlp\"."
  (let ((found (assoc path (named-modules module))))
    (if found
        (cdr found)
        (%no-module "module-at" module path))))

(define (%no-module who module path)
  "Raise the error for a path that leads to no module."
  (error (format "~a: no module has the path ~s; there are" who path)
         (map car (cdr (named-modules module)))))

(define (replace-module! module path new)
  "Put a new module in the place of the one at a path; returns the whole.  new
  may be any procedure."
  (%check-module "replace-module!" module)
  (let ((old (module-at module path)))
    (when (eq? old module)
      (error "replace-module!: the path of the whole module cannot be replaced"))
    (for-each (lambda (entry) (%replace-in! (cdr entry) old new))
              (named-modules module))
    (when (and (module? new) (module? old))
      (%set-module-name! new (%record-slot old (%module-slot old 1))))
    module))

(define (%replace-in! holder old new)
  "Replace a module wherever the fields of its holder mention it."
  (let loop ((k 0) (values (record-fields holder)))
    (when (pair? values)
      (let ((replaced (%replaced (car values) old new)))
        (unless (eq? replaced (car values))
          (%refuse-cycle "replace-module!" holder new)
          (%set-record-slot! holder k replaced)))
      (loop (+ k 1) (cdr values)))))

(define (%replaced value old new)
  "The value with new for old; the value itself if old is not in it."
  (cond ((eq? value old) new)
        ((and (list? value) (%mentions? value old))
         (map (lambda (item) (%replaced item old new)) value))
        ((and (vector? value) (%mentions? (vector->list value) old))
         (vector-map (lambda (item) (%replaced item old new)) value))
        (else value)))

(define (%mentions? items old)
  "Whether a list holds old, in lists or vectors, too."
  (any (lambda (item)
         (or (eq? item old)
             (and (list? item) (%mentions? item old))
             (and (vector? item) (%mentions? (vector->list item) old))))
       items))

;; Dtypes and devices.

(define (to! module target)
  "Convert the parameters and buffers of a module, and other tensors in its
  fields, to a dtype such as 'bfloat16 or a device such as \"cuda\"; returns
  the module.  A dtype leaves integers as they are.  Parameters stay the same
  objects, so an optimizer keeps them."
  (%check-module "to!" module)
  (%check-target target)
  (let ((seen (%make-identity-table)))
    (%walk module "" %ignore
           (lambda (path role x)
             (unless (hash-has-key? seen x)
               (hash-set! seen x #t)
               (%convert! x target))))
    module))

(define (%check-target target)
  "Raise an error if a parameter cannot be of the dtype, before any changes."
  (unless (string? target)
    (let ((sample (tensor-to (tensor-zeros 0) target)))
      (unless (or (tensor-is-floating-point sample) (tensor-is-complex sample))
        (error "to!: expected a floating-point dtype or a device, got"
               target)))))

(define (%convert! x target)
  "Convert a tensor in place, and its gradient."
  (when (or (string? target) (tensor-is-floating-point x))
    (let ((gradient (and (tensor-is-leaf x) (tensor-grad x))))
      (no-grad
        (tensor-set-data x (tensor-to (detach x) target))
        (when (tensor? gradient)
          (tensor-set-data gradient (tensor-to (detach gradient) target)))))))

;; Copies.

(define (copy-module module)
  "A module like another one, with copies of its tensors.  What is shared in
  the original is shared in the copy."
  (%check-module "copy-module" module)
  (%deep-copy module (%make-identity-table)))

(define (%deep-copy value copies)
  "A copy of what a field holds.  copies: what has been copied before."
  (cond ((hash-ref copies value #f))
        ((tensor? value) (%remember-copy! copies value (%copy-tensor value)))
        ((module? value)
         (%remember-copy! copies value (%copy-record value copies)))
        ((pair? value)
         (cons (%deep-copy (car value) copies)
               (%deep-copy (cdr value) copies)))
        ((vector? value)
         (vector-map (lambda (item) (%deep-copy item copies)) value))
        (else value)))

(define (%remember-copy! copies value copy)
  "Note what a value's copy is, and return it."
  (hash-set! copies value copy)
  copy)

(define (%copy-tensor x)
  "A tensor of the same elements, which requires grad if x does."
  (let ((copy (tensor-copy (detach x))))
    (if (requires-grad? x) (requires-grad! copy) copy)))

(define (%copy-record module copies)
  "A module of the same type, with copies in its fields."
  (let* ((named (map (lambda (value) (%deep-copy value copies))
                     (record-fields module)))
         (state (list (training? module)
                      (%record-slot module (%module-slot module 1)))))
    (apply %record (record-type module) (append named state))))
