;; command-lines.lisp - define-command-line: options, arguments and commands of a
;; program, with checks, messages and a help text.

(define-record-type <command-line>
  (%new-command-line name about version items commands run)
  command-line?
  (name %command-name)
  (about %command-about)         ; what it does, or #f
  (version %command-version)     ; a text, or #f
  (items %command-items)         ; options and arguments, in order
  (commands %command-commands)   ; a list of command lines
  (run %command-run))            ; a procedure of the options, or #f

(define-record-type <command-item>
  (%new-command-item kind key names type default required? repeated? check help shown)
  %command-item?
  (kind %item-kind)              ; option, flag, argument or rest
  (key %item-key)                ; the symbol of its value
  (names %item-names)            ; strings like -f and --file
  (type %item-type)
  (default %item-default)
  (required? %item-required?)
  (repeated? %item-repeated?)
  (check %item-check)            ; a predicate, or #f
  (help %item-help)
  (shown %item-shown))           ; what stands for its value in the help text

(define-record-type <options>
  (%new-options table)
  %options?
  (table %options-table)
  :call (lambda (self key)
          (hash-table-ref (%options-table self) key
                          (lambda ()
                            (error "options: the command line has no such option or argument:"
                                   key)))))

(define-syntax define-command-line
  "Define what a program's command line is; run-command-line reads and runs it.

  (define-command-line name \"What it does.\"
    (:version \"1.0\")
    (:option count \"-n\" :type 'integer :default 1 :help \"how many\")
    (:flag verbose \"-v\" :help \"say more\")
    (:argument file :help \"what to read\")
    (:rest others)
    (:command add \"Add things.\" clause ... (:run (lambda (options) ...)))
    (:run (lambda (options) (print (options 'count)))))

  An option is --count N as well as -n N.  :type is string, integer, number, a list of the
  choices, or a procedure that returns a string's value, or #f if it has none.  :required
  and :repeated are #t or #f; a repeated option is a list, a repeated flag a number.  :check
  is a predicate of the value, :value the word that stands for it in the help text."
  (syntax-rules ()
    ((_ name clause ...)
     (define name (%command-line 'name (list (%command-clause clause) ...))))))

(define-syntax %command-clause
  (syntax-rules ()
    ((_ (:option name . more)) (%command-item 'option 'name . more))
    ((_ (:flag name . more)) (%command-item 'flag 'name . more))
    ((_ (:argument name . more)) (%command-item 'argument 'name . more))
    ((_ (:rest name . more)) (%command-item 'rest 'name . more))
    ((_ (:command name clause ...))
     (%command-line 'name (list (%command-clause clause) ...)))
    ((_ (:run procedure)) (cons 'run procedure))
    ((_ (:version text)) (cons 'version text))
    ((_ about) about)))

(define (%command-item kind key :type 'string :default #f :required #f :repeated #f
                       :check #f :help "" :value #f . names)
  "An option or an argument of a command line."
  (unless (every (lambda (name) (and (string? name) (string-prefix? "-" name)
                                     (> (string-length name) 1)))
                 names)
    (wrong-type "define-command-line" "names like \"-f\" and \"--file\"" names))
  (unless (or (memq type '(string integer number)) (pair? type) (procedure? type))
    (wrong-type "define-command-line"
                "string, integer, number, a list of choices or a procedure for :type" type))
  (%new-command-item
   kind key
   (if (memq kind '(option flag))
       (append names (list (string-append "--" (symbol->string key))))
       '())
   type
   (cond ((and (eq? kind 'flag) repeated (not default)) 0)
         ((and (or repeated (eq? kind 'rest)) (not default)) '())
         (else default))
   (or required (and (eq? kind 'argument) (not default)))
   (or repeated (eq? kind 'rest))
   check help
   (or value (if (pair? type)
                 (string-join (map string type) "|")
                 (string-upcase (if (memq kind '(argument rest))
                                    (symbol->string key)
                                    (case type
                                      ((integer number) "n")
                                      (else (symbol->string key)))))))))

(define (%command-line name clauses)
  "The command line of its clauses."
  (for-each (lambda (clause)
              (unless (or (string? clause) (%command-item? clause) (command-line? clause)
                          (pair? clause))
                (wrong-type "define-command-line"
                            "a text, (:option ...), (:flag ...), (:argument ...), (:rest ...), (:command ...), (:version ...) or (:run ...)"
                            clause)))
            clauses)
  (let ((part (lambda (key) (let ((entry (assq key (filter pair? clauses))))
                              (and entry (cdr entry))))))
    (%new-command-line (symbol->string name)
                       (find string? clauses)
                       (part 'version)
                       (filter %command-item? clauses)
                       (filter command-line? clauses)
                       (part 'run))))

;; Reading a command line.  fail is a procedure of a message, which does not return.

(define (parse-command-line spec . arguments)
  "What a list of strings, or the program's own command line, says: a procedure of the
  names of options and arguments that returns their values.  (options 'command) is the list
  of the names of the commands.  A wrong command line is an error; --help and --version are
  the options help and version."
  (let ((arguments (%optional "parse-command-line" 1 arguments (cdr (command-line)))))
    (%check-command-line "parse-command-line" spec)
    (unless (and (list? arguments) (every string? arguments))
      (wrong-type "parse-command-line" "a list of strings" arguments))
    (receive (options path)
        (%read-command-line spec arguments
                            (lambda (path message)
                              (error (string "parse-command-line: " message))))
      options)))

(define (%check-command-line who x)
  "Raise an error unless x is what define-command-line defines."
  (unless (command-line? x)
    (wrong-type who "a command line of define-command-line" x)))

(define (run-command-line spec . arguments)
  "Read the program's command line, or a list of strings, and call the :run procedure of its
  command with the options.  --help and --version print and exit.  A wrong command line is a
  message of one line on the error port, and exit status 2."
  (%check-command-line "run-command-line" spec)
  (let ((arguments (%optional "run-command-line" 1 arguments (cdr (command-line)))))
    (unless (and (list? arguments) (every string? arguments))
      (wrong-type "run-command-line" "a list of strings" arguments))
    (receive (options path)
        (%read-command-line spec arguments %complain-and-exit)
      (cond ((options 'help)
             (display (%help-text path))
             (exit 0))
            ((options 'version)
             (print (%command-name (last path)) (%command-version (last path)))
             (exit 0))
            ((%command-run (car path)) => (lambda (run) (run options)))
            (else options)))))

(define (%complain-and-exit path message)
  "Print what is wrong with a command line, and exit."
  (let ((port (current-error-port)))
    (display (string (%command-path path) ": " message "\n") port)
    (exit 2)))

(define (%command-path path)
  "The names of a program and its commands, of which the innermost is first."
  (string-join (map %command-name (reverse path)) " "))

(define (%read-command-line top arguments complain)
  "Two values: the options, and the commands, the innermost first."
  (let ((table (make-hash-table)))
    (hash-set! table 'help #f)
    (hash-set! table 'version #f)
    (let loop ((arguments arguments) (path (list top)) (operands '()) (open? #t))
      (let ((fail (lambda parts (complain path (apply string parts)))))
        (cond ((null? arguments)
               (hash-set! table 'command (map %command-name (cdr (reverse path))))
               (unless (or (hash-ref table 'help) (hash-ref table 'version))
                 (%finish-command-line table path (reverse operands) fail))
               (values (%new-options table) path))
              ((and open? (string=? (car arguments) "--"))
               (loop (cdr arguments) path operands #f))
              ((and open? (%looks-like-option? (car arguments) path))
               (loop (%read-option table path (car arguments) (cdr arguments) fail)
                     path operands #t))
              ((and open? (null? operands) (pair? (%command-commands (car path))))
               (loop (cdr arguments)
                     (cons (%find-command (car path) (car arguments) fail) path)
                     operands #t))
              (else
               (loop (cdr arguments) path (cons (car arguments) operands) open?)))))))

(define (%find-command command name fail)
  "The command of that name."
  (let ((commands (%command-commands command)))
    (or (find (lambda (other) (string=? name (%command-name other))) commands)
        (fail "unknown command " name (%suggestion name (map %command-name commands))))))

(define (%looks-like-option? text path)
  "Whether an argument is an option; a negative number is none."
  (and (string-prefix? "-" text)
       (> (string-length text) 1)
       (or (not (string->number text))
           (and (%find-item path (string-take text 2)) #t))))

(define (%find-item path name)
  "The option of a name, of the innermost command that has it; #f if there is none."
  (any (lambda (command)
         (find (lambda (item) (member name (%item-names item))) (%command-items command)))
       path))

(define (%read-option table path text rest fail)
  "Enter an option; the arguments after it, and after its value."
  (let* ((long? (string-prefix? "--" text))
         (split (and long? (string-index text #\=)))
         (name (cond (split (string-take text split))
                     (long? text)
                     (else (string-take text 2))))
         (value (cond (split (string-drop text (+ split 1)))
                      ((and (not long?) (> (string-length text) 2)) (string-drop text 2))
                      (else #f)))
         (item (%find-item path name)))
    (cond ((not item) (%read-own-option table path name value rest fail))
          ((eq? (%item-kind item) 'flag)
           (when (and long? value) (fail name " takes no value, got " value))
           (%enter table item (if (%item-repeated? item) 'count #t) fail)
           (if value (cons (string-append "-" value) rest) rest))
          (value (%enter table item (%item-value item name value fail) fail) rest)
          ((null? rest) (fail name " needs a value"))
          (else
           (%enter table item (%item-value item name (car rest) fail) fail)
           (cdr rest)))))

(define (%read-own-option table path name value rest fail)
  "Enter --help or --version, which every program has."
  (cond ((and (member name '("--help" "-h")) (not value)) (hash-set! table 'help #t))
        ((and (string=? name "--version") (not value) (%command-version (last path)))
         (hash-set! table 'version #t))
        ((and value (member name '("--help" "--version")))
         (fail name " takes no value, got " value))
        (else
         (fail "unknown option " name
               (%suggestion name
                            (append (append-map %item-names
                                                (append-map %command-items path))
                                    (if (%command-version (last path))
                                        '("--help" "--version")
                                        '("--help")))))))
  rest)

(define (%enter table item value fail)
  "Enter the value of an option; those of a repeated one are reversed at the end."
  (let ((key (%item-key item)))
    (hash-set! table key
               (cond ((eq? value 'count) (+ 1 (hash-ref table key 0)))
                     ((and (%item-repeated? item) (not (eq? (%item-kind item) 'flag)))
                      (cons value (hash-ref table key '())))
                     (else value)))))

(define (%item-value item name text fail)
  "The value of a text, which must be of the item's type."
  (let* ((type (%item-type item))
         (number (and (memq type '(integer number)) (string->number text)))
         (wrong (lambda (wanted) (fail name ": expected " wanted ", got " text)))
         (value (cond ((eq? type 'string) text)
                      ((eq? type 'integer)
                       (if (exact-integer? number) number (wrong "an integer")))
                      ((eq? type 'number) (or number (wrong "a number")))
                      ((pair? type)
                       (or (find (lambda (choice) (string=? (string choice) text)) type)
                           (wrong (string "one of " (string-join (map string type) ", ")))))
                      (else (or (type text) (wrong (%item-shown item)))))))
    (when (and (%item-check item) (not ((%item-check item) value)))
      (fail name ": " text " is not allowed"
            (if (string=? (%item-help item) "") "" (string ": " (%item-help item)))))
    value))

(define (%finish-command-line table path operands fail)
  "Enter arguments and defaults, and complain of what is missing or too much."
  (let ((command (car path)))
    (when (pair? (%command-commands command))
      (fail "expected a command: "
            (string-join (map %command-name (%command-commands command)) ", ")))
    (let loop ((items (filter (lambda (item) (memq (%item-kind item) '(argument rest)))
                              (%command-items command)))
               (operands operands))
      (cond ((null? items)
             (when (pair? operands) (fail "unexpected argument " (car operands))))
            ((eq? (%item-kind (car items)) 'rest)
             (for-each (lambda (text)
                         (%enter table (car items)
                                 (%item-value (car items) (%item-shown (car items)) text fail)
                                 fail))
                       operands)
             (loop (cdr items) '()))
            ((pair? operands)
             (hash-set! table (%item-key (car items))
                        (%item-value (car items) (%item-shown (car items)) (car operands)
                                     fail))
             (loop (cdr items) (cdr operands)))
            (else (loop (cdr items) '()))))
    (for-each (lambda (item)
                (when (and (%item-repeated? item) (list? (hash-ref table (%item-key item) #f)))
                  (hash-update! table (%item-key item) reverse))
                (unless (hash-has-key? table (%item-key item))
                  (when (%item-required? item)
                    (fail "missing "
                          (if (pair? (%item-names item))
                              (string "option " (last (%item-names item)))
                              (string "argument " (%item-shown item)))))
                  (hash-set! table (%item-key item) (%item-default item))))
              (append-map %command-items path))))

;; What was meant.

(define (%suggestion name others)
  "A question for the one that is most like a name, or nothing."
  (let* ((limit (min 3 (quotient (+ 1 (string-length name)) 2)))
         (near (filter (lambda (other) (<= (%edit-distance name other) limit)) others)))
    (if (null? near)
        ""
        (string "; did you mean "
                (car (sort near (lambda (a b) (< (%edit-distance name a)
                                                 (%edit-distance name b)))))
                "?"))))

(define (%edit-distance a b)
  "How many characters must be put in, left out or replaced to make b of a; 100 if they
  are long."
  (if (> (max (string-length a) (string-length b)) 60)
      100
      (let loop ((as (string->list a)) (row (iota (+ 1 (string-length b)))))
        (if (null? as)
            (last row)
            (loop (cdr as) (%edit-row (car as) (string->list b) row))))))

(define (%edit-row a bs row)
  "The next row of distances."
  (let loop ((bs bs) (row row) (cells (list (+ 1 (car row)))))
    (if (null? bs)
        (reverse cells)
        (loop (cdr bs) (cdr row)
              (cons (min (+ 1 (car cells)) (+ 1 (cadr row))
                         (+ (car row) (if (char=? a (car bs)) 0 1)))
                    cells)))))

;; The help text.

(define (command-line-help spec)
  "The text that --help prints."
  (%check-command-line "command-line-help" spec)
  (%help-text (list spec)))

(define (%help-text path)
  "The help text of a command, which is the first of the path."
  (let* ((command (car path))
         (items (%command-items command))
         (arguments (filter (lambda (item) (null? (%item-names item))) items))
         (options (remove (lambda (item) (null? (%item-names item)))
                          (append-map %command-items path)))
         (own (append '(("-h, --help" . "print this text"))
                      (if (%command-version (last path))
                          '(("--version" . "print the version"))
                          '()))))
    (string-append
     "usage: " (%command-path path) " [options]"
     (if (pair? (%command-commands command)) " COMMAND ..." "")
     (string-concatenate (map %argument-usage arguments)) "\n"
     (if (%command-about command) (string-append "\n" (%command-about command) "\n") "")
     (%help-rows "commands"
                 (map (lambda (c) (cons (%command-name c) (or (%command-about c) "")))
                      (%command-commands command)))
     (%help-rows "arguments"
                 (map (lambda (item) (cons (%item-shown item) (%help-of item))) arguments))
     (%help-rows "options"
                 (append (map (lambda (item)
                                (cons (string-append
                                       (string-join (%item-names item) ", ")
                                       (if (eq? (%item-kind item) 'flag)
                                           ""
                                           (string-append " " (%item-shown item))))
                                      (%help-of item)))
                              options)
                         own)))))

(define (%argument-usage item)
  "An argument in the first line of the help text."
  (let ((shown (%item-shown item)))
    (cond ((eq? (%item-kind item) 'rest) (string-append " [" shown " ...]"))
          ((%item-required? item) (string-append " " shown))
          (else (string-append " [" shown "]")))))

(define (%help-of item)
  "What an option is for, and its default."
  (let ((help (%item-help item)) (default (%item-default item)))
    (string-trim-left
     (string-append
      help
      (cond ((%item-required? item) (if (pair? (%item-names item)) " (required)" ""))
            ((or (not default) (null? default) (eq? (%item-kind item) 'flag)) "")
            (else (string " (default: " default ")")))))))

(define (%help-rows title rows)
  "Rows of two columns below a title; nothing for no rows."
  (if (null? rows)
      ""
      (let ((width (apply max (map (lambda (row) (string-length (car row))) rows))))
        (string-append
         "\n" title ":\n"
         (string-concatenate
          (map (lambda (row)
                 (string-append
                  (string-trim-right
                   (string-append "  " (string-pad-right (car row) width) "  " (cdr row)))
                  "\n"))
               rows))))))
