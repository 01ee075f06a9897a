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

(define (%is-empty? m)
  (eqv? (%match-position m 0) (%match-position m 1)))

(define (regexp-extract re text . range)
  "The parts of a text that a regexp or an SRE matches, without empty ones, between
  optional start and end."
  (reverse
   (cdr (%fold-matches "regexp-extract" re text range
                       (lambda (i m parts)
                         (if (%is-empty? m)
                             parts
                             (cons (%submatch-text m 0) parts)))
                       '()))))

(define (%unmatched-parts who re text range kept?)
  "The parts of a text between matches that are not empty, and, if kept?, the
  matches.  (last-end . parts), the last part first."
  (let ((start (car (%text-range who text range))))
    (cdr (%fold-matches
          who re text range
          (lambda (i m result)
            (if (%is-empty? m)
                result
                (let* ((before (substring text (car result) (%match-position m 0)))
                       (parts (cons before (cdr result))))
                  (cons (%match-position m 1)
                        (if kept? (cons (%submatch-text m 0) parts) parts)))))
          (cons start '())))))

(define (regexp-split re text . range)
  "The parts of a text between the matches of a regexp or an SRE, without regard to
  empty matches, between optional start and end."
  (let ((parts (%unmatched-parts "regexp-split" re text range #f))
        (end (cdr (%text-range "regexp-split" text range))))
    (reverse (cons (substring text (car parts) end) (cdr parts)))))

(define (regexp-partition re text . range)
  "The parts of a text between the matches of a regexp or an SRE, and the matches:
  first a part that does not match, which may be empty, then a match, and so on."
  (let ((parts (%unmatched-parts "regexp-partition" re text range #t))
        (end (cdr (%text-range "regexp-partition" text range))))
    (if (and (= (car parts) end) (pair? (cdr parts)))
        (reverse (cdr parts))
        (reverse (cons (substring text (car parts) end) (cdr parts))))))

;; Replacement.

(define (%add-replacement who subst m part texts)
  "The texts with those that stand for a match before them.  part: the range of the
  search."
  (let ((text (%match-text m)))
    (cond ((string? subst) (cons subst texts))
          ((eq? subst 'pre) (cons (substring text (car part) (%match-position m 0)) texts))
          ((eq? subst 'post)
           (cons (substring text (%match-position m 1) (cdr part)) texts))
          ((or (exact-integer? subst) (symbol? subst))
           (cons (or (%submatch-text m (%field-number who m subst)) "") texts))
          ((procedure? subst)
           (let ((result (subst m)))
             (unless (string? result)
               (error (string who ": the procedure must return a string, got")
                      result))
             (cons result texts)))
          ((list? subst)
           (fold (lambda (one texts) (%add-replacement who one m part texts))
                 texts subst))
          (else
           (wrong-type who (string "a string, the number or the name of a "
                                   "submatch, pre, post, a procedure or a list "
                                   "of these")
                       subst)))))

(define (%matches-replaced who re text subst range replaced?)
  "The text with replacements for the matches whose numbers pass a test."
  (let* ((part (%text-range who text range))
         (result
          (cdr (%fold-matches
                who re text range
                (lambda (i m state)
                  (let ((number (car state)))
                    (if (replaced? number)
                        (cons* (+ number 1) (%match-position m 1)
                               (%add-replacement
                                who subst m part
                                (cons (substring text (cadr state)
                                                 (%match-position m 0))
                                      (cddr state))))
                        (cons (+ number 1) (cdr state)))))
                (list 0 (car part))))))
    (string-join
     (reverse (cons (substring text (cadr result) (cdr part)) (cddr result)))
     "")))

(define (regexp-replace re text subst . options)
  "The text with a replacement for the first match of a regexp or an SRE.

  subst is a string, the number or the name of a submatch, pre or post for the
  text before or after the match, a procedure from match to string, or a list of
  these.  Of optional start, end and count, which matches to leave before the
  replaced one, the first two also say which part of the text is returned."
  (let* ((count (and (pair? options) (pair? (cdr options))
                     (pair? (cddr options)) (caddr options)))
         (range (if count (list (car options) (cadr options)) options)))
    (when count (%check-index "regexp-replace" count))
    (%matches-replaced "regexp-replace" re text subst range
               (lambda (number) (= number (or count 0))))))

(define (regexp-replace-all re text subst . range)
  "The text with a replacement for each match of a regexp or an SRE, between
  optional start and end; subst is as in regexp-replace."
  (%matches-replaced "regexp-replace-all" re text subst range (lambda (number) #t)))
