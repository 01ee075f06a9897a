;; A small interpreter: expressions are lists, environments are association
;; lists, procedures of the interpreted language are vectors.  It runs a
;; recursive function, a loop that calls procedures, and a sort of a list.

(define (make-closure parameters body env) (vector 'closure parameters body env))
(define (closure-parameters c) (vector-ref c 1))
(define (closure-body c) (vector-ref c 2))
(define (closure-env c) (vector-ref c 3))

(define (lookup name env)
  (let ((found (assq name env)))
    (if found (cdr found) (error "unbound variable:" name))))

(define (extend names values env)
  (if (null? names)
      env
      (cons (cons (car names) (car values))
            (extend (cdr names) (cdr values) env))))

(define (operand x n) (list-ref x n))

(define (evaluate x env)
  (cond ((symbol? x) (lookup x env))
        ((not (pair? x)) x)
        (else
         (case (car x)
           ((quote) (operand x 1))
           ((if)
            (if (evaluate (operand x 1) env)
                (evaluate (operand x 2) env)
                (evaluate (operand x 3) env)))
           ((lambda) (make-closure (operand x 1) (operand x 2) env))
           ((letrec) (evaluate-letrec x env))
           (else
            (call (evaluate (car x) env)
                  (map (lambda (argument) (evaluate argument env)) (cdr x))))))))

;; (letrec ((name lambda) ...) body)
(define (evaluate-letrec x env)
  (let* ((bindings (operand x 1))
         (cells (map (lambda (binding) (cons (car binding) #f)) bindings))
         (inner (append cells env)))
    (for-each (lambda (cell binding)
                (set-cdr! cell (evaluate (cadr binding) inner)))
              cells
              bindings)
    (let ((result (evaluate (operand x 2) inner)))
      (for-each (lambda (cell) (set-cdr! cell #f)) cells)
      result)))

(define (call f arguments)
  (if (procedure? f)
      (f arguments)
      (evaluate (closure-body f)
                (extend (closure-parameters f) arguments (closure-env f)))))

(define (of-one f) (lambda (arguments) (f (car arguments))))
(define (of-two f) (lambda (arguments) (f (car arguments) (cadr arguments))))

(define globals
  (list (cons '+ (of-two (lambda (a b) (+ a b))))
        (cons '- (of-two (lambda (a b) (- a b))))
        (cons '< (of-two (lambda (a b) (< a b))))
        (cons 'cons (of-two cons))
        (cons 'car (of-one car))
        (cons 'cdr (of-one cdr))
        (cons 'null? (of-one null?))))

(define program
  '(letrec ((fib (lambda (n)
                   (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))
            (insert (lambda (x items)
                      (if (null? items)
                          (cons x items)
                          (if (< x (car items))
                              (cons x items)
                              (cons (car items) (insert x (cdr items)))))))
            (sort (lambda (items)
                    (if (null? items)
                        items
                        (insert (car items) (sort (cdr items))))))
            (sum (lambda (f items)
                   (if (null? items)
                       0
                       (+ (f (car items)) (sum f (cdr items)))))))
     (+ (fib 10)
        (sum (lambda (x) (+ x x))
             (sort (quote (31 4 15 92 65 35 89 79 32 38)))))))

(define (run size)
  (let loop ((i 0) (result 0))
    (if (= i size)
        result
        (loop (+ i 1) (modulo (+ result (evaluate program globals)) 1000003)))))

(display (run (string->number (cadr (command-line)))))
(newline)
