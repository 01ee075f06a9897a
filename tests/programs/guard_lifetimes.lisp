;; What a guard has caught is freed when its form has been evaluated, on both back ends.
(define (live) (- (cdr (assq 'live-handles (tensor-memory))) before))
(define before 0)
(set! before (live))
(define (f) (let ((t (tensor-ones 2))) (tensor? t)) (print "let" (live)))
(f)  ; => let 0
(define (g) (guard (e (#t 1)) (raise (tensor-ones 2))) (print "guard" (live)))
(g)  ; => guard 0
(define (g2) (guard (e ((tensor? e) (tensor? e))) (let ((x (tensor-ones 3))) (raise (+ x 1.0)))) (print "guard-let" (live)))
(g2)  ; => guard-let 0
(define (g3) (let ((v (guard (e ((string? e) 1) (else 2)) (raise (tensor-ones 2))))) (print "guard-value" (live) v)))
(g3)  ; => guard-value 0 2
(define (g4) (guard (e ((error-object? e) (length (error-object-irritants e)))) (error "x" (tensor-ones 2))) (print "irritants" (live)))
(g4)  ; => irritants 0
(define (g5) (call/cc (lambda (k) (k (tensor-ones 2)))) (print "call/cc" (live)))
(g5)  ; => call/cc 0
(define (g6) (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 1)) (lambda () (raise (tensor-ones 2)))))) (print "handler" (live)))
(g6)  ; => handler 0
(define (g7) (with-exception-handler (lambda (e) 1) (lambda () (raise-continuable (tensor-ones 2)))) (print "continuable" (live)))
(g7)  ; => continuable 0
(define p (make-parameter 1))
(define (g8) (parameterize ((p (tensor-ones 2))) (p)) (print "parameterize" (live)))
(g8)  ; => parameterize 0
(define (g9) (guard (e (#t 1)) (parameterize ((p (tensor-ones 2))) (raise (p)))) (print "parameterize-raise" (live)))
(g9)  ; => parameterize-raise 0
(define (g10) (guard (e (#t 1)) (dynamic-wind (lambda () 1) (lambda () (raise (tensor-ones 2))) (lambda () 2))) (print "wind" (live)))
(g10)  ; => wind 0
(define (g11) (guard (e (#t 1)) (guard (e2 ((string? e2) 2)) (raise (tensor-ones 2)))) (print "nested" (live)))
(g11)  ; => nested 0
(define (g12) (guard (e (#t 1)) (guard (e2 (#t (raise e2))) (raise (tensor-ones 2)))) (print "reraised" (live)))
(g12)  ; => reraised 0
(define (g13) (guard (e (#t 1)) (car (tensor-ones 2))) (print "car" (live)))
(g13)  ; => car 0
(define (g14) (guard (e (#t 1)) (+ (tensor-ones 2) (tensor-ones 3))) (print "shape" (live)))
(g14)  ; => shape 0
(define (w) (let loop ((i 0)) (if (< i 3) (loop (+ i (guard (e (#t 1)) (raise (tensor-ones 2))))) (print "loop" (live)))))
(w)  ; => loop 0
(define (g15) (guard (e (#t 1)) (tensor-ones 2)) (print "guard-normal" (live)))
(g15)  ; => guard-normal 0
(define (g16) (guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a (tensor-ones 2))))) (print "arrow" (live)))
(g16)  ; => arrow 0
(define (g17) (map (lambda (i) (guard (e (#t i)) (raise (tensor-ones 2)))) '(1 2)) (print "map" (live)))
(g17)  ; => map 0
(define (g18 thunk) (print (+ 1 (guard (e (#t 1)) (thunk)))) (print "thunk" (live)))
(g18 (lambda () (raise (tensor-ones 2))))
; => 2
; => thunk 0
(define (g21) (do ((i 0 (+ i 1))) ((= i 2)) (guard (e (#t 1)) (raise (tensor-ones 2)))) (print "do" (live)))
(g21)  ; => do 0
(guard (e (#t 1)) (raise (tensor-ones 2)))
(print "top" (live))  ; => top 0
;; A closure keeps what it mentions; a variable that is assigned keeps its value.
(define (kept)
  (define getters
    (map (lambda (i) (let ((t (tensor-ones i))) (lambda () (tensor-numel t)))) '(1 2)))
  (let ((unused (tensor-ones 2))) (tensor? unused))
  (print (live) (map (lambda (get) (get)) getters)))
(kept)  ; => 2 (1 2)
(print (live))  ; => 0
(define (delayed)
  (let ((t (tensor-ones 3))) (set! later (lambda () (tensor-numel t))))
  (print (later)))
(define later #f)
(delayed)  ; => 3
(define (counted)
  (let ((n 0)) (for-each (lambda (x) (set! n (+ n x))) '(1 2 3)) (print n))
  (print 'end))
(counted)
; => 6
; => end
