;; module-contents.lisp - what a model holds: its parameters, buffers and
;; modules by path.

;; Walks.

(define (%walk module path on-module on-tensor)
  "Call on-module with the path of each module, before those in it, and
  on-tensor with path, role and each tensor in their fields.  A module that
  holds itself, in a vector that was changed, is not walked again inside."
  (%walk-within '() module path on-module on-tensor))

(define (%walk-within holders module path on-module on-tensor)
  "Walk a module inside of other modules, the nearest first."
  (unless (memq module holders)
    (on-module path module)
    (%walk-fields (cons module holders) module path on-module on-tensor)))

(define (%walk-fields holders module path on-module on-tensor)
  "Walk what a module, the first of the holders, has in its fields."
  (let ((roles (%record-roles module)))
    (let loop ((k 0)
               (names (record-type-fields (record-type module)))
               (values (record-fields module)))
      (when (pair? names)
        (let* ((role (vector-ref roles k))
               (field (%field-path (car names) role)))
          (%walk-value holders (car values) role (%join-path path field)
                       on-module on-tensor))
        (loop (+ k 1) (cdr names) (cdr values))))))

(define (%walk-value holders value role path on-module on-tensor)
  "Walk what a field holds."
  (cond ((tensor? value) (on-tensor path role value))
        ((eq? role 'parameters)
         (for-each (lambda (entry)
                     (on-tensor (%join-path path (car entry)) 'parameter
                                (cdr entry)))
                   value))
        ((module? value)
         (%walk-within holders value path on-module on-tensor))
        ((or (pair? value) (vector? value))
         (%for-each-element
          (lambda (k item)
            (%walk-value holders item role (%join-path path k)
                         on-module on-tensor))
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
