; Distillation, preferences, and checks for numbers that are not finite.
(define-syntax fails
  (syntax-rules ()
    ((_ expression)
     (guard (e (#t (apply print (error-object-message e)
                          (error-object-irritants e))))
       (print expression)))))

; Distillation.
(define student (requires-grad! [[1.0 2.0 3.0] [3.0 2.0 1.0]]))
(define teacher (requires-grad! [[1.0 2.0 3.0] [1.0 2.0 3.0]]))
(print (distillation-loss student student #f))  ; => 0.0
(print (distillation-loss student teacher [2 0] :alpha 0))  ; => 0.4076
(print (distillation-loss student teacher [2 -100] :alpha 1.0))  ; => 0.0
(backward (distillation-loss student teacher [2 0]))
(print (tensor-grad teacher) (tensor-shape (tensor-grad student)))  ; => #f (2 3)
(fails (distillation-loss student [[1.0]] [2 0]))  ; => distillation-loss: student-logits (2 3) and teacher-logits (1 1) differ in shape
(fails (distillation-loss student teacher [2 0] :temperature 0))  ; => distillation-loss: expected a positive number for :temperature, got 0
(fails (distillation-loss student teacher [2 0] :alpha 3))  ; => distillation-loss: expected a number from 0 to 1 for :alpha, got 3
(fails (distillation-loss student teacher [2.0 0.0]))  ; => distillation-loss: expected indices of classes, of int64, got targets float32 (2)

; Probabilities of sequences: tokens that are masked or ignored do not count.
(define logits (tensor-log (tensor [[[0.5 0.5] [0.25 0.75] [0.9 0.1]]])))
(print (exp (sequence-log-probabilities logits [[0 1 0]])))  ; => [0.3375]
(print (exp (sequence-log-probabilities logits [[0 1 0]] :mask [[1 1 0]])))  ; => [0.375]
(print (exp (sequence-log-probabilities logits [[0 1 -100]] :mask [[#f #t #t]])))  ; => [0.75]
(print (exp (sequence-log-probabilities logits [[0 0 -100]] :average #t)))  ; => [0.3536]
(fails (sequence-log-probabilities logits [[0 1]]))  ; => sequence-log-probabilities: expected logits [n, t, classes] and targets [n, t], got (1 3 2) and (1 2)
(fails (sequence-log-probabilities logits [[0 1 0]] :mask [1 1 0]))  ; => sequence-log-probabilities: expected a mask of shape (1 3), got (3)

; Preferences.
(define chosen (requires-grad! [-1.0 -2.0]))
(define rejected (requires-grad! [-3.0 -1.0]))
(define reference [-2.0 -2.0])
(print (dpo-loss chosen rejected reference reference :reduction 'none))  ; => [0.5981 0.7444]
(print (dpo-loss chosen rejected reference reference :beta 1.0 :variant 'hinge))  ; => 1.0
(print (dpo-rewards chosen reference))  ; => [0.1 0.0]
(backward (dpo-loss chosen rejected reference reference :label-smoothing 0.1))
(print (tensor-grad chosen))  ; => [-0.0175 -0.0212]
(fails (dpo-loss chosen rejected reference [1.0]))  ; => dpo-loss: policy-chosen (2) and reference-rejected (1) differ in shape
(fails (dpo-loss chosen rejected reference reference :variant 'best))  ; => dpo-loss: expected 'sigmoid, 'hinge or 'ipo for :variant, got best

; Numbers that are not finite.
(print (check-finite 1.5 :name "the loss") (check-finite [1.0 2.0]) (check-finite [1 2]))  ; => 1.5 [1.0 2.0] [1 2]
(fails (check-finite (/ 0.0 0.0) :name "the loss"))  ; => check-finite: the loss is +nan.0
(fails (check-finite (tensor-log (tensor -1.0)) :name "the loss"))  ; => check-finite: the loss is +nan.0
(fails (check-finite (/ [[1.0 2.0] [3.0 4.0]] [[1.0 0.0] [0.0 1.0]]) :name "scores"))  ; => check-finite: 2 of the 4 elements of scores float32 (2 2) are not finite: the first is +inf.0
(fails (check-finite "loss"))  ; => check-finite: expected a tensor or a number, got "loss"
(define w (requires-grad! [1.0 0.0]))
(define v (requires-grad! [2.0]))
(define named (list (cons "v" v) (cons "net.w" w)))
(print (find-nan named))  ; => #f
(backward (tensor-sum (sqrt (* w v))))
(print (find-nan named))  ; => (v gradient)
(zero-grad! v)
(print (find-nan named))  ; => (net.w gradient)
(fails (check-finite-parameters named))  ; => check-finite: 1 of the 2 elements of the gradient of net.w float32 (2) is not finite: +inf.0
(zero-grad! w)
(check-finite-parameters named)
(no-grad (tensor-fill! w -inf.0))
(fails (check-finite-parameters named))  ; => check-finite: 2 of the 2 elements of the parameter net.w float32 (2) are not finite: the first is -inf.0
