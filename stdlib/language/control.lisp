;; control.lisp - handlers, guard, dynamic-wind, call/cc and parameters.
;;
;; Every change of the dynamic state surrounds a %try, which returns a failure
;; as a value; %rethrow continues the failure after the change is undone.  So
;; between a raise and the innermost %try the state is still that of the raise,
;; and %settle calls the handler there.  The state consists of %handlers, the
;; values of parameters, and %bindings, which says what changed them.
;;
;; Ctrl-C never interrupts the code of this file, only the procedures that it
;; calls: so nothing happens between a %try and the code that must run after
;; it.

(define %handlers '())   ; innermost first, up to the innermost guard: its record,
                         ; or () if that guard handles whatever is raised
(define %bindings '())   ; what parameterize changed and will restore, innermost
                         ; first: lists of (parameter . outer value)

;; Signalling.

(define (%settle result)
  "The result of a %try, after its handlers are called if it is a new error."
  (if (%caught? result) (%signal result) result))

(define (%signal caught)
  "Call the handler of an error, in the state of the raise without this
  handler; returns the failure that continues."
  (let ((inside %handlers))
    (let loop ((caught caught))
      (cond ((or (not (%caught-error? caught)) (%caught-signalled? caught))
             (set! %handlers inside)
             caught)
            ((pair? %handlers)
             (loop (%call-handler caught)))
            (else
             (%caught-signal! caught #t)
             (set! %handlers inside)
             caught)))))

(define (%call-handler caught)
  "The failure of the handler.  Every handler called here ends with one,
  because returning from `raise` is an error."
  (let ((handler (car %handlers))
        (payload (%caught-payload caught)))
    (set! %handlers (cdr %handlers))
    (let ((result (%try (lambda () (handler payload)))))
      (if (%caught? result)
          result
          (%handler-returned caught payload)))))

(define (%handler-returned caught payload)
  "The failure of a handler that has returned from `raise`."
  (%caught-replace!
   caught
   "a handler returned from a raise that is not continuable:"
   (list payload)
   "leave the handler through guard or call/cc, or use raise-continuable"
   #f)
  caught)

(define (%finish result)
  "The result of a %try: its value, or the failure is rethrown."
  (if (%caught? result) (%rethrow result) result))

;; Errors with hints, which `error` does not support.

(define (%error-with-hint message irritants hint)
  "Raise an error with a hint that says what to do."
  (let ((caught (%try (lambda () (error message)))))
    (%caught-replace! caught message irritants hint #f)
    (%finish (%settle caught))))

;; Handlers.

(define (with-exception-handler handler thunk)
  "Call the thunk; an object raised in it goes to the handler, which is called
  at the raise.  The handler may return only to `raise-continuable`."
  (unless (procedure? handler)
    (wrong-type "with-exception-handler" "a procedure" handler))
  (let ((outside %handlers))
    (set! %handlers (cons handler outside))
    (let ((result (%settle (%try (lambda () (thunk))))))
      (set! %handlers outside)
      (%finish result))))

(define (raise-continuable object)
  "Call the current handler with the object; its value is the result."
  (%signal-continuable object #f))

(define (%signal-continuable object caught)
  "raise-continuable of an object that is new (#f), or of a caught failure."
  (let ((inside %handlers))
    (cond ((pair? inside)
           (set! %handlers (cdr inside))
           (let ((result (%settle (%try (lambda () ((car inside) object))))))
             (set! %handlers inside)
             (%finish result)))
          ((null? inside) (%leave object caught))
          (else (%signal-to-guard inside object caught)))))

(define (%leave object caught)
  "Raise the object for a guard, or for nobody."
  (if caught (%rethrow caught) (raise object)))

;; Guards.  Nothing can return to a raise-continuable that has been left.  So the
;; tests of a guard that may decline are a procedure, which returns #f or the
;; choice, #(clause value e).  A raise-continuable calls it before anything is
;; left, and goes on to the handler outside of the guard if the guard declines.
;; Any other raise leaves first, and the guard calls its tests itself; a failure
;; that it declines goes on like a raise-continuable.
;;
;; The guard's record is #(tests handlers bindings decided), with the state
;; outside of it.  decided is (object . choice) once it is known what the guard
;; does with an object; the choice is #f if the object passes it.

(define (%new-guard tests)
  "The record of a guard whose body is about to run."
  (vector tests %handlers %bindings #f))

(define (%guarded-by handlers body)
  "Call the body of a guard with those %handlers: its value, or an error as a
  caught failure."
  (let ((outside %handlers))
    (set! %handlers handlers)
    (let ((result (%try body)))
      (set! %handlers outside)
      (if (and (%caught? result) (not (%caught-error? result)))
          (%rethrow result)
          result))))

(define (%guarded body)
  "%guarded-by for a guard that never declines."
  (%guarded-by '() body))

(define (%guard-choice guard caught)
  "The choice of a guard for the failure of its body, or #f."
  (let ((object (%caught-payload caught))
        (decided (vector-ref guard 3)))
    (cond ((not (and decided (eqv? (car decided) object)))
           ((vector-ref guard 0) object))
          ((cdr decided))
          (else (%rethrow caught)))))

(define (%pass-on caught)
  "Raise the failure again that no clause of a guard handles.  If the handler
  outside returns, so has the handler of the raise, which is the guard."
  (%caught-signal! caught #f)
  (if (null? %handlers)
      (%rethrow caught)
      (let* ((object (%caught-payload caught))
             (result (%try (lambda () (%signal-continuable object caught)))))
        (if (%caught? result)
            (%rethrow result)
            (%rethrow (%signal (%handler-returned caught object)))))))

(define (%signal-to-guard guard object caught)
  "%signal-continuable where a guard is the innermost handler."
  (let ((choice (%choice-at-raise guard object)))
    (if choice
        (begin
          (vector-set! guard 3 (cons object choice))
          (%leave object caught))
        (begin
          (set! %handlers (vector-ref guard 1))
          (let ((result
                 (%settle (%try (lambda () (%signal-continuable object caught))))))
            (set! %handlers guard)
            (%finish-past guard result))))))

(define (%choice-at-raise guard object)
  "The choice of a guard whose body still runs, made in the state outside of it."
  (let* ((bindings %bindings)
         (inner (%swap-all! (%bindings-since (vector-ref guard 2)))))
    (set! %bindings (vector-ref guard 2))
    (set! %handlers (vector-ref guard 1))
    (let ((result (%settle (%try (lambda () ((vector-ref guard 0) object))))))
      (%swap-all! inner)
      (set! %bindings bindings)
      (set! %handlers guard)
      (%finish-past guard result))))

(define (%finish-past guard result)
  "The result of a %try that called what is outside of a guard: an error passes
  the guard."
  (if (and (%caught? result) (%caught-error? result))
      (vector-set! guard 3 (cons (%caught-payload result) #f)))
  (%finish result))

(define (%bindings-since outer)
  "The (parameter . outer value) pairs of all that parameterize changed since
  %bindings was outer, innermost first."
  (let loop ((left %bindings) (lists '()))
    (if (eq? left outer)
        (apply append (reverse lists))
        (loop (cdr left) (cons (car left) lists)))))

(define (%swap-all! entries)
  "Give each parameter the value beside it.  Returns the entries that undo this."
  (let loop ((left entries) (old '()))
    (if (null? left)
        old
        (loop (cdr left)
              (cons (cons (car (car left))
                          (%parameter-swap! (car (car left)) (cdr (car left))))
                    old)))))

;; Interrupts.

(define (catch-interrupt thunk stopped)
  "Call the thunk; its value is the result.

  If Ctrl-C stops it, its after-thunks run, stopped is called with no arguments,
  and its value is the result: the program continues, and the next Ctrl-C is
  like a first one.  In a Python program, Ctrl-C belongs to that program and is
  not caught."
  (unless (procedure? thunk)
    (wrong-type "catch-interrupt" "a procedure" thunk))
  (unless (procedure? stopped)
    (wrong-type "catch-interrupt" "a procedure as its second argument" stopped))
  (let* ((outside %handlers)
         (result (%settle (%try (lambda () (thunk))))))
    (set! %handlers outside)
    (if (and (%caught? result) (%forget-interrupt! result))
        (stopped)
        (%finish result))))

;; Winding.

(define (dynamic-wind before thunk after)
  "Call before, thunk and after; the result is that of thunk.  after is called
  however thunk is left: by an error, an escape, Ctrl-C, or the program's end.
  The first Ctrl-C does not interrupt after: it waits until after has
  returned."
  (before)
  (let ((result (%settle (%try (lambda () (thunk))))))
    (%defer-interrupts!)
    (let ((left (%try (lambda () (after)))))
      (%allow-interrupts!)
      (%finish (%settle left))
      (%finish result))))

;; Escapes.

(define (call-with-current-continuation receiver)
  "Call the receiver with a procedure that, called before this call has
returned, leaves everything in between: its arguments are the results."
  (let* ((continuation (%new-continuation))
         (result (%try-escape continuation (lambda () (receiver continuation)))))
    (if (%caught? result)
        (%after-failure continuation (%settle result))
        result)))

(define (%after-failure continuation failure)
  "The results of an escape by a handler; another failure continues."
  (%end-continuation! continuation)
  (if (%caught-escape? failure continuation)
      (%caught-payload failure)
      (%rethrow failure)))

(define (call/cc receiver)
  "Short for call-with-current-continuation."
  (call-with-current-continuation receiver))

(define (call-with-escape-continuation receiver)
  "call/cc under a name that says what its continuations can do."
  (call-with-current-continuation receiver))

;; Parameters.

(define (make-parameter value . converters)
  "A procedure that returns the value, or the one that parameterize sets.  With
  an argument, it sets its value, as in SRFI 39.  Every value goes through the
  converter, if there is one."
  (let ((converter (%optional "make-parameter" 1 converters #f)))
    (%new-parameter (if converter (converter value) value)
                    converter
                    %set-parameter!)))

(define (%set-parameter! parameter value)
  "What a parameter does that is called with a value: it keeps it, converted."
  (let ((converter (%parameter-converter parameter)))
    (%parameter-swap! parameter (if converter (converter value) value))
    (if #f #f)))

(define (%parameterize parameters values body)
  "Call the body while the parameters have the values, which are converted."
  ;; Loops, not calls: between the first change and the %try nothing may fail, not
  ;; even for want of room, and the last change is undone first, for a parameter
  ;; may be there twice.
  (let* ((old (let change ((left parameters) (values values) (old '()))
                (if (null? left)
                    old
                    (change (cdr left)
                            (cdr values)
                            (cons (cons (car left)
                                        (%parameter-swap! (car left) (car values)))
                                  old)))))
         (outer %bindings))
    (set! %bindings (cons old outer))
    (let ((result (%settle (%try body))))
      (set! %bindings outer)
      (let undo ((old old))
        (if (pair? old)
            (begin
              (%parameter-swap! (car (car old)) (cdr (car old)))
              (undo (cdr old)))))
      (%finish result))))

(define (%converted parameters values)
  "The values, converted by the parameters' converters."
  (if (null? parameters)
      '()
      (let* ((converter (%parameter-converter (car parameters)))
             (value (if converter (converter (car values)) (car values))))
        (cons value (%converted (cdr parameters) (cdr values))))))
