; Names of other languages.
(re.sub "a" "b" "abc")

; error, status 70:
; regexp_name.lisp:2:2: unbound variable: re.sub
;   2 | (re.sub "a" "b" "abc")
;     |  ^^^^^^
; hint: write (regexp-replace-all (pregexp "...") text replacement)
