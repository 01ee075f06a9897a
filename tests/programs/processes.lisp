; Other programs: run to their end, and beside this one.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))

(define result (run '("sh" "-c" "cat; echo oops >&2; exit 3") :input "in\n"))
(write (list (run-result? result) (run-status result) (run-output result) (run-errors result))) (newline) ; => (#t 3 "in\n" "oops\n")
(write (run-output (run '("printf" "%s-" "a b" "$HOME" "*")))) (newline) ; => "a b-$HOME-*-"
(write (run-output (shell "echo $A$B$C" :environment '(("A" . "x") ("B" . "y") ("C" . #f))))) (newline) ; => "xy\n"
(write (run-output (run '("pwd") :directory "/"))) (newline) ; => "/\n"
(write (run-output (run '("sh" "-c" "echo a; echo b >&2") :errors 'output))) (newline) ; => "a\nb\n"
(print (run-output (run '("echo" "x") :output 'null)) (run-output (run '("printf" "\\377") :output 'bytes))) ; => #f #u8(255)
(print (run-status (run '("sh" "-c" "kill -9 $$"))) (run-status (run '("cat")))) ; => -9 0
(run '("echo" "printed") :output 'inherit) ; => printed
(print "after") ; => after

; More than a pipe holds, in both directions; and input that nobody reads.
(print (bytevector-length (run-output (run '("cat") :input (make-bytevector 3000000 7) :output 'bytes)))) ; => 3000000
(print (run-status (run '("true") :input (make-string 1000000 #\a)))) ; => 0
(print (string-length (run-output (run '("sh" "-c" "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"))))) ; => 300000

; Errors.
(print (message (lambda () (run '("no-such-program-here" "-x"))))) ; => run: cannot start "no-such-program-here": No such file or directory
(print (message (lambda () (run '("/"))))) ; => run: cannot start "/": Permission denied
(print (message (lambda () (run '("sleep" "20") :timeout 0.2)))) ; => run: sleep did not end within 0.2 s, and was ended
(print (message (lambda () (run '("sh" "-c" "trap '' TERM; echo said >&2; exit 1") :check #t)))) ; => run: sh ended with status 1: said
(print (message (lambda () (run "ls -l")))) ; => run: expected a list of strings: a program and its arguments, got "ls -l"
(print (message (lambda () (run '())))) ; => run: expected a list of strings: a program and its arguments, got ()
(print (message (lambda () (run '("ls" 5))))) ; => run: expected a list of strings: a program and its arguments, got ("ls" 5)
(print (message (lambda () (run '("ls") :output 'txt)))) ; => run: expected one of text, bytes, inherit, null for :output, got txt
(print (message (lambda () (run '("ls") :input 5)))) ; => run: expected a string, a bytevector, inherit or null for :input, got 5
(print (message (lambda () (run '("printf" "\\377"))))) ; => run: the program wrote what is not UTF-8 text
(print (message (lambda () (run '("ls") :directory "/no/such")))) ; => run: there is no such folder for :directory:
(print (message (lambda () (run '("ls") :timeout -1)))) ; => run: expected a number of seconds for :timeout, got -1
(print (message (lambda () (run '("ls") :environment '("A"))))) ; => run: expected an alist of names and strings for :environment, got ("A")
(print (message (lambda () (run '("ls" "a\x0;b")))) (message (lambda () (run '("ls") :environment '(("A" . "\x0;")))))) ; => run: no program can be told the character #\null: run: no program can be told the character #\null:

; Beside this one.
(define cat (start-process '("cat") :input 'text :output 'text))
(display "line one\n" (process-input cat))
(flush-output (process-input cat))
(print (process? cat) (read-line (process-output cat)) (process-running? cat) (process-errors cat)) ; => #t line one #t #f
(display "line two" (process-input cat))
(print (process-wait cat) (port->lines (process-output cat)) (process-running? cat) (process-wait cat)) ; => 0 (line two) #f 0
(define sleeper (start-process '("sleep" "20")))
(print (process-wait sleeper :timeout 0.05) (process-running? sleeper)) ; => #f #t
(process-kill sleeper)
(print (process-wait sleeper) (process-running? sleeper)) ; => -15 #f
(process-kill sleeper 'kill)
(define gone (start-process '("true") :input 'text))
(let loop () (when (process-running? gone) (sleep 0.01) (loop)))
(print (message (lambda () (display (make-string 100000 #\a) (process-input gone)) (flush-output (process-input gone))))) ; => write: cannot write true: Broken pipe
(define bytes (start-process '("cat") :input 'bytes :output 'bytes))
(write-bytevector #u8(0 255 10) (process-input bytes))
(print (process-wait bytes) (read-bytevector 10 (process-output bytes))) ; => 0 #u8(0 255 10)
(print (message (lambda () (process-wait 5))) (message (lambda () (process-kill sleeper 'halt)))) ; => process-wait: expected a process, got 5 process-kill: expected the name of a signal, such as term, got halt

; This process.
(sleep 0)
(sleep 1/100)
(print (message (lambda () (sleep -1))) (message (lambda () (sleep "1")))) ; => sleep: expected a number of seconds, got -1 sleep: expected a number of seconds, got "1"
(setenv "LAMBENT_OWN" "1")
(print (getenv "LAMBENT_OWN") (run-output (shell "printf %s $LAMBENT_OWN"))) ; => 1 1
(setenv "LAMBENT_OWN" #f)
(print (getenv "LAMBENT_OWN") (message (lambda () (setenv "a=b" "c")))) ; => #f setenv: cannot set "a=b": Invalid argument
