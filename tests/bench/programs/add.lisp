;; add.lisp - nanoseconds for one tensor-add of four elements, (command-line) times.

(define (add-many a b n)
  "a + b, n times over.  a b [4]"
  (do ((k 0 (+ k 1)))
      ((= k n))
    (tensor-add a b)))

(define (main n)
  "Warm up, then print how long one call takes."
  (let ((a [1.0 2.0 3.0 4.0])                   ; [4]
        (b [5.0 6.0 7.0 8.0]))                  ; [4]
    (add-many a b (quotient n 10))
    (let ((start (current-jiffy)))
      (add-many a b n)
      (print (/ (- (current-jiffy) start) (inexact n))))))

(main (string->number (cadr (command-line))))
