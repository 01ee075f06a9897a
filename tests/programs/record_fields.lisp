; Records whose fields hold doubles only: reading one gives a double without a test of its type.
(define-record-type point (make-point x y) point? (x point-x set-x!) (y point-y))
(define (add a b) (make-point (+ (point-x a) (point-x b)) (+ (point-y a) (point-y b))))
(define (scale k a) (make-point (* k (point-x a)) (* k (point-y a))))
(define (show p) (print (point-x p) (point-y p)))
(define start (make-point 1.0 2.5))
(show (add start (scale 2.0 start)))                                     ; => 3.0 7.5
(set-x! start (* 3.0 (point-y start)))
(show start)                                                             ; => 7.5 2.5
(show (make-point (/ 0.0 0.0) 1e300))                                    ; => +nan.0 1e300
(show (scale -0.0 (make-point 0.0 1.0)))                                 ; => -0.0 -0.0
(print (map point-x (list start (make-point 0.25 0.0))))                 ; => (7.5 0.25)
(print (guard (e (#t (error-object-message e))) (add start 5)))          ; => point-x: expected a point, got 5

; A field that gets another number, by a setter or by a constructor that is a value.
(define-record-type pair-of (make-pair-of a b) pair-of? (a first-of) (b second-of set-second!))
(define p (make-pair-of 1.5 2.5))
(define (sum) (+ (first-of p) (second-of p)))
(print (sum))                                                            ; => 4.0
(set-second! p 1/2)
(print (sum))                                                            ; => 2.0
(define-record-type cell (make-cell value) cell? (value cell-value))
(define cells (map make-cell '(1.5 2 x)))
(print (* 2 (cell-value (make-cell 0.5))) (map cell-value cells))        ; => 1.0 (1.5 2 x)
(print (guard (e (#t (error-object-message e)))
         (+ 1.0 (cell-value (car (cddr cells))))))                       ; => +: expected a number, got x

; Two variables of one type, a recursive type, and a field that is never set.
(define-record-type tree (make-tree weight left right) tree?
  (weight weight) (left left) (right right))
(define (grow n) (if (= n 0) #f (make-tree (/ 1.0 n) (grow (- n 1)) (grow (- n 1)))))
(define (total t) (if t (+ (weight t) (total (left t)) (total (right t))) 0.0))
(print (total (grow 3)))                                                 ; => 5.333333333333334
(define-record-type never (make-never n) never? (n never-n))
(define (twice x) (if (never? x) (* 2 (never-n x)) (* 2 x)))
(print (twice 2.0))                                                      ; => 4.0
