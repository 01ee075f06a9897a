; Strings count characters, whatever their width.
(print (string-length "héllo") (string-ref "héllo" 1) (substring "héllo" 1 3)) ; => 5 é él
(print (string-append "a" "" "b" "c") (string-append)) ; => abc 
(write "tab\there \"quoted\" back\\slash\nline")
(newline)                                         ; => "tab\there \"quoted\" back\\slash\nline"
(print (string=? "a" "a") (string<? "a" "b") (string<? "Z" "a")) ; => #t #t #t
(print (string-contains "banana" "nan") (string-contains "abc" "x")) ; => 2 #f
(print (string-split "1,2,,3" ",") (string-join '("x" "y" "z") "-")) ; => (1 2  3) x-y-z
(write (string-trim "  padded\t"))
(newline)                                         ; => "padded"
(print (string-prefix? "ab" "abc") (string-prefix? "b" "abc")) ; => #t #f
(print (string->list "añ") (list->string (list #\a #\ñ))) ; => (a ñ) añ
(write (list #\a #\space #\newline "s" 'sym))
(newline)                                         ; => (#\a #\space #\newline "s" sym)
(print (symbol->string 'abc) (string->symbol "x y")) ; => abc x y
(write (string->symbol "x y"))
(newline)                                         ; => |x y|
(print (string 1 "b" #\c) (number->string 42) (string->number "4.5")) ; => 1bc 42 4.5
(print (char->integer #\A) (integer->char 955) (char<? #\a #\b)) ; => 65 λ #t
(print (string-length "日本語") (string-ref "日本語" 2) (string-length "🙂"))  ; => 3 語 1
(define (repeat text n) (if (= n 0) "" (string-append text (repeat text (- n 1)))))
(print (string-length (repeat "abc" 1000)))       ; => 3000
