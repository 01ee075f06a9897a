;; sre.lisp - SREs, the regular expressions of SRFI 115, in PCRE2's notation.
;;
;;     (: bos (+ alpha) "=" ($ (* any)))  =>  \A[\p{Alphabetic}]+\=(.*)
;;
;; The state of a translation is #(groups names): the number of groups so far,
;; and the names of some, the latest first, with their numbers.

(define (%translated-sre who sre)
  "(pattern groups . names) of an SRE."
  (let* ((state (vector 0 '()))
         (pattern (%sre sre (vector who #f #f #t state))))
    (cons* (string-append "(?s)" pattern)
           (vector-ref state 0)
           (reverse (vector-ref state 1)))))

(define (%sre sre env)
  "The pattern of an SRE."
  (cond ((string? sre) (%sre-literal sre env))
        ((%cset? sre) (%class->pattern (%cset sre env)))
        ((symbol? sre) (%sre-of-name sre env))
        ((and (pair? sre) (list? sre)) (%sre-of-list sre env))
        ((regexp? sre)
         (%error-with-hint
          (string (%env-who env) ": a regexp cannot be a part of an SRE:")
          (list sre) "(regexp->sre re) is an SRE for it"))
        (else (%sre-error env sre "expected an SRE"))))

(define (%sre-literal text env)
  "The pattern of a literal string."
  (if (and (vector-ref env 1) (%env-ascii env))
      (string-join (map (lambda (c)
                          (%class->pattern (cons #f (%class-range c c env))))
                        (string->list text))
                   "")
      (string-join (map %quoted-char (string->list text)) "")))

(define (%sre-of-name name env)
  (case name
    ((bos) "\\A")
    ((eos) "\\z")
    ((bol) "(?:\\A|(?<=\\n)|(?<=\\r)(?!\\n))")
    ((eol) "(?:\\z|(?=\\r)|(?<!\\r)(?=\\n))")
    ((bow) (let ((word (%word-class env)))
             (string-append "(?<!" word ")(?=" word ")")))
    ((eow) (let ((word (%word-class env)))
             (string-append "(?<=" word ")(?!" word ")")))
    ((nwb) (let ((word (%word-class env)))
             (string-append "(?:(?<=" word ")(?=" word ")|(?<!" word ")(?!" word
                            "))")))
    ((word) (%sre '(word+ any) env))
    ((grapheme)
     (if (%env-ascii env)
         (%sre 'any env)
         (string-append "(?:.(?:" (%within-grapheme) ".)*+)")))
    ((bog) (if (%env-ascii env) "" (string-append "(?!" (%within-grapheme) ")(?=.)")))
    ((eog) (if (%env-ascii env) "" (string-append "(?!" (%within-grapheme) ")(?<=.)")))
    (else (%sre-error env name "there is no SRE of that name"))))

(define (%sre-of-list sre env)
  (let ((body (lambda () (%sre-sequence (cdr sre) env))))
    (case (car sre)
      ((: seq) (body))
      ((or |\||) (%sre-alternatives (cdr sre) env))
      ((* zero-or-more) (%sre-repeated (cdr sre) "*" env))
      ((+ one-or-more) (%sre-repeated (cdr sre) "+" env))
      ((? optional) (%sre-repeated (cdr sre) "?" env))
      ((*? non-greedy-zero-or-more) (%sre-repeated (cdr sre) "*?" env))
      ((?? non-greedy-optional) (%sre-repeated (cdr sre) "??" env))
      ((= exactly) (%sre-repeated-exactly sre env))
      ((>= at-least) (%sre-repeated-at-least sre env))
      ((** repeated) (%sre-repeated-between sre "" env))
      ((**? non-greedy-repeated) (%sre-repeated-between sre "?" env))
      (($ submatch) (%submatch (cdr sre) env))
      ((-> submatch-named) (%named-submatch sre env))
      ((backref) (%backref sre env))
      ((w/case) (%within (cdr sre) (%env-with env 1 #f) env))
      ((w/nocase) (%within (cdr sre) (%env-with env 1 #t) env))
      ((w/ascii) (%within (cdr sre) (%env-with env 2 #t) env))
      ((w/unicode) (%within (cdr sre) (%env-with env 2 #f) env))
      ((w/nocapture) (%sre-sequence (cdr sre) (%env-with env 3 #f)))
      ((word) (string-append (%sre 'bow env) (body) (%sre 'eow env)))
      ((word+) (%word-of (cdr sre) env))
      ((look-ahead) (string-append "(?=" (body) ")"))
      ((look-behind) (string-append "(?<=" (body) ")"))
      ((neg-look-ahead) (string-append "(?!" (body) ")"))
      ((neg-look-behind) (string-append "(?<!" (body) ")"))
      ((pregexp) (%embedded-pattern sre env))
      (else (%sre-error env sre "there is no SRE of that form")))))

(define (%sre-sequence sres env)
  "The patterns one after another."
  (string-join (map (lambda (sre) (%sre sre env)) sres) ""))

(define (%sre-alternatives sres env)
  (if (null? sres)
      "(?!)"
      (string-append "(?:" (string-join (map (lambda (sre) (%sre sre env)) sres)
                                        "|")
                     ")")))

(define (%within sres inner outer)
  "A sequence in another environment."
  (let ((body (%sre-sequence sres inner)))
    (cond ((eq? (%env-folds? inner) (%env-folds? outer)) body)
          ((%env-folds? inner) (string-append "(?i:" body ")"))
          (else (string-append "(?-i:" body ")")))))

;; Repetition.

(define (%sre-repeated sres times env)
  "A sequence a number of times."
  (let ((body (%sre-sequence sres env)))
    (if (and (pair? sres) (null? (cdr sres)) (%cset? (car sres)))
        (string-append body times)
        (string-append "(?:" body ")" times))))

(define %most-times 65535)   ; PCRE2's limit

(define (%repeat-times n sre env)
  "A number of times as text."
  (if (and (exact-integer? n) (<= 0 n %most-times))
      (number->string n)
      (%sre-error env sre (string "expected a number of times from 0 to "
                                  %most-times ", got " n))))

(define (%check-times sre count env)
  "Raise an error if an SRE has not as many numbers."
  (unless (> (length sre) count)
    (%sre-error env sre "a number of times is missing")))

(define (%sre-repeated-exactly sre env)
  (%check-times sre 1 env)
  (%sre-repeated (cddr sre) (string "{" (%repeat-times (cadr sre) sre env) "}") env))

(define (%sre-repeated-at-least sre env)
  (%check-times sre 1 env)
  (%sre-repeated (cddr sre) (string "{" (%repeat-times (cadr sre) sre env) ",}") env))

(define (%sre-repeated-between sre greed env)
  (%check-times sre 2 env)
  (let* ((from (cadr sre)) (to (caddr sre))
         (least (%repeat-times from sre env))
         (most (if to (%repeat-times to sre env) "")))
    (when (and to (> from to))
      (%sre-error env sre (string from " to " to " times")))
    (%sre-repeated (cdddr sre) (string "{" least "," most "}" greed) env)))

;; Submatches.

(define (%submatch sres env)
  (if (vector-ref env 3)
      (let ((state (vector-ref env 4)))
        (vector-set! state 0 (+ (vector-ref state 0) 1))
        (string-append "(" (%sre-sequence sres env) ")"))
      (string-append "(?:" (%sre-sequence sres env) ")")))

(define (%named-submatch sre env)
  (unless (and (pair? (cdr sre)) (symbol? (cadr sre)))
    (%sre-error env sre "the name of a submatch must be a symbol"))
  (when (vector-ref env 3)
    (let* ((state (vector-ref env 4)) (number (+ (vector-ref state 0) 1)))
      (vector-set! state 1 (cons (cons (cadr sre) number) (vector-ref state 1)))))
  (%submatch (cddr sre) env))

(define (%backref sre env)
  (unless (= (length sre) 2)
    (%sre-error env sre "expected the number or the name of a submatch"))
  (let ((field (cadr sre)) (state (vector-ref env 4)))
    (cond ((and (exact-integer? field) (<= 1 field (vector-ref state 0)))
           (string "\\g{" field "}"))
          ((and (symbol? field) (assq field (vector-ref state 1)))
           (%backref-by-name field (vector-ref state 1)))
          (else
           (%sre-error env sre "there is no such submatch before this")))))

(define (%backref-by-name name names)
  "Whichever submatch of that name has matched."
  (let ((numbers (filter-map (lambda (entry)
                               (and (eq? (car entry) name) (cdr entry)))
                             (reverse names))))
    (string-append
     "(?:"
     (string-join (map (lambda (n) (string "\\g{" n "}")) numbers) "|")
     ")")))

;; Words, graphemes, and the other notation.

(define (%word-of sres env)
  "A word of the characters of some sets."
  (let* ((word (cons #f (string-append (%class-of 'alnum env) "_")))
         (chars (if (equal? sres '(any))
                    word
                    (%class-and (list word (%class-union sres env))))))
    (string-append (%sre 'bow env) (%class->pattern chars) "+" (%sre 'eow env))))

(define %hangul-l "\\x{1100}-\\x{115F}\\x{A960}-\\x{A97C}")
(define %hangul-v "\\x{1160}-\\x{11A7}\\x{D7B0}-\\x{D7C6}")
(define %hangul-t "\\x{11A8}-\\x{11FF}\\x{D7CB}-\\x{D7FB}")
(define %hangul-syllable "\\x{AC00}-\\x{D7A3}")
(define %grapheme-prepends
  (string-append "\\x{600}-\\x{605}\\x{6DD}\\x{70F}\\x{890}\\x{891}\\x{8E2}"
                 "\\x{D4E}\\x{110BD}\\x{110CD}\\x{111C2}\\x{111C3}"
                 "\\x{1193F}\\x{11941}\\x{11A3A}\\x{11A84}-\\x{11A89}"
                 "\\x{11D46}\\x{11F02}"))

(define (%hangul-lv)
  "The Hangul syllables without a final consonant: each 28th."
  (string-join (map (lambda (k) (string (integer->char (+ #xAC00 (* 28 k)))))
                    (iota 399))
               ""))

(define (%class-boundary before after)
  "The place between characters of two classes."
  (string-append "(?<=[" before "])(?=[" after "])"))

(define %spacing-marks "\\p{Mc}\\x{E33}\\x{EB3}")
(define %not-spacing-marks   ; although they are of \p{Mc}
  (string-append "\\x{102B}\\x{102C}\\x{1038}\\x{1062}-\\x{1064}"
                 "\\x{1067}-\\x{106D}\\x{1083}\\x{1087}-\\x{108C}\\x{108F}"
                 "\\x{109A}-\\x{109C}\\x{1A61}\\x{1A63}\\x{1A64}\\x{AA7B}"
                 "\\x{AA7D}\\x{11720}\\x{11721}"))

(define (%within-grapheme)
  "The place between two characters of one grapheme cluster, by the rules of
  Unicode's annex 29, which PCRE2's \\X did not follow for a long time.  Among
  regional indicators it is certain up to the tenth, and a picture may have one
  mark before it is joined."
  (let* ((extend (string-append (%property "Grapheme_Extend" "\\p{M}")
                                "\\x{200D}\\x{1F3FB}-\\x{1F3FF}"
                                "\\x{E0020}-\\x{E007F}"))
         (joined (string-append extend %spacing-marks))
         (control "\\p{Cc}\\p{Zl}\\p{Zp}")
         (not-control
          (string-append "(?![" control "])(?:[^\\p{Cf}]|[" joined
                         %grapheme-prepends "])"))
         (picture (%property "Extended_Pictographic"
                             "\\x{2600}-\\x{27BF}\\x{1F300}-\\x{1FAFF}"))
         (flag "[\\x{1F1E6}-\\x{1F1FF}]"))
    (string-append
     "(?:"
     (string-join
      `(,(%class-boundary "\\r" "\\n")
        ,(string-append "(?<=" not-control ")(?=[" joined "])(?!["
                        %not-spacing-marks "])")
        ,(string-append "(?<=[" %grapheme-prepends "])(?=" not-control ")")
        ,(%class-boundary
          %hangul-l (string-append %hangul-l %hangul-v %hangul-syllable))
        ,(%class-boundary (string-append %hangul-v (%hangul-lv)) %hangul-v)
        ,(%class-boundary
          (string-append %hangul-v %hangul-syllable %hangul-t) %hangul-t)
        ,(string-append "(?<=[" picture "]\\x{200D})(?=[" picture "])")
        ,(string-append "(?<=[" picture "][" extend "]\\x{200D})(?=[" picture
                        "])")
        ,@(map (lambda (n)
                 (string "(?<=(?<!" flag ")" flag "{" n "})(?=" flag ")"))
               '(1 3 5 7 9)))
      "|")
     ")")))

(define (%embedded-pattern sre env)
  "A pattern in the other notation within an SRE."
  (unless (and (= (length sre) 2) (string? (cadr sre)))
    (%sre-error env sre "expected a string with a pattern"))
  (let ((compiled (%compiled-pattern (%env-who env) (cadr sre))))
    (unless (= (car (%regexp-groups compiled)) 0)
      (%sre-error env sre "a pattern with groups cannot be a part of an SRE"))
    (string-append (if (%env-folds? env) "(?i-s:" "(?-s:") (cadr sre) ")")))
