;; sample.lisp - the microseconds of a sampling step over 32,000 logits.

(define logits (tensor-randn 32000))
(define steps 200)
(define rounds 7)

(define (microseconds thunk)
  (let ((start (current-jiffy)))
    (dotimes (k steps) (thunk))
    (/ (- (current-jiffy) start) 1e3 steps)))

(define (median-time thunk)
  (thunk)
  (list-ref (sort (map (lambda (k) (microseconds thunk)) (iota rounds)) <)
            (quotient rounds 2)))

(define (show name thunk) (print name (median-time thunk)))

(set-num-threads 1)
(inference-mode
  (show "argmax" (lambda () (tensor-argmax-last logits)))
  (show "temperature" (lambda () (tensor-sample logits 0.8)))
  (show "top-k 40, top-p 0.95" (lambda () (tensor-sample logits 0.8 40 0.95)))
  (show "top-p 0.95 of all" (lambda () (tensor-sample logits 0.8 #f 0.95)))
  (show "min-p 0.05" (lambda () (tensor-sample logits 0.8 #f 1.0 0.05))))
