;; define-command-line: options, arguments, commands, messages and the help text.
(define-command-line tool "Do things."
  (:version "1.0")
  (:option count "-n" :type 'integer :default 1 :check positive? :help "how many")
  (:flag verbose "-v" :repeated #t :help "say more")
  (:option tag "-t" :repeated #t :help "a word")
  (:command add "Add things."
    (:argument file :help "what to read")
    (:argument limit :type 'number :default 10)
    (:rest others)
    (:option kind :type '(big small) :default 'big)
    (:option scale :type (lambda (text) (and (string->number text) (* 2 (string->number text))))
             :value "FACTOR" :help "of all")
    (:run (lambda (o) (list 'added (o 'file) (o 'command)))))
  (:command remove "Remove things." (:option sure :required #t)))
(define keys '(count verbose tag file limit others kind scale command))
(define (show . arguments)
  (write (guard (e (#t (error-object-message e)))
           (let ((options (parse-command-line tool arguments))) (map options keys))))
  (newline))
(show "add" "x")  ; => (1 0 () "x" 10 () big #f ("add"))
(show "-n5" "-vv" "add" "-ta" "x" "--tag" "b" "--tag=c=d" "-7.5" "y" "-v" "--kind" "small" "--" "-z" "--")
; => (5 3 ("a" "b" "c=d") "x" -7.5 ("y" "-z" "--") small #f ("add"))
(show "add" "-vn" "2" "--scale=1.5" "")  ; => (2 1 () "" 10 () big 3.0 ("add"))
(for-each (lambda (text) (apply show (string-split text " ")))
  '("add" "add x y" "add x --kind=huge" "add x -n 0" "add x -n" "add x -n 1.5" "add x --scale y"
    "add x --verbose=1" "add x --cuont 1" "add x -q" "ad x" "zzzzz" "-v" "remove" "remove --sure y z"
    "remove --kind big --sure y" "--version=1"))
; => "parse-command-line: missing argument FILE"
; => "parse-command-line: LIMIT: expected a number, got y"
; => "parse-command-line: --kind: expected one of big, small, got huge"
; => "parse-command-line: -n: 0 is not allowed: how many"
; => "parse-command-line: -n needs a value"
; => "parse-command-line: -n: expected an integer, got 1.5"
; => "parse-command-line: --scale: expected FACTOR, got y"
; => "parse-command-line: --verbose takes no value, got 1"
; => "parse-command-line: unknown option --cuont; did you mean --count?"
; => "parse-command-line: unknown option -q; did you mean -n?"
; => "parse-command-line: unknown command ad; did you mean add?"
; => "parse-command-line: unknown command zzzzz"
; => "parse-command-line: expected a command: add, remove"
; => "parse-command-line: missing option --sure"
; => "parse-command-line: unexpected argument z"
; => "parse-command-line: unknown option --kind"
; => "parse-command-line: --version takes no value, got 1"
(print (run-command-line tool '("add" "x")))  ; => (added x (add))
(print ((parse-command-line tool '("--help")) 'help) ((parse-command-line tool '("--version" "add")) 'version))  ; => #t #t
(print (length ((parse-command-line tool (cons* "add" "x" (make-list 20000 "-tq"))) 'tag)))  ; => 20000
(print (command-line? tool) (command-line? 1))  ; => #t #f
(print (guard (e (#t (error-object-message e))) ((parse-command-line tool '("add" "x")) 'colour)))
; => options: the command line has no such option or argument:
(display (command-line-help tool))
; => usage: tool [options] COMMAND ...
; =>
; => Do things.
; =>
; => commands:
; =>   add     Add things.
; =>   remove  Remove things.
; =>
; => options:
; =>   -n, --count N  how many (default: 1)
; =>   -v, --verbose  say more
; =>   -t, --tag TAG  a word
; =>   -h, --help     print this text
; =>   --version      print the version
(dynamic-wind (lambda () #f) (lambda () (run-command-line tool '("add" "--help")))
              (lambda () (print "left")))
; => usage: tool add [options] FILE [LIMIT] [OTHERS ...]
; =>
; => Add things.
; =>
; => arguments:
; =>   FILE    what to read
; =>   LIMIT   (default: 10)
; =>   OTHERS
; =>
; => options:
; =>   --kind big|small  (default: big)
; =>   --scale FACTOR    of all
; =>   -n, --count N     how many (default: 1)
; =>   -v, --verbose     say more
; =>   -t, --tag TAG     a word
; =>   -h, --help        print this text
; =>   --version         print the version
; => left
