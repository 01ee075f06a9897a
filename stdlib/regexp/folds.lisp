;; folds.lisp - all matches of a regular expression in a text, and what is built
;; from them: lists of parts, and texts with replacements.
;;
;; After a match, the search goes on at its end; after an empty one with the
;; first that is not empty there, as in Perl and Python.

(define (%fold-matches who re text range kons knil)
  "(finish-index . result) of (kons index match result) for each match; the index
  is the end of the match before."
  (let* ((re (%regexp who re)) (part (%text-range who text range))
         (start (car part)) (subject (%regexp-subject text start (cdr part))))
    (let loop ((byte 0) (character 0) (flags 0) (result knil))
      (let ((found (%next-match who re subject byte character flags)))
        (if (not found)
            (cons (+ start character) result)
            (let ((m (%record %match-type re text start found))
                  (end (vector-ref found 1)))
              (loop (vector-ref found (- (vector-length found) 1))
                    end
                    (if (= (vector-ref found 0) end) %not-empty-match 0)
                    (kons (+ start character) m result))))))))

(define (regexp-fold re kons knil text . options)
  "(kons index match text result) for each match of a regexp or an SRE, from left
  to right: the first result is knil, and the index is the end of the match before
  or the start.  At last (finish index #f text result), if there is an optional
  finish; start and end may follow it."
  (unless (procedure? kons) (wrong-type "regexp-fold" "a procedure" kons))
  (let* ((finish (and (pair? options) (car options)))
         (range (if (pair? options) (cdr options) '())))
    (when (and finish (not (procedure? finish)))
      (wrong-type "regexp-fold" "a procedure" finish))
    (let ((end (%fold-matches "regexp-fold" re text range
                              (lambda (i m result) (kons i m text result))
                              knil)))
      (if finish (finish (car end) #f text (cdr end)) (cdr end)))))

(define %matched-parts 1)     ; as in runtime/text/regexp.c
(define %unmatched-parts 2)
(define %also-empty-matches 4)

(define (%text-parts who re text range flags)
  "The parts of a text by all matches, in order."
  (let* ((re (%regexp who re)) (part (%text-range who text range))
         (parts (%regexp-parts (%regexp-code re) text (car part) (cdr part) flags)))
    (when (exact-integer? parts) (%match-failed who re parts))
    parts))

(define (regexp-extract re text . range)
  "The parts of a text that a regexp or an SRE matches, without empty ones, between
  optional start and end."
  (%text-parts "regexp-extract" re text range %matched-parts))

(define (regexp-split re text . range)
  "The parts of a text between the matches of a regexp or an SRE, without regard to
  empty matches, between optional start and end."
  (%text-parts "regexp-split" re text range %unmatched-parts))

(define (regexp-partition re text . range)
  "The parts of a text between the matches of a regexp or an SRE, and the matches:
  first a part that does not match, which may be empty, then a match, and so on."
  (%text-parts "regexp-partition" re text range
               (+ %matched-parts %unmatched-parts)))

;; Replacement.

(define (%replacement who subst m part)
  "The text that stands for a match.  part: the range of the search."
  (cond ((procedure? subst) (%check-replacement who (subst m)))
        ((string? subst) subst)
        ((eq? subst 'pre)
         (substring (%match-text m) (car part) (%match-position m 0)))
        ((eq? subst 'post)
         (substring (%match-text m) (%match-position m 1) (cdr part)))
        ((or (exact-integer? subst) (symbol? subst))
         (or (%submatch-text m (%field-number who m subst)) ""))
        ((list? subst)
         (string-join (map (lambda (one) (%replacement who one m part)) subst)
                      ""))
        (else
         (wrong-type who (string "a string, the number or the name of a "
                                 "submatch, pre, post, a procedure or a list "
                                 "of these")
                     subst))))

(define (%check-replacement who result)
  "What a procedure has returned for a match: an error unless it is a string."
  (unless (string? result)
    (error (string who ": the procedure must return a string, got") result))
  result)

(define (%nth-match who re text part n)
  "The match before which n others are, or #f."
  (let ((start (car part)) (subject (%regexp-subject text (car part) (cdr part))))
    (let loop ((byte 0) (character 0) (flags 0) (n n))
      (let ((found (%next-match who re subject byte character flags)))
        (cond ((not found) #f)
              ((= n 0) (%record %match-type re text start found))
              (else
               (loop (vector-ref found (- (vector-length found) 1))
                     (vector-ref found 1)
                     (if (= (vector-ref found 0) (vector-ref found 1))
                         %not-empty-match
                         0)
                     (- n 1))))))))

(define (regexp-replace re text subst . options)
  "The text with a replacement for the first match of a regexp or an SRE.

  subst is a string, the number or the name of a submatch, pre or post for the
  text before or after the match, a procedure from match to string, or a list of
  these.  Of optional start, end and count, which matches to leave before the
  replaced one, the first two also say which part of the text is returned."
  (let* ((who "regexp-replace") (re (%regexp who re))
         (count (and (pair? options) (pair? (cdr options))
                     (pair? (cddr options)) (caddr options)))
         (part (%text-range
                who text
                (if count (list (car options) (cadr options)) options))))
    (when count (%check-index who count))
    (let ((m (%nth-match who re text part (or count 0))))
      (if m
          (string-append (substring text (car part) (%match-position m 0))
                         (%replacement who subst m part)
                         (substring text (%match-position m 1) (cdr part)))
          (substring text (car part) (cdr part))))))

(define (regexp-replace-all re text subst . range)
  "The text with a replacement for each match of a regexp or an SRE, between
  optional start and end; subst is as in regexp-replace."
  (let ((who "regexp-replace-all"))
    (if (string? subst)
        (string-join (%text-parts who re text range
                                  (+ %unmatched-parts %also-empty-matches))
                     subst)
        (%matches-replaced who re text subst range))))

(define (%matches-replaced who re text subst range)
  "The text with replacements that depend on the matches."
  (let* ((part (%text-range who text range))
         (result
          (%fold-matches
           who re text range
           (lambda (i m texts)
             (cons (%replacement who subst m part)
                   (cons (substring text i (%match-position m 0)) texts)))
           '())))
    (string-join
     (reverse (cons (substring text (car result) (cdr part)) (cdr result)))
     "")))
