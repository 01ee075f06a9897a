;; srfi-37.lisp - args-fold: options and operands of a command line.
;;
;;     -abc     the options a, b and c, or a with the argument bc
;;     --name=x the option name with the argument x
;;     --       only operands after it

(define-record-type <option>
  (%new-option names required? optional? processor)
  option?
  (names option-names)                    ; characters and strings
  (required? option-required-arg?)
  (optional? option-optional-arg?)
  (processor option-processor))

(define (option names required-arg? optional-arg? processor)
  "An option of args-fold: a list of its names, characters for short ones and strings
  for long ones; whether it must and whether it may have an argument; and a procedure
  of the option, the name, the argument or #f, and the seeds.  Source: SRFI 37."
  (unless (and (list? names)
               (every (lambda (name) (or (char? name) (string? name))) names))
    (wrong-type "option" "a list of characters and strings" names))
  (unless (procedure? processor) (wrong-type "option" "a procedure" processor))
  (%new-option names required-arg? optional-arg? processor))

(define (args-fold arguments options unrecognized operand . seeds)
  "Call for each option and operand of a list of strings, in order, its procedure, with
  the seeds behind the other arguments; it returns the new seeds, which are returned at
  the end.

  options: a list of options.  unrecognized: a procedure like an option's own, for
  others.  operand: a procedure of a string and the seeds.  Source: SRFI 37."
  (unless (and (list? arguments) (every string? arguments))
    (wrong-type "args-fold" "a list of strings" arguments))
  (unless (and (list? options) (every option? options))
    (wrong-type "args-fold" "a list of options" options))
  (%fold-arguments arguments options unrecognized operand seeds))

(define (%fold-arguments arguments options unrecognized operand seeds)
  "The loop of args-fold."
  (if (null? arguments)
      (apply values seeds)
      (let ((text (car arguments)) (rest (cdr arguments)))
        (let ((on (lambda (rest seeds)
                    (%fold-arguments rest options unrecognized operand seeds))))
          (cond ((string=? text "--")
                 (%fold-operands rest operand seeds))
                ((string-prefix? "--" text)
                 (%fold-long (string-drop text 2) rest options unrecognized seeds on))
                ((and (string-prefix? "-" text) (> (string-length text) 1))
                 (%fold-short (string-drop text 1) rest options unrecognized seeds on))
                (else
                 (on rest (%seeds-of (lambda () (apply operand text seeds))))))))))

(define (%seeds-of thunk)
  "The values of a procedure, as a list."
  (call-with-values thunk list))

(define (%fold-operands arguments operand seeds)
  "What is after --."
  (if (null? arguments)
      (apply values seeds)
      (%fold-operands (cdr arguments) operand
                      (%seeds-of (lambda () (apply operand (car arguments) seeds))))))

(define (%option-of name options)
  "The option of a name, or #f."
  (find (lambda (option) (member name (option-names option))) options))

(define (%process-option option name argument seeds)
  "The seeds after an option."
  (%seeds-of (lambda () (apply (option-processor option) option name argument seeds))))

(define (%fold-long text rest options unrecognized seeds on)
  "An option with a long name, and perhaps an argument after =."
  (let* ((split (string-index text #\=))
         (name (if split (string-take text split) text))
         (argument (and split (string-drop text (+ split 1))))
         (option (or (%option-of name options)
                     (%new-option (list name) #f #t unrecognized))))
    (if (and (not argument) (option-required-arg? option) (pair? rest))
        (on (cdr rest) (%process-option option name (car rest) seeds))
        (on rest (%process-option option name argument seeds)))))

(define (%fold-short text rest options unrecognized seeds on)
  "Options with short names; the first one that takes an argument has the rest."
  (let* ((name (string-ref text 0))
         (more (and (> (string-length text) 1) (string-drop text 1)))
         (option (or (%option-of name options)
                     (%new-option (list name) #f #f unrecognized)))
         (process (lambda (argument) (%process-option option name argument seeds))))
    (cond ((and more (or (option-required-arg? option) (option-optional-arg? option)))
           (on rest (process more)))
          (more
           (%fold-short more rest options unrecognized (process #f) on))
          ((and (option-required-arg? option) (pair? rest))
           (on (cdr rest) (process (car rest))))
          (else (on rest (process #f))))))
