; Procedures that never return, where every operation waits for a result: the C compiler must be
; given a program whose types fit although inference has found no type for what never comes.

(define (todo) (error "no"))
(define (forever n) (forever2 n))
(define (forever2 n) (if (> n 1000) (error "done" n) (forever (+ n 1))))
(define (said thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax try (syntax-rules () ((_ e) (print (said (lambda () e))))))
(try (< 1 (todo)))  ; => no
(try (> (todo) 1))  ; => no
(try (= (todo) 1.5))  ; => no
(try (zero? (todo)))  ; => no
(try (even? (todo)))  ; => no
(try (+ (todo) 1))  ; => no
(try (* 2.0 (todo)))  ; => no
(try (vector-ref (vector 1) (todo)))  ; => no
(try (string-ref "abc" (todo)))  ; => no
(try (if (todo) 1 2))  ; => no
(try (if (< 1 (todo)) 1 2))  ; => no
(try (let loop ((i (todo))) (if (< i 3) (loop (+ i 1)) i)))  ; => no
(try (let loop ((i 0)) (if (< i 3) (loop (todo)) i)))  ; => no
(try (let loop ((i 0)) (loop (forever i))))  ; => done
(try (let ((x (todo))) (set! x (+ x 1)) x))  ; => no
(try (let ((x 1)) (set! x (todo)) (+ x 1)))  ; => no
(try (let* ((x (todo)) (f (lambda () (set! x 2)))) (f) x))  ; => no
(try (not (todo)))  ; => no
(try (char->integer (todo)))  ; => no
(try (length (todo)))  ; => no
(try (- (todo)))  ; => no
(try (/ (forever 1) 2.0))  ; => done
(try (max (forever 1) 2.0))  ; => done
(try (sqrt (todo)))  ; => no
(try (eq? (todo) (todo)))  ; => no
(try (exact->inexact (todo)))  ; => no
(try (list (todo) 1))  ; => no
(try ((todo) 1))  ; => no
(try (apply + (todo)))  ; => no
(try (begin (todo) 1))  ; => no
(try (when (= 1 (todo)) 2))  ; => no
(try (cond ((todo) => list) (else 1)))  ; => no
(try (case (todo) ((1) 1) (else 2)))  ; => no
(try (do ((i 0 (+ i (todo)))) ((> i 3) i)))  ; => no
(try (vector-set! (make-vector (todo)) 0 1))  ; => no
(try (let-values (((a b) (todo))) (+ a b)))  ; => no
(try (let ((x 1.5)) (set! x (+ x (todo))) (* x 2)))  ; => no
(try (let loop ((x 0.5)) (if (> x 10) x (loop (* x (todo))))))  ; => no
(define (f x) (todo))
(define (g x) (+ (f x) 1))
(define (h x) (< (g x) (f x)))
(try (g 1))  ; => no
(try (h 1))  ; => no
(try (if (h 1) 1 2))  ; => no
(try (tensor-item (todo)))  ; => no
(try (tensor-relu (todo)))  ; => no
(try (+ [1 2] (todo)))  ; => no
(try (no-grad (todo)))  ; => no
(try (no-grad (+ (todo) 1)))  ; => no
