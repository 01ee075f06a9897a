;; char-set-ranges.lisp - the sets of characters of SRFI 14, as far as SREs need them,
;; which may have such sets as parts.
;;
;;     (char-set->sre (char-set #\a #\b #\x))  =>  (/ #\a #\b #\x #\x)
;;
;; What (import (srfi 14)) means is in stdlib/srfi/srfi_14/.  A set is a record of
;; its ranges, or of a procedure that returns them: the codes at which what is
;; inside changes, in order.

(define %char-set-type
  (%applicable-type 'char-set #(content)
                    (lambda (set char)
                      (%char-set-contains? "char-set-contains?" set char))
                    #f))

(define (%char-set? x) (%record? x %char-set-type))

(define (%char-set-ranges who set)
  "The ranges of a set."
  (unless (%char-set? set) (wrong-type who "a char-set" set))
  (let ((content (%record-ref set %char-set-type 0 who)))
    (if (procedure? content)
        (let ((ranges (content)))
          (%record-set! set %char-set-type 0 ranges who)
          ranges)
        content)))

(define (%code-position ranges code)
  "How many boundaries are at most the code."
  (let loop ((low 0) (high (vector-length ranges)))
    (if (= low high)
        low
        (let ((middle (quotient (+ low high) 2)))
          (if (<= (vector-ref ranges middle) code)
              (loop (+ middle 1) high)
              (loop low middle))))))

(define (%code-in-ranges? ranges code)
  "Whether a code point is in the ranges."
  (odd? (%code-position ranges code)))

(define (%char-set-contains? who set char)
  (let ((ranges (%char-set-ranges who set)))
    (unless (char? char) (wrong-type who "a character" char))
    (%code-in-ranges? ranges (char->integer char))))

(define (char-set->sre set)
  "An SRE for a set of characters of SRFI 14, without such sets as parts: its ranges,
  as in (/ #\\a #\\z).  A set may also stand in an SRE as it is."
  (let ((ranges (%char-set-ranges "char-set->sre" set)))
    (let loop ((k (vector-length ranges)) (chars '()))
      (if (= k 0)
          (cons '/ chars)
          (loop (- k 2)
                (cons* (integer->char (vector-ref ranges (- k 2)))
                       (integer->char (- (vector-ref ranges (- k 1)) 1))
                       chars))))))
