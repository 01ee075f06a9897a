;; Pairs that come and go: complete binary trees of depth 12, made, counted,
;; dropped.

(define (grow depth)
  (if (= depth 0)
      '()
      (cons (grow (- depth 1)) (grow (- depth 1)))))

(define (count-nodes tree)
  (if (null? tree)
      0
      (+ 1 (count-nodes (car tree)) (count-nodes (cdr tree)))))

(define (run size)
  (let loop ((i 0) (sum 0))
    (if (= i size)
        sum
        (loop (+ i 1) (+ sum (count-nodes (grow 12)))))))

(display (run (string->number (cadr (command-line)))))
(newline)
