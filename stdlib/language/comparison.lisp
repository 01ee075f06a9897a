;; comparison.lisp - comparisons as values, as in (sort words string<?).
;;
;; Called by name with two arguments each is a primitive; see prelude.lisp.

(define (char=? char . others)
  "Whether the characters are the same."
  (cond ((null? others) (char=? char))
        ((null? (cdr others)) (char=? char (car others)))
        (else (%ordered? (lambda (a b) (char=? a b)) char others))))

(define (char<? char . others)
  "Whether the characters increase, by code points."
  (cond ((null? others) (char<? char))
        ((null? (cdr others)) (char<? char (car others)))
        (else (%ordered? (lambda (a b) (char<? a b)) char others))))

(define (char>? char . others)
  "Whether the characters decrease, by code points."
  (cond ((null? others) (char>? char))
        ((null? (cdr others)) (char>? char (car others)))
        (else (%ordered? (lambda (a b) (char>? a b)) char others))))

(define (char<=? char . others)
  "Whether no character is below the one before."
  (cond ((null? others) (char<=? char))
        ((null? (cdr others)) (char<=? char (car others)))
        (else (%ordered? (lambda (a b) (char<=? a b)) char others))))

(define (char>=? char . others)
  "Whether no character is above the one before."
  (cond ((null? others) (char>=? char))
        ((null? (cdr others)) (char>=? char (car others)))
        (else (%ordered? (lambda (a b) (char>=? a b)) char others))))

(define (string=? text . others)
  "Whether the strings have the same characters."
  (cond ((null? others) (string=? text))
        ((null? (cdr others)) (string=? text (car others)))
        (else (%ordered? (lambda (a b) (string=? a b)) text others))))

(define (string<? text . others)
  "Whether the strings increase, by code points."
  (cond ((null? others) (string<? text))
        ((null? (cdr others)) (string<? text (car others)))
        (else (%ordered? (lambda (a b) (string<? a b)) text others))))

(define (string>? text . others)
  "Whether the strings decrease, by code points."
  (cond ((null? others) (string>? text))
        ((null? (cdr others)) (string>? text (car others)))
        (else (%ordered? (lambda (a b) (string>? a b)) text others))))

(define (string<=? text . others)
  "Whether no string is below the one before."
  (cond ((null? others) (string<=? text))
        ((null? (cdr others)) (string<=? text (car others)))
        (else (%ordered? (lambda (a b) (string<=? a b)) text others))))

(define (string>=? text . others)
  "Whether no string is above the one before."
  (cond ((null? others) (string>=? text))
        ((null? (cdr others)) (string>=? text (car others)))
        (else (%ordered? (lambda (a b) (string>=? a b)) text others))))

(define (symbol=? symbol . others)
  "Whether the symbols are the same."
  (cond ((null? others) (symbol=? symbol))
        ((null? (cdr others)) (symbol=? symbol (car others)))
        (else (%ordered? (lambda (a b) (symbol=? a b)) symbol others))))

(define (symbol<? symbol . others)
  "Whether the symbols' names increase, by code points."
  (cond ((null? others) (symbol<? symbol))
        ((null? (cdr others)) (symbol<? symbol (car others)))
        (else (%ordered? (lambda (a b) (symbol<? a b)) symbol others))))

(define (boolean=? boolean . others)
  "Whether the booleans are the same."
  (cond ((null? others) (boolean=? boolean))
        ((null? (cdr others)) (boolean=? boolean (car others)))
        (else (%ordered? (lambda (a b) (boolean=? a b)) boolean others))))

;; The same of characters without regard to case.

(define (%folded-char who x)
  "The folded character, for comparisons without regard to case."
  (unless (char? x) (wrong-type who "a character" x))
  (char-foldcase x))

(define (%chars-ordered? who before? char others)
  "Whether before? holds between all neighbours once they are folded."
  (%ordered? before?
             (%folded-char who char)
             (map (lambda (x) (%folded-char who x)) others)))

(define (char-ci=? char . others)
  "Whether the characters are the same but for their case."
  (%chars-ordered? "char-ci=?" (lambda (a b) (char=? a b)) char others))

(define (char-ci<? char . others)
  "Whether the characters increase, whatever their case."
  (%chars-ordered? "char-ci<?" (lambda (a b) (char<? a b)) char others))

(define (char-ci>? char . others)
  "Whether the characters decrease, whatever their case."
  (%chars-ordered? "char-ci>?" (lambda (a b) (char>? a b)) char others))

(define (char-ci<=? char . others)
  "Whether no character is below the one before, whatever their case."
  (%chars-ordered? "char-ci<=?" (lambda (a b) (char<=? a b)) char others))

(define (char-ci>=? char . others)
  "Whether no character is above the one before, whatever their case."
  (%chars-ordered? "char-ci>=?" (lambda (a b) (char>=? a b)) char others))

;; The same of strings without regard to case.

(define (%folded-string who x)
  "The folded string, for comparisons without regard to case."
  (%check-string who x)
  (string-foldcase x))

(define (%strings-ordered? who before? text others)
  "Whether before? holds between all neighbours once they are folded."
  (%ordered? before?
             (%folded-string who text)
             (map (lambda (x) (%folded-string who x)) others)))

(define (string-ci=? text . others)
  "Whether the strings are the same but for their case."
  (%strings-ordered? "string-ci=?" (lambda (a b) (string=? a b)) text others))

(define (string-ci<? text . others)
  "Whether the strings increase, whatever their case."
  (%strings-ordered? "string-ci<?" (lambda (a b) (string<? a b)) text others))

(define (string-ci>? text . others)
  "Whether the strings decrease, whatever their case."
  (%strings-ordered? "string-ci>?" (lambda (a b) (string>? a b)) text others))

(define (string-ci<=? text . others)
  "Whether no string is below the one before, whatever their case."
  (%strings-ordered? "string-ci<=?"
                     (lambda (a b) (string<=? a b))
                     text
                     others))

(define (string-ci>=? text . others)
  "Whether no string is above the one before, whatever their case."
  (%strings-ordered? "string-ci>=?"
                     (lambda (a b) (string>=? a b))
                     text
                     others))
