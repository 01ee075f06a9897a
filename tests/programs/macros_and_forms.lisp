;; Every binding form, inside of templates: names of the template and of the use never meet.
(define-syntax try (syntax-rules (catch) ((_ e (catch x h ...)) (guard (x (#t h ...)) e))))
(print (try (error "boom" 1) (catch err (error-object-message err))))  ; => boom
(print (let ((else #f) (=> 1)) (try (raise 5) (catch x (+ x 1)))))  ; => 6
(define-syntax g2
  (syntax-rules ()
    ((_ e) (guard (x ((symbol? x) => (lambda (y) (list y x))) (else (list 'other x))) e))))
(print (let ((else #f) (x 3)) (g2 (raise 'a))) (g2 (raise 7)))  ; => (#t a) (other 7)
(define p (make-parameter 1))
(define-syntax with-p (syntax-rules () ((_ v e) (parameterize ((p v)) e))))
(print (let ((p 5)) (with-p 2 p)) (with-p 3 (p)))  ; => 5 3
(define-syntax cl
  (syntax-rules () ((_ x e) (case-lambda ((x) e) ((x y) (list x y)) ((x . rest) rest)))))
(print ((cl y (list y)) 1) ((cl y y) 1 2) ((cl rest rest) 1 2 3))  ; => (1) (1 2) (2 3)
(define-syntax lv (syntax-rules () ((_ a e) (let-values (((a b) e)) (list a b)))))
(print (let ((b 5)) (lv b (values 1 2))))  ; => (1 2)
(define-syntax rc (syntax-rules () ((_ f e b) (receive f e b))))
(print (rc (a . r) (values 1 2 3) (list a r)))  ; => (1 (2 3))
(define-syntax my-delay (syntax-rules () ((_ e) (delay (begin (set! n (+ n 1)) e)))))
(define n 0)
(let* ((n 10) (q (my-delay n))) (print (force q) (force q)))  ; => 10 10
(print n)  ; => 1
(define-syntax dorec
  (syntax-rules ()
    ((_ name field get) (define-record-type name (mk field other) pred (field get) (other oth)))))
(dorec <r> other get-other)
(print (get-other (mk 1 2)))  ; => 1
(define-syntax dotm (syntax-rules () ((_ n b) (dotimes (i n) b))))
(let ((i 9)) (dotm 2 (print i)))
; => 9
; => 9
(define-syntax threaded (syntax-rules () ((_ x f) (-> x (f 1) list))))
(print (let ((list vector)) (threaded 5 -)))  ; => (4)
(define-syntax ce (syntax-rules () ((_ x) (cond-expand (full-unicode x) (else 'none)))))
(print (let ((else 1)) (ce 5)))  ; => 5
(define-syntax asrt (syntax-rules () ((_ x) (assert x))))
(asrt (= 1 1))
(print (let-syntax ((foo (syntax-rules ()
    ((_ (a b) ...) (list (cons a b) ...))))) (foo (1 2) (3 4))))
; => ((1 . 2) (3 . 4))
(define-syntax ten (syntax-rules () ((_ a ...) [a ... [1 2]])))
(print (tensor-shape (ten [3 4] [5 6])))  ; => (3 2)
(define-syntax kwcall (syntax-rules () ((_ f x) (f x :by 3))))
(define (g x :by 1) (* x by))
(print (kwcall g 5))  ; => 15
(define-syntax kws (syntax-rules () ((_ x) ':key)))
(print (kws 1) (eq? (kws 1) :key) (keyword? (kws 1)))  ; => :key #t #t
(define-syntax deflam (syntax-rules () ((_ n k) (define (n x k 7) (list x seven)))))
(define seven 7)
(deflam h :opt)
(print (h 1 :opt 2))  ; => (1 7)
(define-syntax inc-all! (syntax-rules () ((_ v ...) (begin (set! v (+ v 1)) ...))))
(define a 1) (define b 2)
(inc-all! a b) (print a b)  ; => 2 3
(define-syntax loop-until
  (syntax-rules ()
    ((_ (v init step) test body ...) (let lp ((v init)) (if (not test) (begin body ... (lp step)))))))
(loop-until (k 0 (+ k 1)) (= k 2) (print k))
; => 0
; => 1
(define-syntax strm (syntax-rules () ((_ a b) (cons-stream a b))))
(print (stream-head (let s ((n 0)) (strm n (s (+ n 1)))) 3))  ; => (0 1 2)
(print (let loop ((i 0)) (if (< i 3) (loop (+ i 1)) i)))  ; => 3
(print (call-with-values (lambda () (values 1 2)) (lambda (a b) (let-syntax ((sw (syntax-rules ()
    ((_ x y) (list y x))))) (sw a b)))))
; => (2 1)
