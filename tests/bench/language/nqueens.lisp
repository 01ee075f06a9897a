;; Short lists: how many ways queens stand on a board without a quarrel.

(define (safe? column distance others)
  (or (null? others)
      (let ((other (car others)))
        (and (not (= other column))
             (not (= other (+ column distance)))
             (not (= other (- column distance)))
             (safe? column (+ distance 1) (cdr others))))))

(define (count-from size row placed)
  (if (= row size)
      1
      (let loop ((column 0) (count 0))
        (cond ((= column size) count)
              ((safe? column 1 placed)
               (loop (+ column 1)
                     (+ count
                        (count-from size (+ row 1) (cons column placed)))))
              (else (loop (+ column 1) count))))))

(display (count-from (string->number (cadr (command-line))) 0 '()))
(newline)
