; Garbage is not collected for the statistics of a generation: that took most of a short one's time.
(define (model ids) (tensor-zeros (list (tensor-size ids 0) (tensor-size ids 1) 5)))
(define (collections) (cdr (assq 'collections (garbage-statistics))))
(define (generated k) (generate-result model #f '(1 2) :max-tokens 2 :greedy #t))
(define warm (generated 0))
(define before (collections))
(define results (map generated (iota 50)))
(print (< (- (collections) before) 25))  ; => #t
(define (peak result) (cdr (assq 'peak-bytes (generation-statistics result))))
(print (<= (peak (car results)) (peak (generated 0)) (cdr (assq 'peak-bytes (tensor-memory)))))  ; => #t
(print (> (peak warm) 0))  ; => #t
