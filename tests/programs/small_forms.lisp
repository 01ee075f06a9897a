; while, dotimes, ->, ->>, when, unless.
(define i 0)
(while (< i 3) (display i) (set! i (+ i 1)))
(newline)                                             ; => 012
(print (-> 5 (- 1) (* 2) list) (->> 5 (- 1) (list 'a)) (-> 'x) (->> '(1 2 3) (map (lambda (x) (* x x))) (apply +))) ; => (8) (a -4) x 14
(define (f n) (let ((k n) (sum 0)) (while (> k 0) (define j k) (set! sum (+ sum j)) (set! k (- k 1))) sum))
(print (f 10) (when #f 1) (unless #f 1 2) (when 1 2)) ; => 55 #<unspecified> 2 2
(define fs '())
(dotimes (k 3) (set! fs (cons (lambda () k) fs)))
(print (map (lambda (f) (f)) fs) (range 3) (range 3 0 -1))  ; => (2 1 0) (0 1 2) (3 2 1)
