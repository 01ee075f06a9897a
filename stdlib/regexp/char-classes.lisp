;; char-classes.lisp - the character sets of SREs in PCRE2's notation.
;;
;;     (/ "az")                   [a-z]
;;     (~ num)                    [^\p{Nd}]
;;     (- (/ "az") ("aeiou"))     (?:(?![aeiou])[a-z])
;;
;; A class is a pair of whether it is negated and what stands in its brackets,
;; or a string: a pattern for one character, which no pair of brackets is.
;;
;; An environment is #(who nocase ascii captures state): who is the procedure
;; that messages name, and the state is that of sre.lisp.

(define (%env-who env) (vector-ref env 0))
(define (%env-ascii env) (vector-ref env 2))

(define (%env-folds? env)
  "Whether PCRE2 is to ignore case.  Among ASCII only, classes have both cases
  instead: PCRE2 takes the sign of kelvins for a k."
  (and (vector-ref env 1) (not (vector-ref env 2))))

(define (%env-with env k value)
  "The environment with another value at an index."
  (let ((new (vector-copy env)))
    (vector-set! new k value)
    new))

(define (%sre-error env sre reason)
  "Raise the error for an SRE."
  (error (string (%env-who env) ": " reason ":") sre))

;; Characters.

(define (%quoted-char c)
  "The notation of a character, in brackets and outside of them."
  (let ((code (char->integer c)))
    (cond ((or (< code 32) (= code 127))
           (string-append "\\x{" (number->string code 16) "}"))
          ((or (> code 127) (char-alphabetic? c) (char-numeric? c)) (string c))
          (else (string #\\ c)))))

(define (%quoted-range low high)
  (if (char=? low high)
      (%quoted-char low)
      (string-append (%quoted-char low) "-" (%quoted-char high))))

(define (%common-range low high from to difference)
  "What a range has in common with letters, in their other case; a list."
  (let ((a (max (char->integer low) (char->integer from)))
        (b (min (char->integer high) (char->integer to))))
    (if (> a b)
        '()
        (list (%quoted-range (integer->char (+ a difference))
                             (integer->char (+ b difference)))))))

(define (%class-range low high env)
  "What stands in brackets for a range."
  (if (and (vector-ref env 1) (%env-ascii env))
      (apply string-append (%quoted-range low high)
             (append (%common-range low high #\a #\z -32)
                     (%common-range low high #\A #\Z 32)))
      (%quoted-range low high)))

(define (%class-chars text env)
  "What stands in brackets for the characters of a string."
  (string-join (map (lambda (c) (%class-range c c env)) (string->list text)) ""))

(define (%class-ranges sre env)
  "What stands in brackets for (/ specs ...)."
  (let loop ((chars (append-map (lambda (spec) (%range-chars spec sre env))
                                (cdr sre)))
             (parts '()))
    (cond ((null? chars) (string-join (reverse parts) ""))
          ((null? (cdr chars))
           (%sre-error env sre "the last range has no end"))
          ((char>? (car chars) (cadr chars))
           (%sre-error env sre "a range ends before it begins"))
          (else
           (loop (cddr chars)
                 (cons (%class-range (car chars) (cadr chars) env) parts))))))

(define (%range-chars spec sre env)
  (cond ((char? spec) (list spec))
        ((string? spec) (string->list spec))
        (else (%sre-error env sre "ranges are written as strings or characters"))))

;; Named classes.

(define %pcre2-has-properties (cons #f #f))   ; whether it is known, and whether

(define (%property name otherwise)
  "A property of characters, which PCRE2 has since version 10.40."
  (unless (car %pcre2-has-properties)
    (set-cdr! %pcre2-has-properties
              (not (pair? (%regexp-compile "\\p{Alphabetic}"))))
    (set-car! %pcre2-has-properties #t))
  (if (cdr %pcre2-has-properties) (string-append "\\p{" name "}") otherwise))

(define %any-char "\\x{0}-\\x{10FFFF}")
(define %ascii-char "\\x{0}-\\x{7F}")
(define %unicode-spaces
  (string-append "\\t-\\r\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}"
                 "\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"))
(define %ascii-punctuation "!\"#%&'()*,\\-./:;?@\\[\\\\\\]_{}")
(define %ascii-symbols "$+<=>\\^`|~")

(define (%class-name name)
  "The first of the names that mean the same class; #f if there is no such class."
  (case name
    ((any nonl ascii punctuation symbol) name)
    ((lower-case lower) 'lower)
    ((upper-case upper) 'upper)
    ((title-case title) 'title)
    ((alphabetic alpha letter) 'alpha)
    ((numeric num digit) 'num)
    ((alphanumeric alphanum alnum) 'alnum)
    ((punct) 'punctuation)
    ((graphic graph) 'graph)
    ((whitespace white space) 'space)
    ((printing print) 'print)
    ((control cntrl) 'control)
    ((hex-digit xdigit) 'xdigit)
    (else #f)))

(define (%class-of name env)
  "What stands in brackets for a named class, by its first name."
  (let ((part (lambda (other) (%class-of other env))) (ascii (%env-ascii env)))
    (case name
      ((any) (if ascii %ascii-char %any-char))
      ((ascii) %ascii-char)
      ((lower) (%cased-class "a-z" "Lowercase" "\\p{Ll}" env))
      ((upper) (%cased-class "A-Z" "Uppercase" "\\p{Lu}" env))
      ((title) (if ascii "" "\\p{Lt}"))
      ((alpha) (if ascii "A-Za-z" (%property "Alphabetic" "\\p{L}\\p{Nl}")))
      ((num) (if ascii "0-9" "\\p{Nd}"))
      ((alnum) (string-append (part 'alpha) (part 'num)))
      ((punctuation) (if ascii %ascii-punctuation "\\p{P}"))
      ((symbol) (if ascii %ascii-symbols "\\p{S}"))
      ((graph)
       (string-append (part 'alnum) (part 'punctuation) (part 'symbol)))
      ((space) (if ascii "\\t-\\r\\x{20}" %unicode-spaces))
      ((print) (string-append (part 'graph) (part 'space)))
      ((control) (if ascii "\\x{0}-\\x{1F}" "\\p{C}"))
      (else "0-9A-Fa-f"))))

(define (%cased-class ascii property otherwise env)
  "Letters of one case, or of each if case is ignored."
  (cond ((%env-ascii env) (if (vector-ref env 1) "A-Za-z" ascii))
        ((vector-ref env 1)
         (string-append (%property "Lowercase" "\\p{Ll}")
                        (%property "Uppercase" "\\p{Lu}") "\\p{Lt}"))
        (else (%property property otherwise))))

(define (%word-class env)
  "The brackets of the characters of words."
  (string-append "[" (%class-of 'alnum env) "_]"))

;; Sets.

(define (%cset? sre)
  "Whether an SRE is certainly for one character of a set."
  (cond ((char? sre) #t)
        ((string? sre) (= (string-length sre) 1))
        ((symbol? sre) (and (%class-name sre) #t))
        ((%char-set? sre) #t)
        ((not (pair? sre)) #f)
        ((string? (car sre)) #t)
        (else
         (case (car sre)
           ((/ char-range char-set ~ complement - difference and &) #t)
           ((or |\||) (and (list? sre) (every %cset? (cdr sre))))
           ((w/case w/nocase w/ascii w/unicode)
            (and (pair? (cdr sre)) (null? (cddr sre)) (%cset? (cadr sre))))
           (else #f)))))

(define (%cset sre env)
  "The class of a character set."
  (cond ((char? sre) (cons #f (%class-range sre sre env)))
        ((and (string? sre) (= (string-length sre) 1))
         (cons #f (%class-chars sre env)))
        ((and (symbol? sre) (%class-name sre))
         (if (eq? sre 'nonl)
             (%class-and (list (cons #t "\\r\\n") (cons #f (%class-of 'any env))))
             (cons #f (%class-of (%class-name sre) env))))
        ((%char-set? sre) (%cset (char-set->sre sre) env))
        ((and (pair? sre) (list? sre)) (%compound-cset sre env))
        (else (%sre-error env sre "expected a character set"))))

(define (%compound-cset sre env)
  (case (car sre)
    ((/ char-range) (cons #f (%class-ranges sre env)))
    ((char-set) (%cset-of-string (cdr sre) sre env))
    ((or |\||) (%class-union (cdr sre) env))
    ((~ complement) (%class-complement (%class-union (cdr sre) env) env))
    ((- difference)
     (if (null? (cdr sre))
         (%sre-error env sre "expected a character set")
         (%class-difference (%cset (cadr sre) env) (%class-union (cddr sre) env) env)))
    ((and &) (%class-and (map (lambda (part) (%cset part env)) (cdr sre))))
    ((w/case) (%class-union-within (cdr sre) (%env-with env 1 #f) env))
    ((w/nocase) (%class-union-within (cdr sre) (%env-with env 1 #t) env))
    ((w/ascii) (%class-union-within (cdr sre) (%env-with env 2 #t) env))
    ((w/unicode) (%class-union-within (cdr sre) (%env-with env 2 #f) env))
    (else
     (if (string? (car sre))
         (%cset-of-string sre sre env)
         (%sre-error env sre "expected a character set")))))

(define (%cset-of-string parts sre env)
  (if (and (pair? parts) (null? (cdr parts)) (string? (car parts)))
      (cons #f (%class-chars (car parts) env))
      (%sre-error env sre "expected one string with the characters of a set")))

(define (%class-union-within sres inner outer)
  "The class of a union in one environment for a place in another one."
  (let ((class (%class-union sres inner)))
    (if (eq? (%env-folds? inner) (%env-folds? outer))
        class
        (string-append (if (%env-folds? inner) "(?i:" "(?-i:")
                       (%class->pattern class) ")"))))

(define (%class->pattern class)
  "The pattern of a class, which may be followed by a number of times."
  (cond ((string? class) class)
        ((string-null? (cdr class)) (if (car class) "." "(?!)"))
        ((eq? (cdr class) %any-char) (if (car class) "(?!)" "."))
        (else (string-append (if (car class) "[^" "[") (cdr class) "]"))))

(define (%class-union sres env)
  (let ((classes (map (lambda (sre) (%cset sre env)) sres)))
    (cond ((and (pair? classes) (null? (cdr classes))) (car classes))
          ((every (lambda (class) (and (pair? class) (not (car class)))) classes)
           (cons #f (string-join (map cdr classes) "")))
          (else
           (string-append "(?:" (string-join (map %class->pattern classes) "|")
                          ")")))))

(define (%class-complement class env)
  (cond ((%env-ascii env) (%class-difference (cons #f %ascii-char) class env))
        ((pair? class) (cons (not (car class)) (cdr class)))
        (else (string-append "(?:(?!" class ").)"))))

(define (%class-difference class other env)
  (string-append "(?:(?!" (%class->pattern other) ")" (%class->pattern class) ")"))

(define (%class-and classes)
  "The intersection, of any number of sets."
  (cond ((null? classes) (cons #f %any-char))
        ((null? (cdr classes)) (car classes))
        (else
         (let ((patterns (map %class->pattern classes)))
           (string-append
            "(?:"
            (string-join (map (lambda (p) (string-append "(?=" p ")"))
                              (drop-right patterns 1))
                         "")
            (last patterns) ")")))))
