;; line.lisp - gradient descent fits a line to noisy points.
;;
;; The points lie around y = 3 x + 1.  `backward` finds in which direction the
;; mean squared error grows; each step goes a little the other way.

(define (noisy-line x)
  "Points around the line.  x [n] -> [n]"
  (+ (* 3 x) 1 (* 0.1 (tensor-randn-like x))))

(define (mean-squared-error prediction y)
  "prediction [n], y [n] -> []"
  (tensor-mean (square (- prediction y))))

(define (descend! parameter rate)
  "Move a parameter against its gradient, in place."
  (no-grad (tensor-sub! parameter (* rate (tensor-grad parameter))))
  (zero-grad! parameter))

(define (fit slope offset x y steps)
  "Improve slope [] and offset [] in steps; print the error now and then."
  (do ((step 0 (+ step 1)))
      ((= step steps))
    (let ((loss (mean-squared-error (+ (* slope x) offset) y)))     ; []
      (when (= 0 (modulo step 50))
        (print "step" step "error" loss))
      (backward loss)
      (descend! slope 0.5)
      (descend! offset 0.5))))

(manual-seed 0)
(define xs (tensor-rand 100))                   ; [100]
(define ys (noisy-line xs))                     ; [100]
(define a (requires-grad! (tensor 0.0)))        ; []
(define b (requires-grad! (tensor 0.0)))        ; []

(fit a b xs ys 200)
(print "y =" a "x +" b)
