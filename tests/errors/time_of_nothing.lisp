; time says its own usage, not that of the form below it.
(time)

; error, status 65:
; time_of_nothing.lisp:2:1: time: no rule matches (time)
;   2 | (time)
;     | ^^^^^^
; hint: usage: (time form more ...)
