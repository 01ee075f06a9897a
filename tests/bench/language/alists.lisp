;; Association lists: counts by words, kept in lists that share their ends, and
;; searched by strings, symbols and numbers.

(define words
  '("alpha" "beta" "gamma" "delta" "epsilon" "zeta" "eta" "theta" "iota"
    "kappa" "lambda" "mu"))
(define colours '((red . 1) (green . 2) (blue . 3) (white . 4) (black . 5)))
(define squares
  (let loop ((i 0) (pairs '()))
    (if (= i 40) pairs (loop (+ i 1) (cons (cons i (* i i)) pairs)))))

(define (count key counts)
  (cond ((null? counts) (list (cons key 1)))
        ((equal? (caar counts) key)
         (cons (cons key (+ (cdar counts) 1)) (cdr counts)))
        (else (cons (car counts) (count key (cdr counts))))))

(define (count-all keys counts)
  (if (null? keys) counts (count-all (cdr keys) (count (car keys) counts))))

(define (sum-by find keys pairs)
  (if (null? keys)
      0
      (+ (cdr (find (car keys) pairs)) (sum-by find (cdr keys) pairs))))

(define (sum-squares i sum)
  (if (= i 40) sum (sum-squares (+ i 1) (+ sum (cdr (assv i squares))))))

(define (run size)
  (let loop ((i 0) (counts '()) (sum 0))
    (if (= i size)
        sum
        (let ((counts (count-all words (if (= 0 (modulo i 10)) '() counts))))
          (loop (+ i 1)
                counts
                (modulo (+ sum
                           (sum-by assoc words counts)
                           (sum-by assq '(black red white blue) colours)
                           (sum-squares 0 0))
                        1000003))))))

(display (run (string->number (cadr (command-line)))))
(newline)
