;; command-options.lisp - the options of the commands for language models.
;;
;;     (%parse-words command '("m" "--top-k" "5" "Hi"))
;;         two values: ("m" "Hi") and ((:top-k . 5))
;;
;; A table describes each option once: its name, the keyword that it becomes,
;; what follows it, and what the help says.  The command of the interpreter and
;; compiled programs parse with the same table, so both refuse the same words.

(define-record-type %command-option
  (%make-command-option name key takes doc)
  %command-option?
  (name %command-option-name)     ; "--top-k"
  (key %command-option-key)       ; :top-k
  (takes %command-option-takes)   ; a row's name in %option-readers, or flag
  (doc %command-option-doc))

(define (%command-options . rows)
  "Options from lists of name, keyword, what follows, and doc."
  (map (lambda (row) (apply %make-command-option row)) rows))

;; What follows an option: what it is called, and the value of a word, or #f.

(define (%option-readers)
  (list (list 'count "N" "a positive integer" (%whole-reader 1))
        (list 'whole "N" "an integer from 0" (%whole-reader 0))
        (list 'positive "X" "a positive number"
              (lambda (x) (and x (> x 0) x)))
        (list 'number "X" "a number" (lambda (x) x))
        (list 'level "X" "a number from 0" (lambda (x) (and x (>= x 0) x)))
        (list 'share "X" "a number from 0 to 1"
              (lambda (x) (and x (<= 0 x 1) x)))
        (list 'bits "N" "8 or 4"
              (lambda (x) (and (memv x '(8 4)) x)))))

(define (%whole-reader least)
  "A procedure that accepts exact integers from `least` up."
  (lambda (x) (and (exact-integer? x) (>= x least) x)))

(define (%option-value command option word)
  "The value that a word means after an option."
  (let ((takes (%command-option-takes option)))
    (case takes
      ((text file) word)
      ((name) (string->symbol word))
      (else
       (let ((reader (assq takes (%option-readers))))
         (or (%read-option-number reader word)
             (%usage-error command
                           (string (%command-option-name option) " takes "
                                   (list-ref reader 2) ", got " word))))))))

(define (%read-option-number reader word)
  "The number that a word is, if the row of %option-readers accepts it."
  (let ((x (string->number word)))
    ((list-ref reader 3) (and x (real? x) (finite? x) x))))

(define (%option-placeholder option)
  "What the help shows after an option: N, FILE ..."
  (let ((takes (%command-option-takes option)))
    (case takes
      ((flag) "")
      ((text) " TEXT")
      ((file) " FILE")
      ((name) " NAME")
      (else (string " " (list-ref (assq takes (%option-readers)) 1))))))

;; Commands.

(define-record-type %model-command
  (%make-model-command program name arguments doc options)
  %model-command?
  (program %model-command-program)       ; lambent
  (name %model-command-name)             ; generate
  (arguments %model-command-arguments)   ; FOLDER [PROMPT]
  (doc %model-command-doc)               ; lines
  (options %model-command-options))

(define (%naming-options options text)
  "A text of an error with the options of a command in the place of the keywords
  that they stand for, which its user has not written."
  (string-join (map (lambda (word) (%naming-option options word))
                    (string-split text " "))
               " "))

(define (%naming-option options word)
  "A word, such as \":window,\", with the option in the place of its keyword."
  (let* ((size (string-length word))
         (end (let loop ((k 1))
                (if (and (< k size)
                         (or (char-alphabetic? (string-ref word k))
                             (char=? (string-ref word k) #\-)))
                    (loop (+ k 1))
                    (min k size))))
         (option (and (string-prefix? ":" word)
                      (find (lambda (option)
                              (string=? (substring word 1 end)
                                        (keyword->string
                                         (%command-option-key option))))
                            options))))
    (if option
        (string (%command-option-name option) (substring word end size))
        word)))

(define (%command-usage command)
  "lambent generate FOLDER [PROMPT] [OPTION ...]"
  (string (%model-command-program command) " " (%model-command-name command) " "
          (%model-command-arguments command) " [OPTION ...]"))

(define (%usage-error command message)
  "Say what is wrong with the words of a command, and end with status 64."
  (%end-command (%model-command-program command) message
                (string "usage: " (%command-usage command)) 64))

(define (%end-command program message hint status)
  "Print an error and its hint, if there is one, and end the program."
  (let ((port (current-error-port)))
    (flush-output-port (current-output-port))
    (write-string (string program ": " message "\n") port)
    (when hint (write-string (string "hint: " hint "\n") port))
    (exit status)))

(define (%print-command-help command)
  "Print how a command is used."
  (print (string "usage: " (%command-usage command) "\n"))
  (for-each print (%model-command-doc command))
  (newline)
  (for-each (lambda (option)
              (print (string "  " (string-pad-right (%option-head option) 26)
                             (%command-option-doc option))))
            (%model-command-options command))
  (print (string "  " (string-pad-right "--help" 26) "print this")))

(define (%option-head option)
  "--top-k N"
  (string (%command-option-name option) (%option-placeholder option)))

;; Words.

(define (%parse-words command words)
  "Two values: the words that are not options, and an alist of keywords and
  values in the order of the words.  After -- no word is an option."
  (let loop ((words words) (plain '()) (found '()))
    (cond ((null? words)
           (values (reverse plain) (reverse found)))
          ((string=? (car words) "--")
           (values (append (reverse plain) (cdr words)) (reverse found)))
          ((%option-word? (car words))
           (let-values (((entry rest) (%parse-option command words)))
             (loop rest plain (cons entry found))))
          (else (loop (cdr words) (cons (car words) plain) found)))))

(define (%option-word? word)
  "Whether a word names an option; - is the standard input."
  (and (string-prefix? "-" word) (> (string-length word) 1)))

(define (%parse-option command words)
  "Two values: the keyword and value of the first word, and the words after."
  (let*-values (((name attached) (%split-option (car words)))
                ((option) (%find-option command name)))
    (cond ((eq? (%command-option-takes option) 'flag)
           (when attached
             (%usage-error command (string name " takes no value")))
           (values (cons (%command-option-key option) #t) (cdr words)))
          (attached
           (values (%option-entry command option attached) (cdr words)))
          ((pair? (cdr words))
           (values (%option-entry command option (cadr words)) (cddr words)))
          (else
           (%usage-error command
                         (string name " takes a value:"
                                 (%option-placeholder option)))))))

(define (%option-entry command option word)
  "The pair of an option's keyword and its value."
  (cons (%command-option-key option) (%option-value command option word)))

(define (%split-option word)
  "--top-k=5 as two values, the name and the value, which is #f without =."
  (let ((at (string-index word #\=)))
    (if at
        (values (substring word 0 at)
                (substring word (+ at 1) (string-length word)))
        (values word #f))))

(define (%find-option command name)
  "The option of that name; an error with the nearest names if there is none."
  (or (find (lambda (option) (string=? (%command-option-name option) name))
            (%model-command-options command))
      (%usage-error command (string "unknown option: " name))))

(define (%option-ref found key default)
  "The last value of an option, or the default."
  (let ((entry (assq key (reverse found))))
    (if entry (cdr entry) default)))

(define (%option-all found key)
  "All values of an option that may be repeated."
  (map cdr (filter (lambda (entry) (eq? (car entry) key)) found)))
