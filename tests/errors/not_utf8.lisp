; Text that is no UTF-8, with the place in the file.
(define path "/tmp/lambent-test-not-utf8")
(call-with-port (open-binary-output-file path)
  (lambda (port) (write-bytevector #u8(97 98 10 99 255 10) port)))
(define (lines port)
  (let ((line (read-line port)))
    (if (eof-object? line) '() (cons line (lines port)))))
(lines (open-input-file path))

; error, status 70:
; not_utf8.lisp:6:15: read-line: "/tmp/lambent-test-not-utf8" is not UTF-8 text (byte 4)
;   6 |   (let ((line (read-line port)))
;     |               ^^^^^^^^^^^^^^^^
; hint: open the file with :invalid 'replace, or with :encoding 'latin-1, 'windows-1252 or 'utf-16
;   in lines, called at not_utf8.lisp:7:43
;   in lines, called at not_utf8.lisp:8:1
