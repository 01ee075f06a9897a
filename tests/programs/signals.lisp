; Handlers of signals run between operations.
(define seen '())
(define (note name) (set! seen (cons name seen)))
(define (noted) (let ((all (reverse seen))) (set! seen '()) all))
(define (me signal)
  "Send it to this process, and give it time to come; run looks for none."
  (send-signal (pid) signal)
  (run '("sleep" "0.02")))

(print (with-signal-handler 'usr1 note (me 'usr1) (sleep 0.001) (noted)))  ; => (usr1)
(print (with-signal-handler '(hup usr1 usr2 term) note
         (me 'term) (me 'usr2) (me 'hup) (check-signals) (noted)))  ; => (hup usr2 term)
(print (check-signals) (with-signal-handler 'usr1 note (check-signals)))  ; => #f #f
; One that comes last is not lost; several results.
(print (call-with-values (lambda () (with-signal-handler 'usr2 note (me 'usr2) (values 1 2))) list) (noted))  ; => (1 2) (usr2)
; Handlers nest; the innermost one of a name is called.
(with-signal-handler '(usr1 usr2) (lambda (name) (note (list 'outer name)))
  (with-signal-handler 'usr1 (lambda (name) (note (list 'inner name)))
    (me 'usr1) (me 'usr2) (check-signals))
  (me 'usr1))
(print (noted))                     ; => ((inner usr1) (outer usr2) (outer usr1))
; A handler may leave the block, by an error or a continuation, and what was there before is restored.
(print (guard (e (#t (list 'left e)))
         (with-signal-handler 'term (lambda (name) (raise name)) (me 'term) (sleep 5) 'not-here)))  ; => (left term)
(print (call/cc (lambda (k)
         (with-signal-handler 'hup k (dynamic-wind (lambda () #f) (lambda () (me 'hup) (sleep 5)) (lambda () (note 'after)))))) (noted))  ; => hup (after)
(print (check-signals))             ; => #f
; Alarms, and waiting for a signal.
(print (with-signal-handler 'alrm note (alarm 0.02) (list (wait-for-signal) (noted))))  ; => (alrm (alrm))
(print (with-signal-handler 'alrm note (alarm 0.02) (alarm 0) (wait-for-signal 0.1)))   ; => #f
(define ticks 0)
(with-signal-handler 'alrm (lambda (name) (set! ticks (+ ticks 1)) (when (< ticks 3) (alarm 0.01)))
  (alarm 0.01)
  (sleep 0.5))
(print ticks)                       ; => 3
; While a process runs.
(print (with-signal-handler 'alrm note
         (alarm 0.05)
         (let ((process (start-process '("sleep" "0.4"))))
           (list (process-wait process :timeout 0.2) (noted) (process-wait process)))))  ; => (#f (alrm) 0)
; The end of a child.
(print (with-signal-handler 'chld note
         (let ((process (start-process '("true")))) (list (wait-for-signal 5) (process-wait process)))) (noted))  ; => (chld 0) (chld)
; Ctrl-C, too, can be handled.
(print (with-signal-handler 'int note (me 'int) (check-signals)) (noted))  ; => int (int)
; Processes end by other signals, by name.
(define sleeper (start-process '("sleep" "10")))
(process-kill sleeper 'usr1)
(print (< (process-wait sleeper) 0))  ; => #t

(define (try thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(try (lambda () (with-signal-handler 'kill note 1)))      ; => call-with-signal-handler: expected the name of a signal that can be handled, got kill
(try (lambda () (with-signal-handler '(term foo) note 1)))  ; => call-with-signal-handler: expected the name of a signal, such as term, got foo
(try (lambda () (with-signal-handler 'term 5 1)))         ; => call-with-signal-handler: expected a procedure, got 5
(try (lambda () (wait-for-signal 1)))                     ; => wait-for-signal: no signal has a handler here
(try (lambda () (alarm 1)))                               ; => alarm: alrm has no handler here: write (with-signal-handler 'alrm handler form ...)
(try (lambda () (send-signal 0 'term)))                   ; => send-signal: expected the number of a process, got 0
(try (lambda () (send-signal 999999999 'term)))           ; => send-signal: cannot send a signal to "999999999": No such process
