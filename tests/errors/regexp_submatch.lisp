; A name that the regexp does not have.
(regexp-match-submatch (regexp-search '(-> year (+ num)) "2026") 'month)

; error, status 70:
; regexp_submatch.lisp:2:1: regexp-match-submatch: no submatch is named month, in (-> year (+ num))
;   2 | (regexp-match-submatch (regexp-search '(-> year (+ num)) "2026") 'month)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
