;; template-macros.lisp - calls of macros, methods and functions in chat
;; templates.

(define (%evaluate-call env run line callee items named)
  "The value of a call."
  (let ((f (%evaluate callee env run))
        (items (map (lambda (x) (%evaluate x env run)) items))
        (named (map (lambda (entry)
                      (cons (car entry) (%evaluate (cdr entry) env run)))
                    named)))
    (if (%loop? f)
        (%call-loop line f items named)
        (%call-value run line f items named))))

(define (%call-loop line x items named)
  "The text of a loop that is called with new items."
  (unless (%loop-part x 6)
    (%template-error line "the loop is called, and is not marked as recursive"))
  (unless (and (= (length items) 1) (null? named))
    (%template-error line "a loop is called with its items"))
  ((%loop-part x 6) line (car items)))

(define (%call-value run line f items named)
  "The value of a call of a macro, a method or a function."
  (unless (%callable? f)
    (%template-error line (string "cannot call " (%template-kind f))))
  (let ((value (%callable-part f 1)))
    (case (%callable-part f 0)
      ((macro) (apply %call-macro run line items named value))
      ((method)
       (%call-entry (cdr value) run line (list (car value))
                    (map %plain items) named))
      (else (%call-entry value run line '() items named)))))

;; Macros see the scopes in which they are defined.

(define (%made-macro env run parts)
  "The value of a macro."
  (%set-run-tables! run (cons (car env) (%run-tables run)))
  (%callable 'macro (cons env parts)))

(define (%call-macro run line items named env name parameters body used)
  "The text of a macro."
  (let* ((scope (make-hash-table))
         (inner (cons scope env))
         (count (length parameters))
         (surplus (if (> (length items) count) (drop items count) '())))
    (define (special! special value)
      (when (member special used) (hash-set! scope special value)))
    (when (and (pair? surplus) (not (member "varargs" used)))
      (%template-error line (string "the macro " name " takes " count
                                    " arguments, got " (length items))))
    (let loop ((parameters parameters) (items items))
      (unless (null? parameters)
        (let* ((parameter (car parameters))
               (by-name (assoc (car parameter) named)))
          (when (and by-name (pair? items))
            (%template-error line (string "the macro " name " has the argument "
                                          (car parameter) " twice")))
          (hash-set! scope (car parameter)
                     (cond ((pair? items) (car items))
                           (by-name (cdr by-name))
                           ((cdr parameter) (%evaluate (cdr parameter) inner run))
                           (else (%undefined (car parameter)))))
          (loop (cdr parameters) (if (pair? items) (cdr items) '())))))
    (let ((others (remove (lambda (entry)
                            (or (assoc (car entry) parameters)
                                (and (string=? (car entry) "caller")
                                     (member "caller" used))))
                          named))
          (caller (assoc "caller" named)))
      (when (and (pair? others) (not (member "kwargs" used)))
        (%template-error line (string "the macro " name " has no argument "
                                      (caar others))))
      (special! "varargs" (list->vector surplus))
      (special! "kwargs" (%template-dict run line '() others))
      (unless (assoc "caller" parameters)
        (special! "caller" (if caller (cdr caller) (%undefined "caller")))))
    (%deeper-text run line
      (lambda (out) (%execute body inner run out)))))
