;; finite.lisp - where nan and infinite numbers come from.
;;
;; A loss that is not a number spoils every parameter at the next step, and
;; shows nothing then of where it began.  So training loops check the loss
;; (check-finite), and name the parameter or gradient that went wrong first
;; (find-nan).  detect-anomaly! names the operation.

(define (check-finite x :name "the tensor")
  "x, a tensor or a number, or an error if any of its elements is nan or
  infinite.  name says in the message what it is: \"the loss\"."
  (cond ((number? x)
         (unless (%finite-number? x)
           (%fail-not-finite (string name " is " x))))
        ((tensor? x)
         (unless (%all-finite? x)
           (%fail-not-finite (%not-finite-text name x))))
        (else (wrong-type "check-finite" "a tensor or a number" x)))
  x)

(define (%finite-number? x)
  "Whether it is neither nan nor infinite."
  (or (exact? x) (= (- x x) 0)))

(define (%all-finite? x)
  "Whether all elements of a tensor are finite.  x - x is nan for others; for
  one element that costs less than a test of a tensor."
  (cond ((not (or (tensor-is-floating-point x) (tensor-is-complex x))) #t)
        ((and (= (tensor-numel x) 1) (tensor-is-floating-point x))
         (%finite-number? (tensor-item x)))
        (else
         (no-grad (tensor-item (tensor-all (tensor-isfinite x)))))))

(define (%not-finite-text name x)
  "What is wrong with a tensor: how many elements, and the first of them."
  (no-grad
    (let* ((flat (tensor-flatten (detach x)))
           (wrong (tensor-logical-not (tensor-isfinite flat)))
           (count (tensor-item (tensor-sum wrong)))
           (first (tensor-item
                   (tensor-ref (tensor-masked-select flat wrong) 0))))
      (if (= (tensor-numel x) 1)
          (string name " is " first)
          (string count " of the " (tensor-numel x) " elements of "
                  (%shaped name x)
                  (if (= count 1) " is not finite: " " are not finite: the first is ")
                  first)))))

(define (%fail-not-finite text)
  "Raise the error of check-finite."
  (%error-with-hint
   (string "check-finite: " text)
   '()
   (string "(detect-anomaly! #t) before backward names the operation; a "
           "smaller learning rate, clip-grad-norm! or an eps in a division "
           "may help")))

(define (find-nan named)
  "The first tensor in an alist, such as named-parameters returns, that has an
  element or a gradient that is nan or infinite: a list of its name and the
  symbol parameter or gradient; #f if all are finite."
  (cond ((null? named) #f)
        ((%wrong-part (cdar named))
         => (lambda (part) (list (caar named) part)))
        (else (find-nan (cdr named)))))

(define (%wrong-part x)
  "What of a parameter is not finite: a symbol, or #f."
  (cond ((not (%all-finite? x)) 'parameter)
        ((tensor-grad x)
         => (lambda (gradient) (and (not (%all-finite? gradient)) 'gradient)))
        (else #f)))

(define (check-finite-parameters named)
  "Raise an error that names the first tensor in an alist, such as
  named-parameters returns, that is not finite or whose gradient is not."
  (let ((found (find-nan named)))
    (when found
      (let* ((name (car found))
             (x (cdr (assoc name named))))
        (%fail-not-finite
         (if (eq? (cadr found) 'gradient)
             (%not-finite-text (string "the gradient of " name)
                               (tensor-grad x))
             (%not-finite-text (string "the parameter " name) x)))))))
