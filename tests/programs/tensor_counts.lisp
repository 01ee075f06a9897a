; References to tensors are counted where those of objects are: in lists,
; vectors, records, cells, closures and tables that die deeply, in parts, or
; while others keep the tensor.
(define (twice x) (cons x (list x)))
(define (total xs) (if (null? xs) 0 (+ (tensor-sum (car xs)) (total (cdr xs)))))

(define x (tensor-ones 2))
(define many (map (lambda (i) (list x i (tensor-full '(2) i))) '(1 2 3)))
(print (total (map car many)))                      ; => 6.0
(print (total (map caddr many)))                    ; => 12
(set! many #f)
(print x)                                           ; => [1.0 1.0]

; A value that is a tensor, an object, or neither of them.
(define (pick i)
  (case (modulo i 4) ((0) (tensor-full '(2) i)) ((1) (list x i)) ((2) i) (else 1.5)))
(define (keep v i) (vector-set! v (modulo i 3) (pick i)) v)
(define v (make-vector 3 x))
(do ((i 0 (+ i 1))) ((= i 40)) (keep v i))
(print v)                                           ; => #(1.5 ([1.0 1.0] 37) 38)
(vector-fill! v x)
(print (vector-map tensor-sum v))                   ; => #(2.0 2.0 2.0)
(print (eq? (vector-ref v 0) (vector-ref v 2)))     ; => #t

; Fields that are kept while the rest of the object dies, and the other way round.
(define (second-of p) (let ((y (cadr p))) (tensor-sum y)))
(print (second-of (twice (tensor-ones 3))))         ; => 3.0
(define-record-type point (make-point a b) point? (a point-a set-point-a!) (b point-b))
(define (swapped p) (make-point (point-b p) (point-a p)))
(define p (swapped (make-point x (tensor-zeros 1))))
(set-point-a! p (point-b p))
(print (eq? (point-a p) x))                         ; => #t

; Closures, assigned variables, tables.
(define (counter t) (lambda () (set! t (+ t 1)) t))
(define next (counter x))
(next)
(print (next))                                      ; => [3.0 3.0]
(print x)                                           ; => [1.0 1.0]
(define table (make-hash-table))
(hash-set! table 'x x)
(hash-set! table 'x (next))
(print (hash-ref table 'x #f))                      ; => [4.0 4.0]

; An argument donates its storage at its last use only if nothing else refers to it.
(define (grown t) (let* ((a (* t 2)) (b (list a a)) (c (+ a 1))) (cons c b)))
(print (grown x))                                   ; => ([3.0 3.0] [2.0 2.0] [2.0 2.0])

; A failure releases what waits.
(print (guard (e (#t 'failed)) (cons x (vector-ref (vector x x) 2))))  ; => failed
(print x)                                           ; => [1.0 1.0]
