;; A vector of integers, sorted in place by quicksort.

(define (random-vector n)
  (let ((items (make-vector n 0)))
    (let loop ((i 0) (seed 42))
      (if (= i n)
          items
          (let ((next (modulo (* seed 16807) 2147483647)))
            (vector-set! items i next)
            (loop (+ i 1) next))))))

(define (swap! items i j)
  (let ((old (vector-ref items i)))
    (vector-set! items i (vector-ref items j))
    (vector-set! items j old)))

(define (up-to items i pivot)
  (if (< (vector-ref items i) pivot)
      (up-to items (+ i 1) pivot)
      i))

(define (down-to items j pivot)
  (if (> (vector-ref items j) pivot)
      (down-to items (- j 1) pivot)
      j))

(define (sort! items first last)
  (when (< first last)
    (let ((pivot (vector-ref items (quotient (+ first last) 2))))
      (let loop ((i first) (j last))
        (let ((i (up-to items i pivot))
              (j (down-to items j pivot)))
          (cond ((< i j)
                 (swap! items i j)
                 (loop (+ i 1) (- j 1)))
                (else
                 (sort! items first (if (= i j) (- j 1) j))
                 (sort! items (if (= i j) (+ i 1) i) last))))))))

(define (checksum items)
  (let ((n (vector-length items)))
    (let loop ((i 0) (sum 0))
      (if (= i n)
          sum
          (loop (+ i 1)
                (modulo (+ (* sum 3) (vector-ref items i)) 1000003))))))

(define (run size)
  (let ((items (random-vector size)))
    (sort! items 0 (- size 1))
    (checksum items)))

(display (run (string->number (cadr (command-line)))))
(newline)
