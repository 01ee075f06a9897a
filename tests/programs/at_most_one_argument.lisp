; Procedures that need no argument and take one: called directly, and where nothing is known.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (called f) (message (lambda () (f 1 2))))
(print (message (lambda () (exit 1 2))))             ; => exit: expected at most 1 argument, got 2
(print (message (lambda () (apply newline '(1 2))))) ; => newline: expected at most 1 argument, got 2
(define some (list exit newline make-generator))
(print (called (car some)))    ; => exit: expected at most 1 argument, got 2
(print (called (cadr some)))   ; => newline: expected at most 1 argument, got 2
(print (called (caddr some)))  ; => make-generator: expected at most 1 argument, got 2
