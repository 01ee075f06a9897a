; A gradient procedure that keeps what it gets: the backward pass frees the procedure with the graph.
(define (live) (collect-garbage) (cdr (assq 'live-handles (tensor-memory))))
(define (run how)
  (let* ((kept (make-hash-table))
         (f (custom-gradient (lambda (x) (* x 2))
              (lambda (g x y)
                (hash-set! kept how (case how ((y) y) ((x) x) ((g) g) (else #f)))
                (* g 2))))
         (x (requires-grad! (tensor-ones 1000)))
         (y (f x)))
    (when (eq? how 'outside) (hash-set! kept 'y y))
    (if (eq? how 'again)
        (begin (hash-set! kept 'y y)
               (backward (tensor-sum y) :retain-graph #t)
               (backward (tensor-sum y)))
        (if (eq? how 'gradients)
            (begin (hash-set! kept 'y y) (gradients (tensor-sum y) (list x)))
            (backward (tensor-sum y))))))
(for-each
 (lambda (how)
   (run how)
   (let ((before (live)))
     (dotimes (k 10) (run how))
     (print how (- (live) before))))
 '(none g x y outside again gradients))
; => none 0
; => g 0
; => x 0
; => y 0
; => outside 0
; => again 0
; => gradients 0

; The graph was given up, which a second pass says.
(define f (custom-gradient (lambda (x) (* x 2)) (lambda (g x y) (* g 2))))
(define w (requires-grad! (tensor 1.0)))
(define y (f w))
(backward y)
(print (guard (e (#t 'refused)) (backward y)))  ; => refused

; A procedure that computes the gradients of its own graph is released when it has returned.
(define kept #f)
(define outer
  (custom-gradient (lambda (x) (* x 3))
                   (lambda (g x y)
                     (let ((again kept))
                       (set! kept #f)
                       (when again (backward again))
                       (* g 3)))))
(set! kept (outer w))
(zero-grad! w)
(backward kept)
(print (tensor-grad w))  ; => 6.0
