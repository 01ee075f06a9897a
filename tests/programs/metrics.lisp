; Measures of predictions, and running means.
(define scores [[2.0 1.0 0.0] [0.0 3.0 1.0] [4.0 0.0 1.0] [1.0 2.0 3.0]])
(define targets [0 1 1 2])
(define-syntax fails
  (syntax-rules ()
    ((_ expression)
     (guard (e (#t (apply print (error-object-message e)
                          (error-object-irritants e))))
       (print expression)))))

; Accuracy.
(print (accuracy scores targets) (correct-count scores targets))  ; => 0.75 3
(print (accuracy scores targets :k 2) (accuracy scores targets :k 3))  ; => 0.75 1.0
(print (accuracy [0 2 1] [0 1 1]))  ; => 0.6666666666666666
(print (correct-count (tensor-ones 2 3 4) (tensor-zeros 2 4 :dtype 'int64)))  ; => 8
(fails (accuracy scores targets :k 4))  ; => correct-count: expected a number from 1 to 3, the number of classes, for :k, got 4
(fails (accuracy scores [0 1]))  ; => correct-count: expected targets of shape (4) for predictions float32 (4 3), got (2)

; Confusion matrices: rows are targets, columns are predictions.
(print (confusion-matrix scores targets))  ; => [[1 0 0] [1 1 0] [0 0 1]]
(print (confusion-matrix [0 1 0 2] targets :classes 4))  ; => [[1 0 0 0] [1 1 0 0] [0 0 1 0] [0 0 0 0]]
(print (+ (confusion-matrix [0 1] [0 0] :classes 2) (confusion-matrix [1] [1] :classes 2)))  ; => [[1 1] [0 1]]
(fails (confusion-matrix [0 5] [0 1] :classes 2))  ; => confusion-matrix: class 5 in predictions is out of range for 2 classes
(fails (confusion-matrix [0 1 1] [0 1]))  ; => confusion-matrix: predictions (3) and targets (2) differ in shape

; Precision, recall, F1.
(for-each (lambda (average)
            (print average
                   (precision scores targets :average average)
                   (recall scores targets :average average)
                   (f1-score scores targets :average average)))
          '(none macro micro weighted))
; => none [0.5 1.0 1.0] [1.0 0.5 1.0] [0.6667 0.6667 1.0]
; => macro 0.8333333333333334 0.8333333333333334 0.7777777777777777
; => micro 0.75 0.75 0.75
; => weighted 0.875 0.75 0.75
(print (precision [0 0] [0 1] :average 'none))  ; => [0.5 0.0]
(print (class-report (confusion-matrix scores targets)))  ; => ([0.5 1.0 1.0] [1.0 0.5 1.0] [0.6667 0.6667 1.0] [1 2 1])
(fails (recall scores targets :average 'best))  ; => recall: expected 'none, 'macro, 'micro or 'weighted for :average, got best

; Numbers.
(print (perplexity 0) (perplexity (tensor 0.0)))  ; => 1.0 1.0
(print (mean-absolute-error [1.0 2.0] [2.0 4.0]) (mean-squared-error [1.0 2.0] [2.0 4.0]))  ; => 1.5 2.5
(print (r2-score [1.0 2.0 4.0] [1.0 2.0 3.0]))  ; => 0.5
(print (r2-score [[1.0 0.0] [2.0 2.0] [4.0 4.0]] [[1.0 0.0] [2.0 2.0] [3.0 4.0]]))  ; => 0.75
(fails (perplexity [1.0 2.0]))  ; => perplexity: expected a number, got a tensor of shape (2)
(fails (r2-score [1.0 2.0] [3.0 3.0]))  ; => r2-score: the targets do not vary: got shape (2)

; Running means.
(define losses (running-mean))
(running-mean-add! losses 2.0 :count 3)
(running-mean-add! losses (tensor 6.0))
(print (running-mean-value losses) (running-mean-count losses) losses)  ; => 3.0 4 #<running-mean value: 3.0 count: 4>
(define copy (load-running-mean-state! (running-mean) (running-mean-state losses)))
(print (running-mean-value (running-mean-add! copy 8.0)))  ; => 4.0
(print (running-mean-value (running-mean-reset! losses)) (running-mean? losses))  ; => 0.0 #t
(fails (load-running-mean-state! losses '(("lr" . 1))))  ; => load-running-mean-state!: expected a state of running-mean-state, got (("lr" . 1))
(fails (running-mean-value 3))  ; => running-mean-value: expected a running-mean, got 3
