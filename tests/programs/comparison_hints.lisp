; The hint of a comparison names the operator of tensors for it, whichever side the tensor is on.

(define t [1.0 2.0])
(define (hint compare)
  (guard (e (#t (error-object-hint e))) (compare)))
(define (hints x y)
  (for-each (lambda (compare) (print (hint compare)))
            (list (lambda () (< x y)) (lambda () (> x y)) (lambda () (<= x y))
                  (lambda () (>= x y)) (lambda () (= x y)))))
(hints 1.5 t)
; => tensor-lt compares element by element
; => tensor-gt compares element by element
; => tensor-le compares element by element
; => tensor-ge compares element by element
; => tensor-eq compares element by element
(hints t 2)
; => tensor-lt compares element by element
; => tensor-gt compares element by element
; => tensor-le compares element by element
; => tensor-ge compares element by element
; => tensor-eq compares element by element
(for-each (lambda (compare) (print (hint (lambda () (compare 1 t))))) (list < > <= >= =))
; => tensor-lt compares element by element
; => tensor-gt compares element by element
; => tensor-le compares element by element
; => tensor-ge compares element by element
; => tensor-eq compares element by element
(print (hint (lambda () (zero? t))))        ; => tensor-eq compares element by element
(print (hint (lambda () (positive? t))))    ; => tensor-gt compares element by element
(print (hint (lambda () (negative? t))))    ; => tensor-lt compares element by element
(print (hint (lambda () (< 0 1 t))))        ; => tensor-lt compares element by element
