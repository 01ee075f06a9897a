;; The place of a bad escape is found after others, and after line ends in the string.
(define (try text)
  (print (guard (e ((read-error? e) (error-object-message e)))
           (read (open-input-string text)))))
(try "\"\\x41;\\n\nab\\x42;\\q\"")   ; => read: unknown escape: \q at line 2, column 8
(try "\"\\x41;\nλ\\x110000;\\q\"")   ; => read: not a character: x110000 at line 2, column 2
(try "\"λ\\x41;\\t\\xd800;\"")       ; => read: not a character: xd800 at line 1, column 10
(try " |a\\x41;\n\n\\x42; \\q|")     ; => read: unknown escape: \q at line 3, column 7
(try "\"a\\\n  \\x41;\\q\"")         ; => read: unknown escape: \q at line 2, column 8
(try "\"\\x41;\\x42;\\x3bb;\"")      ; => ABλ
