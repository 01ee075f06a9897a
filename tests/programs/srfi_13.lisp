;; (import (srfi 13)): the names of SRFI 13 with its own meaning, after its document.
(import (srfi 13))
(define-syntax try
  (syntax-rules ()
    ((_ e) (begin (write (guard (x ((error-object? x) (list 'error (error-object-message x)))) e))
                  (newline)))))

(try (string-null? ""))                               ; => #t
(try (list (string-every char-upper-case? "ABC" 1) (string-any char-upper-case? "Abc" 1)))  ; => (#t #f)
(try (string-tabulate (lambda (i) (integer->char (+ i 97))) 4))  ; => "abcd"
(try (list->string '(#\a #\b)))                       ; => "ab"
(try (reverse-list->string '(#\a #\B #\c)))           ; => "cBa"
;; Trimming is on the left.
(try (string-trim "  The outlook wasn't brilliant,  \n\r"))        ; => "The outlook wasn't brilliant,  \n\r"
(try (string-trim-right "  The outlook wasn't brilliant,  \n\r"))  ; => "  The outlook wasn't brilliant,"
(try (string-trim-both "  The outlook wasn't brilliant,  \n\r"))   ; => "The outlook wasn't brilliant,"
(try (list (string-trim "xxaxx" #\x) (string-trim-both "xxaxx" #\x) (string-trim "..ab" #\. 1)))  ; => ("axx" "a" "ab")
(try (string-trim-both "12ab34" char-numeric? 1 5))   ; => "ab"
(try (string-trim "   "))                             ; => ""
(try (string-trim-right " a " 5))                     ; => (error "string-trim-right: expected a character or a procedure, got 5")
;; Padding and cutting.
(try (list (string-pad "325" 5) (string-pad "71325" 5) (string-pad "8871325" 5)))  ; => ("  325" "71325" "71325")
(try (list (string-pad-right "325" 5) (string-pad-right "8871325" 5) (string-pad "abc" 4 #\* 1)))  ; => ("325  " "88713" "**bc")
(try (list (string-take "Pete Szilagyi" 6) (string-drop "Pete Szilagyi" 6) (string-take-right "Beta rules" 5) (string-drop-right "Beta rules" 5)))  ; => ("Pete S" "zilagyi" "rules" "Beta ")
(try (list (substring/shared "abc" 1) (substring/shared "abc" 1 2) (string-copy "Beta substitution" 5)))  ; => ("bc" "b" "substitution")
(try (string-take "foo" 37))                          ; => (error "string-take: index 37 is out of range for length 3")
(try (string-replace "The TCL programmer endured daily ridicule." "another miserable perl drone" 4 7 8 22))  ; => "The miserable perl programmer endured daily ridicule."
(try (string-replace "It's easy to code it up in Scheme." "really" 5 9))  ; => "It's really to code it up in Scheme."
(try (string-replace "abc" "x" 2 1))                  ; => (error "string-replace: start 2 is after end 1")
;; The grammars of string-join.
(try (string-join '("foo" "bar" "baz") ":"))          ; => "foo:bar:baz"
(try (string-join '("foo" "bar" "baz") ":" 'suffix))  ; => "foo:bar:baz:"
(try (string-join '("foo" "bar" "baz") ":" 'prefix))  ; => ":foo:bar:baz"
(try (list (string-join '() ":") (string-join '("") ":") (string-join '() ":" 'suffix) (string-join '("") ":" 'suffix)))  ; => ("" "" "" ":")
(try (string-join '("a" "b")))                        ; => "a b"
(try (string-join '() ":" 'strict-infix))             ; => (error "string-join: the list is empty, which strict-infix refuses")
(try (string-join '("a") ":" 'around))                ; => (error "string-join: expected infix, strict-infix, suffix or prefix, got around")
;; Comparison.
(try (list (string= "eb" "ab") (string= "ab" "ab") (string<> "abc" "abd") (string< "abc" "abd") (string> "abc" "abd")))  ; => (#f #t #t #t #f)
(try (list (string<= "ab" "abc") (string>= "ab" "abc") (string= "xaby" "ab" 1 3) (string< "b" "abc" 0 1 1)))  ; => (#t #f #t #t)
(try (list (string-ci= "aB" "Ab") (string-ci<> "aB" "Ac") (string-ci< "A" "b") (string-ci> "A" "b") (string-ci<= "A" "a") (string-ci>= "B" "a")))  ; => (#t #t #t #f #t #t)
(try (string-compare "The cat in the hat" "abcdefgh" values values values 4 6 2 4))  ; => 5
(try (string-compare-ci "The cat in the hat" "ABCDEFGH" list values list 4 6 2 4))   ; => (5)
(try (= (string-hash "abc") (string-hash "xabcx" 0 1 4)))  ; => #t
(try (list (= (string-hash-ci "ABC") (string-hash-ci "abc")) (< (string-hash "abc" 10) 10)))  ; => (#t #t)
;; Prefixes and suffixes, with the indices of both strings.
(try (list (string-prefix-length "abcd" "abxx") (string-suffix-length "xxcd" "abcd") (string-prefix-length-ci "AB" "abc") (string-suffix-length-ci "aBC" "bc")))  ; => (2 2 2 2)
(try (list (string-prefix? "ab" "abc" 0 1) (string-prefix? "xab" "abc" 1) (string-prefix? "b" "abc" 0 1 1) (string-suffix? "bc" "abcd" 0 2 0 3)))  ; => (#t #t #t #t)
(try (list (string-prefix-ci? "AB" "abc") (string-suffix-ci? "BC" "abc") (string-suffix-ci? "B" "abc")))  ; => (#t #t #f)
(try (string-prefix? "ab" "abc" 0 1 2 3 4))           ; => (error "string-prefix?: expected 2 to 4 arguments, got 5")
;; Search.
(try (list (string-contains "eek -- what a geek." "ee" 12 18) (string-contains "banana" "na" 3) (string-contains "banana" "xnax" 0 6 1 3) (string-contains "abc" "")))  ; => (15 4 2 0)
(try (list (string-contains-ci "BANANA" "nan") (string-contains "abc" "z") (string-index "a1b2" char-numeric? 2) (string-index-right "hello" #\l 0 3)))  ; => (2 #f 3 2)
(try (list (string-skip "  a" #\space) (string-skip-right "a  " #\space) (string-count "banana" #\a 2)))  ; => (2 0 2)
(define restarts (make-kmp-restart-vector "abdabx"))
(try restarts)                                        ; => #(-1 0 0 -1 1 2)
(try (string-kmp-partial-search "abdabx" restarts "zzabdabdabxyy" 0))  ; => -11
(try (string-kmp-partial-search "abdabx" restarts "zzabdab" 0))  ; => 5
(try (string-kmp-partial-search "abdabx" restarts "x" 5))  ; => -1
(try (kmp-step "abdabx" restarts #\d 5 char=? 0))     ; => 3
;; Case, reversal, appending.
(try (list (string-titlecase "--capitalize tHIS sentence.") (string-titlecase "greasy fried chicken" 2) (string-titlecase "see Spot run. see Nix run.")))  ; => ("--Capitalize This Sentence." "Easy Fried Chicken" "See Spot Run. See Nix Run.")
(try (list (string-upcase "abc" 1) (string-downcase "ABC" 0 2) (string-reverse "Able was I ere I saw elba." 0 4) (string-reverse "abc" 1)))  ; => ("BC" "ab" "elbA" "cb")
(try (list (string-concatenate '("a" "b")) (string-concatenate/shared '("c")) (string-append/shared "x" "y")))  ; => ("ab" "c" "xy")
(try (string-concatenate-reverse '(" must be" "Hello, I") " going.XXXX" 7))  ; => "Hello, I must be going."
(try (string-concatenate-reverse '("b" "a")))         ; => "ab"
;; Folding, unfolding, mapping.
(try (string-fold cons '() "abc" 1))                  ; => (#\c #\b)
(try (string-fold-right cons '() "abc"))              ; => (#\a #\b #\c)
(try (string-titlecase "\x1c6;en \x1c4;EN \x1f3; 中a don't"))  ; => "ǅen ǅen ǲ 中A Don'T"
(try (string-unfold null? car cdr '(#\a #\b)))        ; => "ab"
(try (string-unfold null? car cdr '(#\a #\b) "<" (lambda (x) ">")))  ; => "<ab>"
(try (string-unfold-right null? car cdr '(#\a #\b) ">" (lambda (x) "<")))  ; => "<ba>"
(try (string-map char-upcase "abcd" 1 3))             ; => "BC"
(try (string-map (lambda (a b) (if (char<? a b) a b)) "adc" "bbb"))  ; => "abb"
(string-for-each display "abc" 1) (newline)           ; => bc
(string-for-each-index display "abc") (newline)       ; => 012
(try (list (xsubstring "abcdef" 2 8) (xsubstring "abcdef" -2 4) (xsubstring "abc" 0 7) (xsubstring "abc" 4) (xsubstring "xabcx" -1 2 1 4)))  ; => ("cdefab" "efabcd" "abcabca" "bca" "cab")
(try (xsubstring "" 0 1))                             ; => (error "xsubstring: the text is empty")
(try (string-filter char-alphabetic? "a1b2" 1))       ; => "b"
(try (string-delete #\a "banana"))                    ; => "bnn"
(try (string-tokenize "Help make programs run, run, RUN!"))  ; => ("Help" "make" "programs" "run," "run," "RUN!")
(try (list (string-tokenize "a1bc22d" char-alphabetic?) (string-tokenize "") (string-tokenize " a b" char-alphabetic? 2)))  ; => (("a" "bc" "d") () ("b"))
;; Ranges.
(try (call-with-values (lambda () (string-parse-start+end 'f "abc" '(1 2 x))) list))  ; => ((x) 1 2)
(try (call-with-values (lambda () (string-parse-final-start+end 'f "abc" '(1))) list))  ; => (1 3)
(try (list (substring-spec-ok? "abc" 1 3) (substring-spec-ok? "abc" 2 1) (substring-spec-ok? "abc" 0 4)))  ; => (#t #f #f)
(try (check-substring-spec 'f "abc" 0 4))             ; => (error "f: index 4 is out of range for length 3")
(try (string-set! "abc" 0 #\x))                       ; => (error "string-set!: strings are immutable")
