;; Without Ctrl-C, catch-interrupt is a call; test_line_editing.py presses it.
(print (catch-interrupt (lambda () 5) (lambda () 'stopped)))  ; => 5
(print (guard (e (#t (error-object-message e)))
  (catch-interrupt (lambda () (error "no")) (lambda () 'stopped))))  ; => no
(print (call/cc (lambda (leave)
  (catch-interrupt (lambda () (leave 'left)) (lambda () 'stopped)))))  ; => left
(print (with-exception-handler
  (lambda (e) 7)
  (lambda ()
    (+ 1 (catch-interrupt (lambda () (raise-continuable 'x)) list)))))  ; => 8
(define (message thunk)
  (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (catch-interrupt 1 list))))  ; => catch-interrupt: expected a procedure, got 1
(print (message (lambda () (catch-interrupt list 1))))  ; => catch-interrupt: expected a procedure as its second argument, got 1
(print (message (lambda () (edit-line 1))))  ; => edit-line: expected a string, got 1
(print (message (lambda () (edit-line "" :history 1))))  ; => edit-line: expected a string or #f as :history, got 1
(print (eof-object? (edit-line "not shown")))  ; => #t
(print (guard (e (#t (error-object-hint e))) (error "no")))  ; => #f
