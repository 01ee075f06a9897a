; SRFI 14: sets of characters.
(import (srfi 14) (srfi 13))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define (s text) (string->char-set text))
(define (t set) (char-set->string set))
(define vowels (char-set #\a #\e #\i #\o #\u))

; Constructors and comparison.
(print (t vowels) (t (char-set)) (t (char-set #\b #\a #\b)) (t (list->char-set '(#\z #\a))) (t (list->char-set '(#\a) vowels)) (t (list->char-set! '(#\z) vowels)) (t (string->char-set "xyx")) (t (string->char-set "b" vowels)) (t (string->char-set! "c" vowels))) ; => aeiou  ab az aeiou aeiouz xy abeiou aceiou
(print (t (->char-set "ba")) (t (->char-set #\a)) (eq? vowels (->char-set vowels)) (t (char-set-copy vowels)) (eq? vowels (char-set-copy vowels))) ; => ab a #t aeiou #f
(print (t (ucs-range->char-set 97 103)) (t (ucs-range->char-set 97 97)) (t (ucs-range->char-set 97 99 #t)) (t (ucs-range->char-set 97 99 #f vowels)) (t (ucs-range->char-set! 120 122 #t vowels)) (char-set-size (ucs-range->char-set #xd7ff #xe001)) (char-set-size (ucs-range->char-set 0 9999999999))) ; => abcdef  ab abeiou aeiouxy 2 1112064
(print (map char-set? (list vowels char-set:empty "a" #\a char?)) (procedure? vowels) (vowels #\a) (vowels #\b)) ; => (#t #t #f #f #f) #t #t #f
(print (char-set=) (char-set= vowels) (char-set= vowels (s "uoiea")) (char-set= vowels vowels (s "a")) (char-set<=) (char-set<= vowels) (char-set<= char-set:empty (s "a") vowels) (char-set<= vowels (s "aeio")) (char-set<= (s "b") vowels)) ; => #t #t #t #f #t #t #t #f #f
(print (= (char-set-hash vowels) (char-set-hash (s "uoiea"))) (< -1 (char-set-hash vowels 10) 10) (= (char-set-hash vowels 0) (char-set-hash vowels))) ; => #t #t #t

; Cursors, folds, unfolds.
(define (listed set) (let loop ((c (char-set-cursor set)) (chars '())) (if (end-of-char-set? c) (reverse chars) (loop (char-set-cursor-next set c) (cons (char-set-ref set c) chars)))))
(write (listed (s "cabx"))) (newline) ; => (#\a #\b #\c #\x)
(write (listed char-set:empty)) (newline) ; => ()
(print (list->string (char-set-fold cons '() vowels)) (char-set-fold (lambda (c n) (+ n 1)) 0 char-set:ascii) (char-set-fold (lambda (c n) (if (vowels c) (+ n 1) n)) 0 (s "abcde"))) ; => uoiea 128 2
(define (read-set p) (char-set-unfold eof-object? identity (lambda (x) (read-char p)) (read-char p)))
(print (t (read-set (open-input-string "hello"))) (t (char-set-unfold (lambda (n) (> n 70)) integer->char 1+ 65 vowels)) (t (char-set-unfold! (lambda (n) (> n 70)) integer->char 1+ 65 (s "z")))) ; => ehlo ABCDEFaeiou ABCDEFz
(char-set-for-each (lambda (c) (display (char-upcase c))) vowels)
(newline) ; => AEIOU
(print (t (char-set-map char-upcase vowels)) (t (char-set-map (lambda (c) #\x) vowels)) (t (char-set-filter vowels (s "abcde"))) (t (char-set-filter char-upper-case? (s "aBc") (s "z"))) (t (char-set-filter! char-alphabetic? (s "1b") (s "2")))) ; => AEIOU x ae Bz 2b

; Queries.
(write (char-set->list vowels)) (newline) ; => (#\a #\e #\i #\o #\u)
(print (char-set-size vowels) (char-set-size char-set:empty) (char-set-count vowels (s "abcde")) (char-set-count char-upper-case? char-set:ascii)) ; => 5 0 2 26
(print (char-set-contains? vowels #\a) (char-set-contains? vowels #\b) (char-set-contains? char-set:letter #\ß) (char-set-contains? char-set:letter #\😀)) ; => #t #f #t #f
(print (char-set-every char-alphabetic? vowels) (char-set-every vowels (s "ab")) (char-set-every char->integer (s "ab")) (char-set-every even? char-set:empty) (char-set-any char-upper-case? (s "aBC")) (char-set-any (lambda (c) (and (vowels c) c)) (s "xyza")) (char-set-any char-upper-case? vowels)) ; => #t #f 98 #t #t a #f

; Algebra.
(print (t (char-set-adjoin vowels #\y #\a)) (t (char-set-adjoin! vowels #\b)) (t (char-set-delete vowels #\a #\z)) (t (char-set-delete! vowels #\u)) (t vowels)) ; => aeiouy abeiou eiou aeio aeiou
(print (char-set-size (char-set-complement vowels)) (char-set= vowels (char-set-complement (char-set-complement! vowels))) (char-set= char-set:full (char-set-complement char-set:empty))) ; => 1112059 #t #t
(print (t (char-set-union)) (t (char-set-union vowels (s "xyz") (s "a"))) (t (char-set-union! vowels (s "b"))) (char-set= (char-set-intersection) char-set:full) (t (char-set-intersection vowels (s "abe") (s "xe"))) (t (char-set-intersection! vowels (s "au")))) ; =>  aeiouxyz abeiou #t e au
(print (t (char-set-difference vowels (s "a") (s "u"))) (t (char-set-difference! vowels (s "abc"))) (t (char-set-xor)) (t (char-set-xor (s "abc") (s "bcd"))) (t (char-set-xor! (s "abc") (s "bcd") (s "b")))) ; => eio eiou  ad abd
(print (map t (values-of (char-set-diff+intersection vowels (s "abc") (s "def")))) (map t (values-of (char-set-diff+intersection! vowels (s "o"))))) ; => (iou ae) (aeiu o)

; The sets of Unicode.
(define all (list char-set:lower-case char-set:upper-case char-set:title-case char-set:letter char-set:digit char-set:letter+digit char-set:graphic char-set:printing char-set:whitespace char-set:iso-control char-set:punctuation char-set:symbol char-set:hex-digit char-set:blank char-set:ascii char-set:empty char-set:full))
(print (map char-set-size all)) ; => (2471 1951 31 131756 660 132416 144515 144540 25 65 819 7741 22 18 128 0 1112064)
(print (map (lambda (set) (char-set-size (char-set-intersection set char-set:ascii))) all)) ; => (26 26 0 52 10 62 94 100 6 33 23 9 22 2 128 0 128)
(print (map t (list char-set:hex-digit (char-set-intersection char-set:digit char-set:ascii) (char-set-intersection char-set:punctuation char-set:ascii) (char-set-intersection char-set:symbol char-set:ascii)))) ; => (0123456789ABCDEFabcdef 0123456789 !"#%&'()*,-./:;?@[\]_{} $+<=>^`|~)
(print (map (lambda (set) (set #\é)) all)) ; => (#t #f #f #t #f #t #t #t #f #f #f #f #f #f #f #f #t)
(print (char-set= char-set:lower-case (char-set-filter char-lower-case? char-set:full)) (char-set= char-set:upper-case (char-set-filter char-upper-case? char-set:full)) (char-set= char-set:digit (char-set-filter char-numeric? char-set:full)) (char-set= char-set:whitespace (char-set-filter char-whitespace? char-set:full)) (char-set<= char-set:letter (char-set-filter char-alphabetic? char-set:full))) ; => #t #t #t #t #t
(print (char-set= char-set:letter+digit (char-set-union char-set:letter char-set:digit)) (char-set= char-set:printing (char-set-union char-set:whitespace char-set:graphic)) (char-set<= char-set:blank char-set:whitespace) (char-set<= char-set:letter+digit char-set:graphic)) ; => #t #t #t #t

; SRFI 13 takes them.
(print (string-index "abc1" char-set:digit) (string-tokenize "ab, cd" char-set:letter) (string-trim-both "--a-" (s "-")) (string-count "banana" vowels) (string-filter vowels "banana") (string-delete vowels "banana") (string-every char-set:letter "ab") (string-skip "aab" (s "a"))) ; => 3 (ab cd) a 3 aaa bnn #t 2

; Mistakes.
(print (message (lambda () (char-set "abc"))) (message (lambda () (char-set-contains? "abc" #\a))) (message (lambda () (char-set-contains? vowels "a"))) (message (lambda () (vowels 5)))) ; => char-set: expected a character, got "abc" char-set-contains?: expected a char-set, got "abc" char-set-contains?: expected a character, got "a" char-set-contains?: expected a character, got 5
(print (message (lambda () (char-set-union vowels #\a))) (message (lambda () (char-set-adjoin vowels "a"))) (message (lambda () (list->char-set "abc"))) (message (lambda () (string->char-set '(#\a))))) ; => char-set-union: expected a char-set, got #\a char-set-adjoin: expected a character, got "a" list->char-set: expected a list, got "abc" string->char-set: expected a string, got (#\a)
(print (message (lambda () (ucs-range->char-set 5 3))) (message (lambda () (ucs-range->char-set 55295 57345 #t))) (message (lambda () (ucs-range->char-set -1 3))) (message (lambda () (->char-set 5)))) ; => ucs-range->char-set: the lower limit is above the upper one: ucs-range->char-set: not all of these code points are characters: ucs-range->char-set: expected a non-negative exact integer, got -1 ->char-set: expected a string, a character or a char-set, got 5
(print (message (lambda () (char-set-map char->integer vowels))) (message (lambda () (char-set-fold 5 0 vowels))) (message (lambda () (char-set-ref vowels #f))) (message (lambda () (char-set-cursor-next vowels #f))) (message (lambda () (char-set= vowels "a"))) (message (lambda () (char-set-filter vowels "abc")))) ; => char-set-map: expected a character, got 97 char-set-fold: expected a procedure, got 5 char-set-ref: the cursor is at the end of the set char-set-cursor-next: the cursor is at the end of the set char-set=: expected a char-set, got "a" char-set-filter: expected a char-set, got "abc"
