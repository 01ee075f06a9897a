; Lambent's string procedures beyond R7RS: SRFI-13's names and arguments.
(print (string 1 "b" #\c 'd 2.5 '(e "f")))        ; => 1bcd2.5(e f)
(print (string-null? "") (string-null? "a"))      ; => #t #f
(print (string-join '("a" "b" "c")) (string-join '("a" "b") ", ") (string-join '())) ; => a b c a, b 
(write (list (string-split "a,b,,c" ",") (string-split "" ",") (string-split "a--b" "--")))
(newline)                                         ; => (("a" "b" "" "c") ("") ("a" "b"))
(print (string-contains "banana" "an") (string-contains "banana" "an" 2) (string-contains "λμν" "ν") (string-contains "a" "b") (string-contains "abc" "" 3)) ; => 1 3 2 #f 3
(print (string-index "hello" #\l) (string-index "hello" char-upper-case?) (string-index "a1b2" char-numeric? 2) (string-index "hello" #\l 0 2)) ; => 2 #f 3 #f
(print (string-index-right "hello" #\l) (string-skip "  a " #\space) (string-skip-right "  a " #\space) (string-skip "  " char-whitespace?)) ; => 3 2 2 #f
(write (map string-trim '("  a b \n" "" "   " "x")))
(newline)                                         ; => ("a b" "" "" "x")
(write (list (string-trim-left "  a ") (string-trim-right "  a ") (string-trim "xxaxx" #\x) (string-trim-left "12ab" char-numeric?)))
(newline)                                         ; => ("a " "  a" "a" "ab")
(print (string-prefix? "ab" "abc") (string-prefix? "abc" "ab") (string-suffix? "bc" "abc") (string-suffix? "" "") (string-suffix? "λ" "aλ")) ; => #t #f #t #t #t
(write (list (string-pad-left "42" 5) (string-pad-left "42" 5 #\0) (string-pad-left "hello" 3) (string-pad-right "ab" 4) (string-pad-right "hello" 3)))
(newline)                                         ; => ("   42" "00042" "llo" "ab  " "hel")
(print (string-take "hello" 2) (string-drop "hello" 2) (string-take-right "hello" 2) (string-drop-right "hello" 2)) ; => he llo lo hel
(print (string-reverse "aλc") (string-count "banana" #\a) (string-count "a1b22" char-numeric? 2)) ; => cλa 3 2
(print (string-concatenate '("a" "b" "c")) (string-replace "a-b-c" "-" "+") (string-replace "aaa" "aa" "b")) ; => abc a+b+c ba
(print (string-any char-numeric? "ab1") (string-any #\z "abc") (string-any digit-value "x7y") (string-every char-numeric? "123") (string-every #\a "") (string-every digit-value "12")) ; => #t #f 7 #t #t 2
(print (string-filter char-alphabetic? "a1b2") (string-delete #\- "a-b-c") (string-filter #\a "banana" 2)) ; => ab abc aa
(print (string-fold cons '() "abc") (string-fold-right cons '() "abc") (string-fold (lambda (c n) (+ n 1)) 0 "hello" 1 3)) ; => (c b a) (a b c) 2
(print (string-tabulate (lambda (k) (integer->char (+ k 97))) 5)) ; => abcde
(write (list (string-split " one  two\tthree\n") (string-split "a,b" #\,) (string-split "aλb" #\λ) (string-split "")))
(newline)                                         ; => (("one" "two" "three") ("a" "b") ("a" "b") ())

; Symbols and keywords.
(print (symbol-append 'a 'b 'c) (symbol-append) (symbol<? 'a 'b 'c) (symbol<? 'b 'a) (sort '(pear fig) symbol<?)) ; => abc  #t #f (fig pear)
(print (apply symbol<? '(a ab b)))                ; => #t
(define fresh (string->uninterned-symbol "a"))
(print fresh (symbol? fresh) (eq? fresh 'a) (eq? fresh fresh) (equal? fresh 'a)) ; => a #t #f #t #f
(print (gensym) (gensym "tmp") (gensym 'x) (generate-uninterned-symbol) (eq? (gensym) (gensym))) ; => g.1 tmp.2 x.3 g.4 #f
(print (keyword? :a) (keyword? 'a) (keyword->symbol :dim) (symbol->keyword 'dim) (keyword->string :a-b) (string->keyword "k")) ; => #t #f dim :dim a-b :k
(print (eq? :dim (symbol->keyword 'dim)) (map keyword->symbol '(:a :b))) ; => #t (a b)
