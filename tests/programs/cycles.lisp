; Cycles, which reference counts alone never free: each loop makes many, the collector finds them
; while the program runs, and nothing is alive at its end.

(define (repeat count thunk)
  (when (> count 0)
    (thunk)
    (repeat (- count 1) thunk)))
(define many 4000)

; Procedures that call themselves, or each other, through variables that are assigned.
(define (counter)
  (define self #f)
  (set! self (lambda (n) (if (= n 0) 'done (self (- n 1)))))
  self)
(repeat many (lambda () ((counter) 2)))
(print ((counter) 3))                              ; => done

(define (parity)
  (let ((even #f) (odd #f))
    (set! even (lambda (n) (if (= n 0) #t (odd (- n 1)))))
    (set! odd (lambda (n) (if (= n 0) #f (even (- n 1)))))
    even))
(repeat many parity)
(print ((parity) 10))                              ; => #t

; A memo table that holds the procedure that fills it.
(define (memoized)
  (define table (make-hash-table))
  (define (fib n)
    (if (< n 2)
        n
        (or (hash-ref table n #f)
            (let ((value (+ (fib (- n 1)) (fib (- n 2)))))
              (hash-set! table n value)
              value))))
  (hash-set! table 'self fib)
  fib)
(repeat 500 (lambda () ((memoized) 5)))
(print ((memoized) 60))                            ; => 1548008755920

; A list that is linked in both directions.
(define-record-type node
  (make-node value next previous)
  node?
  (value node-value)
  (next node-next set-node-next!)
  (previous node-previous set-node-previous!))
(define (linked count)
  (let ((first (make-node 0 #f #f)))
    (let loop ((i 1) (last first))
      (cond
        ((= i count) first)
        (else
         (let ((new (make-node (list i (number->string i)) #f last)))
           (set-node-next! last new)
           (loop (+ i 1) new)))))))
(repeat many (lambda () (linked 4)))
(print (node-value (node-previous (node-next (node-next (linked 4)))))) ; => (1 1)

; A tree whose nodes know their parent; a part of it is still used.
(define (tree depth parent)
  (let ((node (vector depth parent '())))
    (when (> depth 0)
      (vector-set! node 2 (list (tree (- depth 1) node) (tree (- depth 1) node))))
    node))
(repeat 500 (lambda () (tree 3 #f)))
(define leaf (caaddr (vector->list (car (vector-ref (tree 2 #f) 2)))))
(repeat many counter)
(print (vector-ref leaf 0) (vector-ref (vector-ref (vector-ref leaf 1) 1) 0)) ; => 0 2

; Circular lists, tables that are their own values and keys, parameters, and promises.
(define (ring . items)
  (set-cdr! (last-pair items) items)
  items)
(repeat many (lambda () (ring 1 2.5 "three")))
(define (own-table)
  (define table (make-hash-table))
  (hash-set! table 'self table)
  (hash-set! table (list 'key table) 1)
  (hash-delete! table 'self)
  table)
(repeat 1000 own-table)
(repeat 1000
  (lambda ()
    (define p (make-parameter #f))
    (parameterize ((p (lambda () p))) (p))))
(repeat 1000
  (lambda ()
    (define q #f)
    (set! q (delay (list q)))
    (force q)))
(repeat 1000 (lambda () (read (open-input-string "#0=(a #1=#(#0# #1#) . #0#)"))))
(print (length '(1 2 3)))                          ; => 3

; Errors, escapes and multiple values on cycles.
(repeat 1000
  (lambda ()
    (define box (list #f))
    (guard (e (#t (set-car! box (list e box))))
      (error "failed" box))))
(repeat 1000
  (lambda ()
    (define box (list #f))
    (call/cc (lambda (k) (set-car! box (list k box)) (k box)))))
(repeat 1000
  (lambda ()
    (define box (list #f))
    (call-with-values (lambda () (values box 1)) (lambda (b n) (set-car! b (vector b n))))))

; What is still used survives, whatever it is reached from.
(define kept '())
(define (keep count)
  (when (> count 0)
    (let ((box (vector #f count)))
      (vector-set! box 0 (list box))
      (set! kept (cons box kept)))
    (keep (- count 1))))
(keep 3000)
(repeat many counter)
(collect-garbage)
(print (length kept)
  (fold + 0 (map (lambda (b) (if (eq? b (car (vector-ref b 0))) (vector-ref b 1) 0)) kept)))
                                                   ; => 3000 4501500
(set! kept '())
(define before (cdr (assq 'freed-objects (garbage-statistics))))
(collect-garbage)
(print (>= (- (cdr (assq 'freed-objects (garbage-statistics))) before) 3000)) ; => #t
