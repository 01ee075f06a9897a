; SRFI 152: strings, by indices.
(import (srfi 152))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define (digit? c) (char<=? #\0 c #\9))
(define (show x) (write x) (newline))

; Parts at which a predicate changes.
(show (list (string-take-while "12ab34" digit?) (string-drop-while "12ab34" digit?) (string-take-while "ab" digit?) (string-drop-while "12" digit?)))  ; => ("12" "ab34" "" "")
(show (list (string-take-while-right "12ab34" digit?) (string-drop-while-right "12ab34" digit?) (string-take-while-right "" digit?) (string-drop-while-right "12" digit?)))  ; => ("34" "12ab" "" "")
(show (list (string-take-while "x12ab" digit? 1) (string-drop-while "x12ab" digit? 1 4) (string-take-while-right "12x" digit? 0 2)))  ; => ("12" "a" "12")
(show (list (values-of (string-span "12ab" digit?)) (values-of (string-break "ab12" digit?)) (values-of (string-span "12" digit?)) (values-of (string-break "ab" digit?))))  ; => (("12" "ab") ("ab" "12") ("12" "") ("ab" ""))
(show (list (values-of (string-span-right "ab12" digit?)) (values-of (string-break-right "12ab" digit?)) (values-of (string-span-right "ab" digit?)) (values-of (string-span "λ1" digit? 1))))  ; => (("ab" "12") ("12" "ab") ("ab" "") ("1" ""))
(show (list (string-remove digit? "a1b2") (string-filter digit? "a1b2") (string-remove digit? "1a1" 1)))  ; => ("ab" "12" "a")

; Search.
(show (list (string-contains-right "banana" "ana") (string-contains "banana" "ana") (string-contains-right "abc" "x") (string-contains-right "abc" "") (string-contains-right "" "")))  ; => (3 1 #f 3 0)
(show (list (string-contains-right "banana" "ana" 0 5) (string-contains-right "banana" "xan" 0 6 1) (string-contains "banana" "xanx" 2 6 1 3)))  ; => (1 3 3)
(show (list (string-index "a1" digit?) (string-index-right "1a1b" digit?) (string-skip "12a" digit?) (string-skip-right "a12" digit?)))  ; => (1 2 2 0)
(show (list (string-prefix-length "abcx" "abcy") (string-suffix-length "xbc" "ybc") (string-prefix? "ab" "abc") (string-suffix? "bc" "abc")))  ; => (3 2 #t #t)

; Repeating, segments, splitting.
(show (list (string-replicate "abc" 0 7) (string-replicate "abc" -1 2) (string-replicate "abcd" 0 4 1 3) (string-replicate "abc" 2 2)))  ; => ("abcabca" "cab" "bcbc" "")
(show (list (string-segment "abcdefg" 3) (string-segment "" 3) (string-segment "ab" 5)))  ; => (("abc" "def" "g") () ("ab"))
(show (list (string-split "a,b,,c" ",") (string-split "" ",") (string-split "," ",") (string-split "abc" "") (string-split "a--b" "--")))  ; => (("a" "b" "" "c") () ("" "") ("a" "b" "c") ("a" "b"))
(show (list (string-split ",a,b," "," 'infix) (string-split ",a,b," "," 'prefix) (string-split ",a,b," "," 'suffix) (string-split "a,b" "," 'strict-infix)))  ; => (("" "a" "b" "") ("a" "b" "") ("" "a" "b") ("a" "b"))
(show (list (string-split "a,b,c,d" "," 'infix 2) (string-split "a,b" "," 'infix 0) (string-split "a,b,c" "," 'infix #f 2) (string-split "a,b,c" "," 'infix #f 0 3) (string-split "abc" "" 'infix 1)))  ; => (("a" "b" "c,d") ("a,b") ("b" "c") ("a" "b") ("a" "bc"))
(show (map (lambda (grammar) (string-join '("a" "b") ":" grammar)) '(infix strict-infix prefix suffix)))  ; => ("a:b" "a:b" ":a:b" "a:b:")
(show (string-length (string-concatenate (string-split (string-concatenate (make-list 20000 "ab,")) ","))))  ; => 40000

; The others mean what they mean in SRFI 13.
(show (list (string-pad "42" 5) (string-pad-right "42" 5) (string-pad "12345" 3) (string-trim "  a ") (string-trim-right " a ") (string-trim-both " a ")))  ; => ("   42" "42   " "345" "a " " a" "a")
(show (list (string-replace "abcde" "XY" 1 3) (string-take "abc" 2) (string-drop-right "abc" 2) (string-concatenate-reverse '("c" "b" "a") "d")))  ; => ("aXYde" "ab" "a" "abcd")
(show (list (string-fold cons '() "abc") (string-fold-right cons '() "abc") (string-count "a1b2" digit?) (string-map char-upcase "ab") (string-map (lambda (a b) (if (char<? a b) a b)) "ad" "cb")))  ; => ((#\c #\b #\a) (#\a #\b #\c) 2 "AB" "ab")
(show (list (string-unfold null? car cdr '(#\a #\b)) (string-unfold-right null? car cdr '(#\a #\b)) (string-tabulate (lambda (k) (integer->char (+ 65 k))) 3) (reverse-list->string '(#\a #\b))))  ; => ("ab" "ba" "ABC" "ba")
(show (list (string-every digit? "12") (string-any digit? "a1") (string->list "abc" 1) (string->vector "abc" 1 2) (vector->string #(#\a)) (string-null? "")))  ; => (#t #t (#\b #\c) #(#\b) "a" #t)
(show (list (string<? "a" "b" "c") (string-ci=? "Ab" "aB") (string>=? "b" "a")))  ; => (#t #t #t)

(show (list (string-unfold null? car cdr '("ab" #\c) #\< (lambda (seed) #\>)) (string-unfold-right null? car cdr '("ab" "cd") "." (lambda (seed) "!"))))  ; => ("<abc>" "!cdab.")
; string-titlecase needs no import; let-string-start+end is SRFI 13's.
(import (only (srfi 13) let-string-start+end))
(show (list (string-titlecase "hello wORLD 3rd") (string-titlecase "xhello" 1) (string-titlecase "élan d'été")))  ; => ("Hello World 3Rd" "Hello" "Élan D'Été")
(define (part text . rest) (let-string-start+end (start end) 'part text rest (substring text start end)))
(define (parts text . rest) (let-string-start+end (start end more) 'parts text rest (list start end more)))
(show (list (part "abcdef") (part "abcdef" 2) (part "abcdef" 2 4) (parts "abc" 1 2 'x)))  ; => ("abcdef" "cdef" "cd" (1 2 (x)))

; Mistakes.
(show (message (lambda () (string-segment "a" 0))))  ; => "string-segment: expected an exact integer above 0, got 0"
(show (message (lambda () (string-segment 5 1))))  ; => "string-segment: expected a string, got 5"
(show (message (lambda () (string-split "a" 5))))  ; => "string-split: expected a string, got 5"
(show (message (lambda () (string-split "" "," 'strict-infix))))  ; => "string-split: the text is empty, which strict-infix refuses"
(show (message (lambda () (string-split "a" "," 'middle))))  ; => "string-split: expected infix, strict-infix, prefix or suffix, got middle"
(show (message (lambda () (string-split "a" "," 'infix -1))))  ; => "string-split: expected #f or an exact integer from 0 as the limit, got -1"
(show (message (lambda () (string-split "a" "," 'infix #f 5))))  ; => "string-split: index 5 is out of range for length 1"
(show (message (lambda () (string-take-while "a" 5))))  ; => "string-take-while: expected a character or a procedure, got 5"
(show (message (lambda () (string-span 5 digit?))))  ; => "string-span: expected a string, got 5"
(show (message (lambda () (string-replicate "" 0 1))))  ; => "xsubstring: the text is empty"
(show (message (lambda () (string-titlecase 5))))  ; => "string-titlecase: expected a string, got 5"
(show (message (lambda () (string-contains-right "a" 5))))  ; => "string-contains-right: expected a string, got 5"
(show (message (lambda () (part "abc" 2 1))))  ; => "part: start 2 is after end 1"
