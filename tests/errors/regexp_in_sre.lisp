; SREs are put together, regexps are not.
(define digits (regexp '(+ num)))
(regexp-search `(: "a" ,digits) "a12")

; error, status 70:
; regexp_in_sre.lisp:3:1: regexp-search: a regexp cannot be a part of an SRE: #<regexp sre: (+ num)>
;   3 | (regexp-search `(: "a" ,digits) "a12")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (regexp->sre re) is an SRE for it
