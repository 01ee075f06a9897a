;; Doubles in loops: how many points of a square stay near in 1000 steps.

(define steps 1000)

(define (stays? cr ci)
  (let loop ((zr 0.0) (zi 0.0) (n 0))
    (let ((zr2 (* zr zr)) (zi2 (* zi zi)))
      (cond ((> (+ zr2 zi2) 4.0) #f)
            ((= n steps) #t)
            (else
             (loop (+ (- zr2 zi2) cr) (+ (* 2.0 zr zi) ci) (+ n 1)))))))

(define (run size)
  (let ((step (/ 3.0 size)))
    (let rows ((y 0) (count 0))
      (if (= y size)
          count
          (rows (+ y 1)
                (let columns ((x 0) (count count))
                  (if (= x size)
                      count
                      (columns (+ x 1)
                               (if (stays? (- (* x step) 2.0)
                                           (- (* y step) 1.5))
                                   (+ count 1)
                                   count)))))))))

(display (run (string->number (cadr (command-line)))))
(newline)
