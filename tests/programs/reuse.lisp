;; An operator that gets the last use of a tensor may leave its result there, if nobody can tell.

(define megabyte 1000000)
(define (bytes name) (cdr (assq name (tensor-memory))))

;; Six operators in a row: one tensor is new, however many there are.
(define (chain x w)
  (let* ((a (tensor-add x 1.0))
         (b (tensor-mul a w))
         (c (tensor-relu b))
         (d (tensor-sub c 0.5))
         (e (tensor-mul d w)))
    (tensor-clamp e 0.0 1.0)))
(define x (tensor-full '(250000) 0.5))
(define w (tensor-full '(250000) 2.0))
(define before (bytes 'live-bytes))
(define y (chain x w))
(print (tensor-item (tensor-sum x)) (tensor-item (tensor-sum w)) (tensor-item (tensor-sum y)))
; => 125000.0 500000.0 250000.0
(print (quotient (- (bytes 'peak-bytes) before) megabyte))
; => 1

;; What somebody else holds stays as it is.
(define (twice-used x) (let ((a (tensor-exp x))) (list a (tensor-neg a))))
(print (twice-used [0.0]))
; => ([1.0] [-1.0])
(define t [1.0 2.0])
(print (tensor-add (tensor-contiguous t) 1.0) (tensor-neg (tensor-view t 2)) t)
; => [2.0 3.0] [-1.0 -2.0] [1.0 2.0]
(define (identity x) x)
(print (tensor-neg (identity t)) (tensor-neg (tensor-detach t)) t)
; => [-1.0 -2.0] [-1.0 -2.0] [1.0 2.0]
(define kept '())
(define (keep! x) (set! kept (cons x kept)) x)
(define (captured x) (let ((a (tensor-exp x))) (tensor-neg (keep! a))))
(print (captured [0.0]) kept)
; => [-1.0] ([1.0])

;; Nor does it where the result is of another dtype or shape, or a gradient needs the argument.
(print (tensor-add (tensor-mul [1.0] 1.0) [[2.0] [3.0]]))
; => [[3.0] [4.0]]
(print (tensor-dtype (tensor-add (tensor-mul [1.0] 1.0) (tensor '(2.0) :dtype 'float64))))
; => float64
(define v (requires-grad! [1.0 2.0]))
(backward (tensor-sum (tensor-square (tensor-mul v 2.0))))
(print (tensor-grad v))
; => [8.0 16.0]
(print (apply tensor-add (list (tensor-exp [0.0]) 1.0)) (map tensor-neg (list (tensor-exp [0.0]))))
; => [2.0] ([-1.0])

;; An operator that fails leaves the argument to its owner.
(define (attempt x)
  (guard (e (#t (print (error-object-message e)) x))
    (let ((a (tensor-add x 1.0))) (tensor-add a [1.0 2.0 3.0]))))
(print (attempt [1.0 2.0]))
; => tensor-add: shapes (2) and (3) do not broadcast
; => [1.0 2.0]
