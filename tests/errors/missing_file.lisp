; A file that the running program cannot open.
(define (load-rows path) (read-line (open-input-file path)))
(print (load-rows "no-such-file.csv"))

; error, status 70:
; missing_file.lisp:2:37: open-input-file: cannot open "no-such-file.csv": No such file or directory
;   2 | (define (load-rows path) (read-line (open-input-file path)))
;     |                                     ^^^^^^^^^^^^^^^^^^^^^^
;   in load-rows, called at missing_file.lisp:3:8
