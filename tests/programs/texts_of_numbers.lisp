; string->number: short texts, which are read at once, and others.
(define (numbers . texts) (map string->number texts))
(print (numbers "0" "7" "-7" "+7" "007" "-0" "123456789012345678" "-123456789012345678"))  ; => (0 7 -7 7 7 0 123456789012345678 -123456789012345678)
(print (numbers "1234567890123456789" "99999999999999999999" "-4611686018427387905"))     ; => (1234567890123456789 99999999999999999999 -4611686018427387905)
(print (numbers "3.5" "-3.5" "+.5" ".5" "5." "-5." "0.1" "0.3" "123456.789" "-0.0"))      ; => (3.5 -3.5 0.5 0.5 5.0 -5.0 0.1 0.3 123456.789 -0.0)
(print (numbers "12345678901234.5" "1234567890123.45" "0.000000000001" "1234567890.123456" "0.1234567890123456789"))  ; => (12345678901234.5 1234567890123.45 1e-12 1234567890.123456 0.12345678901234568)
(print (numbers "" "." "+" "-" "+." "-." ".." "1.2.3" "1-" "--1" "+-1" "1+1" "...") (string->number "-" 2))  ; => (#f #f #f #f #f #f #f #f #f #f #f #f #f) #f
(print (numbers "a" "foo-bar!" "e5" "x10" "->x" "+x" "-y1" "1x" ".a" "nan" "inf.0"))      ; => (#f #f #f #f #f #f #f #f #f #f #f)
(print (numbers "1e3" "1E3" "-1.5e-3" ".5e1" "1/2" "-6/4" "#xff" "#XFF" "#e1.5" "#i1/2" "#b-101"))  ; => (1000.0 1000.0 -0.0015 5.0 1/2 -3/2 255 255 3/2 0.5 -5)
(print (string->number "ff" 16) (string->number "FF" 16) (string->number "-z" 36) (string->number "12" 8) (string->number "9" 8) (string->number "101" 2) (string->number "1.5" 16))  ; => 255 255 -35 10 #f 5 #f
(print (numbers "+inf.0" "-inf.0" "+nan.0" "\x661;" "1\x661;" "é" "1 " " 1" "1\x0;" "\x0;1"))  ; => (+inf.0 -inf.0 +nan.0 #f #f #f #f #f #f #f)

;; The same texts, read and written.
(define (read-text text) (read (open-input-string text)))
(print (map read-text '("-12" "3.5" "-.5" "foo" "->x" "..." "1+" "123456789012345678901")))  ; => (-12 3.5 -0.5 foo ->x ... 1+ 123456789012345678901)
(write (map string->symbol '("a" "1" "-" "+5" "1.5" "-x" "1+2i" ".5")))                        ; => (a |1| - |+5| |1.5| -x |1+2i| |.5|)
(newline)

;; Fractions of few digits are those that a text of many digits names.
(define (same? digits) (= (string->number digits) (string->number (string-append digits "000000000000000000000"))))
(print (map same? '("0.1" "0.7" "12.34" "99999.99999" "0.00001" "123.456789012" "8.41")))      ; => (#t #t #t #t #t #t #t)
