; Strings are immutable.
(define s (string #\a #\b))
(string-set! s 0 #\x)

; error, status 70:
; string_set.lisp:3:1: string-set!: strings are immutable
;   3 | (string-set! s 0 #\x)
;     | ^^^^^^^^^^^^^^^^^^^^^
; hint: string-append, substring and string-map return new ones
