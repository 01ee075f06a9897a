;; srfi-152.lisp - the names of SRFI 152 that SRFI 13 does not have.

(define-syntax let-string-start+end
  "Bind start and end to the optional indices that arguments hold, or to those
  of the whole text; with a third name, that to the arguments after them."
  (syntax-rules ()
    ((_ (start end) who text arguments body ...)
     (receive (start end)
         (string-parse-final-start+end who text arguments)
       body ...))
    ((_ (start end rest) who text arguments body ...)
     (receive (rest start end)
         (string-parse-start+end who text arguments)
       body ...))))

;; Parts at which a predicate changes.

(define (%prefix-end who text wanted same? range)
  "(start index end): the index of the first character in a range for which a
  predicate differs."
  (let* ((part (%range who 2 text range))
         (test (%test-of who wanted))
         (end (cdr part)))
    (let loop ((k (car part)))
      (if (and (< k end) (eq? same? (and (test (string-ref text k)) #t)))
          (loop (+ k 1))
          (list (car part) k end)))))

(define (%suffix-start who text wanted same? range)
  "(start index end): the index after the last character in a range for which a
  predicate differs."
  (let* ((part (%range who 2 text range))
         (test (%test-of who wanted))
         (start (car part)))
    (let loop ((k (cdr part)))
      (if (and (> k start)
               (eq? same? (and (test (string-ref text (- k 1))) #t)))
          (loop (- k 1))
          (list start k (cdr part))))))

(define (%before text place)
  (substring text (car place) (cadr place)))

(define (%after text place)
  (substring text (cadr place) (caddr place)))

(define (%both text place)
  (values (%before text place) (%after text place)))

(define (string-take-while text wanted . range)
  "The longest beginning whose characters are or satisfy wanted."
  (%before text (%prefix-end "string-take-while" text wanted #t range)))

(define (string-drop-while text wanted . range)
  "What follows the longest beginning whose characters are or satisfy wanted."
  (%after text (%prefix-end "string-drop-while" text wanted #t range)))

(define (string-take-while-right text wanted . range)
  "The longest end whose characters are or satisfy wanted."
  (%after text (%suffix-start "string-take-while-right" text wanted #t range)))

(define (string-drop-while-right text wanted . range)
  "What is before the longest end whose characters are or satisfy wanted."
  (%before text
           (%suffix-start "string-drop-while-right" text wanted #t range)))

(define (string-span text wanted . range)
  "Two values: the longest beginning whose characters are or satisfy wanted, and
  the rest."
  (%both text (%prefix-end "string-span" text wanted #t range)))

(define (string-break text wanted . range)
  "Two values: the longest beginning none of whose characters is or satisfies
  wanted, and the rest."
  (%both text (%prefix-end "string-break" text wanted #f range)))

(define (string-span-right text wanted . range)
  "Two values: what is before the longest end whose characters are or satisfy
  wanted, and that end."
  (%both text (%suffix-start "string-span-right" text wanted #t range)))

(define (string-break-right text wanted . range)
  "Two values: what is before the longest end none of whose characters is or
  satisfies wanted, and that end."
  (%both text (%suffix-start "string-break-right" text wanted #f range)))

(define (string-remove wanted text . range)
  "The characters that neither are nor satisfy wanted."
  (apply string-delete wanted text range))

;; Search.

(define (string-contains-right a b . rest)
  "The index of the last place in a where b is, or #f."
  (let* ((parts (%two-ranges "string-contains-right" 2 a b rest))
         (start (car (car parts)))
         (text (substring a start (cdr (car parts))))
         (part (substring b (car (cadr parts)) (cdr (cadr parts))))
         (found (%text-contains (string-reverse text) (string-reverse part))))
    (and found
         (- (+ start (string-length text)) found (string-length part)))))

;; Repeating and splitting.

(define (string-replicate text from to . range)
  "The characters from index from to index to of the text, or of a part of it,
  that repeats for ever in both directions."
  (apply xsubstring text from to range))

(define (string-segment text k)
  "The list of the parts of k characters; the last one may have fewer."
  (unless (string? text)
    (wrong-type "string-segment" "a string" text))
  (unless (and (exact-integer? k) (> k 0))
    (wrong-type "string-segment" "an exact integer above 0" k))
  (let ((n (string-length text)))
    (let loop ((start 0) (parts '()))
      (if (>= start n)
          (reverse parts)
          (loop (+ start k)
                (cons (substring text start (min n (+ start k))) parts))))))

(define (string-split text delimiter . options)
  "The list of the texts between delimiters.  The options are a grammar, 'infix,
  'strict-infix, 'prefix or 'suffix, the most places at which the text is split,
  or #f, and a start and an end.

  With 'prefix an empty text before the first delimiter is left out, with
  'suffix one after the last.  An empty text has no parts, but is an error with
  'strict-infix.  An empty delimiter is between all characters."
  (let* ((grammar (if (null? options) 'infix (car options)))
         (options (if (null? options) '() (cdr options)))
         (limit (and (pair? options) (car options)))
         (part (%slice "string-split" 2 text
                       (if (null? options) '() (cdr options)))))
    (%check-string "string-split" delimiter)
    (unless (memq grammar '(infix strict-infix prefix suffix))
      (wrong-type "string-split" "infix, strict-infix, prefix or suffix"
                  grammar))
    (unless (or (not limit) (and (exact-integer? limit) (>= limit 0)))
      (wrong-type "string-split" "#f or an exact integer from 0 as the limit"
                  limit))
    (cond ((not (string-null? part))
           (%split-text part delimiter grammar limit))
          ((eq? grammar 'strict-infix)
           (error
            "string-split: the text is empty, which strict-infix refuses"))
          (else '()))))

(define (%split-text text delimiter grammar limit)
  "The parts of a text that is not empty."
  (let* ((start (if (and (eq? grammar 'prefix)
                         (not (string-null? delimiter))
                         (string-prefix? delimiter text))
                    (string-length delimiter)
                    0))
         (parts (%split-from text delimiter start limit)))
    (if (and (eq? grammar 'suffix) (pair? (cdr parts))
             (string-null? (last parts)))
        (drop-right parts 1)
        parts)))

(define (%split-from text delimiter start limit)
  "The parts from an index on, split at most limit times."
  (let ((size (string-length delimiter)) (n (string-length text)))
    (let loop ((start start) (left limit) (parts '()))
      (let ((at (cond ((eqv? left 0) #f)
                      ((> size 0) (%text-contains-from text delimiter start))
                      ((< (+ start 1) n) (+ start 1))
                      (else #f))))
        (if at
            (loop (+ at size) (and left (- left 1))
                  (cons (substring text start at) parts))
            (reverse (cons (substring text start n) parts)))))))
