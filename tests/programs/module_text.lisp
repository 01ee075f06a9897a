; A module prints as a summary.
(print (linear 3 4))  ; => #<linear 16 parameters, 64 bytes weight: float32 (4 3) bias: float32 (4)>
(print (linear 3 4 :bias #f) (relu))  ; => #<linear 12 parameters, 48 bytes weight: float32 (4 3) bias: #f> #<relu>
(print (sequential (linear 3 4) (relu) (linear 4 2) tensor-tanh))
; => #<sequential 26 parameters, 104 bytes
; =>   0: #<linear weight: float32 (4 3) bias: float32 (4)>
; =>   1: #<relu>
; =>   2: #<linear weight: float32 (2 4) bias: float32 (2)>
; =>   3: #<procedure tensor-tanh>>
(define-module (block n)
  ((up (linear n 40)) (norm (tensor-ones n) :parameter) (seen (tensor-zeros 2 2 :dtype 'int64) :buffer))
  (forward (x) x))
(define-module (net n)
  ((blocks (map (lambda (k) (block 30)) (iota n)))
   (heads (vector (linear 2 2) (list (relu) (relu)) 5))
   (scales (list (tensor-ones 2) (tensor-ones 3)) :parameter)
   (name "a \"net\"")
   (sizes '(1 2)))
  (forward (x) x))
(define m (net 3))
(write m)
(newline)
; => #<net 3,821 parameters, 15.0 KiB
; =>   blocks:
; =>     0-2: #<block
; =>       up: #<linear weight: float32 (40 30) bias: float32 (40)>
; =>       norm: float32 (30)
; =>       seen: int64 (2 2)>
; =>   heads:
; =>     0: #<linear weight: float32 (2 2) bias: float32 (2)>
; =>     1: list
; =>       0-1: #<relu>
; =>     2: 5
; =>   scales: (float32 (2), float32 (3))
; =>   name: "a \"net\""
; =>   sizes: (1 2)>
(print (list 1 (to! (linear 1 1) 'bfloat16)))  ; => (1 #<linear 2 parameters, 4 bytes weight: bfloat16 (1 1) bias: bfloat16 (1)>)
; A tensor that two modules share counts once.
(define-module (tied) ((a (linear 2 2 :bias #f)) (b (linear 2 2 :bias #f))) (forward (x) x))
(define u (tied))
(set-linear-weight! (tied-b u) (linear-weight (tied-a u)))
(print u)
; => #<tied 4 parameters, 16 bytes
; =>   a: #<linear weight: float32 (2 2) bias: #f>
; =>   b: #<linear weight: float32 (2 2) bias: #f>>
; The tensors of a record are shown as those of modules are.
(define-record-type <angles> (angles size cos both) angles? (size size-of) (cos cos-of) (both both-of))
(define-module (turned) ((angles (angles 2 (tensor-zeros 3 4) (list (tensor-zeros 1) (tensor-ones 2))))
                         (layer (relu)))
  (forward (x) x))
(print (turned))
; => #<turned
; =>   angles: #<angles size: 2 cos: float32 (3 4) both: (float32 (1), float32 (2))>
; =>   layer: #<relu>>
(define-record-type <held> (held x) held? (x held-x))
(define-module (holder) ((held (held (turned)))) (forward (x) x))
(print (holder))
; => #<holder held: #<held x: #<turned
; =>   angles: #<angles size: 2 cos: float32 (3 4) both: (float32 (1), float32 (2))>
; =>   layer: #<relu>>>>
(guard (e (#t (print (error-object-message e)))) (+ 1 m))  ; => +: expected a number, got a module, net
(guard (e (#t (print (error-object-message e)))) (tensor-exp m))  ; => tensor-exp: expected a tensor, got a module, net
;; Records without names of their fields, and with hidden fields.
(define-module (waiting) ((later (delay 1))) (forward (x) x))
(print (waiting))                               ; => #<waiting later: #<promise>>
(define-module (scaled by) ((by by)) (forward (x) x))
(print (scaled (standardizer (tensor-reshape (tensor-arange 0.0 6.0) '(3 2)))))
; => #<scaled by: #<scaler method: standard>>
