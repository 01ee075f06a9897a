; A curve has an x for each y.
(define steps (iota 3))
(define losses '(0.9 0.5 0.4 0.3))
(plot "train" losses :x steps)

; error, status 70:
; plot_lengths.lisp:4:1: plot: the series "train" has 3 x and 4 y
;   4 | (plot "train" losses :x steps)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
