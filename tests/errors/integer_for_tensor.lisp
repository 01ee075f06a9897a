;; The compiler knows that n is a machine integer, and passes it all the same.
(define (item n)
  (+ (tensor-item n) n))
(print (+ 1 (item (vector-length (vector 1 2)))))

; error, status 70:
; integer_for_tensor.lisp:3:6: tensor-item: expected a tensor, got 2
;   3 |   (+ (tensor-item n) n))
;     |      ^^^^^^^^^^^^^^^
;   in item, called at integer_for_tensor.lisp:4:13
