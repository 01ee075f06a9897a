; A port of the wrong direction.
(define (first-line port)
  (string-append "> " (read-line port)))
(first-line (open-output-string))

; error, status 70:
; wrong_port.lisp:3:23: read-line: expected a textual input port, got #<port>
;   3 |   (string-append "> " (read-line port)))
;     |                       ^^^^^^^^^^^^^^^^
;   in first-line, called at wrong_port.lisp:4:1
