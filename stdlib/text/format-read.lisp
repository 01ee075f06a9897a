;; format-read.lisp - from a text with directives to steps.
;;
;;     "a~10d~%"  =>  ("a" #<procedure> "\n")
;;
;; A directive is ~, parameters with commas between them, : and @ as flags, and
;; a letter.  A parameter is a number, a character after ', v for an argument,
;; # for the number of arguments that are left, or nothing.

(define (%directive letter colon? at? parameters place)
  "A directive; its place is the index of its ~."
  (vector letter colon? at? parameters place))

(define (%directive-letter directive) (vector-ref directive 0))
(define (%directive-colon? directive) (vector-ref directive 1))
(define (%directive-at? directive) (vector-ref directive 2))
(define (%directive-parameters directive) (vector-ref directive 3))
(define (%directive-place directive) (vector-ref directive 4))

(define (%directive-name directive)
  "A directive as messages name it."
  (string "~" (if (%directive-colon? directive) ":" "")
          (if (%directive-at? directive) "@" "")
          (%directive-letter directive)
          " at index " (%directive-place directive)))

(define (%format-error directive problem)
  "Raise the error for a directive."
  (error (string "format: " problem (%directive-name directive))))

(define (%format-wrong-type directive expected x)
  "Raise the error for an argument that a directive cannot print."
  (wrong-type "format"
              (string expected " for " (%directive-name directive)) x))

;; What has been read.

(define %most-format-texts 256)
(define %longest-format-text 1000)
(define %steps-by-text (make-hash-table))

(define (%format-steps text)
  "The steps of a text, which are kept unless it is long."
  (or (hash-ref %steps-by-text text #f)
      (let ((steps (car (%read-steps text 0 #f))))
        (when (<= (string-length text) %longest-format-text)
          (when (>= (hash-size %steps-by-text) %most-format-texts)
            (hash-clear! %steps-by-text))
          (hash-set! %steps-by-text text steps))
        steps)))

;; Reading.

(define (%read-steps text start opener)
  "(steps closer next) up to the directive that ends a part of a text.

  opener: the directive before the part, or #f, where the text's end ends it
  and the closer is #f, too."
  (let loop ((k start) (steps '()))
    (let ((at (string-contains text "~" k)))
      (if (not at)
          (begin
            (when opener
              (%format-error opener "nothing closes "))
            (list (reverse (%add-literal (substring text k) steps)) #f at))
          (let* ((before (%add-literal (substring text k at) steps))
                 (read (%read-directive text at))
                 (directive (car read))
                 (next (cdr read)))
            (case (%directive-letter directive)
              ((#\; #\] #\} #\))
               (%check-closer opener directive)
               (list (reverse before) directive next))
              ((#\[ #\{ #\()
               (let ((block (%read-block text next directive)))
                 (loop (cdr block) (cons (car block) before))))
              ((#\newline)
               (loop (if (%directive-colon? directive)
                         next
                         (%skip-white-space text next))
                     (if (%directive-at? directive)
                         (cons "\n" before)
                         before)))
              (else
               (loop next (cons (%format-step directive) before)))))))))

(define (%add-literal text steps)
  "The steps after a text of its own, which may be empty."
  (if (string-null? text) steps (cons text steps)))

(define (%skip-white-space text k)
  "The index of the next character that is not white space."
  (if (and (< k (string-length text)) (char-whitespace? (string-ref text k)))
      (%skip-white-space text (+ k 1))
      k))

(define (%check-closer opener closer)
  "Raise an error unless a directive closes or separates what is open."
  (let ((open (and opener (%directive-letter opener)))
        (letter (%directive-letter closer)))
    (unless (case open
              ((#\[) (memv letter '(#\; #\])))
              ((#\{) (eqv? letter #\}))
              ((#\() (eqv? letter #\)))
              (else #f))
      (%format-error closer "nothing is open for "))))

(define (%read-block text start opener)
  "(step . next) for the directives up to the one that closes the opener."
  (let loop ((k start) (clauses '()) (default? #f))
    (let* ((part (%read-steps text k opener))
           (closer (cadr part))
           (clauses (cons (car part) clauses)))
      (if (eqv? (%directive-letter closer) #\;)
          (loop (caddr part) clauses
                (or default? (%directive-colon? closer)))
          (cons (case (%directive-letter opener)
                  ((#\[) (%choice-step opener (reverse clauses) default?))
                  ((#\{) (%repeated-step opener (car clauses) closer))
                  (else (%case-step opener (car clauses))))
                (caddr part))))))

(define (%read-directive text place)
  "(directive . next) for the ~ at an index."
  (let loop ((k (+ place 1)) (parameters '()))
    (let* ((parameter (%read-parameter text place k))
           (parameters (cons (car parameter) parameters))
           (k (cdr parameter)))
      (if (eqv? (%format-char text place k) #\,)
          (loop (+ k 1) parameters)
          (%read-flags text place k (%drop-empty parameters))))))

(define (%drop-empty parameters)
  "The parameters in order, without empty ones at the end."
  (if (and (pair? parameters) (not (car parameters)))
      (%drop-empty (cdr parameters))
      (reverse parameters)))

(define (%format-char text place k)
  "The character at an index of a directive that begins at a place."
  (if (< k (string-length text))
      (string-ref text k)
      (error (string "format: unfinished directive " (substring text place)
                     " at index " place))))

(define (%read-parameter text place k)
  "(parameter . next): a number, a character, 'next for v, 'left for #, or #f."
  (case (%format-char text place k)
    ((#\') (cons (%format-char text place (+ k 1)) (+ k 2)))
    ((#\v #\V) (cons 'next (+ k 1)))
    ((#\#) (cons 'left (+ k 1)))
    ((#\+) (%read-count text place (+ k 1) 1))
    ((#\-) (%read-count text place (+ k 1) -1))
    (else (%read-count text place k 1))))

(define (%read-count text place start sign)
  "(number . next) for the digits at an index; the number is #f without any."
  (let loop ((k start) (number #f))
    (let ((digit (and (char<=? #\0 (%format-char text place k) #\9)
                      (digit-value (string-ref text k)))))
      (if digit
          (loop (+ k 1) (%small-number place (+ (* 10 (or number 0)) digit)))
          (cons (and number (* sign number)) k)))))

(define (%small-number place number)
  "A number, if it may be a parameter."
  (when (> number 999)
    (error (string "format: a parameter is above 999, at index " place)))
  number)

(define (%read-flags text place start parameters)
  "(directive . next) after the parameters."
  (let loop ((k start) (colon? #f) (at? #f))
    (let ((char (%format-char text place k)))
      (cond ((and (char=? char #\:) (not colon?)) (loop (+ k 1) #t at?))
            ((and (char=? char #\@) (not at?)) (loop (+ k 1) colon? #t))
            (else
             (cons (%directive (char-downcase char) colon? at? parameters
                               place)
                   (+ k 1)))))))
