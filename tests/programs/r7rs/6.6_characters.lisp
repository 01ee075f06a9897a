; R7RS 6.6: characters.
(write (list #\a #\A #\( #\space #\newline #\tab #\null #\return #\alarm #\backspace))
(newline)   ; => (#\a #\A #\( #\space #\newline #\tab #\null #\return #\alarm #\backspace)
(write (list #\delete #\escape #\x41 #\x3bb #\λ #\x #\x0 #\x1 #\" #\\ #\; #\é #\x1F600))
(newline)   ; => (#\delete #\escape #\A #\λ #\λ #\x #\null #\x1 #\" #\\ #\; #\é #\😀)
(for-each display (list #\a #\space #\λ #\"))
(newline)   ; => a λ"
(print (char? #\a) (char? "a") (char? 97))        ; => #t #f #f
(print (char=? #\a #\a) (char=? #\a #\a #\b) (char=? #\a #\a #\a)) ; => #t #f #t
(print (char<? #\a #\b #\c) (char<? #\a #\c #\b) (char<? #\Z #\a)) ; => #t #f #t
(print (char>? #\c #\b #\a) (char>? #\c #\b #\b)) ; => #t #f
(print (char<=? #\a #\a #\b) (char<=? #\b #\a))   ; => #t #f
(print (char>=? #\b #\b #\a) (char>=? #\a #\b))   ; => #t #f
(print (map char<? '(#\a #\b) '(#\b #\a)))        ; => (#t #f)
(print (apply char=? '(#\x #\x #\x)) (apply char>? '(#\c #\b)) (apply char<=? '(#\a #\b #\a))) ; => #t #t #f
(print (char-ci=? #\a #\A) (char-ci=? #\ß #\ß #\ß) (char-ci=? #\σ #\ς #\Σ)) ; => #t #t #t
(print (char-ci<? #\a #\B #\c) (char-ci>? #\B #\a) (char-ci<=? #\a #\A #\b) (char-ci>=? #\A #\a)) ; => #t #t #t #t

; Letters, digits, white space, cases.
(print (map char-alphabetic? '(#\a #\Z #\λ #\日 #\5 #\space #\_ #\Ⅷ #\ª))) ; => (#t #t #t #t #f #f #f #t #t)
(print (map char-numeric? '(#\0 #\9 #\a #\٣ #\² #\½))) ; => (#t #t #f #t #f #f)
(print (map char-whitespace? (list #\space #\newline #\tab #\a #\xa0 #\x3000 #\x1c))) ; => (#t #t #t #f #t #t #f)
(print (map char-upper-case? '(#\A #\a #\Σ #\5 #\Ⅷ #\ǅ))) ; => (#t #f #t #f #t #f)
(print (map char-lower-case? '(#\A #\a #\σ #\ß #\ª #\5))) ; => (#f #t #t #t #t #f)
(print (digit-value #\3) (digit-value #\x0664) (digit-value #\x0AE6) (digit-value #\x0EA6)) ; => 3 4 0 #f
(print (map digit-value '(#\0 #\9 #\a #\𝟗))) ; => (0 9 #f 9)
(print (char->integer #\A) (char->integer #\λ) (char->integer #\x10ffff)) ; => 65 955 1114111
(print (integer->char 955) (integer->char #x1F600)) ; => λ 😀
(print (map char-upcase '(#\a #\A #\ß #\ÿ #\λ #\ǆ #\ı #\5))) ; => (A A ß Ÿ Λ Ǆ I 5)
(print (map char-downcase '(#\A #\a #\Σ #\İ #\Ǆ #\Ⅷ))) ; => (a a σ i ǆ ⅷ)
(print (map char-foldcase '(#\A #\a #\ς #\ẞ #\İ #\Ꭰ))) ; => (a a σ ß İ Ꭰ)
