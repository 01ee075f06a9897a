; The part of an SRE that is wrong.
(regexp-search '(: "a" (repeat 2 num)) "a12")

; error, status 70:
; regexp_sre.lisp:2:1: regexp-search: there is no SRE of that form: (repeat 2 num)
;   2 | (regexp-search '(: "a" (repeat 2 num)) "a12")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
