;; sudoku.lisp - solve sudokus by elimination, and by trying where that is not enough.
;;
;; A board is a vector of 81 sets of digits that are still possible; a set is an
;; integer whose bit d stands for the digit d.

(define all-digits #b1111111110)

(define (digit-set d) (arithmetic-shift 1 d))
(define (remove-digit set d) (bitwise-and set (bitwise-not (digit-set d))))
(define (has-digit? set d) (not (zero? (bitwise-and set (digit-set d)))))

(define (digits set)
  "The digits of a set, as a list."
  (filter (lambda (d) (has-digit? set d)) (iota 9 1)))

(define (only-digit set)
  "The digit of a set that has just one, or #f."
  (and (= (bit-count set) 1)
       (find (lambda (d) (has-digit? set d)) (iota 9 1))))

(define (row-of cell) (quotient cell 9))
(define (column-of cell) (remainder cell 9))
(define (box-of cell)
  (+ (* 3 (quotient (row-of cell) 3)) (quotient (column-of cell) 3)))

(define peers
  (vector-map
    (lambda (cell)
      (filter (lambda (other)
                (and (not (= cell other))
                     (or (= (row-of cell) (row-of other))
                         (= (column-of cell) (column-of other))
                         (= (box-of cell) (box-of other)))))
              (iota 81)))
    (list->vector (iota 81))))

(define (place! board cell d fail)
  "Put a digit into a cell, and strike it out from its peers.  (fail #f) leaves."
  (vector-set! board cell (digit-set d))
  (for-each
    (lambda (peer)
      (let ((set (vector-ref board peer)))
        (when (has-digit? set d)
          (let ((rest (remove-digit set d)))
            (when (zero? rest) (fail #f))
            (vector-set! board peer rest)
            (let ((only (only-digit rest)))
              (when only (place! board peer only fail)))))))
    (vector-ref peers cell)))

(define (read-board text)
  "The board of 81 characters, digits and dots; #f if it contradicts itself."
  (call/cc
    (lambda (fail)
      (let ((board (make-vector 81 all-digits)))
        (for-each
          (lambda (cell c)
            (when (char-numeric? c)
              (unless (has-digit? (vector-ref board cell) (digit-value c)) (fail #f))
              (place! board cell (digit-value c) fail)))
          (iota 81)
          (string->list text))
        board))))

(define (narrowest board)
  "The open cell with the fewest possible digits, or #f if none is open."
  (let loop ((cell 0) (best #f) (fewest 10))
    (if (= cell 81)
        best
        (let ((n (bit-count (vector-ref board cell))))
          (if (and (> n 1) (< n fewest))
              (loop (+ cell 1) cell n)
              (loop (+ cell 1) best fewest))))))

(define tries 0)

(define (solve board)
  "A solved board, or #f."
  (let ((cell (narrowest board)))
    (if (not cell)
        board
        (any (lambda (d)
               (set! tries (+ tries 1))
               (let ((next (call/cc
                             (lambda (fail)
                               (let ((copy (vector-copy board)))
                                 (place! copy cell d fail)
                                 copy)))))
                 (and next (solve next))))
             (digits (vector-ref board cell))))))

(define (show board)
  (dotimes (row 9)
    (print (string-join
             (map (lambda (column)
                    (number->string (only-digit (vector-ref board (+ (* 9 row) column)))))
                  (iota 9))
             " "))))

(define (solve-text name text)
  (set! tries 0)
  (let* ((board (read-board text))
         (solved (and board (solve board))))
    (print name)
    (if solved (show solved) (print "it has no solution"))
    (print tries "tries")))

(solve-text "easy:"
  (string-append "53..7...." "6..195..." ".98....6."
                 "8...6...3" "4..8.3..1" "7...2...6"
                 ".6....28." "...419..5" "....8..79"))

(solve-text "hard:"
  (string-append "4.....8.5" ".3......." "...7....."
                 ".2.....6." "....8.4.." "....1...."
                 "...6.3.7." "5..2....." "1.4......"))

(solve-text "impossible:"
  (string-append "5.5......" "........." "........."
                 "........." "........." "........."
                 "........." "........." "........."))
