;; regexps.lisp - regular expressions: SRFI 115, and PCRE2's notation.
;;
;;     (regexp '(: ($ (+ num)) "-"))     an SRE
;;     (pregexp "(\\d+)-")               the same in a string
;;
;; Both are compiled once: what has been compiled is kept by its pattern, up to
;; %most-patterns of each kind.  So may be what stands in a loop.
;;
;; A regexp prints as #<regexp sre: (+ num)>.

;; Fields without a name are not printed: what PCRE2 has compiled, how many
;; groups it has, and the names of some, with their numbers.
(define %regexp-type (%record-type 'regexp #(sre #f #f #f)))

(define (regexp? x)
  "Whether it is a regexp, which regexp, rx or pregexp has made."
  (%record? x %regexp-type))

(define (%regexp-sre re) (%record-ref re %regexp-type 0 "regexp"))
(define (%regexp-code re) (%record-ref re %regexp-type 1 "regexp"))
(define (%regexp-group-count re) (%record-ref re %regexp-type 2 "regexp"))
(define (%regexp-names re) (%record-ref re %regexp-type 3 "regexp"))

;; Compiling.

(define (%no-pcre2 who)
  (%error-with-hint
   (string who ": regular expressions need the library PCRE2, which is not "
           "installed")
   '() "sudo apt-get install libpcre2-8-0"))

(define (%compiled-pattern who pattern)
  "What PCRE2 makes of a pattern that the program has written."
  (let ((compiled (%regexp-compile pattern)))
    (cond ((not compiled) (%no-pcre2 who))
          ((pair? compiled)
           (error (string who ": " (cdr compiled) ", at index " (car compiled)
                          " of")
                  pattern))
          (else compiled))))

(define (%regexp-of-pattern pattern)
  (let* ((compiled (%compiled-pattern "pregexp" pattern))
         (groups (%regexp-groups compiled)))
    (%record %regexp-type (list 'pregexp pattern) compiled (car groups)
             (cdr groups))))

(define (%regexp-of-sre who sre)
  (if (and (pair? sre) (eq? (car sre) 'pregexp) (list? sre) (= (length sre) 2)
           (string? (cadr sre)))
      (%regexp-of-pattern (cadr sre))
      (let* ((translated (%translated-sre who sre))
             (compiled (%regexp-compile (car translated))))
        (cond ((not compiled) (%no-pcre2 who))
              ((pair? compiled)
               (error (string who ": " (cdr compiled) ", in") sre))
              (else
               (%record %regexp-type sre compiled (cadr translated)
                        (cddr translated)))))))

;; What has been compiled.

(define %most-patterns 256)
(define %regexps-by-sre (make-hash-table))
(define %regexps-by-pattern (make-hash-table))

(define (%cached-regexp table key make)
  "What a table has for a key; made and kept if it has nothing."
  (or (hash-ref table key #f)
      (let ((value (make)))
        (when (>= (hash-size table) %most-patterns)
          (hash-clear! table))
        (hash-set! table key value)
        value)))

(define (%regexp who re)
  "The regexp that an argument is or describes."
  (if (regexp? re)
      re
      (%cached-regexp %regexps-by-sre re (lambda () (%regexp-of-sre who re)))))

;; What programs call.

(define (regexp re)
  "The regexp of an SRE, the notation of SRFI 115: (regexp '(: bos (+ num))).  It
  is compiled once: equal SREs have the same regexp.  A regexp is returned as it
  is."
  (%regexp "regexp" re))

(define-syntax rx
  "(rx sre ...): the regexp of a sequence of SREs, which are quoted, but for what
  stands after a comma."
  (syntax-rules ()
    ((_ sre ...) (regexp `(: sre ...)))))

(define (pregexp pattern)
  "The regexp of a pattern in the notation of PCRE2, which is that of Perl:
  (pregexp \"(?<year>\\\\d{4})-\\\\d\\\\d\").  Letters, digits and spaces are those of
  Unicode, and options such as (?i) stand in the pattern.  It is compiled once:
  equal patterns have the same regexp."
  (%check-string "pregexp" pattern)
  (%cached-regexp %regexps-by-pattern pattern
           (lambda () (%regexp-of-pattern pattern))))

(define (regexp->sre re)
  "An SRE that matches what a regexp does; (pregexp \"...\") if it is of a pattern
  in PCRE2's notation."
  (%regexp-sre (%regexp "regexp->sre" re)))

(define (valid-sre? x)
  "Whether regexp takes a value as an SRE."
  (if (regexp? x)
      #f
      (let ((result (%try (lambda () (%regexp-of-sre "valid-sre?" x)))))
        (cond ((not (%caught? result)) #t)
              ((%caught-error? result) #f)
              (else (%finish (%settle result)))))))

(define (pregexp-quote text)
  "The pattern, for pregexp, that matches a text and nothing else."
  (%check-string "pregexp-quote" text)
  (string-join (map %quoted-char (string->list text)) ""))
