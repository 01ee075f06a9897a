;; For wrong_calls_*.lisp.

(define (wrong f . arguments)
  "Print what the operator f says to its arguments."
  (guard (e ((error-object? e) (print (error-object-message e))))
    (print "no error:" (apply f arguments))))
