;; choose is inlined in f, and f with its loop in g: the tail call of a procedure
;; that is a value remains one.
(define (choose ok? yes no x) (if ok? (yes x 'b) (no x)))
(define (f p x)
  (let loop ((i 0)) (if (= i 3) (choose (not (symbol? x)) p list x) (loop (+ i 1)))))
(define (g p x) (list (f p x)))
(define procedures (list vector-ref - hash-table-ref))
(define (main p) (g p 'ok) (g p 1))
(main (car (memq vector-ref procedures)))

; error, status 70:
; inlined_tail_primitive.lisp:3:39: vector-ref: expected a vector, got 1
;   3 | (define (choose ok? yes no x) (if ok? (yes x 'b) (no x)))
;     |                                       ^^^^^^^^^^
; hint: the order is (vector-ref vector index)
;   in choose, called at inlined_tail_primitive.lisp:6:23
;   in g, called at inlined_tail_primitive.lisp:9:1
