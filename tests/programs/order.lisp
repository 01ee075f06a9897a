; Arguments are evaluated left to right, once each.
(define (say x) (display x) x)
(print (list (say 1) (say 2) (say 3)))            ; => 123(1 2 3)
(print (+ (say 1) (say 2)) (- (say 5) (say 3)))   ; => 12533 2
(print ((begin (display "f") list) (say 'a) (say 'b))) ; => fab(a b)
(print (let ((a (say 1)) (b (say 2))) (list b a))) ; => 12(2 1)
(print (vector (say 'x) (say 'y)))                ; => xy#(x y)
(print (tensor-shape [(say 1) (say 2)]))          ; => 12(2)
(print (cons (say 1) (cons (say 2) '())))         ; => 12(1 2)
