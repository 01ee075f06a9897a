;; choose is inlined in f, and f with its loop in g: the tail call of a procedure
;; that is a value remains one.
(define (choose ok? yes no x) (if ok? (yes x 'b) (no x)))
(define (f p x)
  (let loop ((i 0)) (if (= i 3) (choose (not (symbol? x)) p list x) (loop (+ i 1)))))
(define (g p x) (list (f p x)))
(define procedures (list vector-ref - hash-table-ref))
(define (main p) (g p 'ok) (g p '(a)))
(main (car (memq - procedures)))

; error, status 70:
; inlined_tail_operator.lisp:6:23: -: expected a number, got (a)
;   6 | (define (g p x) (list (f p x)))
;     |                       ^^^^^^^
; hint: (apply - list) takes the elements of a list, (map - list) is for each element
;   in g, called at inlined_tail_operator.lisp:9:1
