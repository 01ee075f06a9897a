;; Around a program whose processor time is measured from outside: each pause
;; waits for a line, so that the clock of the process stands still.
(define (bench-pause)
  (display "pause")
  (newline)
  (flush-output-port)
  (read-char))
(define bench-begins (bench-pause))
