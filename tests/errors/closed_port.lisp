; A port that has been closed.
(define port (open-output-string))
(close-port port)
(write 'late port)

; error, status 70:
; closed_port.lisp:4:1: write: the port is closed
;   4 | (write 'late port)
;     | ^^^^^^^^^^^^^^^^^^
