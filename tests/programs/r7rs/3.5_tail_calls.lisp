;; 3.5: tail calls take no memory, in every tail position, of known procedures and of unknown ones.
(define N 300000)
(define (t1 i) (cond ((= i N) 'cond) (else (t1 (+ i 1)))))
(print (t1 0))  ; => cond
(define (t2 i) (cond ((assv i '()) => car) ((if (= i N) 'arrow #f)) ((+ i 1) => t2)))
(print (t2 0))  ; => arrow
(define (t3 i) (case i ((-1) 'x) (else => (lambda (j) (if (= j N) 'case-arrow (t3 (+ j 1)))))))
(print (t3 0))  ; => case-arrow
(define (t4 i) (when #t (unless #f (and #t (or #f (if (= i N) 'when-unless (t4 (+ i 1))))))))
(print (t4 0))  ; => when-unless
(define (t5 i) (do () (#t (if (= i N) 'do (t5 (+ i 1))))))
(print (t5 0))  ; => do
(define (t6 i) (guard (e (#t (if (= e N) 'guard (t6 (+ e 1))))) (raise i)))
(print (t6 0))  ; => guard
(define (t7 i) (if (= i N) 'apply (apply t7 (list (+ i 1)))))
(print (t7 0))  ; => apply
(define (t9 i) (let-values (((a b) (values i 1))) (if (= a N) 'let-values (t9 (+ a b)))))
(print (t9 0))  ; => let-values
(define (t10 i) (let*-values (((a b) (values i 1))) (if (= a N) 'let*-values (t10 (+ a b)))))
(print (t10 0))  ; => let*-values
(define (t11 i) (letrec ((go (lambda (j) (if (= j N) 'letrec (t11 (+ j 1)))))) (go i)))
(print (t11 0))  ; => letrec
(define (ev i) (if (= i N) 'even (od (+ i 1))))
(define (od i) (if (= i N) 'odd (ev (+ i 1))))
(print (ev 0))  ; => even
(define (t12 f i) (if (= i N) 'unknown (f f (+ i 1))))
(print (t12 t12 0))  ; => unknown
(define (t13 i) (call-with-values (lambda () (values i 1)) (lambda (a b) (if (= a N) 'cwv (t13 (+ a b))))))
(print (t13 0))  ; => cwv
(define (t14 i) (begin 1 (let* ((x i)) (let loop ((y x)) (if (= y N) 'named-let (t14 (+ y 1)))))))
(print (t14 0))  ; => named-let
(define (t15 i) (define j (+ i 1)) (if (> i N) 'body (t15 j)))
(print (t15 0))  ; => body
(define (t16 i) (if (= i N) 'receive (receive (a . b) (values i 2) (t16 (+ a 1)))))
(print (t16 0))  ; => receive
(define (t17 i) (call/cc (lambda (k) (if (= i N) 'never #f))) (if (= i N) 'after-callcc (t17 (+ i 1))))
(print (t17 0))  ; => after-callcc
(define t8
  (case-lambda
    ((i) (if (= i N) 'case-lambda (t8 i 1)))
    ((i d) (t8 (+ i d)))))
(print (t8 0))  ; => case-lambda
(define (machine state i)
  (define states (vector (lambda (j) (machine 1 (+ j 1))) (lambda (j) (machine 0 (+ j 1)))))
  (if (>= i N) 'machine ((vector-ref states state) i)))
(print (machine 0 0))  ; => machine
(define (t18 i) (parameterize () i) (if (= i N) 'and-or (and #t (or #f (t18 (+ i 1))))))
(print (t18 0))  ; => and-or

;; Recursion that is none of tail calls goes a million deep.
(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
(print (deep 1000000))  ; => 1000000
(define (deep-even n) (if (= n 0) 0 (+ 1 (deep-odd (- n 1)))))
(define (deep-odd n) (if (= n 0) 0 (+ 1 (deep-even (- n 1)))))
(print (deep-even 500000))  ; => 500000
