
;; Appended to examples/digits.lisp by the benchmark: seconds for some more epochs.

(define bench-xs (images train-rows))
(define bench-ys (labels train-rows))
(do ((k 0 (+ k 1)))
    ((= k 40))
  (let ((start (current-jiffy)))
    (train-epoch net descent bench-xs bench-ys)
    (print "epoch seconds" (/ (- (current-jiffy) start) 1e9))))
