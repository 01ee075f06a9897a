;; What dies may lend its storage to the result; nobody who can still look may see that.

(define (twice x) (tensor-mul x 2.0))
(define (half x) (tensor-mul x 0.5))

;; Temporaries, of every sort of operand.
(define (chain x w)
  (tensor-clamp (tensor-mul (tensor-sub (tensor-relu (tensor-mul (tensor-add x 1.0) w)) 0.5) w) 0.0 2.0))
(print (chain [0.5 -2.0 3.0] [2.0 1.0 0.5])) ; => [2.0 0.0 0.75]
(print (- (* (+ [1.0 2.0] 1) 2) 1) (- (sqrt (* [2.0 3.0] [2.0 3.0])))) ; => [3.0 5.0] [-2.0 -3.0]

;; A second name.
(define (named x)
  (let* ((a (tensor-add x 1.0)) (b a) (c (tensor-mul a 10.0)))
    (list b c)))
(print (named [1.0 2.0]))                    ; => ([2.0 3.0] [20.0 30.0])

;; Something that holds it.
(define (held x)
  (let* ((a (tensor-add x 1.0)) (box (list a)) (c (tensor-neg a)))
    (list box c)))
(print (held [1.0 2.0]))                     ; => (([2.0 3.0]) [-2.0 -3.0])

;; A view of it, and it as a view.
(define (viewed x)
  (let* ((a (tensor-add x 1.0)) (row (tensor-ref a 0)) (c (tensor-neg a)))
    (list row c)))
(print (viewed [[1.0 2.0] [3.0 4.0]]))       ; => ([2.0 3.0] [[-2.0 -3.0] [-4.0 -5.0]])
(define (of-view x)
  (let ((row (tensor-ref x 0)))
    (list (tensor-neg row) x)))
(print (of-view [[1.0 2.0] [3.0 4.0]]))      ; => ([-1.0 -2.0] [[1.0 2.0] [3.0 4.0]])
(define (expanded)
  (tensor-add (tensor-expand (tensor-neg [1.0]) 3) [1.0 2.0 3.0]))
(print (expanded))                           ; => [0.0 1.0 2.0]

;; A global variable, and an argument that is used again.
(define kept (tensor-add [1.0 2.0] 1.0))
(define (of-kept) (tensor-neg kept))
(print (of-kept) kept)                       ; => [-2.0 -3.0] [2.0 3.0]
(define (again x) (list (tensor-neg x) x))
(print (again (tensor-add [1.0] 1.0)))       ; => ([-2.0] [2.0])
(define (itself x) (let ((a (tensor-add x 1.0))) (tensor-mul a a)))
(print (itself [1.0 2.0]))                   ; => [4.0 9.0]

;; Results of another dtype or shape.
(print (tensor-mul (tensor-add [1 2] 1) 0.5)) ; => [1.0 1.5]
(print (tensor-add (tensor-neg [1.0 2.0]) [[10.0] [20.0]])) ; => [[9.0 8.0] [19.0 18.0]]
(print (tensor-dtype (tensor-add (tensor-neg [1.0]) (tensor-to [1.0] 'float64)))) ; => float64
(print (tensor-shape (tensor-mul (tensor-neg [2.0]) (tensor-ones 2 1)))) ; => (2 1)

;; Gradients need what was computed on the way.
(define (gradient-of f x)
  (let ((x (requires-grad! x)))
    (gradients (tensor-sum (f x)) (list x))))
(define (deep x) (tensor-mul (tensor-exp (tensor-sin (tensor-mul x x))) 2.0))
(print (gradient-of deep [0.5 1.0]))         ; => ([2.4818 5.0135])
(define (weights w x)
  (let ((w (requires-grad! w)) (h (tensor-add x 1.0)))
    (gradients (tensor-sum (tensor-exp (tensor-mul h w))) (list w))))
(print (weights [1.0 0.0] [0.0 1.0]))        ; => ([2.7183 2.0])
(define (unrecorded w)
  (no-grad (let* ((a (tensor-mul w 2.0)) (b (tensor-neg a))) b)))
(print (unrecorded (requires-grad! [1.0])))  ; => [-2.0]

;; Errors leave nothing behind, and name the shapes as they were.
(define (wrong x)
  (guard (e (#t (error-object-message e)))
    (tensor-add (tensor-neg x) [1.0 2.0 3.0])))
(print (wrong [1.0 2.0]))                    ; => tensor-add: shapes (2) and (3) do not broadcast

;; In a loop, the storage goes round.
(define (steps x n)
  (do ((k 0 (+ k 1)) (x x (tensor-mul (tensor-add x 1.0) 0.5)))
      ((= k n) x)))
(define start [4.0 2.0])
(print (steps start 10) start)               ; => [1.0029 1.001] [4.0 2.0]
(print (half (twice [3.0])))                 ; => [3.0]

(define megabyte 1000000)
(define (bytes name) (cdr (assq name (tensor-memory))))

;; Six operators in a row: one tensor is new, however many there are.
(define (six x w)
  (let* ((a (tensor-add x 1.0))
         (b (tensor-mul a w))
         (c (tensor-relu b))
         (d (tensor-sub c 0.5))
         (e (tensor-mul d w)))
    (tensor-clamp e 0.0 1.0)))
(define x (tensor-full '(250000) 0.5))
(define w (tensor-full '(250000) 2.0))
(define before (bytes 'live-bytes))
(define y (six x w))
(print (tensor-item (tensor-sum x)) (tensor-item (tensor-sum w)) (tensor-item (tensor-sum y)))
; => 125000.0 500000.0 250000.0
(print (quotient (- (bytes 'peak-bytes) before) megabyte))
; => 1

;; What a call, a closure or an argument holds stays as it is.
(define (twice-used x) (let ((a (tensor-exp x))) (list a (tensor-neg a))))
(print (twice-used [0.0]))
; => ([1.0] [-1.0])
(define t [1.0 2.0])
(print (tensor-add (tensor-contiguous t) 1.0) (tensor-neg (tensor-view t 2)) t)
; => [2.0 3.0] [-1.0 -2.0] [1.0 2.0]
(define (identity x) x)
(print (tensor-neg (identity t)) (tensor-neg (tensor-detach t)) t)
; => [-1.0 -2.0] [-1.0 -2.0] [1.0 2.0]
(define noted '())
(define (keep! x) (set! noted (cons x noted)) x)
(define (captured x) (let ((a (tensor-exp x))) (tensor-neg (keep! a))))
(print (captured [0.0]) noted)
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
