; A macro refuses a use, at the part that is wrong.
(define-syntax bind
  (lambda (form)
    (syntax-case form ()
      ((_ name value body)
       (if (identifier? #'name)
           #'(let ((name value)) body)
           (syntax-violation 'bind "expected a name" form #'name))))))
(print (bind x 1 (+ x 1)))
(print (bind (x) 1 (+ x 1)))

; error, status 65:
; syntax_case_violation.lisp:10:14: bind: expected a name
;   10 | (print (bind (x) 1 (+ x 1)))
;      |              ^^^
