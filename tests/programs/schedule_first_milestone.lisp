; A first milestone of 0: the first schedule sets the rate of step 0 only, as in PyTorch.
(define w (requires-grad! (tensor-zeros 1)))
(define (rates make)
  (let* ((optimizer (sgd (list w) :lr 1.0))
         (schedule (make optimizer)))
    (let loop ((k 0) (found (learning-rates optimizer)))
      (if (= k 5)
          (reverse found)
          (begin (schedule-step! schedule)
                 (loop (+ k 1) (append (learning-rates optimizer) found)))))))

(print (rates (lambda (o) (sequential-schedule
                            (list (linear-schedule o :start-factor 0.1 :steps 3)
                                  (exponential-schedule o :gamma 0.5))
                            :milestones '(0)))))  ; => (0.1 0.05 0.025 0.0125 0.00625 0.003125)
