;; Integers without bound: the digits of pi, one by one, from a stream of
;; fractional maps (q r; 0 t).  Prints a checksum.

(define (run size)
  (let loop ((q 1) (r 0) (t 1) (k 1) (made 0) (sum 0))
    (if (= made size)
        sum
        (let ((digit (quotient (+ (* 3 q) r) t)))
          (if (= digit (quotient (+ (* 4 q) r) t))
              (loop (* 10 q) (* 10 (- r (* digit t))) t k
                    (+ made 1)
                    (modulo (+ (* 7 sum) digit) 1000003))
              (let ((odd (+ k k 1)))
                (loop (* q k) (* (+ q q r) odd) (* t odd) (+ k 1)
                      made sum)))))))

(display (run (string->number (cadr (command-line)))))
(newline)
