; A classic: a small evaluator, data as programs.
(define (lookup name env) (cdr (assq name env)))
(define (evaluate form env)
  (cond ((symbol? form) (lookup form env))
        ((not (pair? form)) form)
        (else
         (case (car form)
           ((quote) (cadr form))
           ((if) (evaluate (if (evaluate (cadr form) env) (caddr form) (cadddr form)) env))
           ((fn) (lambda arguments (evaluate (caddr form) (append (map cons (cadr form) arguments) env))))
           (else (apply (evaluate (car form) env) (map (lambda (f) (evaluate f env)) (cdr form))))))))
(define base (list (cons '+ +) (cons '* *) (cons '< <) (cons '- -)))
(print (evaluate '((fn (x y) (+ x (* y 2))) 3 4) base)) ; => 11
(print (evaluate '(((fn (x) (fn (y) (if (< x y) (quote less) x))) 1) 2) base)) ; => less
(print (evaluate '((fn (f) (f f 10)) (fn (self n) (if (< n 1) 0 (+ n (self self (- n 1)))))) base)) ; => 55
