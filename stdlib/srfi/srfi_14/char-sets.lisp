;; char-sets.lisp - what (import (srfi 14)) means: sets of characters.
;;
;; Sets do not change: the procedures whose names end in ! return new ones, too.
;; A set is also a procedure, the test of whether a character is in it, so
;; procedures that take a predicate of characters take a set.  Their type is that
;; of stdlib/regexp/char-set-ranges.lisp.

(define (char-set? x)
  "Whether it is a char-set."
  (%char-set? x))

(define (%new-set content)
  "A set of ranges, or of what a procedure returns."
  (%record %char-set-type content))

(define (%code who char)
  "The code point of a character."
  (unless (char? char) (wrong-type who "a character" char))
  (char->integer char))

(define (%codes who chars)
  "The code points of a list of characters."
  (map (lambda (c) (%code who c)) chars))

(define (%check-function who f)
  "Raise an error unless f is a procedure."
  (unless (procedure? f) (wrong-type who "a procedure" f)))

(define (%base who required base)
  "The ranges of the optional last argument, a set to which others are added."
  (if (null? base)
      '#()
      (%char-set-ranges who (%optional who required base #f))))

;; Comparison.

(define (%all-neighbours? who holds? sets)
  "Whether holds? is true of the ranges of each set and the next one."
  (let ((ranges (map (lambda (set) (%char-set-ranges who set)) sets)))
    (or (null? ranges)
        (every holds? ranges (cdr ranges)))))

(define (char-set= . sets)
  "Whether all sets have the same characters."
  (%all-neighbours? "char-set=" equal? sets))

(define (char-set<= . sets)
  "Whether each set is a subset of the next one."
  (%all-neighbours? "char-set<="
                    (lambda (a b) (equal? (%difference a b) '#()))
                    sets))

(define (char-set-hash set . bound)
  "A hash of a set, a non-negative exact integer below the bound, if there is
  one that is not 0."
  (let ((bound (%optional "char-set-hash" 1 bound 0))
        (code (hash (%char-set-ranges "char-set-hash" set))))
    (%check-index "char-set-hash" bound)
    (modulo code (if (= bound 0) 33554432 bound))))

;; Cursors: the code point of a character of the set, #f at the end.

(define (char-set-cursor set)
  "A cursor at the first character of a set."
  (%next-code (%char-set-ranges "char-set-cursor" set) 0))

(define (char-set-ref set cursor)
  "The character at a cursor."
  (%char-set-ranges "char-set-ref" set)
  (%check-cursor "char-set-ref" set cursor)
  (integer->char cursor))

(define (%check-cursor who set cursor)
  "Raise an error unless a cursor is at a character of the set."
  (unless cursor
    (error (string who ": the cursor is at the end of the set")))
  (%check-index who cursor)
  (unless (eqv? cursor (%next-code (%char-set-ranges who set) cursor))
    (wrong-type who "a cursor of the set, as char-set-cursor returns it" cursor)))

(define (char-set-cursor-next set cursor)
  "A cursor at the next character of a set."
  (%check-cursor "char-set-cursor-next" set cursor)
  (%next-code (%char-set-ranges "char-set-cursor-next" set) (+ cursor 1)))

(define (end-of-char-set? cursor)
  "Whether a cursor is after the last character."
  (not cursor))

;; All characters, in the order of their code points.

(define (char-set-fold f seed set)
  "(f char result) for each character; the result at first is the seed."
  (%check-function "char-set-fold" f)
  (%fold-ranges (lambda (code result) (f (integer->char code) result))
                seed (%char-set-ranges "char-set-fold" set)))

(define (%unfolded who stop? f next seed base)
  "A set of (f seed), (f (next seed)) ..., and of ranges."
  (for-each (lambda (g) (%check-function who g)) (list stop? f next))
  (let loop ((seed seed) (codes '()))
    (if (stop? seed)
        (%new-set (%union base (%ranges-of-codes codes)))
        (loop (next seed) (cons (%code who (f seed)) codes)))))

(define (char-set-unfold stop? f next seed . base)
  "A set of (f seed), (f (next seed)) ... until (stop? seed) is true, and of the
  characters of an optional set."
  (%unfolded "char-set-unfold" stop? f next seed
             (%base "char-set-unfold" 4 base)))

(define (char-set-unfold! stop? f next seed base)
  "char-set-unfold, whose last argument is not optional."
  (%unfolded "char-set-unfold!" stop? f next seed
             (%char-set-ranges "char-set-unfold!" base)))

(define (char-set-for-each f set)
  "Call f on each character."
  (%check-function "char-set-for-each" f)
  (%fold-ranges (lambda (code result) (f (integer->char code)) result)
                (if #f #f) (%char-set-ranges "char-set-for-each" set)))

(define (char-set-map f set)
  "A set of the results of f, characters, on each character."
  (%check-function "char-set-map" f)
  (%new-set
   (%ranges-of-codes
    (%fold-ranges
     (lambda (code codes)
       (cons (%code "char-set-map" (f (integer->char code))) codes))
     '() (%char-set-ranges "char-set-map" set)))))

;; Constructors.

(define (char-set-copy set)
  "A copy of a set."
  (%new-set (%char-set-ranges "char-set-copy" set)))

(define (char-set . chars)
  "A set of the characters: (char-set #\\a #\\b)."
  (%new-set (%ranges-of-codes (%codes "char-set" chars))))

(define (%of-list who chars base)
  "A set of a list of characters and of ranges."
  (%check-list who chars)
  (%new-set (%union base (%ranges-of-codes (%codes who chars)))))

(define (list->char-set chars . base)
  "A set of the characters of a list, and of an optional set."
  (%of-list "list->char-set" chars (%base "list->char-set" 1 base)))

(define (list->char-set! chars base)
  "A set of the characters of a list and of a set."
  (%of-list "list->char-set!" chars (%char-set-ranges "list->char-set!" base)))

(define (string->char-set text . base)
  "A set of the characters of a string, and of an optional set."
  (unless (string? text) (wrong-type "string->char-set" "a string" text))
  (%of-list "string->char-set" (string->list text)
            (%base "string->char-set" 1 base)))

(define (string->char-set! text base)
  "A set of the characters of a string and of a set."
  (unless (string? text) (wrong-type "string->char-set!" "a string" text))
  (%of-list "string->char-set!" (string->list text)
            (%char-set-ranges "string->char-set!" base)))

(define (%filtered who kept? set base)
  "The characters of a set of which kept? is true, and ranges."
  (%check-function who kept?)
  (%new-set
   (%union base
           (%ranges-of-codes
            (%fold-ranges (lambda (code codes)
                            (if (kept? (integer->char code))
                                (cons code codes)
                                codes))
                          '() (%char-set-ranges who set))))))

(define (char-set-filter kept? set . base)
  "The characters of a set of which kept? is true, and those of an optional
  set."
  (%filtered "char-set-filter" kept? set (%base "char-set-filter" 2 base)))

(define (char-set-filter! kept? set base)
  "The characters of a set of which kept? is true, and those of another set."
  (%filtered "char-set-filter!" kept? set (%char-set-ranges "char-set-filter!" base)))

(define (%of-code-range who lower upper strict base)
  "The characters from lower to upper, which is excluded, and ranges."
  (%check-index who lower)
  (%check-index who upper)
  (when (> lower upper)
    (error (string who ": the lower limit is above the upper one:") lower upper))
  (let* ((end (min upper #x110000))
         (range (if (< lower end) (vector lower end) '#()))
         (chars (%intersection range %all-ranges)))
    (when (and strict
               (not (= (- upper lower) (%size-of-ranges chars))))
      (error (string who ": not all of these code points are characters:")
             lower upper))
    (%new-set (%union base chars))))

(define (ucs-range->char-set lower upper . options)
  "The characters with code points from lower to upper, which is excluded.
  Options: whether code points that are not characters are an error, and
  a set whose characters are added."
  (if (null? options)
      (%of-code-range "ucs-range->char-set" lower upper #f '#())
      (%of-code-range "ucs-range->char-set" lower upper (car options)
                      (%base "ucs-range->char-set" 3 (cdr options)))))

(define (ucs-range->char-set! lower upper strict base)
  "ucs-range->char-set with all its arguments."
  (%of-code-range "ucs-range->char-set!" lower upper strict
                  (%char-set-ranges "ucs-range->char-set!" base)))

(define (->char-set x)
  "The set of a string or a character, or a set itself."
  (cond ((char-set? x) x)
        ((string? x) (string->char-set x))
        ((char? x) (char-set x))
        (else
         (wrong-type "->char-set" "a string, a character or a char-set" x))))

;; Queries.

(define (char-set->list set)
  "The list of the characters."
  (reverse (char-set-fold cons '() set)))

(define (char-set->string set)
  "The string of the characters."
  (list->string (char-set->list set)))

(define (char-set-size set)
  "How many characters there are."
  (%size-of-ranges (%char-set-ranges "char-set-size" set)))

(define (char-set-count counted? set)
  "How many characters there are of which counted? is true."
  (%check-function "char-set-count" counted?)
  (char-set-fold (lambda (c n) (if (counted? c) (+ n 1) n)) 0 set))

(define (char-set-contains? set char)
  "Whether a character is in a set."
  (%char-set-contains? "char-set-contains?" set char))

(define (char-set-every holds? set)
  "What holds? returns for the last character, if it is true of all; #f
  otherwise."
  (%check-function "char-set-every" holds?)
  (let ((ranges (%char-set-ranges "char-set-every" set)))
    (let loop ((code (%next-code ranges 0)) (result #t))
      (if (and code result)
          (loop (%next-code ranges (+ code 1)) (holds? (integer->char code)))
          result))))

(define (char-set-any holds? set)
  "The first true value that holds? returns for a character; #f if there is
  none."
  (%check-function "char-set-any" holds?)
  (let ((ranges (%char-set-ranges "char-set-any" set)))
    (let loop ((code (%next-code ranges 0)))
      (and code
           (or (holds? (integer->char code))
               (loop (%next-code ranges (+ code 1))))))))

;; Algebra.

(define (%changed who f set chars)
  "A set by a set and characters."
  (%new-set (f (%char-set-ranges who set) (%ranges-of-codes (%codes who chars)))))

(define (char-set-adjoin set . chars)
  "A set with the characters, too."
  (%changed "char-set-adjoin" %union set chars))

(define (char-set-adjoin! set . chars)
  "A set with the characters, too."
  (%changed "char-set-adjoin!" %union set chars))

(define (char-set-delete set . chars)
  "A set without the characters."
  (%changed "char-set-delete" %difference set chars))

(define (char-set-delete! set . chars)
  "A set without the characters."
  (%changed "char-set-delete!" %difference set chars))

(define (char-set-complement set)
  "The set of all other characters."
  (%new-set (%difference %all-ranges (%char-set-ranges "char-set-complement" set))))

(define (char-set-complement! set)
  "The set of all other characters."
  (%new-set (%difference %all-ranges (%char-set-ranges "char-set-complement!" set))))

(define (%folded who f ranges sets)
  "A set: the result of f on ranges and those of each set."
  (%new-set (fold (lambda (set result) (f result (%char-set-ranges who set)))
                  ranges sets)))

(define (char-set-diff+intersection set . others)
  "Two values: the set without the characters of the others, and with only
  those that are in any of the others."
  (%parted "char-set-diff+intersection" set others))

(define (char-set-diff+intersection! set other . others)
  "Two values: the set without the characters of the others, and with only
  those that are in any of the others."
  (%parted "char-set-diff+intersection!" set (cons other others)))

(define (%parted who set others)
  "The values of char-set-diff+intersection."
  (let ((ranges (%char-set-ranges who set))
        (all (%char-set-ranges who (%folded who %union '#() others))))
    (values (%new-set (%difference ranges all))
            (%new-set (%intersection ranges all)))))

(define (char-set-union . sets)
  "The set of the characters that are in any of the sets."
  (%folded "char-set-union" %union '#() sets))

(define (char-set-union! set . others)
  "The set of the characters that are in any of the sets."
  (%folded "char-set-union!" %union (%char-set-ranges "char-set-union!" set) others))

(define (char-set-intersection . sets)
  "The set of the characters that are in all of the sets."
  (%folded "char-set-intersection" %intersection %all-ranges sets))

(define (char-set-intersection! set . others)
  "The set of the characters that are in all of the sets."
  (%folded "char-set-intersection!" %intersection (%char-set-ranges "char-set-intersection!" set) others))

(define (char-set-xor . sets)
  "The set of the characters that are in an odd number of the sets."
  (%folded "char-set-xor" %exclusive-or '#() sets))

(define (char-set-xor! set . others)
  "The set of the characters that are in an odd number of the sets."
  (%folded "char-set-xor!" %exclusive-or (%char-set-ranges "char-set-xor!" set) others))

(define (char-set-difference set . others)
  "The set of the characters that are in the first set only."
  (%folded "char-set-difference" %difference (%char-set-ranges "char-set-difference" set) others))

(define (char-set-difference! set . others)
  "The set of the characters that are in the first set only."
  (%folded "char-set-difference!" %difference (%char-set-ranges "char-set-difference!" set) others))

;; The sets of Unicode's properties.  Ranges are computed when they are first used.

(define (%property property)
  "The set of the characters with a property of %property-runs."
  (%new-set (lambda () (%ranges-of-property property))))

(define (%joined . sets)
  "The union of sets, computed when it is first used."
  (%new-set
   (lambda ()
     (%char-set-ranges "char-set-union"
                       (%folded "char-set-union" %union '#() sets)))))

(define char-set:letter
  (%property 0))   ; the letters: the categories that begin with L
(define char-set:punctuation (%property 3))   ; the categories that begin with P
(define char-set:symbol (%property 4))   ; the categories that begin with S
(define char-set:upper-case (%property 5))   ; the upper-case letters
(define char-set:lower-case (%property 6))   ; the lower-case letters
(define char-set:title-case (%property 7))   ; the letters in title case
(define char-set:digit (%property 8))   ; the decimal digits
(define char-set:whitespace
  (%new-set '#(9 14 32 33 #x85 #x86 #xa0 #xa1 #x1680 #x1681 #x2000 #x200b
                #x2028 #x202a #x202f #x2030 #x205f #x2060 #x3000 #x3001)))   ; white space
(define char-set:blank
  (%new-set '#(9 10 32 33 #xa0 #xa1 #x1680 #x1681 #x2000 #x200b
                #x202f #x2030 #x205f #x2060 #x3000 #x3001)))   ; spaces and tabs
(define char-set:iso-control
  (%new-set '#(0 32 127 160)))   ; the control characters
(define char-set:hex-digit
  (string->char-set "0123456789abcdefABCDEF"))   ; 0 to 9, a to f, A to F
(define char-set:ascii (%new-set '#(0 128)))   ; the characters of ASCII
(define char-set:empty (%new-set '#()))   ; no characters
(define char-set:full (%new-set %all-ranges))   ; all characters
(define char-set:letter+digit
  (%joined char-set:letter char-set:digit))   ; letters and decimal digits
(define char-set:graphic
  (%joined char-set:letter (%property 1) (%property 2) char-set:punctuation
           char-set:symbol))   ; what is visible: letters, marks, numbers, punctuation, symbols
(define char-set:printing
  (%joined char-set:graphic char-set:whitespace))   ; what is visible, and white space
