;; template-calls.lisp - the methods of strings, lists and dictionaries, and the
;; functions, that chat templates call.
;;
;; Each is a callee: its procedure takes the run,
;; the line, the object of a method, and a value for each parameter.  A
;; parameter is a name, or a list of a name and a default; a symbol is by
;; position only.  With any for the parameters the procedure takes the list of
;; the arguments by position and the alist of those by name.

(define-record-type %template-callee
  (%callee name parameters procedure)
  %callee?
  (name %callee-name)
  (parameters %callee-parameters)
  (procedure %callee-procedure))

(define (%table-of-entries . entries)
  "The entries by their names."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry) (hash-set! table (%callee-name entry) entry))
              entries)
    table))

(define (%call-entry entry run line object items named)
  "The value of a call.  object: a list of the method's object, or ()."
  (let ((f (%callee-procedure entry)) (parameters (%callee-parameters entry)))
    (if (eq? parameters 'any)
        (apply f run line (append object (list items named)))
        (apply f run line
               (append object (%bound-arguments line (%callee-name entry)
                                                parameters items named))))))

(define (%bound-arguments line name parameters items named)
  "A value for each parameter; an error for what is missing, or too much."
  (let ((names (map (lambda (p) (if (pair? p) (car p) p)) parameters)))
    (when (> (length items) (length parameters))
      (%template-error line (string name " takes " (length parameters)
                                    " arguments, got " (length items))))
    (for-each (lambda (entry)
                (unless (member (car entry) names)
                  (%template-error line (string name " has no argument "
                                                (car entry)))))
              named)
    (let loop ((parameters parameters) (names names) (items items) (made '()))
      (if (null? parameters)
          (reverse made)
          (let ((by-name (assoc (car names) named)))
            (when (and by-name (pair? items))
              (%template-error line (string name " has the argument "
                                            (car names) " twice")))
            (loop (cdr parameters) (cdr names)
                  (if (pair? items) (cdr items) '())
                  (cons (cond ((pair? items) (car items))
                              (by-name (cdr by-name))
                              ((pair? (car parameters)) (cadar parameters))
                              (else
                               (%template-error
                                line (string name " needs the argument "
                                             (car names)))))
                        made)))))))

(define (%template-method x name)
  "The entry of a value's method; unsafe for one that would change the value, as
  Jinja's sandbox has it; #f if there is none."
  (let ((table (cond ((string? x) (force %string-methods))
                     ((hash-table? x) (force %table-methods))
                     ((or (%sequence? x) (%range? x)) (force %list-methods))
                     (else #f))))
    (and table
         (or (hash-ref table name #f)
             (and (member name (cond ((hash-table? x)
                                      '("pop" "popitem" "update" "clear"
                                        "setdefault"))
                                     ((vector? x) '())
                                     ((list? x)
                                      '("append" "extend" "insert" "pop"
                                        "remove" "reverse" "sort" "clear"))
                                     (else '())))
                  'unsafe)))))

(define (%check-text line x)
  "The value, which must be a string."
  (let ((x (%plain x)))
    (unless (string? x)
      (%template-error line (string "expected a string, got "
                                    (%template-kind x))))
    x))

(define (%check-integer line x)
  "The value, which must be an integer."
  (let ((x (%number-of x)))
    (unless (exact-integer? x)
      (%template-error line (string "expected an integer, got "
                                    (%template-kind x))))
    x))

(define (%strings-of line x)
  "A string, or those of a tuple, as a list."
  (if (vector? x)
      (map (lambda (part) (%check-text line part)) (vector->list x))
      (list (%check-text line x))))

;; Dictionaries and lists.

(define (%items-of-table table)
  "The entries of a dictionary as tuples."
  (map (lambda (entry) (vector (car entry) (cdr entry))) (hash->list table)))

(define %table-methods
  (delay
   (%table-of-entries
    (%callee "items" '() (lambda (run line table)
                          (%count-work! (hash-size table))
                          (%view "dict_items" (%items-of-table table) #f)))
    (%callee "keys" '() (lambda (run line table)
                         (%count-work! (hash-size table))
                         (%view "dict_keys" (hash-keys table) #f)))
    (%callee "values" '() (lambda (run line table)
                           (%count-work! (hash-size table))
                           (%view "dict_values" (hash-values table) #f)))
    (%callee "copy" '() (lambda (run line table)
                         (%count-text! run line (hash-size table))
                         (hash-copy table)))
    (%callee "get" '(key (default null))
            (lambda (run line table key default)
              (hash-ref table (%dictionary-key line key) default))))))

(define %list-methods
  (delay
   (%table-of-entries
    (%callee "index" '(value)
            (lambda (run line all x)
              (or (list-index (lambda (item) (%template-equal? item x))
                              (%template-items line all))
                  (%template-error line "the list does not have that item"))))
    (%callee "count" '(value)
            (lambda (run line all x)
              (count (lambda (item) (%template-equal? item x))
                     (%template-items line all))))
    (%callee "copy" '() (lambda (run line all) all)))))

;; Functions.

(define (%template-range run line items named)
  "range(end), range(start, end) or range(start, end, step)."
  (unless (and (<= 1 (length items) 3) (null? named)
               (every exact-integer? items))
    (%template-error line "range takes one to three integers"))
  (let ((start (if (null? (cdr items)) 0 (car items)))
        (end (if (null? (cdr items)) (car items) (cadr items)))
        (step (if (> (length items) 2) (caddr items) 1)))
    (when (= step 0)
      (%template-error line "the step of a range is 0"))
    (let ((n (max 0 (ceiling (/ (- end start) step)))))
      (when (> n 100000)
        (%template-error line (string "a range of " n " numbers is too long")))
      (%count-text! run line n)
      (%view "range" (iota n start step) (list start end step)))))

(define (%template-namespace run line items named)
  "namespace(name=value, ...)."
  (let ((table (%template-dict run line items named)))
    (%set-run-tables! run (cons table (%run-tables run)))
    (%record %namespace-type table)))

(define (%template-dict run line items named)
  "dict(name=value, ...), of a dictionary or of pairs."
  (let ((table (make-hash-table)))
    (when (and (pair? items) (pair? (cdr items)))
      (%template-error line "dict takes one argument by position"))
    (for-each
     (lambda (x)
       (if (hash-table? x)
           (hash-for-each x (lambda (key value) (hash-set! table key value)))
           (for-each
            (lambda (entry)
              (let ((both (%template-items line entry)))
                (unless (= (length both) 2)
                  (%template-error line "dict takes pairs of a key and a value"))
                (hash-set! table (%dictionary-key line (car both))
                           (cadr both))))
            (%template-items line x))))
     items)
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) named)
    (%count-text! run line (hash-size table))
    table))

(define (%raise-exception run line message)
  "raise_exception(message): the template refuses the messages."
  (%template-error line (%template-text message)))

(define (%strftime-now run line format)
  "strftime_now(format): the date and time, in local time."
  (let ((now (current-seconds)))
    (%formatted-time (%check-text line format)
                     (+ now (%local-time-offset now)))))

(define (%template-joiner run line separator)
  "joiner(separator): a function that returns nothing at its first call, and
  then the separator."
  (let ((used (vector #f)))
    (%callable 'function
               (%callee "joiner" '()
                       (lambda (run line)
                         (if (vector-ref used 0)
                             separator
                             (begin (vector-set! used 0 #t) "")))))))

(define (%template-cycler run line items named)
  "cycler(item, ...): an object whose next returns one item after the other."
  (when (or (null? items) (pair? named))
    (%template-error line "cycler needs items"))
  (let ((at (vector 0)) (all (list->vector items)) (table (make-hash-table)))
    (define (note!)
      (hash-set! table "current" (vector-ref all (vector-ref at 0))))
    (define (method! name f)
      (hash-set! table name (%callable 'function (%callee name '() f))))
    (note!)
    (%set-run-tables! run (cons table (%run-tables run)))
    (method! "next" (lambda (run line)
                      (let ((item (vector-ref all (vector-ref at 0))))
                        (vector-set! at 0 (modulo (+ 1 (vector-ref at 0))
                                                  (vector-length all)))
                        (note!)
                        item)))
    (method! "reset" (lambda (run line) (vector-set! at 0 0) (note!) 'null))
    (%record %namespace-type table)))

(define %template-functions
  (delay
   (%table-of-entries
    (%callee "range" 'any %template-range)
    (%callee "namespace" 'any %template-namespace)
    (%callee "dict" 'any %template-dict)
    (%callee "joiner" '(("sep" ", ")) %template-joiner)
    (%callee "cycler" 'any %template-cycler)
    (%callee "raise_exception" '("message") %raise-exception)
    (%callee "strftime_now" '("format") %strftime-now))))
