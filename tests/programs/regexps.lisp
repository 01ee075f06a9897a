; Regular expressions in PCRE2's notation.
(define (message thunk) (guard (e (#t (list (error-object-message e) (error-object-irritants e)))) (thunk)))
(define (found re text . range)
  (let ((m (apply regexp-search re text range))) (and m (regexp-match->list m))))

(define date (pregexp "(?<year>\\d{4})-(?<month>\\d\\d)"))
(print (regexp? date) date (regexp->sre date) (eq? date (pregexp (string-append "(?<year>" "\\d{4})-(?<month>\\d\\d)"))) (eq? date (regexp date))) ; => #t #<regexp sre: (pregexp (?<year>\d{4})-(?<month>\d\d))> (pregexp (?<year>\d{4})-(?<month>\d\d)) #t #t
(define m (regexp-search date "am 2024-05 und 2025-06"))
(print (regexp-match->list m) (regexp-match-names m) (regexp-match-submatch m 'month) (regexp-match-count m)) ; => (2024-05 2024 05) (year month) 05 2
(print (regexp-replace-all date "2024-05 2025-06" '(month "." year)) (regexp-extract date "2024-05 2025-06")) ; => 05.2024 06.2025 (2024-05 2025-06)
(print (found (pregexp "(?i)straße") "STRAßE") (found (pregexp "\\w+") "-été-") (found (pregexp "\\p{Lu}\\p{Ll}") "aÉté") (found (pregexp "(?<=ä)b") "bäb") (found (pregexp "(a)|(b)") "b")) ; => (STRAßE) (été) (Ét) (b) (b #f b)
(print (found (pregexp "^b$") "a\nb") (found (pregexp "(?m)^b$") "a\nb") (found (pregexp "a.b") "a\nb") (found (pregexp "(?s)a.b") "a\nb")) ; => #f (b) #f (a
; => b)
(print (regexp-matches? (pregexp "a|ab") "ab") (regexp-matches? (pregexp "a") "ab") (found (pregexp "(?|(a)|(b))\\1") "bb") (found (pregexp "(?<n>a)|(?<m>b)") "b")) ; => #t #f (bb b) (b #f b)
(print (regexp-split (pregexp "\\s*,\\s*") "a , b,c") (regexp-partition (pregexp "\\d") "a1b") (regexp-replace (pregexp "^") "ab" "-") (regexp-fold (pregexp "$") (lambda (i m s acc) (cons i acc)) '() "ab")) ; => (a b c) (a 1 b) -ab (0)
(print (regexp-replace-all (pregexp "\\Ga") "aab" "-") (found (pregexp "a(*COMMIT)b|c") "ac") (length (regexp-extract (pregexp "\\Ga") (make-string 1000 #\a)))) ; => --b #f 1000
(print (pregexp-quote "a.b*é\n") (found (pregexp (pregexp-quote "a.b*[]\\")) "-a.b*[]\\-")) ; => a\.b\*é\x{a} (a.b*[]\)
(print (regexp-extract '(: (pregexp "\\d") "x") "1x2") (found '(w/nocase (pregexp "é.")) "É\nÉa")) ; => (1x) (Éa)

; The text is searched as characters, wherever the search begins.
(define text "aß漢😀b1ß漢😀b")
(print (regexp-match-submatch-start (regexp-search (pregexp "b") text) 0) (regexp-match-submatch-start (regexp-search (pregexp "b") text 5) 0) (regexp-match-submatch-end (regexp-search (pregexp "(?=(漢.b$))") text) 1)) ; => 4 9 10
(print (regexp-fold (pregexp "(?<=(.))(b|ß)(?=(.?))") (lambda (i m s acc) (append acc (list (list i (regexp-match->list m) (regexp-match-submatch-start m 1) (regexp-match-submatch-start m 3))))) '() text)) ; => ((0 (ß a ß 漢) 0 2) (2 (b 😀 b 1) 3 5) (5 (ß 1 ß 漢) 5 7) (7 (b 😀 b ) 8 10))
(print (regexp-split (pregexp "\\d") text) (regexp-replace-all (pregexp "😀") text "") (string-length (regexp-replace-all (pregexp "") text "-"))) ; => (aß漢😀b ß漢😀b) aß漢b1ß漢b 21
(define nul (string #\a (integer->char 0) #\b))
(print (regexp-match-submatch-end (regexp-search (pregexp "\\x00") nul) 0) (regexp-match-submatch-start (regexp-search (pregexp (string (integer->char 0))) nul) 0)) ; => 2 1

; Long texts, in which a search has several steps.
(define long (string-append (make-string 100000 #\ä) "b" (make-string 100000 #\a)))
(print (regexp-match-submatch-start (regexp-search (pregexp "b") long) 0) (regexp-search (pregexp "c") long) (regexp-match-submatch-start (regexp-search (pregexp "(?<=b)a*$") long) 0) (length (regexp-extract (pregexp "ä") long))) ; => 100000 #f 100001 100000
(print (string-length (regexp-match-submatch (regexp-search (pregexp "(?:ä|b|a)+") long) 0)) (regexp-matches? (pregexp "(?:ä|b|a)+") long)) ; => 200001 #t

; Wrong patterns, and searches without end.
(print (message (lambda () (pregexp "é(b")))) ; => (pregexp: missing closing parenthesis, at index 3 of (é(b))
(print (message (lambda () (pregexp "a**+{")))) ; => (pregexp: quantifier does not follow a repeatable item, at index 2 of (a**+{))
(print (message (lambda () (pregexp 5)))) ; => (pregexp: expected a string, got 5 ())
(print (message (lambda () (pregexp-quote 5)))) ; => (pregexp-quote: expected a string, got 5 ())
(define (steps text) (message (lambda () (regexp-search (pregexp "(a|aa)+$") text))))
(print (steps (string-append (make-string 60 #\a) "b"))) ; => (regexp-search: the search takes too many steps, for ((pregexp (a|aa)+$)))
(print (equal? (steps (string-append (make-string 60 #\a) "b")) (steps (string-append "é" (make-string 60 #\a) "b")))) ; => #t
(print (message (lambda () (regexp-matches? '(+ (or "a" "aa")) (string-append (make-string 60 #\a) "b"))))) ; => (regexp-matches?: the search takes too many steps, for ((+ (or a aa))))
