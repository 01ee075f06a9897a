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
