;; Large linear layers may be multiplied by another library than small ones:
;; values and gradients are those of the product and the sum.

(manual-seed 3)
(define x (requires-grad! (tensor-randn '(4 130 256))))
(define w (requires-grad! (tensor-mul! (tensor-randn '(300 256)) 0.1)))
(define b (requires-grad! (tensor-randn '(300))))
(define weights (tensor-randn '(4 130 300)))

(define (written x w b) (+ (@ x (tensor-t w)) b))

(define (close? a b)
  (< (tensor-item (tensor-max (abs (- a b))))
     (* 1e-5 (tensor-item (tensor-max (abs b))))))

(define (found f . leaves)
  "The value and the gradients of a layer."
  (let ((y (apply f leaves)))
    (cons (detach y)
          (gradients (tensor-sum (* weights y)) (filter tensor? leaves)))))

(print (map close? (found tensor-linear x w b) (found written x w b)))
;; => (#t #t #t #t)
(print (map close? (found (lambda (x w) (tensor-linear x w)) x w)
            (found (lambda (x w) (@ x (tensor-t w))) x w)))  ; => (#t #t #t)

;; Only what is asked for; the same by backward, twice.
(define y (tensor-sum (* weights (tensor-linear (detach x) w b))))
(backward y :retain-graph #t)
(backward y)
(print (close? (tensor-grad w) (* 2 (cadr (cdr (found written x w b)))))
       (tensor-grad x))  ; => #t #f
(print (guard (e (#t (error-object-message e))) (backward y)))
;; => backward: the gradients of this computation have been computed before

;; Gradients of gradients.
(define (penalty f)
  (let* ((loss (tensor-sum (square (f x w b))))
         (g (car (gradients loss (list x) :create-graph #t))))
    (car (gradients (tensor-mean (square g)) (list w)))))
(print (close? (penalty tensor-linear) (penalty written)))  ; => #t

;; A change of what the gradient needs is noticed.
(define z (tensor-linear x w b))
(no-grad (tensor-mul! w 2))
(print (guard (e (#t "changed")) (backward (tensor-sum z))))  ; => changed

;; Without gradients, views, and other dtypes.
(print (requires-grad? (no-grad (tensor-linear x w b))))  ; => #f
(define across (tensor-randn '(256 520)))
(print (close? (no-grad (tensor-linear (tensor-t across) w b))
               (no-grad (written (tensor-t across) w b))))  ; => #t
(print (tensor-dtype (tensor-linear (tensor-to x 'float64)
                                    (tensor-to w 'float64))))  ; => float64
