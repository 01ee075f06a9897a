;; matches.lisp - searching texts for regular expressions, and the matches.
;;
;; A match is a record of the regexp, the text, the index at which the search
;; began, and a vector of indices, counted from there: start and end of the match
;; and of each group, or #f.  Matches print as #<regexp-match>.

(define %match-type (%record-type 'regexp-match #(#f #f #f #f)))

(define (regexp-match? x)
  "Whether it is a match, as regexp-search returns it."
  (%record? x %match-type))

(define (%match-regexp m) (%record-ref m %match-type 0 "regexp-match"))
(define (%match-text m) (%record-ref m %match-type 1 "regexp-match"))
(define (%match-base m) (%record-ref m %match-type 2 "regexp-match"))
(define (%match-positions m) (%record-ref m %match-type 3 "regexp-match"))

(define (%check-match who x)
  (unless (regexp-match? x) (wrong-type who "a match of a regexp" x)))

;; Searching.

(define %whole-match 1)       ; as in runtime/text/pattern.h
(define %not-empty-match 2)

(define (%text-range who text range)
  "(start . end): the range of a text that optional arguments mean.  The end may
  be #f."
  (if (and (pair? range) (pair? (cdr range)) (not (cadr range)))
      (%range who 2 text (cons (car range) (cddr range)))
      (%range who 2 text range)))

(define (%next-match who re subject byte character flags)
  "The positions of the first match from a byte on, or #f."
  (let ((found (%regexp-match (%regexp-code re) subject byte character flags)))
    (when (exact-integer? found) (%match-failed who re found))
    found))

(define (%match-failed who re code)
  "Raise the error for a code of a search, most of which are PCRE2's."
  (case code
    ((2)
     (error (string who ": the match ends before it begins, for")
            (%regexp-sre re)))
    ((-47 -53 -63)
     (%error-with-hint
      (string who ": the search takes too many steps, for")
      (list (%regexp-sre re))
      (string "nested repetitions, or alternatives, that match the same text "
              "are tried in all combinations: let only one of them match it")))
    (else (error (string who ": PCRE2 reports the error " code ", for")
                 (%regexp-sre re)))))

(define (%regexp-search who re text range flags)
  "The match of a search, or #f."
  (let* ((re (%regexp who re)) (part (%text-range who text range))
         (start (car part))
         (found (%next-match who re (%regexp-subject text start (cdr part)) 0 0 flags)))
    (and found (%record %match-type re text start found))))

(define (regexp-search re text . range)
  "The first match of a regexp or an SRE in a text, between optional start and
  end; #f if there is none."
  (%regexp-search "regexp-search" re text range 0))

(define (regexp-matches re text . range)
  "The match of a regexp or an SRE with a whole text, or all of it between
  optional start and end; #f if it does not match."
  (%regexp-search "regexp-matches" re text range %whole-match))

(define (regexp-matches? re text . range)
  "Whether a regexp or an SRE matches a whole text, or all of it between optional
  start and end."
  (if (%regexp-search "regexp-matches?" re text range %whole-match) #t #f))

;; Submatches.

(define (%field-number who m field)
  "The number of a submatch.  Of several with one name it is the first that has
  matched, or else the first."
  (let ((re (%match-regexp m)))
    (cond ((and (exact-integer? field) (<= 0 field (%regexp-group-count re)))
           field)
          ((symbol? field) (%number-of-name who m field))
          ((exact-integer? field)
           (error (string who ": there is no submatch " field
                          ", the last one is " (%regexp-group-count re))))
          (else
           (wrong-type who "the number or the name of a submatch" field)))))

(define (%number-of-name who m name)
  (let ((entries (filter (lambda (entry) (eq? (car entry) name))
                         (%regexp-names (%match-regexp m)))))
    (when (null? entries)
      (error (string who ": no submatch is named " name ", in")
             (%regexp-sre (%match-regexp m))))
    (cdr (or (find (lambda (entry) (%match-position m (* 2 (cdr entry)))) entries)
             (car entries)))))

(define (%match-position m k)
  "An index into the text, or #f."
  (let ((k (vector-ref (%match-positions m) k)))
    (and k (+ k (%match-base m)))))

(define (%submatch-text m number)
  "The text of a submatch, or #f."
  (let ((start (%match-position m (* 2 number))))
    (and start
         (substring (%match-text m) start (%match-position m (+ (* 2 number) 1))))))

(define (regexp-match-submatch m field)
  "The text of a submatch, by its number or its name; 0 is the whole match.  #f if
  it has not taken part in the match."
  (%check-match "regexp-match-submatch" m)
  (%submatch-text m (%field-number "regexp-match-submatch" m field)))

(define (regexp-match-submatch-start m field)
  "The index at which a submatch begins; #f if it has not taken part."
  (%check-match "regexp-match-submatch-start" m)
  (%match-position m (* 2 (%field-number "regexp-match-submatch-start" m field))))

(define (regexp-match-submatch-end m field)
  "The index at which a submatch ends; #f if it has not taken part."
  (%check-match "regexp-match-submatch-end" m)
  (%match-position m (+ (* 2 (%field-number "regexp-match-submatch-end" m field)) 1)))

(define (regexp-match-count m)
  "How many submatches a match has, besides the whole match, also those that have
  not taken part."
  (%check-match "regexp-match-count" m)
  (%regexp-group-count (%match-regexp m)))

(define (regexp-match-names m)
  "The names of a match's submatches, in the order of their numbers."
  (%check-match "regexp-match-names" m)
  (delete-duplicates
   (map car (sort (%regexp-names (%match-regexp m))
                  (lambda (a b) (< (cdr a) (cdr b)))))
   eq?))

(define (regexp-match->list m)
  "The texts of the whole match and of all submatches; #f for those that have not
  taken part."
  (%check-match "regexp-match->list" m)
  (map (lambda (k) (%submatch-text m k))
       (iota (+ (%regexp-group-count (%match-regexp m)) 1))))
