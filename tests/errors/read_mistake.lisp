; What read finds wrong is said with the place in the port.
(define (load-settings text)
  (let ((port (open-input-string text)))
    (let ((settings (read port)))
      settings)))
(load-settings "((colour . red)\n (size . \"12))")

; error, status 70:
; read_mistake.lisp:4:21: read: unclosed " at line 2, column 10
;   4 |     (let ((settings (read port)))
;     |                     ^^^^^^^^^^^
;   in load-settings, called at read_mistake.lisp:6:1
