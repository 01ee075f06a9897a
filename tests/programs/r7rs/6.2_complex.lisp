;; R7RS (scheme complex) on the real line: Lambent has no other complex numbers.

(print (real-part 5) (real-part 2.5))  ; => 5 2.5
(print (imag-part 5) (imag-part 2.5))  ; => 0 0
(print (magnitude -7/2) (magnitude 4))  ; => 7/2 4
(print (angle 4) (= (angle -1.0) (acos -1)))  ; => 0 #t
(print (make-rectangular 3 0) (make-polar 3 0))  ; => 3 3
(define (message-of thunk)
  (guard (e (#t (error-object-message e)))
    (thunk)))
(print (message-of (lambda () (make-rectangular 1 2))))  ; => make-rectangular: complex numbers are not supported
(print (message-of (lambda () (make-polar 1 2.0))))  ; => make-polar: complex numbers are not supported
(print (message-of (lambda () (angle 'x))))  ; => angle: expected a number, got x
(print (complex? 1) (complex? 'a))  ; => #t #f
