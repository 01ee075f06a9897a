;; choose is inlined in f, and f with its loop in g: the tail call of a procedure
;; that is a value remains one.
(define (choose ok? yes no x) (if ok? (yes x 'b) (no x)))
(define (f p x)
  (let loop ((i 0)) (if (= i 3) (choose (not (symbol? x)) p list x) (loop (+ i 1)))))
(define (g p x) (list (f p x)))
(define procedures (list vector-ref - hash-table-ref))
(define (main p) (g p 'ok) (g p 1))
(main (car (memq hash-table-ref procedures)))

; error, status 70:
; inlined_tail_library.lisp:6:23: hash-table-ref: expected a hash table, got 1
;   6 | (define (g p x) (list (f p x)))
;     |                       ^^^^^^^
; hint: the order is (hash-table-ref table key thunk)
;   in g, called at inlined_tail_library.lisp:9:1
