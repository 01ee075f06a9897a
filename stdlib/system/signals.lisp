;; signals.lisp - handlers of signals, which run between operations.
;;
;; The system only notes a signal when it comes.  check-signals calls the handlers
;; of those that have come; sleep, process-wait and wait-for-signal do that while
;; they wait.

(define %signal-handlers '())   ; the innermost first: pairs of a name and a handler
(define %signal-patience 50)    ; milliseconds between two looks, while something waits

(define (%watches-signals?) (pair? %signal-handlers))

(define (%signal-number who signal)
  "The number of a signal, of its name or itself."
  (let ((found (assq signal (%process-call 'signal-numbers who "tell" #f #f #f))))
    (cond (found (cdr found))
          ((and (exact-integer? signal) (<= 0 signal 64)) signal)
          (else (wrong-type who "the name of a signal, such as term" signal)))))

(define-syntax with-signal-handler
  (syntax-rules ()
    ((_ names handler form ...)
     (call-with-signal-handler names handler (lambda () form ...)))))

(define (call-with-signal-handler names handler thunk)
  "The result of the thunk.  While it runs, the signals do not do what they do
  otherwise: handler is called with the name of each that has come, by
  check-signals, sleep, process-wait and wait-for-signal, and once more when the
  thunk returns.  names: hup, int, quit, usr1, usr2, pipe, alrm, term, chld, cont,
  tstp, winch, or a list of some.  A handler may return, raise an error, or call a
  continuation."
  (let ((names (if (list? names) names (list names))))
    (unless (procedure? handler)
      (wrong-type "call-with-signal-handler" "a procedure" handler))
    (for-each %check-can-be-handled names)
    (dynamic-wind
     (lambda () (for-each (lambda (name) (%add-handler name handler)) names))
     (lambda ()
       (call-with-values thunk
         (lambda results
           (check-signals)
           (apply values results))))
     (lambda () (for-each %remove-handler (reverse names))))))

(define (%check-can-be-handled name)
  (when (or (not (symbol? name)) (memq name '(kill stop)))
    (wrong-type "call-with-signal-handler" "the name of a signal that can be handled" name))
  (%signal-number "call-with-signal-handler" name))

(define (%watch-signal name on?)
  (%process-call 'watch-signal "call-with-signal-handler" "handle the signal"
                 (symbol->string name)
                 (%signal-number "call-with-signal-handler" name) on?))

(define (%add-handler name handler)
  (unless (assq name %signal-handlers) (%watch-signal name #t))
  (set! %signal-handlers (cons (cons name handler) %signal-handlers)))

(define (%remove-handler name)
  "Remove the innermost handler, which is of that name."
  (set! %signal-handlers (cdr %signal-handlers))
  (unless (assq name %signal-handlers) (%watch-signal name #f)))

(define (check-signals)
  "Call the handlers of the signals that have come; the name of the last one, or
  #f if none has."
  (and (%watches-signals?)
       (let loop ((last #f))
         (let ((name (%process-call 'next-signal "check-signals" "look" #f #f #f)))
           (cond ((not name) last)
                 ((assq name %signal-handlers)
                  => (lambda (found) ((cdr found) name) (loop name)))
                 (else (loop last)))))))

(define (wait-for-signal . seconds)
  "Wait until a signal comes, and its handler has returned: its name.  #f if none
  comes in that many seconds."
  (let ((seconds (%optional "wait-for-signal" 0 seconds #f)))
    (unless (or (not seconds) (and (real? seconds) (<= 0 seconds 1e9)))
      (wrong-type "wait-for-signal" "a number of seconds" seconds))
    (unless (%watches-signals?)
      (error "wait-for-signal: no signal has a handler here"))
    (%sleep-and-check (and seconds (exact (round (* (exact seconds) 1000000000)))) #t)))

(define (%sleep-and-check nanoseconds stop?)
  "Wait for so long, #f for any time, and call handlers meanwhile.  stop?: return
  the name of the first signal that comes, #f if none does."
  (let ((slice (* %signal-patience 1000000)) (began (current-jiffy)))
    (let loop ()
      (let ((name (check-signals)))
        (let ((left (and nanoseconds
                         (- nanoseconds
                            (* (- (current-jiffy) began)
                               (quotient 1000000000 (jiffies-per-second)))))))
          (cond ((and stop? name) name)
                ((and left (<= left 0)) (if stop? #f (if #f #f)))
                (else
                 (%sleep (if left (min left slice) slice))
                 (loop))))))))

(define (alarm seconds)
  "Let the signal alrm come after that many seconds, instead of an earlier alarm;
  with 0, never.  It must have a handler."
  (unless (and (real? seconds) (<= 0 seconds 1e8))
    (wrong-type "alarm" "a number of seconds" seconds))
  (unless (assq 'alrm %signal-handlers)
    (error "alarm: alrm has no handler here: write (with-signal-handler 'alrm handler form ...)"))
  (%process-call 'set-alarm "alarm" "set an alarm" #f
                 (exact (ceiling (* (exact seconds) 1000000))) #f))

(define (send-signal pid signal)
  "Send a signal, a name or a number, to the process of that number."
  (unless (and (exact-integer? pid) (positive? pid))
    (wrong-type "send-signal" "the number of a process" pid))
  (%send-signal "send-signal" pid (%signal-number "send-signal" signal)))

(define (%send-signal who pid number)
  (%process-call 'signal who "send a signal to" (string pid) pid number))
