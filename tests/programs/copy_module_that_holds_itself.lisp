; A module that holds itself, through a vector, a list or a hash table that was changed.
(define-module (odd-one n)
  ((w (tensor-ones n) :parameter)
   (memo (make-hash-table))
   (me (vector #f))
   (both (list 1 2)))
  (forward (x)
    (hash-set! memo 'x x)
    (hash-set! memo 'me self)
    (vector-set! me 0 self)
    (set-car! both me)
    (* w x)))

(define m (odd-one 2))
(m [1.0 2.0])
(define copy (copy-module m))
(print (eq? (vector-ref (odd-one-me copy) 0) copy)
       (eq? (hash-ref (odd-one-memo copy) 'me) copy)
       (eq? (car (odd-one-both copy)) (odd-one-me copy))
       (eq? (odd-one-memo copy) (odd-one-memo m)))  ; => #t #t #t #f
(no-grad (tensor-fill! (odd-one-w copy) 5.0))
(print (odd-one-w m) (odd-one-w copy) (hash-ref (odd-one-memo copy) 'x))  ; => [1.0 1.0] [5.0 5.0] [1.0 2.0]

; Walks through it end.
(print (length (parameters m)) (map car (named-parameters m)) (length (named-modules m)))  ; => 1 (w) 1
(eval-mode! m)
(print (training? m) (training? copy))  ; => #f #t
(print (map car (state-dict copy)))  ; => (w)
(to! m 'float64)
(print (tensor-dtype (odd-one-w m)))  ; => float64
