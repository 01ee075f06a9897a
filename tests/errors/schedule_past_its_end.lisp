; More steps than the cycle has.
(define w (requires-grad! [1.0 2.0]))
(define s (one-cycle-schedule (adam (list w)) :max-lr 0.1 :steps 3))
(dotimes (k 4) (schedule-step! s))

; error, status 70:
; schedule_past_its_end.lisp:4:16: schedule-step!: a one-cycle-schedule of 3 steps has no step 4
;   4 | (dotimes (k 4) (schedule-step! s))
;     |                ^^^^^^^^^^^^^^^^^^
;   in dotimes, called at schedule_past_its_end.lisp:4:1
