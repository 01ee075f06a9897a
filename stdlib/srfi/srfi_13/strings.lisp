;; strings.lisp - what (import (srfi 13)) means: the names of SRFI 13 that are
;; missing without the import, or mean something else there.
;;
;; Strings are immutable, so the procedures that change one are missing, and
;; those whose results may share memory are the same as those that copy.  A
;; criterion is a character or a predicate.  Optional starts and ends are
;; indices, the ends excluded.

(define (%two-ranges who required a b rest)
  "((start1 . end1) (start2 . end2)) of up to four optional indices."
  (let* ((n (length rest))
         (first (if (> n 2) (list (car rest) (cadr rest)) rest))
         (second (if (> n 2) (cddr rest) '())))
    (list (%range who required a first) (%range who required b second))))

(define (%slice who required text rest)
  "The part of a text that optional indices select."
  (let ((part (%range who required text rest)))
    (substring text (car part) (cdr part))))

(define (%slices who a b rest)
  "(a b), each without what is outside of its optional indices."
  (let ((parts (%two-ranges who 2 a b rest)))
    (list (substring a (car (car parts)) (cdr (car parts)))
          (substring b (car (cadr parts)) (cdr (cadr parts))))))

(define (%criterion-and-range who rest)
  "(criterion . indices): white space if the criterion is left out."
  (if (null? rest)
      (list char-whitespace?)
      (cons (%test-of who (car rest)) (cdr rest))))

;; Ranges of indices, for procedures with optional starts and ends.

(define (string-parse-start+end who text rest)
  "Three values: the arguments after the optional start and end at the
  beginning of rest, the start, and the end."
  (let* ((n (length rest))
         (part (%range (string who) 1 text (take rest (min n 2)))))
    (values (drop rest (min n 2)) (car part) (cdr part))))

(define (string-parse-final-start+end who text rest)
  "Two values: the start and the end that rest holds, and nothing more."
  (let ((part (%range (string who) 1 text rest)))
    (values (car part) (cdr part))))

(define (check-substring-spec who text start end)
  "An error unless start and end select a part of the text."
  (%range (string who) 1 text (list start end))
  (if #f #f))

(define (substring-spec-ok? text start end)
  "Whether start and end select a part of the text."
  (and (string? text)
       (exact-integer? start)
       (exact-integer? end)
       (<= 0 start end (string-length text))))

;; Mapping and folding.

(define (%is-text-second? rest)
  "Whether the arguments after the first string are strings, as in R7RS."
  (and (pair? rest) (string? (car rest))))

(define (string-map f text . rest)
  "The string of the results of f on each character.  rest holds a start and an
  end, or further strings, as in R7RS."
  (if (%is-text-second? rest)
      (%chars->string "string-map"
                      (apply map f (%strings->lists "string-map" (cons text rest))))
      (%chars->string "string-map"
                      (map f (string->list (%slice "string-map" 2 text rest))))))

(define (string-for-each f text . rest)
  "Call f on each character.  rest holds a start and an end, or further
  strings, as in R7RS."
  (if (%is-text-second? rest)
      (apply for-each f (%strings->lists "string-for-each" (cons text rest)))
      (for-each f (string->list (%slice "string-for-each" 2 text rest)))))

(define (string-for-each-index f text . range)
  "Call f on each index, in order."
  (let* ((part (%range "string-for-each-index" 2 text range)) (end (cdr part)))
    (let loop ((k (car part)))
      (when (< k end)
        (f k)
        (loop (+ k 1))))))

(define (%unfolded who stop? part-of next seed)
  "The texts (part-of seed), (part-of (next seed)) ..., the last one first, and
  the last seed, as a pair."
  (let loop ((seed seed) (parts '()))
    (if (stop? seed)
        (cons parts seed)
        (let ((part (%part who (part-of seed))))
          (loop (next seed) (cons part parts))))))

(define (%part who x)
  "The text of a part that is a character or a string."
  (cond ((char? x) (string x))
        ((string? x) x)
        (else (wrong-type who "a character or a string" x))))

(define (%unfold-base who options)
  "The part that is there before any other; nothing by default."
  (if (null? options) "" (%part who (car options))))

(define (%unfold-final who options seed)
  "What the procedure for the last seed adds; nothing by default."
  (if (and (pair? options) (pair? (cdr options)))
      (%part who ((cadr options) seed))
      ""))

(define (string-unfold stop? part-of next seed . options)
  "The string of (part-of seed), (part-of (next seed)) ... until stop? holds:
  characters, or strings as in SRFI 152.  Options: a part before them, and a
  procedure that returns one after them for the last seed."
  (let ((made (%unfolded "string-unfold" stop? part-of next seed)))
    (string-append (%unfold-base "string-unfold" options)
                   (string-join (reverse (car made)) "")
                   (%unfold-final "string-unfold" options (cdr made)))))

(define (string-unfold-right stop? part-of next seed . options)
  "string-unfold from right to left.  Options: a part after them, and a
  procedure that returns one before them for the last seed."
  (let ((made (%unfolded "string-unfold-right" stop? part-of next seed)))
    (string-append (%unfold-final "string-unfold-right" options (cdr made))
                   (string-join (car made) "")
                   (%unfold-base "string-unfold-right" options))))

;; Comparison.  Results that are indices are of the first string.

(define (%prefix-length a b)
  "How many characters two strings begin with alike."
  (let ((n (min (string-length a) (string-length b))))
    (let loop ((k 0))
      (if (and (< k n) (char=? (string-ref a k) (string-ref b k)))
          (loop (+ k 1))
          k))))

(define (%folded-text text)
  "The text with each character folded, so that its length stays the same."
  (list->string (map char-foldcase (string->list text))))

(define (%compared who at fold a b less same more rest)
  "The result of less, same or more on the index of the first difference.  at:
  where the first of the rest stands among the arguments."
  (let* ((parts (%two-ranges who at a b rest))
         (texts (map fold
                     (list (substring a (car (car parts)) (cdr (car parts)))
                           (substring b (car (cadr parts)) (cdr (cadr parts))))))
         (one (car texts))
         (two (cadr texts))
         (k (%prefix-length one two))
         (index (+ k (car (car parts))))
         (one-ends? (= k (string-length one)))
         (two-ends? (= k (string-length two))))
    (cond ((and one-ends? two-ends?) (same index))
          (one-ends? (less index))
          (two-ends? (more index))
          ((char<? (string-ref one k) (string-ref two k)) (less index))
          (else (more index)))))

(define (string-compare a b less same more . rest)
  "(less index), (same index) or (more index), as a compares with b, where the
  index is that of their first difference in a."
  (%compared "string-compare" 5 identity a b less same more rest))

(define (string-compare-ci a b less same more . rest)
  "string-compare without regard to case."
  (%compared "string-compare-ci" 5 %folded-text a b less same more rest))

(define (%yes index) "True." #t)

(define (%no index) "False." #f)

(define (string= a b . rest)
  "Whether two strings, or parts of them, are equal."
  (%compared "string=" 2 identity a b %no %yes %no rest))

(define (string<> a b . rest)
  "Whether two strings, or parts of them, differ."
  (%compared "string<>" 2 identity a b %yes %no %yes rest))

(define (string< a b . rest)
  "Whether a is before b."
  (%compared "string<" 2 identity a b %yes %no %no rest))

(define (string> a b . rest)
  "Whether a is after b."
  (%compared "string>" 2 identity a b %no %no %yes rest))

(define (string<= a b . rest)
  "Whether a is not after b."
  (%compared "string<=" 2 identity a b %yes %yes %no rest))

(define (string>= a b . rest)
  "Whether a is not before b."
  (%compared "string>=" 2 identity a b %no %yes %yes rest))

(define (string-ci= a b . rest)
  "string= without regard to case."
  (%compared "string-ci=" 2 %folded-text a b %no %yes %no rest))

(define (string-ci<> a b . rest)
  "string<> without regard to case."
  (%compared "string-ci<>" 2 %folded-text a b %yes %no %yes rest))

(define (string-ci< a b . rest)
  "string< without regard to case."
  (%compared "string-ci<" 2 %folded-text a b %yes %no %no rest))

(define (string-ci> a b . rest)
  "string> without regard to case."
  (%compared "string-ci>" 2 %folded-text a b %no %no %yes rest))

(define (string-ci<= a b . rest)
  "string<= without regard to case."
  (%compared "string-ci<=" 2 %folded-text a b %yes %yes %no rest))

(define (string-ci>= a b . rest)
  "string>= without regard to case."
  (%compared "string-ci>=" 2 %folded-text a b %no %yes %yes rest))

(define (%hash-of who fold text rest)
  "A hash of a part of a text below a bound; rest holds bound, start and end."
  (let ((bound (if (null? rest) 0 (car rest)))
        (part (%slice who 1 text (if (null? rest) '() (cdr rest)))))
    (%check-index who bound)
    (if (= bound 0)
        (hash (fold part))
        (hash (fold part) bound))))

(define (string-hash text . rest)
  "A hash of a text.  rest holds a bound, or 0 for none, a start, and an end."
  (%hash-of "string-hash" identity text rest))

(define (string-hash-ci text . rest)
  "string-hash without regard to case."
  (%hash-of "string-hash-ci" %folded-text text rest))

;; Prefixes and suffixes.

(define (string-prefix-length a b . rest)
  "How many characters the two strings begin with alike."
  (apply %prefix-length (%slices "string-prefix-length" a b rest)))

(define (string-prefix-length-ci a b . rest)
  "string-prefix-length without regard to case."
  (apply %prefix-length
         (map %folded-text (%slices "string-prefix-length-ci" a b rest))))

(define (string-suffix-length a b . rest)
  "How many characters the two strings end with alike."
  (apply %prefix-length
         (map string-reverse (%slices "string-suffix-length" a b rest))))

(define (string-suffix-length-ci a b . rest)
  "string-suffix-length without regard to case."
  (apply %prefix-length
         (map (lambda (text) (%folded-text (string-reverse text)))
              (%slices "string-suffix-length-ci" a b rest))))

(define (%begins? texts)
  "Whether the second text begins with the first one."
  (= (%prefix-length (car texts) (cadr texts)) (string-length (car texts))))

(define (string-prefix? a b . rest)
  "Whether b begins with a."
  (%begins? (%slices "string-prefix?" a b rest)))

(define (string-prefix-ci? a b . rest)
  "string-prefix? without regard to case."
  (%begins? (map %folded-text (%slices "string-prefix-ci?" a b rest))))

(define (string-suffix? a b . rest)
  "Whether b ends with a."
  (%begins? (map string-reverse (%slices "string-suffix?" a b rest))))

(define (string-suffix-ci? a b . rest)
  "string-suffix? without regard to case."
  (%begins? (map (lambda (text) (%folded-text (string-reverse text)))
                 (%slices "string-suffix-ci?" a b rest))))

;; Search.

(define (%found-at who fold a b rest)
  "The index in a at which b begins, or #f."
  (let* ((parts (%two-ranges who 2 a b rest))
         (from (car (car parts)))
         (wanted (fold (substring b (car (cadr parts)) (cdr (cadr parts)))))
         (found (%text-contains (fold (substring a from (cdr (car parts))))
                                wanted)))
    (and found (+ found from))))

(define (string-contains a b . rest)
  "The index of the first place in a where b is, or #f."
  (%found-at "string-contains" identity a b rest))

(define (string-contains-ci a b . rest)
  "string-contains without regard to case."
  (%found-at "string-contains-ci" %folded-text a b rest))

;; The steps of a search after Knuth, Morris and Pratt.  The restart vector of a
;; pattern has, for each index, where to go on if the character there differs:
;; -1 for the next character.

(define (make-kmp-restart-vector pattern . rest)
  "The restart vector of a pattern, for kmp-step.  rest holds an equality of
  characters, a start, and an end."
  (let* ((same? (if (null? rest) char=? (car rest)))
         (text (%slice "make-kmp-restart-vector" 1 pattern
                       (if (null? rest) '() (cdr rest))))
         (n (string-length text))
         (restarts (make-vector n -1)))
    (let loop ((i 1) (j 0))
      (when (< i n)
        (vector-set! restarts i
                     (if (and (= j 0)
                              (same? (string-ref text i) (string-ref text 0)))
                         -1
                         j))
        (loop (+ i 1)
              (let back ((j j))
                (cond ((= j -1) 0)
                      ((same? (string-ref text i) (string-ref text j)) (+ j 1))
                      (else (back (vector-ref restarts j))))))))
    restarts))

(define (kmp-step pattern restarts c k same? start)
  "How many characters of the pattern match after the character c, if k matched
  before it.  The pattern begins at start."
  (let loop ((k k))
    (cond ((same? c (string-ref pattern (+ k start))) (+ k 1))
          ((= (vector-ref restarts k) -1) 0)
          (else (loop (vector-ref restarts k))))))

(define (string-kmp-partial-search pattern restarts text k . rest)
  "Go on with a search in a text, if k characters of the pattern match already:
  -(the index after the match), or how many match at the end.  rest holds an
  equality of characters, the pattern's start, and the text's start and end."
  (let* ((same? (if (null? rest) char=? (car rest)))
         (rest (if (null? rest) '() (cdr rest)))
         (start (if (null? rest) 0 (car rest)))
         (part (%range "string-kmp-partial-search" 4 text
                       (if (null? rest) '() (cdr rest))))
         (end (cdr part))
         (wanted (vector-length restarts)))
    (let loop ((i (car part)) (k k))
      (cond ((= k wanted) (- i))
            ((= i end) k)
            (else (loop (+ i 1)
                        (kmp-step pattern restarts (string-ref text i) k
                                  same? start)))))))

;; Parts.

(define (%trim who text rest left? right?)
  "The text without what the criterion holds for at its ends."
  (let* ((options (%criterion-and-range who rest))
         (part (%slice who 2 text (cdr options))))
    (%trimmed who part (car options) left? right?)))

(define (string-trim text . rest)
  "The text without white space at its beginning.  rest holds a criterion, a
  start, and an end."
  (%trim "string-trim" text rest #t #f))

(define (string-trim-right text . rest)
  "The text without white space at its end.  rest holds a criterion, a start,
  and an end."
  (%trim "string-trim-right" text rest #f #t))

(define (string-trim-both text . rest)
  "The text without white space at both ends.  rest holds a criterion, a start,
  and an end."
  (%trim "string-trim-both" text rest #t #t))

(define (%padded who pad text n rest)
  "pad of a part of a text; rest holds a character, a start, and an end."
  (let ((fill (if (null? rest) #\space (car rest)))
        (range (if (null? rest) '() (cdr rest))))
    (pad (%slice who 3 text range) n fill)))

(define (string-pad text n . rest)
  "The last n characters of the text, with spaces before it if it is shorter.
  rest holds another character than the space, a start, and an end."
  (%padded "string-pad" string-pad-left text n rest))

(define (string-pad-right text n . rest)
  "The first n characters of the text, with spaces after it if it is shorter.
  rest holds another character than the space, a start, and an end."
  (%padded "string-pad-right"
           (lambda (text n fill)
             (let ((lacks (%check-pad "string-pad-right" text n fill)))
               (if (< lacks 0)
                   (substring text 0 n)
                   (string-append text (make-string lacks fill)))))
           text n rest))

(define (substring/shared text start . end)
  "The text from start to end."
  (%slice "substring/shared" 2 text (cons start end)))

(define (string-replace a b start1 end1 . range)
  "a with its part from start1 to end1 replaced by b, or a part of b."
  (%range "string-replace" 4 a (list start1 end1))
  (string-append (substring a 0 start1)
                 (%slice "string-replace" 4 b range)
                 (substring a end1)))

(define (xsubstring text from . rest)
  "The characters from index from to index to of the text that repeats for ever
  in both directions.  rest holds to, at first from and the text's length, and
  a start and an end of the text."
  (let* ((part (%slice "xsubstring" 2 text (if (null? rest) '() (cdr rest))))
         (n (string-length part))
         (to (if (null? rest) (+ from n) (car rest))))
    (unless (and (exact-integer? from) (exact-integer? to) (<= from to))
      (wrong-type "xsubstring" "from and to as exact integers in order"
                  (list from to)))
    (when (and (= n 0) (< from to))
      (error "xsubstring: the text is empty"))
    (string-tabulate (lambda (k) (string-ref part (modulo (+ from k) n)))
                     (- to from))))

(define (string-tokenize text . rest)
  "The list of the longest parts whose characters the criterion holds for, at
  first those that are not white space.  rest holds a criterion, a start, and
  an end."
  (let* ((test (if (null? rest)
                   (lambda (c) (not (char-whitespace? c)))
                   (%test-of "string-tokenize" (car rest))))
         (part (%slice "string-tokenize" 2 text
                       (if (null? rest) '() (cdr rest)))))
    (let loop ((k (string-length part)) (tokens '()))
      (let ((last (%find-char-right part test 0 k)))
        (if last
            (let ((before (%find-char-right part (lambda (c) (not (test c)))
                                            0 last)))
              (let ((start (if before (+ before 1) 0)))
                (loop start
                      (cons (substring part start (+ last 1)) tokens))))
            tokens)))))

;; Case.

(define (%recased who change text range)
  "The part of a text that optional indices select, changed."
  (change (%slice who 1 text range)))

(define (string-upcase text . range)
  "The text in upper case."
  (%recased "string-upcase" %text-upcase text range))

(define (string-downcase text . range)
  "The text in lower case."
  (%recased "string-downcase" %text-downcase text range))

(define (string-reverse text . range)
  "The characters from the last to the first."
  (list->string (reverse (string->list (%slice "string-reverse" 1 text range)))))

;; Several texts.

(define (reverse-list->string chars)
  "The string of the characters of a list, the last one first."
  (list->string (reverse chars)))

(define (string-append/shared . texts)
  "string-append."
  (apply string-append texts))

(define (string-concatenate/shared texts)
  "string-concatenate."
  (string-concatenate texts))

(define (%concatenated-reverse who texts rest)
  "The texts of a list, the last one first, and then a part of another text."
  (let ((final (if (null? rest)
                   ""
                   (begin
                     (%check-string who (car rest))
                     (%slice who 2 (car rest)
                             (if (null? (cdr rest)) '() (list 0 (cadr rest))))))))
    (string-concatenate (reverse (cons final texts)))))

(define (string-concatenate-reverse texts . rest)
  "The strings of a list, appended from the last to the first.  rest holds a
  string to end with, and how many of its characters count."
  (%concatenated-reverse "string-concatenate-reverse" texts rest))

(define (string-concatenate-reverse/shared texts . rest)
  "string-concatenate-reverse."
  (%concatenated-reverse "string-concatenate-reverse/shared" texts rest))

(define (string-join texts . options)
  "The strings of a list with a delimiter, at first a space.  The grammar,
  'infix, 'strict-infix, 'suffix or 'prefix, says where it stands; with
  'strict-infix an empty list is an error."
  (let ((delimiter (if (null? options) " " (car options)))
        (grammar (if (or (null? options) (null? (cdr options)))
                     'infix
                     (cadr options))))
    (%check-list "string-join" texts)
    (for-each (lambda (x) (%check-string "string-join" x))
              (cons delimiter texts))
    (case grammar
      ((infix) (%joined texts delimiter))
      ((strict-infix)
       (when (null? texts)
         (error "string-join: the list is empty, which strict-infix refuses"))
       (%joined texts delimiter))
      ((suffix)
       (string-concatenate
        (append-map (lambda (text) (list text delimiter)) texts)))
      ((prefix)
       (string-concatenate
        (append-map (lambda (text) (list delimiter text)) texts)))
      (else
       (wrong-type "string-join" "infix, strict-infix, suffix or prefix"
                   grammar)))))

(define (%joined texts delimiter)
  "The texts with the delimiter between them."
  (if (null? texts)
      ""
      (string-concatenate
       (cons (car texts)
             (append-map (lambda (text) (list delimiter text)) (cdr texts))))))
