; Keywords are checked before anything is computed.
(generate (lambda (ids) ids) #f '(1 2) :beam 4)

; error, status 70:
; generate_keyword.lisp:2:1: generation-settings: unknown keyword :beam
;   2 | (generate (lambda (ids) ids) #f '(1 2) :beam 4)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (generation-settings [:max-tokens] [:temperature] [:top-k] [:top-p] [:min-p] [:typical-p] [:greedy] [:repetition-penalty] [:frequency-penalty] [:presence-penalty] [:logit-bias] [:stop] [:stop-ids] [:ignore-eos] [:seed] [:count] [:stream] [:on-token] [:log-probabilities] [:grammar] [:allow] [:beams] [:length-penalty] [:early-stopping] [:draft] [:draft-tokens] [:cache] [:keep-cache] [:prefill] [:progress] [:context] [:tools] [:template])
