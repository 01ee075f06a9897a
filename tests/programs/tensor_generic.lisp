; Tensors where numbers go: scalars of every sort, comparison, truth, kinds and equality.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define big (expt 10 20))
(print (+ 1/2 [1 2]) (- [1.5] 1/2) (* 1/4 [4]) (/ 1 [2 4]) (max 3/2 [1 2]) (min [1 2] 1.5) (expt 2 [1 2]) (expt [4] 1/2)) ; => [1.5 2.5] [1.0] [1.0] [0.5 0.25] [1.5 2.0] [1.0 1.5] [2 4] [2.0]
(print (tensor-dtype (+ (tensor 1 :dtype 'f16) 1.5)) (tensor-dtype (* (tensor 1 :dtype 'u8) 3)) (tensor-dtype (+ (tensor '(1) :dtype 'f64) (tensor 1.5))) (tensor-dtype (+ [#t] 1))) ; => float16 uint8 float64 int64
(print (+ [1]) (* [2]) (max [3]) (min [4]) (+ 1 [2] 3 [4]) (- 10 [1] [2]) (/ [8.0] 2 2)) ; => [1] [2] [3] [4] [10] [7] [2.0]
(print (message (+ [1] big)) (* big [1.0])) ; => +: 100000000000000000000 does not fit into int64 [1.0000e+20]
(print (message (+ [1] 'a)) (message (- "x" [1])) (message (exp #t)) (message (+ [1] #t))) ; => +: expected a number, got a -: expected a number, got "x" exp: expected a number, got #t +: expected a number, got #t
(print (floor [1.5]) (ceiling [1.5]) (truncate [-1.5]) (round [2.5]) (tan [0.0]) (atan [1.0]) (atan 1 [0.0]) (log [8.0] 2) (square [3]) (abs [-1])) ; => [1.0] [2.0] [-1.0] [2.0] [0.0] [0.7854] [1.5708] [3.0] [9] [1]
(print (quotient [7 -7] 2) (remainder [7 -7] 2) (modulo [7 -7] 2) (modulo 7 [3.5 2.0]) (message (quotient [1] 0))) ; => [3 -3] [1 -1] [1 1] [0.0 1.0] quotient: division by zero; given a tensor int64 (1) and 0
(print (truncate-quotient [7 -7] 2) (floor-quotient [7 -7] 2) (truncate-remainder [7 -7] 2) (floor-remainder [7 -7] 2)) ; => [3 -3] [3 -4] [1 -1] [1 1]
(print (call-with-values (lambda () (floor/ [7 -7] 2)) list) (call-with-values (lambda () (truncate/ 7.5 [2 -2])) list)) ; => ([3 -4] [1 1]) ([3.0 -3.0] [1.5 1.5])
(print (gcd [12 18] 8) (gcd 8 [12 18] 6) (gcd [-4]) (lcm 4 [6 10]) (apply lcm (list [2] [3] 4))) ; => [4 2] [2 2] [4] [12 20] [12]
(print (message (gcd [1 2] 'a)) (message (lcm [1.5] 2)) (message (floor/ [1] 0))) ; => gcd: expected a number, got a lcm: not implemented for dtype float32; given a tensor float32 (1) and 2 floor/: division by zero; given self int64 (1), other 0
; Compared as numbers, exactly.
(print (= [1] 1) (= 1 [1.0]) (= (tensor #t) 1) (< [1] 3/2) (> [2.5] [[2]]) (<= [1] [1] 1.0) (>= 2 (tensor 2))) ; => #t #t #t #t #t #t #t
(print (= [1] big) (< [1.0] big) (> [1] (- big)) (= [0.1] 1/10) (= (/ (tensor '(1.0) :dtype 'f64) 3) 1/3) (= (tensor (expt 2 63) :dtype 'u64) (expt 2 63))) ; => #f #t #t #f #f #t
(print (zero? [0.0]) (positive? (tensor 2)) (negative? [[-1]]) (= [+nan.0] [+nan.0])) ; => #t #t #t #f
(print (message (= [1 2] 1)) (message (< 1 [])) (message (zero? [0 0])) (message (< [1] 'a)) (message (> 'a [1]))) ; => =: expected a tensor of one element, got a tensor int64 (2) <: expected a tensor of one element, got a tensor float32 (0) zero?: expected a tensor of one element, got a tensor int64 (2) <: expected a number, got a >: expected a number, got a
; Truth.
(define yes (tensor #t))
(define no [[#f]])
(print (if yes 1 2) (if no 1 2) (and yes no 3) (or no yes) (not no) (when no 1 2) (cond (no 1) (yes 2)) (if [0] 1 2) (if [] 1 2)) ; => 1 2 #f #t #t #<unspecified> 2 1 1
(print (filter (lambda (x) (tensor-gt x 1)) (list [1] [2] [3])) (let loop ((i 0)) (if (tensor-lt (tensor i) 5) (loop (+ i 1)) i)) (do ((i 0 (+ i 1))) ((tensor-eq [3] i) i))) ; => ([2] [3]) 5 3
(define-syntax truth (syntax-rules () ((_ form) (message form))))
(print (truth (if [#t #f] 1 2)) (truth (and [#t #t] 1)) (truth (or [#f #f] 1)) (truth (not [#t #f])) (truth (cond ([#t #t] 1)))) ; => a bool tensor of shape (2) has no single truth value a bool tensor of shape (2) has no single truth value a bool tensor of shape (2) has no single truth value a bool tensor of shape (2) has no single truth value a bool tensor of shape (2) has no single truth value
; Kinds.
(print (map (lambda (p) (p [1])) (list number? integer? rational? real? exact-integer? boolean? pair? vector? list? procedure? string? symbol? tensor?))) ; => (#f #f #f #f #f #f #f #f #f #f #f #f #t)
; Equality: of identity, and of dtype, shape and elements.
(define a [1 2])
(print (eq? a a) (eqv? a [1 2]) (equal? a [1 2]) (equal? a (tensor '(1 2) :dtype 'i32)) (equal? a [[1 2]]) (equal? [] (tensor-zeros 0 2)) (equal? (list a) (list [1 2])) (equal? a '(1 2))) ; => #t #f #t #f #f #f #t #f
(print (equal? (tensor-t [[1 2] [3 4]]) [[1 3] [2 4]]) (equal? [0.0] [-0.0]) (equal? (tensor-to-sparse [1 0]) (tensor-to-sparse [1 0])) (member [2] (list [1] [2])) (memq a (list [1 2]))) ; => #t #t #t ([2]) #f
(define table (make-hash-table))
(hash-set! table a 'a)
(tensor-add! a 1)
(print (hash-ref table a) (hash-ref table (tensor-copy a) 'none) (hash-ref table [2 3] 'none)) ; => a none none
