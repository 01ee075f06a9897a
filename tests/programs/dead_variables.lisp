;; A variable that nothing reads any more does not keep what it holds while a later call runs, on
;; both back ends: also in tail position, in loops, closures that are only called, and handlers.
(define (live) (- (cdr (assq 'live-handles (tensor-memory))) before))
(define before 0)
(set! before (live))
(define (big) (tensor-ones 10))
(define (say name) (print name (live)))
(define (t1) (let ((t (tensor-ones 2))) (tensor-numel t) (say "let-tail")))
(t1)  ; => let-tail 0
(define (t2) (let* ((t (big)) (n (tensor-numel t))) (print n) (say "let*-tail")))
(t2)
; => 10
; => let*-tail 0
(define (t3) (guard (e (#t (say "guard-tail"))) (raise (tensor-ones 2))))
(t3)  ; => guard-tail 0
(define (t3b) (guard (e ((tensor? e) (say "guard-tail-used"))) (raise (tensor-ones 2))))
(t3b)  ; => guard-tail-used 0
(define (t4) (let loop ((t (tensor-ones 2)) (i 0)) (if (< i 3) (loop (+ t 1.0) (+ i 1)) (say "loop"))))
(t4)  ; => loop 0
(define t5 (case-lambda ((t) (tensor-numel t) (say "case-lambda")) ((a b) 1)))
(t5 (tensor-ones 2))  ; => case-lambda 0
(define (t6) (cond ((assq 'a (list (cons 'a (tensor-ones 2)))) => (lambda (p) (pair? p) (say "cond-arrow"))) (else 1)))
(t6)  ; => cond-arrow 0
(define (t7 t) (tensor-numel t) (say "parameter"))
(t7 (tensor-ones 2))  ; => parameter 0
(define (t8) (print "n" (let ((t (big))) (tensor-numel t))) (print "expr" (live)) 1)
(t8)
; => n 10
; => expr 0
(define (t9) (let ((n (tensor-numel (big)))) (say "call-result")))
(t9)  ; => call-result 0
(define (t10) (let ((n (tensor-numel (big)))) (print "call-result2" (live)) n))
(t10)  ; => call-result2 0
(define (u t) (tensor-numel t) (say "moved-argument"))
(define (t11) (let ((t (tensor-ones 2))) (u t)))
(t11)  ; => moved-argument 0
(define (t14) (let ((t (if (pair? '(1)) (big) (tensor-ones 3)))) (tensor-numel t) (say "if-value")))
(t14)  ; => if-value 0
(define (t15) (call-with-values (lambda () (values (tensor-ones 2) 1)) (lambda (a b) (tensor-numel a) (say "values"))))
(t15)  ; => values 0
(define (t16) (let-values (((a b) (values (tensor-ones 2) 1))) (tensor-numel a) (say "let-values")))
(t16)  ; => let-values 0
(define (t17) (define t (tensor-ones 2)) (define n (tensor-numel t)) (say "internal-define"))
(t17)  ; => internal-define 0
(define (t18) (when (pair? (list (tensor-ones 2))) (say "test")))
(t18)  ; => test 0
(define (t19) (do ((i 0 (+ i 1)) (t (tensor-ones 2) (+ t 1.0))) ((= i 2) (say "do"))))
(t19)  ; => do 0
(define (t20) (case (tensor-numel (tensor-ones 2)) ((2) (say "case")) (else 1)))
(t20)  ; => case 0
(define (t21) (let ((t (tensor-ones 2))) (set! t (+ t 1.0)) (tensor-numel t) (say "assigned")))
(t21)  ; => assigned 0
(define (t23) (for-each (lambda (i) (let ((t (tensor-ones 2))) (tensor-numel t) (say "for-each"))) '(1)))
(t23)  ; => for-each 0
(define (t24) (and (tensor? (big)) (say "and")))
(t24)  ; => and 0
(define (t25) (or (not (tensor? (big))) (say "or")))
(t25)  ; => or 0
(define (t26) (parameterize () (let ((t (tensor-ones 2))) (tensor-numel t)) (say "parameterize")))
(t26)  ; => parameterize 0
(define (t27) (dynamic-wind (lambda () 1) (lambda () (let ((t (tensor-ones 2))) (tensor-numel t) (say "wind"))) (lambda () 1)))
(t27)  ; => wind 0
(define (t28) (call/cc (lambda (k) (let ((t (tensor-ones 2))) (tensor-numel t) (say "callcc")))))
(t28)  ; => callcc 0
(define (t29) (let ((t (tensor-ones 2))) (apply say (if (tensor? t) '("apply") '()))))
(t29)  ; => apply 0
(define (t31) (let ((t (tensor-ones 2))) (print (tensor-numel t)) (let ((a 1)) (say "nested-let") a)))
(t31)
; => 2
; => nested-let 0
(define (t32 . ts) (length ts) (say "rest"))
(t32 (tensor-ones 2))  ; => rest 0
(define (t33 . ts) (length ts) (print "rest-nontail" (live)) 1)
(t33 (tensor-ones 2))  ; => rest-nontail 0
(define (t34 t) (tensor-numel t) (print "param-nontail" (live)) 1)
(t34 (tensor-ones 2))  ; => param-nontail 0
(define (t35) (let ((s (number->string (tensor-numel (big))))) (string-append s "x") (let ((r (tensor-numel (tensor-ones 4)))) (print "many" (live)) r)))
(t35)  ; => many 0
(define (t37) (receive (a . rest) (values (tensor-ones 2) 1) (tensor-numel a) (say "receive")))
(t37)  ; => receive 0
(define-record-type box (make-box v) box? (v box-v))
(define (t38) (let ((b (make-box (tensor-ones 2)))) (tensor-numel (box-v b)) (say "record")))
(t38)  ; => record 0
(define (t39) (let ((v (vector (tensor-ones 2)))) (vector-ref v 0) (say "vector")))
(t39)  ; => vector 0
(define (t40) (guard (e (#t 1)) (let ((t (tensor-ones 2))) (tensor-numel t) (say "guard-body"))))
(t40)  ; => guard-body 0
(define (t41) (with-exception-handler (lambda (e) 1) (lambda () (let ((t (tensor-ones 2))) (tensor-numel t) (say "handler-body")))))
(t41)  ; => handler-body 0
(define (t42) (define (inner t) (tensor-numel t) (say "inner")) (inner (tensor-ones 2)))
(t42)  ; => inner 0
(define (t43) (let ((t (tensor-ones 2))) (let ((f (lambda () (tensor-numel t)))) (f) (say "closure-captured"))))
(t43)  ; => closure-captured 0
(define (t44) (let ((t (delay (tensor-ones 2)))) (force t) (say "promise")))
(t44)  ; => promise 0
(define (t45) (string-length (let ((p (open-output-string))) (write (tensor-numel (big)) p) (get-output-string p))) (print "str" (live)) 1)
(t45)  ; => str 0
(define (t46) (let* ((a (tensor-ones 2)) (b (+ a 1.0)) (c (* b a)) (d (tensor-relu c))) (print "chain" (live)) (tensor-numel d)))
(t46)  ; => chain 1
(define (a1) (let ((t (big))) (let loop ((i 0)) (if (< i 3) (begin (tensor-numel t) (loop (+ i 1))) 1)) (print "after loop" (live)) 1))
(a1)  ; => after loop 0
(define (a2) (let ((t (big))) (let loop ((i 0)) (when (< i 3) (tensor-numel t) (say "in loop") (loop (+ i 1)))) (say "after loop tail")))
(a2)
; => in loop 1
; => in loop 1
; => in loop 1
; => after loop tail 0
(define (a5) (let ((t (big))) (guard (e (#t (say "in handler"))) (tensor-numel t) (error "x"))))
(a5)  ; => in handler 0
(define (a6) (let ((t (big))) (guard (e (#t (print "in handler" (live) (tensor-numel t)))) (error "x")) (say "after guard")))
(a6)
; => in handler 1 10
; => after guard 0
(define (a7) (let ((t (big)) (u (big))) (guard (e (#t (print "two" (live) (tensor-numel t)))) (tensor-numel u) (raise 'x)) (say "after guard")))
(a7)
; => two 1 10
; => after guard 0
(define (a8) (let ((t (big))) (no-grad (tensor-numel t) (print "nograd" (live)) 1) (say "after no-grad")))
(a8)
; => nograd 0
; => after no-grad 0
(define (a9) (define x (big)) (if (= (tensor-numel x) 10) (begin (print "then" (live)) 1) (begin (print (tensor-numel x)) 2)))
(a9)  ; => then 0
(define (a10 . ts) (for-each (lambda (t) (tensor-numel t)) ts) (say "rest for-each"))
(a10 (big) (big))  ; => rest for-each 0
(define (a11 a b) (print "unused" (live)) (tensor-numel b))
(a11 (big) (big))  ; => unused 1
(define (a12 :t (big)) (tensor? t) (print "key" (live)) 1)
(a12)  ; => key 0
(a12 :t (tensor-ones 3))  ; => key 0
(define (a13) (do ((i 0 (+ i 1))) ((= i 2) (say "do end")) (let ((t (big))) (set! t (+ t t)) (tensor-numel t) (print "do" (live)))))
(a13)
; => do 0
; => do 0
; => do end 0
(define (a15) (let* ((t (big)) (f (lambda () t))) (tensor-numel (f)) (f) (say "f")))
(a15)  ; => f 0
(define (a18) (let loop ((ts (list (big) (big) (big)))) (if (pair? ts) (begin (tensor-numel (car ts)) (print "list" (live)) (loop (cdr ts))) 1)))
(a18)
; => list 3
; => list 2
; => list 1
(define (a19) (let ((v (vector (big) (big)))) (vector-set! v 0 #f) (print "vector-set" (live)) (vector-length v) (say "vector")))
(a19)
; => vector-set 1
; => vector 0
(define (a20 n) (let ((t (big))) (cond ((= n 0) (tensor-numel t) (say "c0")) ((= n 1) (say "c1")) (else (tensor-numel t)))))
(a20 0) (a20 1)
; => c0 0
; => c1 0
(let ((t (big))) (tensor-numel t) (print "top let" (live)) 1)  ; => top let 0
(begin (let ((t (big))) (tensor-numel t)) (print "top begin" (live)))  ; => top begin 0
(define (a21) (apply + (map (lambda (t) (tensor-numel t)) (list (big) (big)))) (say "apply map"))
(a21)  ; => apply map 0
(define (a22) (let-values (((a b) (values (big) (big)))) (tensor-numel a) (print "values" (live)) (tensor-numel b) (say "values end")))
(a22)
; => values 1
; => values end 0
(define (a24) (let ((h (make-hash-table))) (hash-set! h 1 (big)) (hash-ref h 1 #f) (say "hash")))
(a24)  ; => hash 0
(define (a25) (string-length (format "~a" (tensor-numel (big)))) (say "format"))
(a25)  ; => format 0
(define (a27 t) (when (> (tensor-numel t) 100) (error "no")) (let ((m (tensor-numel t))) (print "m" (live)) m))
(a27 (big))  ; => m 0
(define (a28) (with-exception-handler (lambda (e) (say "weh") 1) (lambda () (let ((t (big))) (tensor-numel t) (+ 1 (raise-continuable 'x))))))
(a28)  ; => weh 0
(define (a29) (dynamic-wind (lambda () 0) (lambda () (big)) (lambda () (print "wind-after" (live)))) (say "wind"))
(a29)
; => wind-after 1
; => wind 0
(define (a30) (let ((x (big))) (set! x #f) (say "set #f")))
(a30)  ; => set #f 0
(define (a31) (let ((t (requires-grad! (big)))) (backward (tensor-sum (* t t))) (say "backward") (tensor-grad t) (say "grad")))
(a31)
; => backward 1
; => grad 0
;; What a closure still needs stays: it is called in tail position, or calls itself by a tail call.
(define (b1 t) (let loop ((i 0) (s (tensor-zeros-like t))) (if (< i 2) (loop (+ i 1) (+ s t)) s)))
(print (b1 (tensor-ones 2)))  ; => [2.0 2.0]
(define (b2 t)
  (define (down n k) (if (= n 0) (k (tensor-numel t)) (up (- n 1) k)))
  (define (up n k) (if (= n 0) (k (tensor-numel t)) (down (- n 1) k)))
  (down 3 (lambda (n) (print n)))
  (print "after"))
(b2 (big))
; => 10
; => after
(define (b3 t)
  (define (again n) (if (= n 0) (print (tensor-numel t)) (apply again (list (- n 1)))))
  (again 2)
  (print "end"))
(b3 (big))
; => 10
; => end
(define (b4 t f)
  (define (call n) (if (= n 0) (f (tensor-numel t)) (f (lambda () (tensor-numel t)))))
  (call 0)
  (f "end"))
(b4 (big) (lambda (x) (print x)))
; => 10
; => end
