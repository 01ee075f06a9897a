;; Hygiene: what a template's names mean, and what a use's names mean.
(print (let ((x 'outer))
         (let-syntax ((m (syntax-rules () ((m) x))))
           (let ((x 'inner)) (m)))))  ; => outer
(print (let-syntax ((given-that (syntax-rules ()
                                  ((_ test stmt1 stmt2 ...)
                                   (if test (begin stmt1 stmt2 ...))))))
         (let ((if #t)) (given-that if (set! if 'now)) if)))  ; => now
(print (letrec-syntax
           ((my-or (syntax-rules ()
                     ((my-or) #f)
                     ((my-or e) e)
                     ((my-or e1 e2 ...)
                      (let ((temp e1)) (if temp temp (my-or e2 ...)))))))
         (let ((x #f) (y 7) (temp 8) (let odd?) (if even?))
           (my-or x (let temp) (if y) y))))  ; => 7
(print (let ((a 1))
         (letrec-syntax
             ((foo (syntax-rules () ((_ b) (bar a b))))
              (bar (syntax-rules ()
                     ((_ c d) (cons c (let ((c 3)) (list d c 'c)))))))
           (let ((a 2)) (foo a)))))  ; => (1 2 3 a)
;; let-syntax does not see its own keywords; letrec-syntax does.
(define-syntax hidden (syntax-rules () ((_) 'outside)))
(print (let-syntax ((hidden (syntax-rules () ((_) 'inside)))
                    (ask (syntax-rules () ((_) (hidden)))))
         (ask)))  ; => outside
(print (letrec-syntax ((hidden (syntax-rules () ((_) 'inside)))
                       (ask (syntax-rules () ((_) (hidden)))))
         (ask)))  ; => inside
;; Names that templates bind are new in each expansion.
(define-syntax add-up
  (syntax-rules ()
    ((_ total) total)
    ((_ total e rest ...) (let ((t (+ total e))) (add-up t rest ...)))))
(print (let ((t 100)) (add-up 0 t t t)))  ; => 300
(define-syntax my-let*
  (syntax-rules ()
    ((_ () body ...) (let () body ...))
    ((_ ((x e) rest ...) body ...) (let ((x e)) (my-let* (rest ...) body ...)))))
(print (my-let* ((a 1) (b (+ a 1)) (a (* b 10))) (list a b)))  ; => (20 2)
;; A name that several parameters would share, if aliases were symbols.
(define-syntax two-names
  (syntax-rules () ((_ x) (let ((y 1) (x 2)) (list y x)))))
(print (two-names y))  ; => (1 2)
(define-syntax lambda-of
  (syntax-rules () ((_ x e) (lambda (x z) (+ z e)))))
(print ((lambda-of z (* z 10)) 1 2))  ; => 12
;; Definitions in bodies.
(define-syntax define-square
  (syntax-rules ()
    ((_ ff) (begin (define (ff x) (gg x)) (define (gg x) (* x x))))))
(print (let () (define-square foo) (foo 10)))  ; => 100
(define (gg x) 'mine)
(print (let () (define-square foo) (list (foo 3) (gg 3))))  ; => (9 mine)
(print (let ()
         (define-syntax foo (syntax-rules () ((_) (bar))))
         (define (bar) 'later)
         (foo)))  ; => later
;; Local variables hide macros, local macros hide variables.
(define-syntax thing (syntax-rules () ((_ x) 'macro)))
(print (let ((thing (lambda (x) 'variable))) (thing 1)))  ; => variable
(print (let ((other (lambda (x) 'variable)))
         (let-syntax ((other (syntax-rules () ((_ x) 'macro)))) (other 1))))
; => macro
(define (uses-thing list) (list (thing 1)))
(print (uses-thing (lambda (x) (cons x 'param))))  ; => (macro . param)
;; Loops of the language: their keywords are the template's.
(define-syntax count-up
  (syntax-rules ()
    ((_ (i n) body ...) (do ((i 0 (+ i 1))) ((= i n) 'done) body ...))))
(print (let ((= list) (+ -)) (count-up (k 2) (print k))))
; => 0
; => 1
; => done
(define-syntax classify
  (syntax-rules ()
    ((_ x) (cond ((assv x '((1 . one))) => cdr) ((> x 100) 'big) (else 'other)))))
(print (let ((else #f) (=> #f)) (map (lambda (n) (classify n)) '(1 200 5))))
; => (one big other)
(define-syntax kind
  (syntax-rules () ((_ x) (case x ((1 2 3) 'low) ((a b) 'letter) (else => list)))))
(print (let ((else 'not)) (map (lambda (x) (kind x)) '(2 b 9))))
; => (low letter (9))
(define-syntax quoted
  (syntax-rules () ((_ x) `(x ,x ,@(list x x) #(x ,x) (nested `(x ,(x ,x)))))))
(define one 1)
(print (quoted one))
; => (one 1 1 1 #(one 1) (nested `(one ,(one 1))))
;; Keyword parameters of the template and of the use.
(define-syntax scaler
  (syntax-rules () ((_ x e) (lambda (x :by 2) (* by e)))))
(print (let ((by 10)) ((scaler n (+ n by)) 1)))  ; => 22
(print (let ((by 10)) ((scaler n (+ n by)) 1 :by 3)))  ; => 33
;; Assignment of what a template mentions.
(define counter 0)
(define-syntax next!
  (syntax-rules () ((_) (begin (set! counter (+ counter 1)) counter))))
(print (let ((counter 'local)) (next!) (next!)))  ; => 2
