; What no memory would hold is refused.
(list (expt 10 (expt 10 20)))

; error, status 70:
; expt_too_large.lisp:2:7: expt: the result is too large
;   2 | (list (expt 10 (expt 10 20)))
;     |       ^^^^^^^^^^^^^^^^^^^^^^
