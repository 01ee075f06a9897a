;; Procedures as values: lists of 1000 integers through map, filter and a fold,
;; with closures that the program makes as it goes.

(define (keep ok? items)
  (cond ((null? items) '())
        ((ok? (car items)) (cons (car items) (keep ok? (cdr items))))
        (else (keep ok? (cdr items)))))

(define (fold-up f start items)
  (let loop ((rest items) (result start))
    (if (null? rest)
        result
        (loop (cdr rest) (f result (car rest))))))

(define (chain f g)
  (lambda (x) (f (g x))))

(define (count-up n)
  (let loop ((i n) (items '()))
    (if (= i 0)
        items
        (loop (- i 1) (cons i items)))))

(define (run size)
  (let ((items (count-up 1000)))
    (let loop ((i 0) (sum 0))
      (if (= i size)
          sum
          (let* ((add (lambda (x) (+ x i)))
                 (twice (lambda (x) (* x 2)))
                 (changed (map (chain add twice) items))
                 (kept (keep (lambda (x) (= (modulo x 3) 0)) changed)))
            (loop (+ i 1)
                  (fold-up (lambda (a b) (modulo (+ a b) 1000003))
                           sum
                           (map (lambda (x) (* x x)) kept))))))))

(display (run (string->number (cadr (command-line)))))
(newline)
