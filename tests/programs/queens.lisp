; A classic: eight queens by backtracking over lists.
(define (safe? row distance placed)
  (or (null? placed)
      (and (not (= (car placed) row))
           (not (= (abs (- (car placed) row)) distance))
           (safe? row (+ distance 1) (cdr placed)))))
(define (queens n)
  (let place ((column n) (placed '()))
    (if (= column 0)
        1
        (let try ((row 1) (total 0))
          (if (> row n)
              total
              (try (+ row 1)
                   (if (safe? row 1 placed) (+ total (place (- column 1) (cons row placed))) total)))))))
(print (queens 6) (queens 8))                     ; => 4 92
