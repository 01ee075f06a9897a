; A pattern that tries all divisions of a text does not run for ever.
(regexp-search (pregexp "(a|aa)+$") (string-append (make-string 60 #\a) "b"))

; error, status 70:
; regexp_steps.lisp:2:1: regexp-search: the search takes too many steps, for (pregexp "(a|aa)+$")
;   2 | (regexp-search (pregexp "(a|aa)+$") (string-append (make-string 60 #\a) "b"))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: nested repetitions, or alternatives, that match the same text are tried in all combinations: let only one of them match it
