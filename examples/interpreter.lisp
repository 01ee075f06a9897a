;; interpreter.lisp - a small Lisp in Lisp: a reader gives data, `match` says
;; what each form means, and closures keep their environments.
;;
;; It has numbers, #t and #f, quote, if, lambda, let, letrec, begin, and, or,
;; define at the top level, and some procedures of ours.

;; An environment is a list of frames; a frame is a list of cells (name . value).

(define (cell-of name environment)
  "The cell of a variable."
  (or (any (lambda (frame) (assq name frame)) environment)
      (error "unbound variable:" name)))

(define (extended environment names values)
  "The environment in which the names have these values."
  (unless (= (length names) (length values))
    (error (string "expected " (length names) " arguments, got " (length values))))
  (cons (map cons names values) environment))

;; What a form means.

(define (evaluate form environment)
  "The value of a form."
  (match form
    ((? symbol? name) (cdr (cell-of name environment)))
    ((or (? number?) (? boolean?) (? string?)) form)
    (('quote datum) datum)
    (('if test then otherwise)
     (evaluate (if (evaluate test environment) then otherwise) environment))
    (('lambda (parameters ...) body ..1)
     (lambda arguments
       (evaluate-body body (extended environment parameters arguments))))
    (('let ((names forms) ...) body ..1)
     (evaluate-body
      body (extended environment names (evaluate-all forms environment))))
    (('letrec ((names forms) ...) body ..1)
     (let ((inner (extended environment names (map (lambda (name) #f) names))))
       (for-each (lambda (name form)
                   (set-cdr! (cell-of name inner) (evaluate form inner)))
                 names forms)
       (evaluate-body body inner)))
    (('begin body ..1) (evaluate-body body environment))
    (('and) #t)
    (('and only) (evaluate only environment))
    (('and first . rest)
     (if (evaluate first environment) (evaluate `(and ,@rest) environment) #f))
    (('or) #f)
    (('or first . rest)
     (or (evaluate first environment) (evaluate `(or ,@rest) environment)))
    (((and word (or 'if 'lambda 'let 'letrec 'define 'quote)) . _)
     (error (string word ": this is not how it is written:") form))
    ((operator operands ...)
     (let ((procedure (evaluate operator environment)))
       (unless (procedure? procedure)
         (error "this is not a procedure:" procedure))
       (apply procedure (evaluate-all operands environment))))
    (_ (error "this is not a form:" form))))

(define (evaluate-all forms environment)
  (map (lambda (form) (evaluate form environment)) forms))

(define (evaluate-body body environment)
  "The value of the last form."
  (match body
    ((last) (evaluate last environment))
    ((first . rest)
     (evaluate first environment)
     (evaluate-body rest environment))))

;; The top level: definitions change its one frame.

(define top-level
  (list (list (cons '+ +) (cons '- -) (cons '* *) (cons '< <) (cons '= =)
              (cons 'cons cons) (cons 'car car) (cons 'cdr cdr)
              (cons 'null? null?) (cons 'list list) (cons 'not not))))

(define (define-variable! name value)
  (set-car! top-level (cons (cons name value) (car top-level))))

(define (run-form form)
  "Evaluate a form of the top level, and print its value."
  (match form
    (('define (name . parameters) body ..1)
     (run-form `(define ,name (lambda ,parameters ,@body))))
    (('define (? symbol? name) form)
     (define-variable! name (evaluate form top-level))
     (print name "is defined"))
    (_ (print (evaluate form top-level)))))

(define (run-text text)
  "Run all forms of a text.  An error ends its form only."
  (let ((port (open-input-string text)))
    (let loop ()
      (let ((form (read port)))
        (unless (eof-object? form)
          (guard (e ((error-object? e)
                     (apply print "error:" (error-object-message e)
                            (error-object-irritants e))))
            (run-form form))
          (loop))))))

(run-text "
(define (map f items)
  (if (null? items) '() (cons (f (car items)) (map f (cdr items)))))
(define (factorial n) (if (< n 2) 1 (* n (factorial (- n 1)))))
(map factorial '(1 5 10 30))

(define (counter step) (let ((add (lambda (n) (+ n step)))) add))
((counter 10) 32)

(letrec ((even? (lambda (n) (or (= n 0) (odd? (- n 1)))))
         (odd? (lambda (n) (and (not (= n 0)) (even? (- n 1))))))
  (list (even? 100) (odd? 100)))

(undefined 1)
(if 1 2)
((lambda (x) x) 1 2)
(3 4)
(let ((x 1) (y 2)) (begin (+ x y) (* x 10 y)))
")
