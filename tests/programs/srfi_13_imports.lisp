;; Parts of (srfi 13), renamed; other names keep Lambent's meaning, and so do other files.
(import (prefix (only (srfi 13) string-trim string-join) s13:) (only (srfi 13) string-pad))
(write (list (s13:string-trim " a ") (string-trim " a "))) (newline)  ; => ("a " "a")
(write (s13:string-join '("a") "," 'suffix)) (newline)                ; => "a,"
(write (string-pad "a" 3)) (newline)                                  ; => "  a"
(write (string-replace "a-b" "-" "+")) (newline)                      ; => "a+b"
(define-library (user)
  (export f)
  (import (scheme base) (srfi 13))
  (begin (define (f x) (string-trim x))))
(import (user))
(write (f " x ")) (newline)                                           ; => "x "
