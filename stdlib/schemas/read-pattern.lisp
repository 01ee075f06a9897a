;; read-pattern.lisp - ECMAScript's regular expressions, as JSON schemas have
;; them in `pattern`.
;;
;;     (%read-pattern p "^a[bc]+$" "#")  => the number of an expression of %patterns
;;
;; A pattern without anchors matches within a text.  What would need more than
;; regular languages, such as references to groups, is an error; assertions
;; (?=...) and (?!...) stand outside of groups, ^ and $ at the ends.

(define-record-type %pattern-reader
  (%make-pattern-reader patterns text path at)
  %pattern-reader?
  (patterns %reader-patterns)
  (text %reader-text)
  (path %reader-path)
  (at %reader-at %set-reader-at!))

(define (%read-pattern p text path)
  "The expression of the texts in which a pattern is found."
  (let* ((reader (%make-pattern-reader p text path 0))
         (alternatives (%read-alternatives reader 0)))
    (when (%pattern-next reader)
      (%pattern-error reader "has ) without ("))
    (%found-alternatives reader alternatives #f)))

(define (%pattern-error reader what)
  (%schema-error (%reader-path reader) (string "the pattern " what ":")
                 (%reader-text reader)))

(define (%pattern-next reader)
  "The next character, or #f."
  (let ((at (%reader-at reader)) (text (%reader-text reader)))
    (and (< at (string-length text)) (string-ref text at))))

(define (%pattern-next! reader)
  "The next character, which is consumed."
  (let ((c (%pattern-next reader)))
    (unless c (%pattern-error reader "ends too early"))
    (%set-reader-at! reader (+ 1 (%reader-at reader)))
    c))

(define (%pattern-take! reader word)
  "Whether a word comes next, which is then consumed."
  (let* ((at (%reader-at reader)) (end (+ at (string-length word)))
         (text (%reader-text reader)))
    (and (<= end (string-length text))
         (string=? word (substring text at end))
         (begin (%set-reader-at! reader end) #t))))

;; What is read: alternatives are lists of items.  An item is the number of an
;; expression, begin, end, or (ahead wanted? alternatives).

(define (%read-alternatives reader depth)
  (when (> depth %deepest-pattern)
    (%pattern-error reader "nests too deep"))
  (let loop ((done (list (%read-items reader depth))))
    (if (%pattern-take! reader "|")
        (loop (cons (%read-items reader depth) done))
        (reverse done))))

(define (%read-items reader depth)
  (let loop ((items '()))
    (let ((c (%pattern-next reader)))
      (if (or (not c) (memv c '(#\| #\))))
          (reverse items)
          (loop (cons (%read-item reader depth) items))))))

(define (%read-item reader depth)
  (define (ahead wanted?)
    (let ((alternatives (%read-alternatives reader (+ depth 1))))
      (%close-group! reader)
      (list 'ahead wanted? alternatives)))
  (cond ((%pattern-take! reader "^") 'begin)
        ((%pattern-take! reader "$") 'end)
        ((%pattern-take! reader "(?=") (ahead #t))
        ((%pattern-take! reader "(?!") (ahead #f))
        (else (%read-repeats reader (%read-atom reader depth)))))

(define (%close-group! reader)
  (unless (%pattern-take! reader ")")
    (%pattern-error reader "has ( without )")))

(define (%read-atom reader depth)
  "The expression of a character, a set or a group."
  (let ((p (%reader-patterns reader)) (c (%pattern-next! reader)))
    (case c
      ((#\()
       (%skip-group-name! reader)
       (let ((alternatives (%read-alternatives reader (+ depth 1))))
         (%close-group! reader)
         (apply %p-or p (map (lambda (items) (%group-items reader items))
                             alternatives))))
      ((#\[) (%p-set p (%read-class reader)))
      ((#\.) (%p-set p (%ranges-except %line-ends)))
      ((#\\) (%p-set p (%read-escape reader #f)))
      ((#\* #\+ #\?) (%pattern-error reader (string "has nothing before " c)))
      (else (%p-set p (%one-code c))))))

(define (%one-code c)
  (list (cons (char->integer c) (char->integer c))))

(define (%skip-group-name! reader)
  "Read what may stand behind the bracket of a group."
  (cond ((%pattern-take! reader "?:") #t)
        ((or (%pattern-take! reader "?<=") (%pattern-take! reader "?<!"))
         (%pattern-error reader "looks behind, which is not supported"))
        ((or (%pattern-take! reader "?<") (%pattern-take! reader "?P<"))
         (let loop ()
           (unless (eqv? (%pattern-next! reader) #\>) (loop))))
        ((eqv? (%pattern-next reader) #\?)
         (%pattern-error reader "has a group of an unknown kind"))))

(define (%group-items reader items)
  "The expression of the items of a group."
  (let ((p (%reader-patterns reader)))
    (fold-right
     (lambda (item rest)
       (unless (integer? item)
         (%pattern-error reader
                         "has ^, $ or an assertion in a group, which is not \
supported"))
       (%p-cat p item rest))
     (%p-empty p) items)))

(define (%read-repeats reader atom)
  "An expression with what says how many times it comes."
  (let ((p (%reader-patterns reader)))
    (define (repeated least most)
      (%pattern-take! reader "?")                 ; the same texts, found lazily
      (%p-repeat p atom least most))
    (cond ((%pattern-take! reader "*") (repeated 0 #f))
          ((%pattern-take! reader "+") (repeated 1 #f))
          ((%pattern-take! reader "?") (repeated 0 1))
          ((%read-counts reader) => (lambda (counts) (apply repeated counts)))
          (else atom))))

(define (%read-counts reader)
  "The list of the numbers in {2}, {2,} or {2,5}; #f if it is something else."
  (let ((start (%reader-at reader)))
    (define (count)
      (let loop ((n #f))
        (let ((c (%pattern-next reader)))
          (if (and c (char<=? #\0 c #\9))
              (begin
                (%pattern-next! reader)
                (loop (min (+ (* 10 (or n 0)) (- (char->integer c) 48))
                           (+ 1 %most-pattern-repeats))))
              n))))
    (define (checked least most)
      (when (> (or most least) %most-pattern-repeats)
        (%pattern-error reader (string "repeats more than "
                                       %most-pattern-repeats " times")))
      (when (and most (< most least))
        (%pattern-error reader "has {n,m} with m less than n"))
      (list least most))
    (let ((least (and (%pattern-take! reader "{") (count))))
      (cond ((and least (%pattern-take! reader "}")) (checked least least))
            ((and least (%pattern-take! reader ",}")) (checked least #f))
            (else
             (let ((most (and least (%pattern-take! reader ",") (count))))
               (if (and most (%pattern-take! reader "}"))
                   (checked least most)
                   (begin (%set-reader-at! reader start) #f))))))))

;; Sets.

(define %line-ends '((10 . 10) (13 . 13) (#x2028 . #x2029)))
(define %digit-codes '((48 . 57)))
(define %word-codes '((48 . 57) (65 . 90) (95 . 95) (97 . 122)))
(define %space-codes
  '((9 . 13) (32 . 32) (160 . 160) (#x1680 . #x1680) (#x2000 . #x200a)
    (#x2028 . #x2029) (#x202f . #x202f) (#x205f . #x205f) (#x3000 . #x3000)
    (#xfeff . #xfeff)))

(define (%read-class reader)
  "The ranges of [...], up to its end."
  (let ((outside? (%pattern-take! reader "^")))
    (let loop ((ranges '()))
      (cond ((%pattern-take! reader "]")
             (if outside? (%ranges-except ranges) ranges))
            (else
             (let ((from (%read-class-part reader)))
               (if (and (%single-code? from) (%range-follows? reader))
                   (begin
                     (%pattern-next! reader)
                     (let ((to (%read-class-part reader)))
                       (unless (and (%single-code? to)
                                    (<= (caar from) (caar to)))
                         (%pattern-error reader "has a range that is not one"))
                       (loop (cons (cons (caar from) (caar to)) ranges))))
                   (loop (append from ranges)))))))))

(define (%single-code? ranges)
  (and (null? (cdr ranges)) (= (caar ranges) (cdar ranges))))

(define (%range-follows? reader)
  "Whether - comes next, and not as the last character of a set."
  (let ((at (%reader-at reader)) (text (%reader-text reader)))
    (and (< (+ at 1) (string-length text))
         (char=? (string-ref text at) #\-)
         (not (char=? (string-ref text (+ at 1)) #\])))))

(define (%read-class-part reader)
  (let ((c (%pattern-next! reader)))
    (if (char=? c #\\) (%read-escape reader #t) (%one-code c))))

(define (%read-escape reader in-class?)
  "The ranges of what stands behind \\."
  (let ((c (%pattern-next! reader)))
    (case c
      ((#\d) %digit-codes)
      ((#\D) (%ranges-except %digit-codes))
      ((#\w) %word-codes)
      ((#\W) (%ranges-except %word-codes))
      ((#\s) %space-codes)
      ((#\S) (%ranges-except %space-codes))
      ((#\t) '((9 . 9)))
      ((#\n) '((10 . 10)))
      ((#\v) '((11 . 11)))
      ((#\f) '((12 . 12)))
      ((#\r) '((13 . 13)))
      ((#\x) (%read-hexadecimal reader 2))
      ((#\u) (%read-hexadecimal reader 4))
      ((#\b)
       (if in-class? '((8 . 8)) (%unsupported-escape reader c)))
      (else
       (if (or (char-alphabetic? c) (char-numeric? c))
           (%unsupported-escape reader c)
           (%one-code c))))))

(define (%unsupported-escape reader c)
  (%pattern-error reader (string "has \\" c ", which is not supported")))

(define (%read-hexadecimal reader size)
  "The character whose code comes next, in so many digits or in {...}."
  (let* ((braces? (and (= size 4) (%pattern-take! reader "{")))
         (digits (if braces?
                     (let loop ((done '()))
                       (let ((c (%pattern-next! reader)))
                         (if (char=? c #\})
                             (list->string (reverse done))
                             (loop (cons c done)))))
                     (list->string (map (lambda (k) (%pattern-next! reader))
                                        (iota size)))))
         (code (and (<= 1 (string-length digits) 6)
                    (string-every (lambda (c) (%hexadecimal? c)) digits)
                    (string->number digits 16))))
    (unless (and code (<= code %last-code) (not (<= #xd800 code #xdfff)))
      (%pattern-error reader (string "has \\u or \\x without the code of a "
                                     "character")))
    (list (cons code code))))

;; From items to the expression of whole texts.

(define (%found-alternatives reader alternatives anchored?)
  "The expression of texts in which one of the alternatives is found.
  anchored?: whether they begin where the text does."
  (let ((p (%reader-patterns reader)))
    (apply %p-or p
           (map (lambda (items)
                  (if (or anchored? (and (pair? items) (eq? (car items) 'begin)))
                      (%found-items reader items #t)
                      (%p-cat p (%p-all p) (%found-items reader items #f))))
                alternatives))))

(define (%found-items reader items start?)
  "The expression of items and the rest of the text.  start?: whether they stand
  at its beginning."
  (let ((p (%reader-patterns reader)))
    (if (null? items)
        (%p-all p)
        (let ((item (car items)) (rest (cdr items)))
          (cond ((integer? item)
                 (%p-cat p item (%found-items reader rest #f)))
                ((eq? item 'begin)
                 (unless start?
                   (%pattern-error reader "has ^ behind its beginning"))
                 (%found-items reader rest #t))
                ((eq? item 'end)
                 (unless (null? rest)
                   (%pattern-error reader "has $ before its end"))
                 (%p-empty p))
                (else
                 (let ((ahead (%found-ahead reader (caddr item) start?)))
                   (%p-and p
                           (if (cadr item) ahead (%p-not p ahead))
                           (%found-items reader rest start?)))))))))

(define (%found-ahead reader alternatives start?)
  "The expression of the texts that begin with one of the alternatives."
  (apply %p-or (%reader-patterns reader)
         (map (lambda (items) (%found-items reader items start?))
              alternatives)))
