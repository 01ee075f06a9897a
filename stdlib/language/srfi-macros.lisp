;; srfi-macros.lisp - the small forms of SRFI 2, 26, 31, 45 and 145, and the
;; boxes of SRFI 111.

(define-syntax and-let*
  "let* that ends with #f at the first clause whose value is #f; a clause is
  (name expression), (expression) or a name.  SRFI 2."
  (syntax-rules ()
    ((_ ()) #t)
    ((_ () form ...) (let () form ...))
    ((_ ((name value))) (let ((name value)) name))
    ((_ ((value))) value)
    ((_ (name)) name)
    ((_ ((name value) clause ...) form ...)
     (let ((name value))
       (if name (and-let* (clause ...) form ...) #f)))
    ((_ ((value) clause ...) form ...)
     (if value (and-let* (clause ...) form ...) #f))
    ((_ (name clause ...) form ...)
     (if name (and-let* (clause ...) form ...) #f))))

(define-syntax cut
  "A procedure of the slots <>, and of the rest at <...>:
  (cut list 1 <> 3) is (lambda (x) (list 1 x 3)).  SRFI 26."
  (syntax-rules ()
    ((_ item ...) (%cut () () item ...))))

(define-syntax %cut
  (syntax-rules (<> <...>)
    ((_ (slot ...) (part ...)) (lambda (slot ...) (part ...)))
    ((_ (slot ...) (f part ...) <...>)
     (lambda (slot ... . others) (apply f part ... others)))
    ((_ (slot ...) (part ...) <> item ...)
     (%cut (slot ... x) (part ... x) item ...))
    ((_ (slot ...) (part ...) constant item ...)
     (%cut (slot ...) (part ... constant) item ...))))

(define-syntax cute
  "cut whose expressions are evaluated once, where it stands.  SRFI 26."
  (syntax-rules ()
    ((_ item ...) (%cute () () () item ...))))

(define-syntax %cute
  (syntax-rules (<> <...>)
    ((_ (slot ...) (binding ...) (part ...))
     (let (binding ...) (lambda (slot ...) (part ...))))
    ((_ (slot ...) (binding ...) (f part ...) <...>)
     (let (binding ...) (lambda (slot ... . others) (apply f part ... others))))
    ((_ (slot ...) (binding ...) (part ...) <> item ...)
     (%cute (slot ... x) (binding ...) (part ... x) item ...))
    ((_ (slot ...) (binding ...) (part ...) constant item ...)
     (%cute (slot ...) (binding ... (x constant)) (part ... x) item ...))))

(define-syntax rec
  "A value that can refer to itself by name: (rec (f x ...) form ...) is a
  procedure, (rec name value) any value.  SRFI 31."
  (syntax-rules ()
    ((_ (name . parameters) form ...)
     (letrec ((name (lambda parameters form ...))) name))
    ((_ name value) (letrec ((name value)) name))))

(define-syntax lazy
  "delay-force: a promise whose expression returns another promise.  SRFI 45."
  (syntax-rules ()
    ((_ form) (delay-force form))))

(define (eager x)
  "A promise whose value is x.  SRFI 45."
  (delay x))

(define-syntax assume
  "The value of a test, which must be true; the other arguments are shown if it
  is not.  SRFI 145."
  (syntax-rules ()
    ((_ test item ...)
     (or test (error "assumption does not hold:" 'test item ...)))))

;; Boxes: SRFI 111.

(define %box-type (%record-type 'box '#(content)))

(define (box content)
  "A new box that holds the content."
  (%record %box-type content))

(define (make-box content)
  "A new box that holds the content."
  (box content))

(define (box? x)
  "Whether it is a box."
  (%record? x %box-type))

(define (unbox box)
  "The content of a box."
  (%record-ref box %box-type 0 "unbox"))

(define (set-box! box content)
  "Replace the content of a box."
  (%record-set! box %box-type 0 content "set-box!"))
