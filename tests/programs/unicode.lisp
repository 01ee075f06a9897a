; Names, strings and comments beyond ASCII.  λ → ∀
(define π 3)
(define (größe x) (* π x))
(print (größe 2) 'naïve "→" (string-length "→λ")) ; => 6 naïve → 2
(print (string->symbol "日本") (symbol->string 'été)) ; => 日本 été

; A file drops a byte order mark at its start, so a symbol that begins with one has bars.
(write (string->symbol "\xfeff;"))  ; => |﻿|
(newline)
(write (string->symbol "\xfeff;x"))  ; => |﻿x|
(newline)
(write (string->symbol "x\xfeff;"))  ; => x﻿
(newline)
(define text (open-output-string))
(write (string->symbol "\xfeff;x") text)
(print (string-length (symbol->string (read (open-input-string (get-output-string text))))))  ; => 2

; ASCII has a path of its own
(define (flags c) (map (lambda (x) (if x 1 0)) (list (char-alphabetic? c) (char-numeric? c) (char-whitespace? c) (char-upper-case? c) (char-lower-case? c))))
(define (tally from to)
  (let loop ((i from) (counts '(0 0 0 0 0)))
    (if (= i to) counts (loop (+ i 1) (map + counts (flags (integer->char i)))))))
(print (tally 0 128) (tally 128 1000))            ; => (52 10 6 26 26) (641 0 2 245 364)
(print (map flags (list #\@ #\Z #\[ #\` #\z #\{ #\/ #\9 #\: #\tab #\x8 #\xe))) ; => ((0 0 0 0 0) (1 0 0 1 0) (0 0 0 0 0) (0 0 0 0 0) (1 0 0 0 1) (0 0 0 0 0) (0 0 0 0 0) (0 1 0 0 0) (0 0 0 0 0) (0 0 1 0 0) (0 0 0 0 0) (0 0 0 0 0))
(print (guard (e (#t (error-object-message e))) (char-numeric? 5))) ; => char-numeric?: expected a character, got 5
