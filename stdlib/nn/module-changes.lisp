;; module-changes.lisp - changing a model: modes, freezing, modules replaced,
;; dtypes and devices, copies.

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
  the module.  A dtype leaves integers as they are, and the scales of
  quantized layers.  Parameters stay the same objects, so an optimizer keeps
  them."
  (%check-module "to!" module)
  (%check-target target)
  (let ((seen (%make-identity-table)) (moves (%device-name? target)))
    (%walk module ""
           (lambda (path m)
             (unless moves
               (for-each (lambda (x) (hash-set! seen x #t))
                         (%fixed-tensors m))))
           (lambda (path role x)
             (unless (hash-has-key? seen x)
               (hash-set! seen x #t)
               (when (or moves (tensor-is-floating-point x))
                 (%convert! x target)))))
    module))

(define (%device-name? target)
  "Whether a target of tensor-to is a device: it leaves integers integers."
  (eq? 'int8 (tensor-dtype (tensor-to (tensor-zeros 0 :dtype 'int8) target))))

(define (%check-target target)
  "Raise an error if a parameter cannot be of the dtype, before any changes."
  (unless (%device-name? target)
    (let ((sample (tensor-to (tensor-zeros 0) target)))
      (unless (or (tensor-is-floating-point sample) (tensor-is-complex sample))
        (error "to!: expected a floating-point dtype or a device, got"
               target)))))

(define (%convert! x target)
  "Convert a tensor in place, and its gradient."
  (let ((gradient (and (tensor-is-leaf x) (tensor-grad x))))
    (no-grad
      (tensor-set-data x (tensor-to (detach x) target))
      (when (tensor? gradient)
        (tensor-set-data gradient (tensor-to (detach gradient) target))))))

;; Copies.

(define (copy-module module)
  "A module like another one, with copies of its tensors, and of the lists,
  vectors and hash tables in its fields.  What is shared in the original is
  shared in the copy."
  (%check-module "copy-module" module)
  (%deep-copy module (%make-identity-table)))

(define (%deep-copy value copies)
  "A copy of what a field holds.  copies: what has been copied before."
  (cond ((hash-ref copies value #f))
        ((tensor? value) (%remember-copy! copies value (%copy-tensor value)))
        ((module? value) (%copy-record value copies))
        ((pair? value) (%copy-pair value copies))
        ((vector? value) (%copy-vector value copies))
        ((hash-table? value) (%copy-table value copies))
        (else value)))

(define (%remember-copy! copies value copy)
  "Note what a value's copy is, and return it."
  (hash-set! copies value copy)
  copy)

(define (%copy-tensor x)
  "A tensor of the same elements, which requires grad if x does."
  (let ((copy (tensor-copy (detach x))))
    (if (requires-grad? x) (requires-grad! copy) copy)))

;; What holds others may hold itself, so it is noted before they are copied.

(define (%copy-record module copies)
  "A module of the same type, with copies in its fields."
  (let* ((fields (record-fields module))
         (state (list (training? module)
                      (%record-slot module (%module-slot module 1))))
         (copy (%remember-copy! copies module
                                (apply %record (record-type module)
                                       (append fields state)))))
    (for-each (lambda (k value)
                (%set-record-slot! copy k (%deep-copy value copies)))
              (iota (length fields)) fields)
    copy))

(define (%copy-pair pair copies)
  "A pair of copies."
  (let ((copy (%remember-copy! copies pair (cons #f #f))))
    (set-car! copy (%deep-copy (car pair) copies))
    (set-cdr! copy (%deep-copy (cdr pair) copies))
    copy))

(define (%copy-vector items copies)
  "A vector of copies."
  (let ((copy (%remember-copy! copies items (vector-copy items))))
    (dotimes (k (vector-length items))
      (vector-set! copy k (%deep-copy (vector-ref items k) copies)))
    copy))

(define (%copy-table table copies)
  "A hash table of the same keys, with copies of what they lead to."
  (let ((copy (%remember-copy! copies table (hash-copy table))))
    (for-each (lambda (key)
                (hash-set! copy key (%deep-copy (hash-ref table key) copies)))
              (hash-keys table))
    copy))
