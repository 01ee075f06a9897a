; SRFI 115: regular expressions, with the results that its text says.
(import (srfi 14) (srfi 115))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (found re text . range)
  (let ((m (apply regexp-search re text range))) (and m (regexp-match->list m))))
(define (whole re text . range)
  (let ((m (apply regexp-matches re text range))) (and m (regexp-match->list m))))
(define (w x) (write x) (newline))

; Objects.
(define re (regexp '(+ num)))
(print (regexp? re) (regexp? '(+ num)) (eq? re (regexp re)) (eq? re (regexp (list '+ 'num)))) ; => #t #f #t #t
(print re (regexp->sre re) (regexp->sre '(* "a")) (rx "a" (* num))) ; => #<regexp sre: (+ num)> (+ num) (* a) #<regexp sre: (: a (* num))>
(define letters '(+ alpha))
(print (regexp->sre (rx ,letters "-" ,@(list 'num 'num))) (found (rx ,letters) "1ab2")) ; => (: (+ alpha) - num num) (ab)
(print (map valid-sre? '("a" #\a (+ "a") (or "a" num) any (foo "a") foo 5 () (= "a") (backref 1)))) ; => (#t #t #t #t #t #f #f #f #f #f #f)
(print (valid-sre? re) (valid-sre? '(look-behind (* "a"))) (valid-sre? '(= 3 "a")) (valid-sre? '(/ "za"))) ; => #f #f #t #f
(define m (regexp-search '(: ($ (+ num)) (? ($ "x")) (-> unit (+ alpha))) "ab 12kg"))
(print (regexp-match? m) (regexp-match? re) m (regexp-match-count m)) ; => #t #f #<regexp-match> 3
(print (regexp-match-submatch m 0) (regexp-match-submatch m 1) (regexp-match-submatch m 2) (regexp-match-submatch m 3) (regexp-match-submatch m 'unit)) ; => 12kg 12 #f kg kg
(print (map (lambda (k) (regexp-match-submatch-start m k)) '(0 1 2 unit)) (map (lambda (k) (regexp-match-submatch-end m k)) '(0 1 2 unit))) ; => (3 3 #f 5) (7 5 #f 7)
(print (regexp-match->list m) (regexp-match-names m)) ; => (12kg 12 #f kg) (unit)
(print (map (lambda (text) (regexp-match-submatch (regexp-matches '(or (-> foo "ab") (-> foo "cd")) text) 'foo)) '("ab" "cd"))) ; => (ab cd)

; Searching.
(print (found "needle" "hayneedlehay") (found "needle" "haynEEdlehay") (found "" "a")) ; => (needle) #f ()
(print (whole '(* #\-) "---") (whole '(* #\-) "-_-") (regexp-matches? '(+ num) "12") (regexp-matches? '(+ num) "12a")) ; => (---) #f #t #f
(print (found '(: bos "b") "abc" 1) (found '(: "b" eos) "abc" 0 2) (found "c" "abc" 0 2) (whole '(+ alpha) "1ab2" 1 3) (found "c" "abc" 0 #f)) ; => (b) (b) #f (ab) (c)
(print (regexp-match-submatch-start (regexp-search "c" "ääc" 1) 0) (found '(look-behind "a") "abc" 1)) ; => 2 #f
(print (message (lambda () (regexp-search "a" "abc" 4)))) ; => regexp-search: index 4 is out of range for length 3
(print (message (lambda () (regexp-search "a" "abc" 2 1)))) ; => regexp-search: start 2 is after end 1
(print (message (lambda () (regexp-search "a" 'abc)))) ; => regexp-search: expected a string, got abc

; Sequences, alternatives and repetitions.
(print (found '(: "one" space "two" space "three") "one two three") (found '(seq "a" "b") "xab") (found '(:) "x")) ; => (one two three) (ab) ()
(print (found '(or "eeney" "meeney" "miney") "meeney") (found '(or "eeney" "meeney" "miney") "moe") (found '(|\|| "a" "bc") "xbc") (found '(or) "a")) ; => (meeney) #f (bc) #f
(print (map (lambda (text) (found '(: "match" (? "es") "!") text)) '("matches!" "match!" "matche!"))) ; => ((matches!) (match!) #f)
(print (map (lambda (text) (found '(: "<" (* (~ #\>)) ">") text)) '("<html>" "<>" "<html"))) ; => ((<html>) (<>) #f)
(print (map (lambda (text) (found '(: "<" (+ (~ #\>)) ">") text)) '("<html>" "<a>" "<>"))) ; => ((<html>) (<a>) #f)
(print (map (lambda (text) (found '(: "<" (>= 3 (~ #\>)) ">") text)) '("<table>" "<pre>" "<tr>"))) ; => ((<table>) (<pre>) #f)
(print (map (lambda (text) (found '(: "<" (= 4 (~ #\>)) ">") text)) '("<html>" "<table>"))) ; => ((<html>) #f)
(print (map (lambda (text) (regexp-matches? '(: (= 3 (** 1 3 numeric) ".") (** 1 3 numeric)) text)) '("192.168.1.10" "192.0168.1.10"))) ; => (#t #f)
(print (map (lambda (sre) (found sre "aaaab")) '((optional "a") (zero-or-more "a") (one-or-more "a" "a") (at-least 2 "a") (exactly 3 "a") (repeated 1 2 "a") (** 2 #f "a")))) ; => ((a) (aaaa) (aaaa) (aaaa) (aaa) (aa) (aaaa))
(print (map (lambda (sre) (found sre "aaaab")) '((?? "a") (: (*? "a") "b") (**? 1 3 "a") (non-greedy-optional "a") (non-greedy-zero-or-more "a") (non-greedy-repeated 2 3 "a")))) ; => (() (aaaab) (a) () () (aa))

; Submatches.
(define number '($ (+ num)))
(print (cdr (found `(: ,number "-" ,number "-" ,number) "555-867-5309")) (cdr (found `(: ,number "-" (w/nocapture ,number) "-" ,number) "555-867-5309"))) ; => (555 867 5309) (555 5309)
(print (found '(: (submatch "a") (submatch-named b "b")) "ab") (found '(: (w/nocapture (-> x "a")) (-> y "b")) "ab")) ; => (ab a b) (ab b)
(print (found '(: ($ alpha) (backref 1)) "abccd") (found '(: (-> c alpha) (backref c)) "abccd") (found '(: (or (-> c "a") (-> c "b")) (backref c)) "cabb")) ; => (cc c) (cc c) (bb #f b)

; Case.
(print (found '(w/nocase "needle") "haynEEdlehay") (found '(~ ("Aab")) "B") (found '(~ ("Aab")) "b")) ; => (nEEdle) (B) #f
(print (map (lambda (text) (found '(w/nocase (~ ("Aab"))) text)) '("A" "B" "b" "c")) (map (lambda (text) (found '(~ (w/nocase ("Aab"))) text)) '("B" "b" "C"))) ; => (#f #f #f (c)) (#f #f (C))
(print (found '(w/nocase "SMALL" (w/case "BIG")) "smallBIGsmall") (found '(w/nocase (~ (w/case ("Aab")))) "b") (found '(w/nocase (- (/ "az") ("aeiou"))) "AEX")) ; => (smallBIG) #f (X)
(print (found '(w/nocase "ΣΑΣ") "σας") (found '(w/nocase ($ "ä") (backref 1)) "ÄÄ") (found '(w/nocase "k") "\x212A;") (found '(w/ascii (w/nocase "k")) "\x212A;") (found '(w/ascii (w/nocase (/ "ak"))) "-K")) ; => (σας) (ÄÄ Ä) (K) #f (K)
(print (whole '(* lower) "abcD") (whole '(w/nocase (* lower)) "abcD") (whole '(w/nocase (* lower)) "σζ\x01C5;") (whole '(w/ascii (w/nocase (* upper))) "aB")) ; => #f (abcD) (σζǅ) (aB)

; Character sets.
(print (whole '(* ("aeiou")) "oui") (whole '(* ("aeiou")) "ouais") (whole '(* (char-set "ab]-^\\")) "]-^\\ba") (whole '(* ("e\x0301;")) "e\x0301;") (whole '("e\x0301;") "e\x0301;") (found '("") "a")) ; => (oui) #f (]-^\ba) (é) #f #f
(print (whole '(* (/ "AZ09")) "R2D2") (whole '(* (/ "AZ09")) "C-3PO") (whole '(* (char-range #\a #\f "09")) "beef7")) ; => (R2D2) #f (beef7)
(print (whole '(* (- (/ "az") ("aeiou"))) "xyzzy") (whole '(* (- (/ "az") ("aeiou"))) "vowels") (whole '(* (& (/ "az") (~ ("aeiou")))) "xyzzy") (whole '(* (and (/ "az") (~ ("aeiou")))) "vowels")) ; => (xyzzy) #f (xyzzy) #f
(print (whole '(* (or "a" #\b (/ "09") (~ any))) "ab1") (whole '(+ (|\|| num punct)) "1,") (whole '(+ (complement num)) "ab") (whole '(+ (difference any num)) "ab") (found '(~ (~ num)) "a1")) ; => (ab1) (1,) (ab) (ab) (1)
(print (whole '(+ (~ (or (~ ("ab")) "b"))) "aa") (found '(and) "x") (found '(w/ascii (~ num)) "é1x") (found '(- any any) "x")) ; => (aa) (x) (x) #f
(w (map (lambda (set) (list->string (filter (lambda (c) (regexp-matches? set (string c))) (string->list "aBé5٣_ \t\n!€+ǅ\x0;\xAD;"))))
        '(any nonl ascii lower upper title alpha num alnum punct symbol graph space print cntrl xdigit))) ; => ("aBé5٣_ \t\n!€+ǅ\x0;­" "aBé5٣_ \t!€+ǅ\x0;­" "aB5_ \t\n!+\x0;" "aé" "B" "ǅ" "aBéǅ" "5٣" "aBé5٣ǅ" "_!" "€+" "aBé5٣_!€+ǅ" " \t\n" "aBé5٣_ \t\n!€+ǅ" "\t\n\x0;­" "aB5")
(w (map (lambda (set) (list->string (filter (lambda (c) (regexp-matches? `(w/ascii ,set) (string c))) (string->list "aBé5٣_ \t\n!€+ǅ\x0;\xAD;"))))
        '(any nonl ascii lower upper title alpha num alnum punct symbol graph space print cntrl xdigit))) ; => ("aB5_ \t\n!+\x0;" "aB5_ \t!+\x0;" "aB5_ \t\n!+\x0;" "a" "B" "" "aB" "5" "aB5" "_!" "+" "aB5_!+" " \t\n" "aB5_ \t\n!+" "\t\n\x0;" "aB5")
(print (map (lambda (names) (every (lambda (name) (equal? (map (lambda (c) (regexp-matches? name (string c))) (string->list "aB5 !+ǅ\x0;")) (map (lambda (c) (regexp-matches? (car names) (string c))) (string->list "aB5 !+ǅ\x0;")))) names))
            '((lower lower-case) (upper upper-case) (title title-case) (alpha alphabetic letter) (num numeric digit) (alnum alphanumeric alphanum) (punct punctuation) (graph graphic) (space white whitespace) (print printing) (cntrl control) (xdigit hex-digit)))) ; => (#t #t #t #t #t #t #t #t #t #t #t #t)
(print (found '(w/ascii bos (* letter) eos) "English") (found '(w/ascii bos (* letter) eos) "Ελληνική") (found '(w/unicode bos (* letter) eos) "Ελληνική") (found '(w/ascii (w/unicode (+ alpha))) "é")) ; => (English) #f (Ελληνική) (é)

; Boundaries.
(print (map (lambda (text) (found '(: bow "foo") text)) '("foo" "<foo>" "snafoo")) (map (lambda (text) (found '(: "foo" eow) text)) '("foo" "foo!" "foobar"))) ; => ((foo) (foo) #f) ((foo) (foo) #f)
(print (found '(: nwb "foo" nwb) " foo ") (found '(: nwb "foo" nwb) "xfoox") (found '(: bow ($ (* "ab")) eow "c") "ababc") (found 'word "- été_1 -") (found '(word "a" any) "cab ac ad") (found '(word+ (/ "az")) "x1 yz") (found '(: "é" eow) "éa é")) ; => #f (foo) #f (été_1) (ac) (yz) (é)
(w (map (lambda (m) m) (regexp-extract '(: bol (* nonl) eol) "one\ntwo\r\nthree\rfour"))) ; => ("one" "two" "three" "four")
(print (length (regexp-fold 'bol (lambda (i m s r) (cons i r)) '() "a\r\nb\n")) (length (regexp-fold 'eol (lambda (i m s r) (cons i r)) '() "a\r\nb\n"))) ; => 3 3
(print (whole '(: ($ (* "ab")) bos "c" eos) "ababc") (whole '(: bos ($ (* "ab")) "c" eos) "ababc") (found '(: eos) "a\n") (found '(: "a" eos) "a\n")) ; => #f (ababc abab) () #f
(w (regexp-extract 'grapheme "a\x0300;b\x0301;\x0302;\r\nc한🇩🇪🇫🇷")) ; => ("à" "b́̂" "\r\n" "c" "한" "🇩🇪" "🇫🇷")
(print (whole '(: bog grapheme eog) "\x1112;\x1161;\x11AB;") (whole '(: "\x1112;" bog grapheme eog "\x11AB;") "\x1112;\x1161;\x11AB;") (whole '(w/ascii bog grapheme eog) "a") (whole '(w/ascii grapheme) "é")) ; => (한) #f (a) #f
(define clusters "a\x0300;b\r\n\x1112;\x1161;\x11AB;한\x11AB;👩🏽\x200D;🚀👍🏻🇩🇪🇫🇷🇨x\x200B;\x0301;\n")
(print (equal? (map string-length (regexp-extract 'grapheme clusters))
               (map string-length (cdr (regexp-split 'bog (regexp-replace-all 'bog clusters "|")))))
       (equal? (string-length (regexp-replace-all 'bog clusters "|")) (string-length (regexp-replace-all 'eog clusters "|")))
       (equal? (regexp-split "|" (regexp-replace-all 'bog clusters "|")) (cons "" (regexp-extract 'grapheme clusters)))) ; => #f #t #t

; Look-around.
(print (whole '(: "regular" (look-ahead " expression") " expression") "regular expression") (whole '(: "regular" (look-ahead " ") "expression") "regular expression")) ; => (regular expression) #f
(print (found '(: (look-behind "$") (+ num)) "1 $23") (found '(: (neg-look-behind "$") bow (+ num)) "$23 45") (found '(: "a" (neg-look-ahead "b") any) "abac") (found '(look-ahead) "a")) ; => (23) (45) (ac) ()

; Folds, and what is made of them.
(print (regexp-fold 'word (lambda (i m str acc) (let* ((s (regexp-match-submatch m 0)) (x (assoc s acc))) (cond (x (set-cdr! x (+ 1 (cdr x))) acc) (else (cons (cons s 1) acc))))) '() "to be or not to be")) ; => ((not . 1) (or . 1) (be . 2) (to . 2))
(print (regexp-fold "," (lambda (i m s acc) (cons i acc)) '() "a,b,,c" (lambda (i m s acc) (list i m s acc))) (regexp-fold "b" (lambda (i m s acc) (cons i acc)) '() "abab" #f 1 3) (regexp-fold "b" (lambda (i m s acc) acc) 'none "abab" (lambda (i m s acc) (list i m acc)) 2)) ; => (5 #f a,b,,c (4 2 0)) (1) (4 #f none)
(print (reverse (regexp-fold '(* "x") (lambda (i m s acc) (cons (regexp-match-submatch-start m 0) acc)) '() "axxéx"))) ; => (0 1 3 4 5)
(w (regexp-extract '(+ numeric) "192.168.0.1")) ; => ("192" "168" "0" "1")
(w (list (regexp-extract '(* numeric) "abc123def456ghi789") (regexp-extract 'num "é1é2" 2) (regexp-extract 'num ""))) ; => (("123" "456" "789") ("2") ())
(w (list (regexp-split '(+ space) " fee fi  fo\tfum\n") (regexp-split '(",;") "a,,b,") (regexp-split '(* num) "abc123def456ghi789") (regexp-split 'num "") (regexp-split "," "a,b,c" 1 4))) ; => (("" "fee" "fi" "fo" "fum" "") ("a" "" "b" "") ("abc" "def" "ghi" "") ("") ("" "b" ""))
(w (map (lambda (text) (regexp-partition '(+ (or space punct)) text)) '("" "Hello, world!\n" "¿Dónde Estás?"))) ; => (("") ("Hello" ", " "world" "!\n") ("" "¿" "Dónde" " " "Estás" "?"))
(w (list (regexp-partition '(* num) "abc123def456ghi") (regexp-partition '(+ ("aeiou")) "vowels" 1 4))) ; => (("abc" "123" "def" "456" "ghi") ("" "o" "w" "e"))
(w (list (regexp-replace '(+ space) "one two three" "_") (regexp-replace-all '(+ space) "one two three" "_") (regexp-replace "x" "abc" "_") (regexp-replace-all '(* "x") "abxd" "-") (regexp-replace-all 'bow "é b" "<"))) ; => ("one_two three" "one_two_three" "abc" "-a-b--d-" "<é <b")
(w (map (lambda (rest) (apply regexp-replace '(+ space) "  abc \t\n d ef  " "-" rest)) '((0) (0 #f 0) (0 #f 1) (0 #f 2) (0 #f 3) (0 #f 4)))) ; => ("-abc \t\n d ef  " "-abc \t\n d ef  " "  abc-d ef  " "  abc \t\n d-ef  " "  abc \t\n d ef-" "  abc \t\n d ef  ")
(w (list (regexp-replace '(: ($ (+ alpha)) ":" (* space)) "  abc: " '(1 "-" 1)) (regexp-replace '(: ($ (+ alpha)) ":" (* space)) "  abc: " '(1 "-" pre 1)) (regexp-replace '(-> x "b") "abc" '(x post (x 0))))) ; => ("  abc-abc" "  abc-  abc" "abcbbc")
(w (regexp-replace '(: ($ (+ alpha)) ":" (* space)) "abc def: ghi" '("pre: <<<" pre ">>> match1: <<<" 1 ">>> post: <<<" post ">>>") 1 11)) ; => "bc pre: <<<bc >>> match1: <<<def>>> post: <<<gh>>>gh"
(w (list (regexp-replace-all 'num "a1b2" (lambda (m) (string-append (regexp-match-submatch m 0) "!"))) (regexp-replace-all '(: (? ($ "x")) "y") "xyy" '("<" 1 ">")) (regexp-replace-all "b" "abab" "-" 1) (regexp-replace-all "b" "ébéb" "-" 0 2))) ; => ("a1!b2!" "<x><>" "-a-" "é-")

; Called as values, and their errors.
(define calls (list regexp-search regexp-matches regexp-matches? regexp-extract regexp-split regexp-partition))
(print (map (lambda (f) (message (lambda () (f 5 "a")))) calls)) ; => (regexp-search: expected an SRE: regexp-matches: expected an SRE: regexp-matches?: expected an SRE: regexp-extract: expected an SRE: regexp-split: expected an SRE: regexp-partition: expected an SRE:)
(print (map (lambda (f) (message (lambda () (f "a" 5)))) calls)) ; => (regexp-search: expected a string, got 5 regexp-matches: expected a string, got 5 regexp-matches?: expected a string, got 5 regexp-extract: expected a string, got 5 regexp-split: expected a string, got 5 regexp-partition: expected a string, got 5)
(print (map (lambda (f) (message (lambda () (f 5)))) (list regexp-match->list regexp-match-count regexp-match-names))) ; => (regexp-match->list: expected a match of a regexp, got 5 regexp-match-count: expected a match of a regexp, got 5 regexp-match-names: expected a match of a regexp, got 5)
(print (map (lambda (f) (message (lambda () (f m 9)))) (list regexp-match-submatch regexp-match-submatch-start regexp-match-submatch-end))) ; => (regexp-match-submatch: there is no submatch 9, the last one is 3 regexp-match-submatch-start: there is no submatch 9, the last one is 3 regexp-match-submatch-end: there is no submatch 9, the last one is 3)
(print (message (lambda () (regexp-match-submatch m 'foo))) (message (lambda () (regexp-match-submatch m "1")))) ; => regexp-match-submatch: no submatch is named foo, in regexp-match-submatch: expected the number or the name of a submatch, got "1"
(for-each (lambda (sre) (print (message (lambda () (regexp sre)))))
          (list '(foo) 'foo 5 '("a" "b") '(/ "a") '(/ "za") '(/ 5) '(- ) '(~ "ab") '(= "a") '(= -1 "a") '(** 2 1 "a") '(** 1) '(-> "x" "a") '(backref) '(backref 1) '(backref x) '(word+ "ab") '(look-behind (* "a")) '(= 70000 "a") '(pregexp) '(: "a" (pregexp "(b)")) '(char-set "a" "b")))
; => regexp: there is no SRE of that form:
; => regexp: there is no SRE of that name:
; => regexp: expected an SRE:
; => regexp: expected one string with the characters of a set:
; => regexp: the last range has no end:
; => regexp: a range ends before it begins:
; => regexp: ranges are written as strings or characters:
; => regexp: expected a character set:
; => regexp: expected a character set:
; => regexp: expected a number of times from 0 to 65535, got a:
; => regexp: expected a number of times from 0 to 65535, got -1:
; => regexp: 2 to 1 times:
; => regexp: a number of times is missing:
; => regexp: the name of a submatch must be a symbol:
; => regexp: expected the number or the name of a submatch:
; => regexp: there is no such submatch before this:
; => regexp: there is no such submatch before this:
; => regexp: expected a character set:
; => regexp: lookbehind assertion is not fixed length, in
; => regexp: expected a number of times from 0 to 65535, got 70000:
; => regexp: expected a string with a pattern:
; => regexp: a pattern with groups cannot be a part of an SRE:
; => regexp: expected one string with the characters of a set:
(print (message (lambda () (regexp-fold "a" 5 0 "a"))) (message (lambda () (regexp-fold "a" list 0 "a" 5)))) ; => regexp-fold: expected a procedure, got 5 regexp-fold: expected a procedure, got 5
(print (message (lambda () (regexp-replace "a" "a" 1.5))) (message (lambda () (regexp-replace "a" "a" list))) (message (lambda () (regexp-replace "a" "a" 7)))) ; => regexp-replace: expected a string, the number or the name of a submatch, pre, post, a procedure or a list of these, got 1.5 regexp-replace: the procedure must return a string, got regexp-replace: there is no submatch 7, the last one is 0

; Sets of characters of SRFI 14.
(write (list (char-set->sre (char-set #\a #\b #\x)) (char-set->sre char-set:empty) (equal? (char-set->sre char-set:full) (char-set->sre (char-set-complement char-set:empty))))) (newline) ; => ((/ #\a #\b #\x #\x) (/) #t)
(define vowels (string->char-set "aeiou"))
(print (found `(+ ,vowels) "xaeb") (regexp-extract `(: (~ ,vowels) ,vowels) "banana") (found `(- alpha ,vowels) "ab") (found (rx ($ (or ,vowels num))) "x7") (found `(w/nocase (+ ,vowels)) "xAe")) ; => (ae) (ba na na) (b) (7 7) (Ae)
(print (found vowels "xyz") (found vowels "xyz") (valid-sre? vowels) (regexp-extract (char-set->sre vowels) "banana") (found char-set:empty "a") (found `(+ ,(char-set-complement vowels)) "ab😀c")) ; => #f #f #t (a a a) #f (b😀c)
(print (every (lambda (set) (regexp-matches? `(* ,set) (char-set->string set))) (list char-set:punctuation char-set:symbol char-set:hex-digit char-set:whitespace (string->char-set "]^-\\[a&~")))) ; => #t
(print (map (lambda (x) (message (lambda () (char-set->sre x)))) '("a" 5)) (message (lambda () (vowels 5)))) ; => (char-set->sre: expected a char-set, got "a" char-set->sre: expected a char-set, got 5) char-set-contains?: expected a character, got 5
(cond-expand (srfi-115 (print "whole"))) ; => whole
