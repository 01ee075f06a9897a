; Lists die with whatever they hold, in whatever order; nothing stays, nothing is freed twice.

(define (times count thunk)
  (do ((k 0 (+ k 1))) ((= k count)) (thunk)))

; Each item is new, and about as large as a pair or larger.
(define (items k)
  (list (number->string k) (* 1e300 (+ k 1)) (expt 7 (+ 40 k)) (vector k) (vector 0.5 k)
        (lambda () k) (make-parameter k) (delay k) (bytevector k) (string->symbol (number->string k))
        (open-input-string (number->string k)) (make-hash-table)))
(times 50 (lambda () (items 3)))
(times 50 (lambda () (map list (items 4))))
(times 50 (lambda () (map (lambda (item) (cons item item)) (items 5))))
(times 50 (lambda () (let ((shared (items 6))) (list shared (cdr shared) (list shared)))))

; Lists in lists, in cars and in cdrs, with tails that stay alive.
(define tail (list "one" "two"))
(define (tree depth)
  (if (= depth 0)
      (cons (number->string depth) tail)
      (cons (tree (- depth 1)) (list (tree (- depth 1)) (vector (tree (- depth 1))) tail))))
(times 5 (lambda () (tree 5)))
(print tail)                                       ; => (one two)
(define (leaves tree)
  (cond ((pair? tree) (+ (leaves (car tree)) (leaves (cdr tree))))
        ((vector? tree) (leaves (vector-ref tree 0)))
        ((string? tree) 1)
        (else 0)))
(print (leaves (tree 5)))                          ; => 971

; Pairs that the collector knows, because they were changed to hold a list, among others.
(define (changed)
  (let ((end (list 3)) (start (list 1 2)))
    (set-cdr! (cdr start) end)
    (set-car! start (list start-of-all end))
    (list (list start) (cdr start) end (number->string 12))))
(define start-of-all (list 0))
(times 50 changed)
(print (changed))                                  ; => (((((0) (3)) 2 3)) (2 3) (3) 12)

; Blocks of lists that died are used again: these would find one that is in use.
(define (strings count)
  (let loop ((k 0) (made '()))
    (if (= k count)
        made
        (loop (+ k 1) (cons (list (number->string k) made) (if (odd? k) made '()))))))
(define kept (strings 100))
(times 20 (lambda () (strings 100)))
(print (equal? kept (strings 100)))                ; => #t
(print (length (car kept)))                        ; => 2

; Tensors among them are freed at once.
(define (tensors k)
  (list (tensor (list k)) (list (tensor (list k k)) (vector (tensor k))) (number->string k)))
(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define before (live))
(times 20 (lambda () (map tensors '(1 2 3))))
(print (- (live) before))                          ; => 0
