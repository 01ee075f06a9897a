;; comparison.lisp - comparisons as values: (sort words string<?), (apply char=? l).
;;
;; Called by name with two arguments each is a primitive; see prelude.lisp.

(define (char=? first . others)
  "Whether the characters are the same."
  (cond ((null? others) (char=? first))
        ((null? (cdr others)) (char=? first (car others)))
        (else (%ordered? (lambda (a b) (char=? a b)) first others))))

(define (char<? first . others)
  "Whether the characters increase, by code points."
  (cond ((null? others) (char<? first))
        ((null? (cdr others)) (char<? first (car others)))
        (else (%ordered? (lambda (a b) (char<? a b)) first others))))

(define (char>? first . others)
  "Whether the characters decrease, by code points."
  (cond ((null? others) (char>? first))
        ((null? (cdr others)) (char>? first (car others)))
        (else (%ordered? (lambda (a b) (char>? a b)) first others))))

(define (char<=? first . others)
  "Whether no character is below the one before."
  (cond ((null? others) (char<=? first))
        ((null? (cdr others)) (char<=? first (car others)))
        (else (%ordered? (lambda (a b) (char<=? a b)) first others))))

(define (char>=? first . others)
  "Whether no character is above the one before."
  (cond ((null? others) (char>=? first))
        ((null? (cdr others)) (char>=? first (car others)))
        (else (%ordered? (lambda (a b) (char>=? a b)) first others))))

(define (string=? first . others)
  "Whether the strings have the same characters."
  (cond ((null? others) (string=? first))
        ((null? (cdr others)) (string=? first (car others)))
        (else (%ordered? (lambda (a b) (string=? a b)) first others))))

(define (string<? first . others)
  "Whether the strings increase, by code points."
  (cond ((null? others) (string<? first))
        ((null? (cdr others)) (string<? first (car others)))
        (else (%ordered? (lambda (a b) (string<? a b)) first others))))

(define (string>? first . others)
  "Whether the strings decrease, by code points."
  (cond ((null? others) (string>? first))
        ((null? (cdr others)) (string>? first (car others)))
        (else (%ordered? (lambda (a b) (string>? a b)) first others))))

(define (string<=? first . others)
  "Whether no string is below the one before."
  (cond ((null? others) (string<=? first))
        ((null? (cdr others)) (string<=? first (car others)))
        (else (%ordered? (lambda (a b) (string<=? a b)) first others))))

(define (string>=? first . others)
  "Whether no string is above the one before."
  (cond ((null? others) (string>=? first))
        ((null? (cdr others)) (string>=? first (car others)))
        (else (%ordered? (lambda (a b) (string>=? a b)) first others))))

(define (symbol=? first . others)
  "Whether the symbols are the same."
  (cond ((null? others) (symbol=? first))
        ((null? (cdr others)) (symbol=? first (car others)))
        (else (%ordered? (lambda (a b) (symbol=? a b)) first others))))

(define (symbol<? first . others)
  "Whether the symbols' names increase, by code points."
  (cond ((null? others) (symbol<? first))
        ((null? (cdr others)) (symbol<? first (car others)))
        (else (%ordered? (lambda (a b) (symbol<? a b)) first others))))

(define (boolean=? first . others)
  "Whether the booleans are the same."
  (cond ((null? others) (boolean=? first))
        ((null? (cdr others)) (boolean=? first (car others)))
        (else (%ordered? (lambda (a b) (boolean=? a b)) first others))))

;; The same of characters without regard to case.

(define (%folded-char who x)
  "What a character is compared as where case does not count."
  (unless (char? x) (wrong-type who "a character" x))
  (char-foldcase x))

(define (%chars-ordered? who before? first others)
  "Whether before? holds between all neighbours once they are folded."
  (%ordered? before?
             (%folded-char who first)
             (map (lambda (x) (%folded-char who x)) others)))

(define (char-ci=? first . others)
  "Whether the characters are the same but for their case."
  (%chars-ordered? "char-ci=?" (lambda (a b) (char=? a b)) first others))

(define (char-ci<? first . others)
  "Whether the characters increase, whatever their case."
  (%chars-ordered? "char-ci<?" (lambda (a b) (char<? a b)) first others))

(define (char-ci>? first . others)
  "Whether the characters decrease, whatever their case."
  (%chars-ordered? "char-ci>?" (lambda (a b) (char>? a b)) first others))

(define (char-ci<=? first . others)
  "Whether no character is below the one before, whatever their case."
  (%chars-ordered? "char-ci<=?" (lambda (a b) (char<=? a b)) first others))

(define (char-ci>=? first . others)
  "Whether no character is above the one before, whatever their case."
  (%chars-ordered? "char-ci>=?" (lambda (a b) (char>=? a b)) first others))

;; The same of strings without regard to case.

(define (%folded-string who x)
  "What a string is compared as where case does not count."
  (%check-string who x)
  (string-foldcase x))

(define (%strings-ordered? who before? first others)
  "Whether before? holds between all neighbours once they are folded."
  (%ordered? before?
             (%folded-string who first)
             (map (lambda (x) (%folded-string who x)) others)))

(define (string-ci=? first . others)
  "Whether the strings are the same but for their case."
  (%strings-ordered? "string-ci=?" (lambda (a b) (string=? a b)) first others))

(define (string-ci<? first . others)
  "Whether the strings increase, whatever their case."
  (%strings-ordered? "string-ci<?" (lambda (a b) (string<? a b)) first others))

(define (string-ci>? first . others)
  "Whether the strings decrease, whatever their case."
  (%strings-ordered? "string-ci>?" (lambda (a b) (string>? a b)) first others))

(define (string-ci<=? first . others)
  "Whether no string is below the one before, whatever their case."
  (%strings-ordered? "string-ci<=?" (lambda (a b) (string<=? a b)) first others))

(define (string-ci>=? first . others)
  "Whether no string is above the one before, whatever their case."
  (%strings-ordered? "string-ci>=?" (lambda (a b) (string>=? a b)) first others))
