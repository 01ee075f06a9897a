;; Records of floats: points that attract each other, each step with new
;; records.

(define-record-type point (make-point x y z) point?
  (x point-x) (y point-y) (z point-z))
(define-record-type body (make-body place speed mass) body?
  (place body-place) (speed body-speed) (mass body-mass))

(define (add a b)
  (make-point (+ (point-x a) (point-x b))
              (+ (point-y a) (point-y b))
              (+ (point-z a) (point-z b))))
(define (subtract a b)
  (make-point (- (point-x a) (point-x b))
              (- (point-y a) (point-y b))
              (- (point-z a) (point-z b))))
(define (scale k a)
  (make-point (* k (point-x a)) (* k (point-y a)) (* k (point-z a))))
(define (square a)
  (+ (* (point-x a) (point-x a))
     (* (point-y a) (point-y a))
     (* (point-z a) (point-z a))))

(define (pull body others)
  (let loop ((others others) (sum (make-point 0. 0. 0.)))
    (if (null? others)
        sum
        (let* ((way (subtract (body-place (car others)) (body-place body)))
               (distance (+ (square way) .01))
               (force (/ (body-mass (car others))
                         (* distance (sqrt distance)))))
          (loop (cdr others) (add sum (scale force way)))))))

(define (move body bodies step)
  (let ((speed (add (body-speed body) (scale step (pull body bodies)))))
    (make-body (add (body-place body) (scale step speed))
               speed
               (body-mass body))))

(define (make-bodies n)
  (if (= n 0)
      '()
      (let ((x (* 1. n)))
        (cons (make-body (make-point x (* .5 x) (- 3. x))
                         (make-point 0. .1 0.)
                         (+ 1. (* .1 x)))
              (make-bodies (- n 1))))))

(define (run size)
  (let loop ((i 0) (bodies (make-bodies 10)))
    (if (= i size)
        (exact (round (* 1000. (square (body-place (car bodies))))))
        (loop (+ i 1) (map (lambda (body) (move body bodies .01)) bodies)))))

(display (run (string->number (cadr (command-line)))))
(newline)
