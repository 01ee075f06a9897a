; R7RS 6.7: strings.  They are immutable here, so string-set! and its kin are errors.
(write "a\tb\nc\"d\\e\x3bb;f\a")
(newline)                                         ; => "a\tb\nc\"d\\eλf\a"
(display "one \
          line")
(newline)                                         ; => one line
(print (string? "a") (string? #\a) (string? 'a))  ; => #t #f #f
(print (string-length (make-string 3)) (make-string 2 #\λ) (make-string 0 #\x)) ; => 3 λλ 
(write (list (string) (string #\a) (string #\a #\λ #\c)))
(newline)                                         ; => ("" "a" "aλc")
(print (string-length "") (string-length "日本語") (string-ref "aλc" 1)) ; => 0 3 λ
(print (string=? "a" "a") (string=? "a" "a" "b") (string=? "λ" "λ" "λ") (string=? "a" "ab")) ; => #t #f #t #f
(print (string<? "a" "b" "c") (string<? "a" "ab") (string<? "ab" "a") (string<? "z" "λ")) ; => #t #t #f #t
(print (string>? "c" "b" "a") (string>? "b" "b") (string>? "😀" "\xffff;")) ; => #t #f #t
(print (string<=? "a" "a" "b") (string<=? "b" "a") (string>=? "b" "b" "a") (string>=? "" "a")) ; => #t #f #t #f
(print (sort '("pear" "fig" "apple") string<?) (apply string>=? '("c" "b" "b"))) ; => (apple fig pear) #t
(print (apply string=? '("x" "x")) (apply string<=? '("x" "y" "x")) (map string>? '("b") '("a"))) ; => #t #f (#t)
(print (string-ci=? "Straße" "STRASSE" "strasse") (string-ci=? "ΧΑΟΣ" "χαος")) ; => #t #t
(print (string-ci<? "a" "B" "c") (string-ci>? "B" "a") (string-ci<=? "A" "a") (string-ci>=? "a" "B")) ; => #t #t #t #f
(print (string-upcase "straße ŉ ﬁ λ") (string-downcase "ΧΑΟΣ ΧΑΟΣΣ. Σ İ") (string-foldcase "Straße ΧΑΟΣ")) ; => STRASSE ʼN FI Λ χαος χαοσς. σ i̇ strasse χαοσ
(print (substring "hello" 1 3) (substring "aλc" 1 2) (substring "abc" 3 3)) ; => el λ 
(print (string-append) (string-append "a") (string-append "a" "λ" "" "c")) ; =>  a aλc
(print (string->list "aλc") (string->list "hello" 3) (string->list "hello" 1 3) (string->list "")) ; => (a λ c) (l o) (e l) ()
(print (list->string '(#\a #\λ)) (list->string '())) ; => aλ 
(print (string-copy "hello") (string-copy "hello" 3) (string-copy "hello" 1 3)) ; => hello lo el
(print (equal? "abc" (string-copy "abc")) (eq? "" (string-copy "a"))) ; => #t #f

; From 6.8: the way to vectors; from 6.10: the loops.
(write (list (string->vector "ABC") (string->vector "aλc" 1) (string->vector "abcd" 1 3)))
(newline)                                         ; => (#(#\A #\B #\C) #(#\λ #\c) #(#\b #\c))
(print (vector->string #(#\1 #\2 #\3)) (vector->string #(#\a #\b #\c) 1) (vector->string #(#\a #\b #\c) 0 2)) ; => 123 bc ab
(print (string-map char-foldcase "AbdEgH"))       ; => abdegh
(print (string-map (lambda (c) (integer->char (+ 1 (char->integer c)))) "HAL")) ; => IBM
(print (string-map (lambda (c k) ((if (eqv? k #\u) char-upcase char-downcase) c)) "studlycaps xxx" "ululululul")) ; => StUdLyCaPs
(let ((codes '()))
  (string-for-each (lambda (c) (set! codes (cons (char->integer c) codes))) "abcde")
  (print codes))                                  ; => (101 100 99 98 97)
(string-for-each (lambda (a b) (display (string a b " "))) "abc" "xy") ; => ax by 
(newline)
