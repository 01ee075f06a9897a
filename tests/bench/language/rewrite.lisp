;; Pattern matching: sums and products of symbols are simplified by rules, whose
;; variables an association list binds.  Accessors and higher-order procedures
;; of one line each, as such programs have.

(define (variable? x) (and (pair? x) (eq? (car x) '?)))
(define (name-of variable) (cadr variable))
(define (left-of rule) (car rule))
(define (right-of rule) (cadr rule))

;; Bindings are an association list; #f says that a pattern does not match.
(define (bind variable value bindings)
  (let ((found (assq (name-of variable) bindings)))
    (cond ((not found) (cons (cons (name-of variable) value) bindings))
          ((equal? (cdr found) value) bindings)
          (else #f))))

(define (match pattern term bindings)
  (cond ((not bindings) #f)
        ((variable? pattern) (bind pattern term bindings))
        ((pair? pattern)
         (and (pair? term)
              (match (cdr pattern)
                     (cdr term)
                     (match (car pattern) (car term) bindings))))
        ((eqv? pattern term) bindings)
        (else #f)))

(define (fill template bindings)
  (cond ((variable? template) (cdr (assq (name-of template) bindings)))
        ((pair? template)
         (cons (fill (car template) bindings) (fill (cdr template) bindings)))
        (else template)))

(define rules
  '(((+ 0 (? a)) (? a))
    ((+ (? a) 0) (? a))
    ((* 1 (? a)) (? a))
    ((* (? a) 1) (? a))
    ((* 0 (? a)) 0)
    ((* (? a) 0) 0)
    ((+ (? a) (? a)) (* 2 (? a)))
    ((* (? a) (+ (? b) (? c))) (+ (* (? a) (? b)) (* (? a) (? c))))
    ((* (+ (? b) (? c)) (? a)) (+ (* (? b) (? a)) (* (? c) (? a))))
    ((+ (+ (? a) (? b)) (? c)) (+ (? a) (+ (? b) (? c))))))

;; The first result of a procedure that is not #f, or #f.
(define (first-result f items)
  (if (null? items)
      #f
      (or (f (car items)) (first-result f (cdr items)))))

(define (apply-rule rule term)
  (let ((bindings (match (left-of rule) term '())))
    (and bindings (list (fill (right-of rule) bindings)))))

(define (apply-rules term)
  (first-result (lambda (rule) (apply-rule rule term)) rules))

(define (simplify term)
  (if (pair? term)
      (let* ((inner (cons (car term) (map simplify (cdr term))))
             (changed (apply-rules inner)))
        (if changed (simplify (car changed)) inner))
      term))

(define (size-of term)
  (if (pair? term)
      (+ (size-of (car term)) (size-of (cdr term)))
      1))

(define term
  '(* (+ (* 1 x) (+ y 0)) (* (+ x (* z 1)) (+ (* 0 y) (+ z z)))))

(define (run size)
  (let loop ((i 0) (sum 0))
    (if (= i size)
        sum
        (loop (+ i 1) (+ sum (size-of (simplify term)))))))

(display (run (string->number (cadr (command-line)))))
(newline)
