;; processes.lisp - other programs, and this process.
;;
;; A command is a list of strings: the program, which is looked for in the
;; folders of PATH, and its arguments.  No shell reads it but that of `shell`.
;; A status is what the program gave to exit; of a program that a signal ended,
;; the negative number of the signal.

(define (%check-command who command)
  "Raise an error unless it is a list of a program and arguments."
  (unless (and (list? command) (pair? command) (every string? command))
    (wrong-type who "a list of strings: a program and its arguments" command))
  (%check-no-null who command))

(define (%check-no-null who texts)
  "Raise an error if one of the strings has a character that ends it for others."
  (for-each (lambda (text)
              (when (string-index text #\null)
                (error (string who ": no program can be told the character #\\null:")
                       text)))
            texts))

(define (%environment who changes)
  "The variables of a program: ours, changed by an alist of names and strings, or
  of names and #f."
  (unless (and (list? changes)
               (every (lambda (entry)
                        (and (pair? entry) (string? (car entry))
                             (or (not (cdr entry)) (string? (cdr entry)))))
                      changes))
    (wrong-type who "an alist of names and strings for :environment" changes))
  (%check-no-null who (append (map car changes) (filter-map cdr changes)))
  (let ((names (map car changes)))
    (append
     (map (lambda (entry) (string-append (car entry) "=" (cdr entry)))
          (filter cdr changes))
     (map (lambda (entry) (string-append (car entry) "=" (cdr entry)))
          (remove (lambda (entry) (member (car entry) names))
                  (get-environment-variables))))))

(define (%start-description who command environment directory files)
  "What starts a program, for the system."
  (%check-command who command)
  (when directory
    (unless (folder? directory)
      (error (string who ": there is no such folder for :directory:") directory)))
  (list command
        (if (null? environment) #f (%environment who environment))
        directory
        files))

(define (%one-of who name x choices)
  "x, if it is one of the symbols."
  (unless (memq x choices)
    (wrong-type who
                (string "one of " (string-join (map symbol->string choices) ", ")
                        " for " name)
                x))
  x)

(define (%milliseconds who seconds)
  "Of a number of seconds, or of #f for any time."
  (cond ((not seconds) -1)
        ((and (real? seconds) (<= 0 seconds 1e9))
         (exact (ceiling (* seconds 1000))))
        (else (wrong-type who "a number of seconds for :timeout" seconds))))

;; A program that is run to its end.

(define-record-type <run-result>
  (%new-run-result status output errors)
  run-result?
  (status run-status)     ; 0 if it had no complaint
  (output run-output)     ; a string or a bytevector; #f if it was not kept
  (errors run-errors))    ; likewise

(define (%input-bytes who input)
  "What a program is to read, as a bytevector."
  (cond ((string? input) (string->utf8 input))
        ((bytevector? input) input)
        ((symbol? input) (%one-of who ":input" input '(inherit null)) #u8())
        (else (wrong-type who "a string, a bytevector, inherit or null for :input"
                          input))))

(define (%kept bytes how)
  "What a program wrote, in the form that was asked for."
  (case how
    ((text)
     (guard (e ((error-object? e)
                (%error-with-hint "run: the program wrote what is not UTF-8 text" '()
                                  "run it with :output 'bytes and :errors 'bytes")))
       (utf8->string bytes)))
    ((bytes) bytes)
    (else #f)))

(define (run command :input 'null :output 'text :errors 'text :directory #f
             :environment '() :timeout #f :check #f)
  "Run a program to its end: run-status, run-output and run-errors tell of the
  result how it ended and what it wrote.

  input: the string or bytevector that it reads, null for nothing, or inherit for
  this process's standard input.  output: text or bytes to keep it, inherit to
  print it, null to drop it; errors likewise, or output to keep both together.
  directory: its current folder.  environment: an alist of variables that are
  changed for it, or left out (#f).  timeout: seconds after which it is ended,
  and an error raised.  With :check #t, a status that is not 0 is an error."
  (let* ((who "run")
         (kinds (list (if (symbol? input) input 'bytes)
                      (%one-of who ":output" output '(text bytes inherit null))
                      (%one-of who ":errors" errors '(text bytes inherit null output))))
         (description (%start-description who command environment directory kinds))
         (bytes (%input-bytes who input))
         (results (%process-call 'run who "start" (car command) description
                                 (cons bytes (%milliseconds who timeout)))))
    (unless (car results)
      (error (string "run: " (car command) " did not end within " timeout
                     " s, and was ended")))
    (let ((result (%new-run-result (car results)
                                   (%kept (cadr results) output)
                                   (%kept (caddr results) errors))))
      (when (and check (not (eqv? (run-status result) 0)))
        (%fail-run command result))
      result)))

(define (%fail-run command result)
  "Raise the error of a program that has complained."
  (let ((said (run-errors result)))
    (error (string "run: " (car command) " ended with status " (run-status result)
                   (if (and (string? said) (not (string-null? said)))
                       (string-append ": " (string-trim-right said))
                       "")))))

(define (shell text :input 'null :output 'text :errors 'text :directory #f
               :environment '() :timeout #f :check #f)
  "Run a command that the shell /bin/sh reads: (shell \"ls *.lisp | wc -l\").  The
  keywords and the result are those of run.  What a user has typed belongs into
  run, not into the text."
  (%check-string "shell" text)
  (run (list "/bin/sh" "-c" text) :input input :output output :errors errors
       :directory directory :environment environment :timeout timeout :check check))

;; Programs that run beside this one.

(define-record-type <process>
  (%new-process id command input output errors status)
  process?
  (id process-id)           ; its number
  (command %process-command)
  (input process-input)     ; the port that writes what it reads, or #f
  (output process-output)   ; the port that reads what it writes, or #f
  (errors process-errors)   ; likewise
  (status %process-status %set-process-status!))   ; #f until its end is told

(define (start-process command :input 'null :output 'inherit :errors 'inherit
                       :directory #f :environment '())
  "Start a program that runs beside this one.

  input, output and errors: text or bytes for a port (process-input,
  process-output, process-errors), inherit or null; errors may be output, too.
  directory and environment are those of run.  process-wait waits for its end."
  (let* ((who "start-process")
         (kinds (list (%one-of who ":input" input '(text bytes inherit null))
                      (%one-of who ":output" output '(text bytes inherit null))
                      (%one-of who ":errors" errors '(text bytes inherit null output))))
         (started (%process-call
                   'start who "start" (car command)
                   (%start-description who command environment directory kinds) #f)))
    (%new-process (car started) command (cadr started) (caddr started)
                  (cadddr started) #f)))

(define (%check-process who x)
  "Raise an error unless it is a process."
  (unless (process? x) (wrong-type who "a process" x)))

(define (process-wait process :timeout #f)
  "Wait for the end of a process: its status.  #f if it has not ended after
  timeout seconds.  Its input port is closed first."
  (%check-process "process-wait" process)
  (when (process-input process) (close-port (process-input process)))
  (let ((milliseconds (%milliseconds "process-wait" timeout)))
    (if (%watches-signals?)
        (%wait-and-check process milliseconds)
        (%wait "process-wait" process milliseconds))))

(define (%wait-and-check process milliseconds)
  "As %wait, and call the handlers of signals meanwhile; milliseconds is -1 for
  any time."
  (let* ((slice (if (< -1 milliseconds %signal-patience) milliseconds %signal-patience))
         (status (%wait "process-wait" process slice)))
    (check-signals)
    (cond (status status)
          ((= milliseconds -1) (%wait-and-check process -1))
          ((= milliseconds slice) #f)
          (else (%wait-and-check process (- milliseconds slice))))))

(define (%wait who process milliseconds)
  "A process's status, or #f if it has not ended in that time."
  (or (%process-status process)
      (let ((status (%process-call 'wait who "wait for" #f (process-id process)
                                   milliseconds)))
        (when status (%set-process-status! process status))
        status)))

(define (process-running? process)
  "Whether a process has not ended."
  (%check-process "process-running?" process)
  (not (%wait "process-running?" process 0)))

(define (process-kill process . signal)
  "Send a signal to a process, if it has not ended: term, which asks it to end,
  or another one: a name of with-signal-handler's, kill, stop, or a number."
  (let ((number (%signal-number "process-kill"
                                (%optional "process-kill" 1 signal 'term))))
    (%check-process "process-kill" process)
    (when (process-running? process)
      (%send-signal "process-kill" (process-id process) number))
    (if #f #f)))

;; This process.

(define (sleep seconds)
  "Wait for a number of seconds."
  (unless (and (real? seconds) (<= 0 seconds 1e9))
    (wrong-type "sleep" "a number of seconds" seconds))
  (let ((nanoseconds (exact (round (* (exact seconds) 1000000000)))))
    (if (%watches-signals?)
        (%sleep-and-check nanoseconds #f)
        (%sleep nanoseconds))))

(define (%sleep nanoseconds)
  (%process-call 'sleep "sleep" "wait" #f nanoseconds #f))

(define (%own-number k)
  "One of the numbers of this process."
  (list-ref (%process-call 'numbers "pid" "tell" #f #f #f) k))

(define (pid) "The number of this process." (%own-number 0))
(define (user-uid) "The number of the user of this process." (%own-number 2))
(define (user-gid) "The number of the group of this process." (%own-number 3))
(define (user-effective-uid)
  "The number of the user whose permissions this process has."
  (%own-number 4))
(define (user-effective-gid)
  "The number of the group whose permissions this process has."
  (%own-number 5))

(define (user-supplementary-gids)
  "The numbers of the other groups of this process, as a list."
  (%process-call 'groups "user-supplementary-gids" "tell" #f #f #f))

(define (nice . delta)
  "Let other programs go before this one; delta, 1 if it is left out, is added to
  its priority, which is returned."
  (let ((delta (%optional "nice" 0 delta 1)))
    (unless (and (exact-integer? delta) (<= -40 delta 40))
      (wrong-type "nice" "an integer from -40 to 40" delta))
    (%process-call 'change-priority "nice" "change the priority" #f delta #f)))

(define (umask)
  "The permissions that new files of this process do not get."
  (%process-call 'file-mask "umask" "tell" #f #f #f))

(define (set-umask! mask)
  "Say which permissions new files of this process do not get."
  (%check-mode "set-umask!" mask)
  (%no-result (%process-call 'file-mask "set-umask!" "change" #f mask #f)))

(define (posix-time)
  "The time since the beginning of 1970, as a timespec."
  (inexact->timespec (current-second)))

(define (monotonic-time)
  "The time since an arbitrary moment, as a timespec: no clock change moves it."
  (let ((time (current-jiffy)))
    (timespec (floor-quotient time 1000000000) (floor-remainder time 1000000000))))

(define (terminal? port)
  "Whether a person types or sees the port's text."
  (unless (port? port)
    (wrong-type "terminal?" "a port" port))
  (terminal-port? port))

;; The environment.

(define (%set-variable who name value)
  "Set or unset a variable."
  (%check-string who name)
  (%no-result (%process-call 'set-variable who "set" name value #f)))

(define (set-environment-variable! name value)
  "Set a variable of the environment of this process, and of those it starts."
  (%check-string "set-environment-variable!" value)
  (%set-variable "set-environment-variable!" name value))

(define (delete-environment-variable! name)
  "Take a variable out of the environment."
  (%set-variable "delete-environment-variable!" name #f))

(define (setenv name value)
  "Set a variable of the environment; with #f, take it out."
  (unless (or (string? value) (not value)) (wrong-type "setenv" "a string or #f" value))
  (%set-variable "setenv" name value))

;; Users and groups.

(define-record-type <user-info>
  (%new-user-info name uid gid home-dir shell full-name)
  user-info?
  (name user-info:name)
  (uid user-info:uid)
  (gid user-info:gid)
  (home-dir user-info:home-dir)
  (shell user-info:shell)
  (full-name user-info:full-name))

(define (%check-name-or-id who x)
  "Raise an error unless it can name a user or a group."
  (unless (or (string? x) (exact-integer? x))
    (wrong-type who "a name or a number" x))
  (when (exact-integer? x) (%check-id who x)))

(define (user-info user)
  "What the system knows of a user, who is given by name or number; #f if there
  is none.  user-info:name, :uid, :gid, :home-dir, :shell and :full-name tell the
  parts."
  (%check-name-or-id "user-info" user)
  (let ((parts (%process-call 'user "user-info" "look for" #f user #f)))
    (and parts (apply %new-user-info parts))))

(define (user-info:parsed-full-name info)
  "The parts of a user's full name, which commas separate, as a list."
  (string-split (user-info:full-name info) ","))

(define-record-type <group-info>
  (%new-group-info name gid)
  group-info?
  (name group-info:name)
  (gid group-info:gid))

(define (group-info group)
  "What the system knows of a group, which is given by name or number; #f if
  there is none.  group-info:name and :gid tell the parts."
  (%check-name-or-id "group-info" group)
  (let ((parts (%process-call 'group "group-info" "look for" #f group #f)))
    (and parts (apply %new-group-info parts))))
