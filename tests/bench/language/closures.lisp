;; Small closures: composition, curried addition, Church's numerals, and points
;; that answer messages.  The procedures that make them come from a list, so that
;; no compiler knows them.

(define (compose f g) (lambda (x) (f (g x))))
(define (adder a) (lambda (b) (lambda (c) (+ a b c))))

(define (church n)
  (if (= n 0)
      (lambda (f) (lambda (x) x))
      (let ((less (church (- n 1))))
        (lambda (f) (compose f (less f))))))

(define (make-point x y)
  (lambda (message)
    (cond ((eq? message 'x) x)
          ((eq? message 'y) y)
          (else (lambda (dx dy) (make-point (+ x dx) (+ y dy)))))))

(define makers (list compose adder church make-point))

(define (repeat times)
  (let ((compose (car makers))
        (adder (cadr makers))
        (numeral ((caddr makers) 10)))
    (let loop ((i 0) (sum 0) (point ((cadddr makers) 0 0)))
      (if (= i times)
          (+ sum (point 'x) (point 'y))
          (let* ((add ((adder i) 2))
                 (twice (compose add add))
                 (ten (numeral (lambda (n) (+ n 1)))))
            (loop (+ i 1)
                  (+ sum (twice 1) (ten 0))
                  ((point 'move) 1 (point 'x))))))))

(display (repeat (string->number (cadr (command-line)))))
(newline)
