;; 3.5: the tail positions of the report that tail_calls.lisp leaves out, and those of our own forms.
(define N 100000)
(define (t1 i) (let-syntax ((next (syntax-rules () ((_ x) (+ x 1))))) (if (= i N) 'let-syntax (t1 (next i)))))
(print (t1 0))  ; => let-syntax
(define (t2 i) (letrec-syntax ((next (syntax-rules () ((_ x) (+ x 1))))) (if (= i N) 'letrec-syntax (t2 (next i)))))
(print (t2 0))  ; => letrec-syntax
(define (t3 i) (letrec* ((j (+ i 1)) (go (lambda () (if (>= j N) 'letrec* (t3 j))))) (go)))
(print (t3 0))  ; => letrec*
(define (t4 i) (guard (e ((string? e) 'no) ((number? e) (if (= e N) 'declining-guard (t4 (+ e 1))))) (raise i)))
(print (t4 0))  ; => declining-guard
(define (t5 i) (guard (e ((and (number? e) e) => (lambda (n) (if (= n N) 'guard-arrow (t5 (+ n 1))))) ((string? e) 'no)) (raise-continuable i)))
(print (t5 0))  ; => guard-arrow
(define (t6 i) (case-lambda (() i) ((n) (if (= n N) 'case-lambda ((t6 n) (+ n 1))))))
(print ((t6 0) 0))  ; => case-lambda
(define (t7 i) (case (quotient i N) ((0) (cond ((= i N) 'no) (else (t7 (+ i 1))))) ((1) 'case)))
(print (t7 0))  ; => case
(define (t8 i) (let-values ((all (values i))) (call-with-values (lambda () (apply values all)) (lambda (j) (if (= j N) 'values (t8 (+ j 1)))))))
(print (t8 0))  ; => values
(define (t9 i) (and-let* ((j (+ i 1)) ((<= j N))) (if (= j N) 'and-let* (t9 j))))
(print (t9 0))  ; => and-let*
(define (t10 i) (cond-expand (r7rs (if (= i N) 'cond-expand (t10 (+ i 1)))) (else 0)))
(print (t10 0))  ; => cond-expand
(define (t11 i) (let*-values (((a) (values i)) ((b) (values 1))) (define-values (c d) (values a b)) (if (= c N) 'define-values (t11 (+ c d)))))
(print (t11 0))  ; => define-values
(define p (make-parameter 0))
(define (t12 i) (if (= i N) 'parameter (begin (p i) (t12 (+ i 1)))))
(print (t12 0) (p))  ; => parameter 99999
