;; Doubles in vectors: the sun and its four large planets attract each other.
;; A body is a vector: place, speed (each x y z), mass.

(define solar-mass (* 4.0 3.141592653589793 3.141592653589793))
(define year 365.24)

(define (body x y z vx vy vz mass)
  (vector x y z (* vx year) (* vy year) (* vz year) (* mass solar-mass)))

(define (make-bodies)
  (vector
   (body 0.0 0.0 0.0 0.0 0.0 0.0 1.0)
   (body 4.84143144246472 -1.16032004402743 -0.103622044471123
         0.00166007664274404 0.00769901118419740 -0.0000690460016972063
         0.000954791938424327)
   (body 8.34336671824458 4.12479856412430 -0.403523417114321
         -0.00276742510726411 0.00499852801234917 0.0000230417297573763
         0.000285885980666131)
   (body 12.8943695621391 -15.1111514016986 -0.223307578892656
         0.00296460137564762 0.00237847173959481 -0.0000296589568540238
         0.0000436624404335156)
   (body 15.3796971148509 -25.9193146099880 0.179258772950372
         0.00268067772490389 0.00162824170038242 -0.0000951592254519716
         0.0000515138902046611)))

;; The speed of a changes by factor times a place.
(define (pull! a dx dy dz factor)
  (vector-set! a 3 (+ (vector-ref a 3) (* dx factor)))
  (vector-set! a 4 (+ (vector-ref a 4) (* dy factor)))
  (vector-set! a 5 (+ (vector-ref a 5) (* dz factor))))

(define (attract! a b dt)
  (let* ((dx (- (vector-ref a 0) (vector-ref b 0)))
         (dy (- (vector-ref a 1) (vector-ref b 1)))
         (dz (- (vector-ref a 2) (vector-ref b 2)))
         (square (+ (* dx dx) (* dy dy) (* dz dz)))
         (force (/ dt (* square (sqrt square)))))
    (pull! a dx dy dz (- 0.0 (* (vector-ref b 6) force)))
    (pull! b dx dy dz (* (vector-ref a 6) force))))

(define (move! a dt)
  (vector-set! a 0 (+ (vector-ref a 0) (* dt (vector-ref a 3))))
  (vector-set! a 1 (+ (vector-ref a 1) (* dt (vector-ref a 4))))
  (vector-set! a 2 (+ (vector-ref a 2) (* dt (vector-ref a 5)))))

(define (advance! bodies dt)
  (let ((n (vector-length bodies)))
    (do ((i 0 (+ i 1))) ((= i n))
      (do ((j (+ i 1) (+ j 1))) ((= j n))
        (attract! (vector-ref bodies i) (vector-ref bodies j) dt)))
    (do ((i 0 (+ i 1))) ((= i n))
      (move! (vector-ref bodies i) dt))))

(define (kinetic-energy bodies)
  (let loop ((i 0) (sum 0.0))
    (if (= i (vector-length bodies))
        sum
        (let* ((a (vector-ref bodies i))
               (vx (vector-ref a 3))
               (vy (vector-ref a 4))
               (vz (vector-ref a 5)))
          (loop (+ i 1)
                (+ sum
                   (* 0.5 (vector-ref a 6)
                      (+ (* vx vx) (* vy vy) (* vz vz)))))))))

(define (run size)
  (let ((bodies (make-bodies)))
    (do ((i 0 (+ i 1))) ((= i size))
      (advance! bodies 0.01))
    (inexact->exact (round (* 1e9 (kinetic-energy bodies))))))

(display (run (string->number (cadr (command-line)))))
(newline)
