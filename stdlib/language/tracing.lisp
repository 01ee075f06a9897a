;; tracing.lisp - trace: show the calls of a procedure, and what they return.
;;
;; (trace f)  =>  (set! f (%traced 'f f)), so that each call of f says
;;
;;     (f 2)
;;       (f 1)
;;       => 1
;;     => 2
;;
;; on the current error port.  A traced call is not in tail position, because
;; its result is still to be shown.

(define %traces (list '()))      ; pairs of what is called now, and the original
(define %trace-depth (list 0))

(define-syntax trace
  "Show the calls of the procedures that the variables hold, until untrace."
  (syntax-rules ()
    ((_ name ...)
     (begin (%set-traced trace name (%traced 'name name)) ...))))

(define-syntax untrace
  "Stop showing the calls of the procedures."
  (syntax-rules ()
    ((_ name ...)
     (begin (%set-traced untrace name (%untraced name)) ...))))

(define-syntax %set-traced
  "set! of a name; for a call or a constant, the error of the form trace or
  untrace."
  (syntax-rules (trace)
    ((_ trace name procedure)
     (%if-name name
               (set! name procedure)
               (syntax-error "trace: expected the name of a procedure, got"
                             name)))
    ((_ untrace name procedure)
     (%if-name name
               (set! name procedure)
               (syntax-error "untrace: expected the name of a procedure, got"
                             name)))))

(define-syntax %if-name
  "The form then if x is a name.  A pattern that is a name matches anything, a
  constant matches only itself."
  (syntax-rules ()
    ((_ (head . rest) then otherwise) otherwise)
    ((_ x then otherwise)
     (let-syntax ((%choose (syntax-rules ()
                             ((_ x one two) one)
                             ((_ other one two) two))))
       (%choose (no constant) then otherwise)))))

(define (%traced name f)
  "A procedure that calls f, and shows the call and its result."
  (unless (procedure? f)
    (wrong-type "trace" "a procedure" f))
  (if (assq f (car %traces))
      f
      (let ((shown (lambda arguments (%traced-call name f arguments))))
        (set-car! %traces (cons (cons shown f) (car %traces)))
        shown)))

(define (%untraced f)
  "The procedure that was traced; f itself if it is not traced."
  (let ((entry (assq f (car %traces))))
    (if entry
        (begin
          (set-car! %traces
                    (filter (lambda (other) (not (eq? other entry)))
                            (car %traces)))
          (cdr entry))
        f)))

(define (%traced-call name f arguments)
  "The result of f, after printing lines for the call and the result."
  (let ((depth (car %trace-depth)))
    (%trace-line depth (string-append
                        "(" (string-join (cons (symbol->string name)
                                               (map %trace-text arguments)))
                        ")"))
    (let ((result (dynamic-wind
                   (lambda () (set-car! %trace-depth (+ depth 1)))
                   (lambda () (apply f arguments))
                   (lambda () (set-car! %trace-depth depth)))))
      (%trace-line depth (string-append "=> " (%trace-text result)))
      result)))

(define (%trace-line depth text)
  "Print a line, indented by the depth of the call."
  (display (string-append (make-string (* 2 (min depth 30)) #\space) text "\n")
           (current-error-port)))

(define (%trace-text x)
  "The beginning of what write prints; for a tensor its dtype and shape."
  (if (procedure? x)
      (%written-text x)
      (%brief x)))
