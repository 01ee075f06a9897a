;; matrix.lisp - exact matrices of rationals: elimination, inverse, determinant.
;;
;; A matrix is a vector of rows, each a vector.  Nothing is ever rounded, so
;; that the inverse of a Hilbert matrix, hopeless in doubles, comes out whole.

(define (make-matrix rows columns f)
  "The matrix whose element at (i, j) is (f i j)."
  (vector-map
    (lambda (i) (vector-map (lambda (j) (f i j)) (list->vector (iota columns))))
    (list->vector (iota rows))))

(define (rows m) (vector-length m))
(define (columns m) (vector-length (vector-ref m 0)))
(define (at m i j) (vector-ref (vector-ref m i) j))

(define (identity-matrix n)
  (make-matrix n n (lambda (i j) (if (= i j) 1 0))))

(define (hilbert n)
  (make-matrix n n (lambda (i j) (/ 1 (+ i j 1)))))

(define (multiply a b)
  "The product of a [n, k] and b [k, m]: [n, m]."
  (unless (= (columns a) (rows b))
    (error "multiply: inner sizes differ:" (columns a) (rows b)))
  (make-matrix (rows a) (columns b)
    (lambda (i j)
      (do ((k 0 (+ k 1))
           (sum 0 (+ sum (* (at a i k) (at b k j)))))
          ((= k (rows b)) sum)))))

(define (transpose m)
  (make-matrix (columns m) (rows m) (lambda (i j) (at m j i))))

(define (beside a b)
  "The matrix with the columns of a, then those of b."
  (vector-map vector-append a b))

(define (swap-rows! m i j)
  (let ((row (vector-ref m i)))
    (vector-set! m i (vector-ref m j))
    (vector-set! m j row)))

(define (scale-row! m i factor)
  (vector-set! m i (vector-map (lambda (x) (* x factor)) (vector-ref m i))))

(define (subtract-row! m i j factor)
  "Take factor times row j from row i."
  (vector-set! m i (vector-map (lambda (x y) (- x (* factor y)))
                               (vector-ref m i) (vector-ref m j))))

(define (pivot-row m column)
  "The first row from column on whose element there is not zero, or #f."
  (let loop ((i column))
    (cond ((= i (rows m)) #f)
          ((zero? (at m i column)) (loop (+ i 1)))
          (else i))))

(define (eliminate m)
  "Two values: m [n, k] in reduced row echelon form, and the determinant of its
  first n columns."
  (let ((m (vector-copy m)) (determinant 1))
    (dotimes (column (rows m))
      (let ((pivot (pivot-row m column)))
        (unless pivot (raise 'singular))
        (unless (= pivot column)
          (swap-rows! m pivot column)
          (set! determinant (- determinant)))
        (set! determinant (* determinant (at m column column)))
        (scale-row! m column (/ 1 (at m column column)))
        (dotimes (i (rows m))
          (unless (= i column)
            (subtract-row! m i column (at m i column))))))
    (values m determinant)))

(define (inverse m)
  (let-values (((solved determinant) (eliminate (beside m (identity-matrix (rows m))))))
    (vector-map (lambda (row) (vector-copy row (rows m))) solved)))

(define (determinant m)
  "0 for a singular matrix."
  (guard (problem ((eq? problem 'singular) 0))
    (let-values (((solved determinant) (eliminate m)))
      determinant)))

(define (solve m b)
  "The vector x for which m x = b."
  (let-values (((solved determinant)
                (eliminate (beside m (vector-map vector b)))))
    (vector-map (lambda (row) (vector-ref row (rows m))) solved)))

(define (show m)
  (vector-for-each
    (lambda (row)
      (print (string-join (vector->list (vector-map (lambda (x) (format "~8a" x)) row))
                          "")))
    m))

(define a '#(#(2 1 -1) #(-3 -1 2) #(-2 1 2)))
(print "a =")
(show a)
(print "determinant" (determinant a))
(print "inverse")
(show (inverse a))
(print "a x = (8 -11 -3) for x =" (solve a '#(8 -11 -3)))
(print "a times its inverse is the identity:"
       (equal? (multiply a (inverse a)) (identity-matrix 3)))
(print "singular:" (determinant '#(#(1 2) #(2 4))))

(define h (hilbert 8))
(print "determinant of the Hilbert matrix of 8:" (determinant h))
(print "corner of its inverse:" (at (inverse h) 7 7))
(print "the inverse of the inverse is the matrix:" (equal? (inverse (inverse h)) h))
(print "symmetric:" (equal? h (transpose h)))
