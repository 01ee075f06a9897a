;; template-strings.lisp - the methods of strings in chat templates, as Python
;; has them.

(define (%trimmer trim)
  "The procedure that trims white space, or the characters of a string."
  (lambda (run line text letters)
    (if (eq? letters 'null)
        (trim text %python-white?)
        (let ((letters (%check-text line letters)))
          (trim text (lambda (c) (and (string-index letters c) #t)))))))

(define (%python-white? c)
  "Whether Python's strip removes the character."
  (or (char-whitespace? c) (memv c '(#\x1C #\x1D #\x1E #\x1F))))

(define (%split-text line text separator most)
  "The parts of a string between separators, or white space; at most that many
  splits, all if it is negative."
  (if (not (string? separator))
      (%split-white (string->list text) most)
      (begin
        (when (string=? separator "")
          (%template-error line "the separator of split is empty"))
        (let loop ((start 0) (most most) (parts '()))
          (let ((k (and (not (= most 0))
                        (string-contains text separator start))))
            (if k
                (loop (+ k (string-length separator)) (- most 1)
                      (cons (substring text start k) parts))
                (reverse (cons (substring text start (string-length text))
                               parts))))))))

(define (%split-white chars most)
  "The words of a list of characters; the rest stays whole after some splits."
  (let ((chars (drop-while %python-white? chars)))
    (cond ((null? chars) '())
          ((= most 0)
           (list (string-trim-right (list->string chars) %python-white?)))
          (else
           (let-values (((word rest) (break %python-white? chars)))
             (cons (list->string word) (%split-white rest (- most 1))))))))

(define (%capitalized text)
  "The text with a capital first letter, and small others."
  (if (string=? text "")
      ""
      (string-append (string-upcase (string-take text 1))
                     (string-downcase (string-drop text 1)))))

(define (%titled text)
  "The text with a capital letter at the beginning of each word."
  (let loop ((chars (string->list text)) (inside #f) (made '()))
    (if (null? chars)
        (list->string (reverse made))
        (let ((c (car chars)))
          (loop (cdr chars) (char-alphabetic? c)
                (cons (if inside (char-downcase c) (char-upcase c)) made))))))

;; The parts of a text between two positions, as Python's methods take them.

(define (%clipped line k count otherwise)
  "A position within so many characters: negative ones count from the end."
  (if (eq? k 'null)
      otherwise
      (let ((k (%check-integer line k)))
        (max 0 (min count (if (< k 0) (+ k count) k))))))

(define (%clipped-part line text start end continue)
  "Continue with the part of a text from start to before end, and start; with #f
  if start is behind the text's end."
  (let* ((n (string-length text))
         (from (%clipped line start n 0))
         (to (%clipped line end n n)))
    (if (or (> from to) (and (exact-integer? start) (> start n)))
        (continue #f from)
        (continue (substring text from to) from))))

(define (%finder search missing)
  "The method that returns the place of a part, or what missing makes."
  (lambda (run line text part start end)
    (let ((part (%check-text line part)))
      (%clipped-part line text start end
                (lambda (within from)
                  (let ((k (and within (search within part))))
                    (if k (+ k from) (missing line))))))))

(define (%last-place text part)
  "Where a part begins that comes last in a text, or #f."
  (let loop ((k (string-contains text part)) (last #f))
    (if (and k (< k (string-length text)))
        (loop (string-contains text part (+ k 1)) k)
        (or k last))))

(define (%not-found line)
  (%template-error line "the text does not have that part"))

(define (%string-check f)
  "The method that tests the beginning or the end of a text with each string that
  is its argument."
  (lambda (run line text parts start end)
    (%clipped-part line text start end
              (lambda (within from)
                (and within
                     (any (lambda (part) (f part within))
                          (%strings-of line parts)))))))

(define (%split-arguments line separator most)
  "Both arguments of split, checked."
  (unless (eq? separator 'null) (%check-text line separator))
  (%check-integer line most))

(define (%split-right line text separator most)
  "str.rsplit: the splits are counted from the right."
  (map string-reverse
       (reverse (%split-text line (string-reverse text)
                             (if (string? separator)
                                 (string-reverse separator)
                                 separator)
                             most))))

(define (%lines-of text keep)
  "The lines of a text, with their ends if keep is true."
  (let loop ((chars (string->list text)) (line '()) (made '()))
    (define (ended rest end)
      (loop rest '()
            (cons (list->string (reverse (if keep (append end line) line)))
                  made)))
    (cond ((null? chars)
           (reverse (if (null? line)
                        made
                        (cons (list->string (reverse line)) made))))
          ((and (eqv? (car chars) #\return) (pair? (cdr chars))
                (eqv? (cadr chars) #\newline))
           (ended (cddr chars) '(#\newline #\return)))
          ((memv (car chars) '(#\newline #\return #\xB #\xC #\x1C #\x1D #\x1E
                               #\x85 #\x2028 #\x2029))
           (ended (cdr chars) (list (car chars))))
          (else (loop (cdr chars) (cons (car chars) line) made)))))

(define (%count-parts text part)
  "How often a part is in a text."
  (if (string=? part "")
      (+ 1 (string-length text))
      (let loop ((start 0) (n 0))
        (let ((k (string-contains text part start)))
          (if k (loop (+ k (string-length part)) (+ n 1)) n)))))

(define (%replace-text run line text from to count)
  "The text with a part replaced, at most that often if count is not negative."
  (let* ((all (%count-parts text from))
         (n (if (< count 0) all (min all count))))
    (%count-text! run line
                  (+ (string-length text)
                     (* n (max 0 (- (string-length to) (string-length from))))))
    (if (string=? from "")
        (let loop ((chars (string->list text)) (n n) (made '()))
          (cond ((= n 0)
                 (string-append (string-concatenate (reverse made))
                                (list->string chars)))
                ((null? chars) (string-concatenate (reverse (cons to made))))
                (else (loop (cdr chars) (- n 1)
                            (cons* (string (car chars)) to made)))))
        (let loop ((start 0) (n n) (parts '()))
          (let ((k (and (> n 0) (string-contains text from start))))
            (if k
                (loop (+ k (string-length from)) (- n 1)
                      (cons* to (substring text start k) parts))
                (string-concatenate
                 (reverse (cons (string-drop text start) parts)))))))))

(define (%partitioned text separator k)
  "The parts of a text before and behind a separator at an index."
  (vector (string-take text k) separator
          (string-drop text (+ k (string-length separator)))))

(define (%padder left right)
  "The method that pads a text: left and right say how many characters of those
  that are missing."
  (lambda (run line text width fill)
    (let* ((fill (%check-text line fill))
           (n (max 0 (- (%check-integer line width) (string-length text)))))
      (unless (= (string-length fill) 1)
        (%template-error line "expected one character to fill with"))
      (%count-text! run line (+ n (string-length text)))
      (string-append (make-string (left n (string-length text))
                                  (string-ref fill 0))
                     text
                     (make-string (right n (string-length text))
                                  (string-ref fill 0))))))

(define (%center-left n size)
  "How many of n characters str.center puts before a text."
  (+ (quotient n 2) (if (and (odd? n) (odd? (+ n size))) 1 0)))

(define (%zero-filled run line text width)
  "str.zfill: zeros behind the sign."
  (let* ((n (max 0 (- (%check-integer line width) (string-length text))))
         (sign (if (and (not (string=? text ""))
                        (memv (string-ref text 0) '(#\+ #\-)))
                   1
                   0)))
    (%count-text! run line (+ n (string-length text)))
    (string-append (string-take text sign) (make-string n #\0)
                   (string-drop text sign))))

(define (%text-method name f)
  "The entry of a method of the text alone."
  (%callee name '() (lambda (run line text)
                     (%count-work! (string-length text))
                     (f text))))

(define (%all-characters name ok?)
  "The entry of the method whether all characters of a text that is not empty
  are ok."
  (%text-method name (lambda (text)
                       (and (not (string=? text "")) (string-every ok? text)
                            #t))))

(define (%cased name other-case?)
  "The entry of the method whether a text has letters of one case only."
  (%text-method name (lambda (text)
                       (and (not (string-any other-case? text))
                            (string-any (lambda (c)
                                          (or (char-upper-case? c)
                                              (char-lower-case? c)))
                                        text)
                            #t))))

(define (%identifier? text)
  "Whether a text is a name."
  (and (not (string=? text ""))
       (not (char-numeric? (string-ref text 0)))
       (string-every %name-char? text)
       #t))

(define %range-parameters '((start null) (end null)))

(define %string-methods
  (delay
   (%table-of-entries
    (%callee "strip" '((chars null)) (%trimmer string-trim))
    (%callee "lstrip" '((chars null)) (%trimmer string-trim-left))
    (%callee "rstrip" '((chars null)) (%trimmer string-trim-right))
    (%callee "split" '(("sep" null) ("maxsplit" -1))
            (lambda (run line text separator most)
              (%split-arguments line separator most)
              (%split-text line text separator most)))
    (%callee "rsplit" '(("sep" null) ("maxsplit" -1))
            (lambda (run line text separator most)
              (%split-arguments line separator most)
              (%split-right line text separator most)))
    (%callee "splitlines" '(("keepends" #f))
            (lambda (run line text keep)
              (%lines-of text (%template-true? keep))))
    (%callee "startswith" (cons 'prefix %range-parameters)
            (%string-check string-prefix?))
    (%callee "endswith" (cons 'suffix %range-parameters)
            (%string-check string-suffix?))
    (%text-method "upper" string-upcase)
    (%text-method "lower" string-downcase)
    (%text-method "casefold" string-foldcase)
    (%text-method "capitalize" %capitalized)
    (%text-method "title" %titled)
    (%text-method "swapcase"
                  (lambda (text)
                    (string-concatenate
                     (map (lambda (c)
                            (if (char-upper-case? c)
                                (string-downcase (string c))
                                (string-upcase (string c))))
                          (string->list text)))))
    (%all-characters "isdigit" char-numeric?)
    (%all-characters "isdecimal" char-numeric?)
    (%all-characters "isnumeric" char-numeric?)
    (%all-characters "isalpha" char-alphabetic?)
    (%all-characters "isalnum" (lambda (c) (or (char-alphabetic? c)
                                               (char-numeric? c))))
    (%all-characters "isspace" %python-white?)
    (%text-method "isascii"
                  (lambda (text)
                    (string-every (lambda (c) (char<=? c #\delete)) text)))
    (%text-method "isidentifier" %identifier?)
    (%cased "isupper" char-lower-case?)
    (%cased "islower" char-upper-case?)
    (%text-method "istitle" (lambda (text)
                              (and (string=? text (%titled text))
                                   (string-any char-alphabetic? text)
                                   #t)))
    (%callee "removeprefix" '(prefix)
            (lambda (run line text part)
              (let ((part (%check-text line part)))
                (if (string-prefix? part text)
                    (string-drop text (string-length part))
                    text))))
    (%callee "removesuffix" '(suffix)
            (lambda (run line text part)
              (let ((part (%check-text line part)))
                (if (string-suffix? part text)
                    (string-drop-right text (string-length part))
                    text))))
    (%callee "replace" '(old new (count -1))
            (lambda (run line text from to count)
              (%replace-text run line text (%check-text line from)
                             (%check-text line to)
                             (%check-integer line count))))
    (%callee "find" (cons 'sub %range-parameters)
            (%finder string-contains (lambda (line) -1)))
    (%callee "rfind" (cons 'sub %range-parameters)
            (%finder %last-place (lambda (line) -1)))
    (%callee "index" (cons 'sub %range-parameters)
            (%finder string-contains %not-found))
    (%callee "rindex" (cons 'sub %range-parameters)
            (%finder %last-place %not-found))
    (%callee "count" (cons 'sub %range-parameters)
            (lambda (run line text part start end)
              (%clipped-part line text start end
                        (lambda (within from)
                          (if within
                              (%count-parts within (%check-text line part))
                              0)))))
    (%callee "join" '(iterable)
            (lambda (run line text items)
              (%joined-text run line
                            (map (lambda (item) (%check-text line item))
                                 (%template-items line items))
                            text)))
    (%callee "format" 'any %format-method)
    (%callee "partition" '(sep)
            (lambda (run line text separator)
              (let ((k (string-contains text (%check-separator line separator))))
                (if k
                    (%partitioned text separator k)
                    (vector text "" "")))))
    (%callee "rpartition" '(sep)
            (lambda (run line text separator)
              (let ((k (%last-place text (%check-separator line separator))))
                (if k
                    (%partitioned text separator k)
                    (vector "" "" text)))))
    (%callee "ljust" '(width (fill " "))
            (%padder (lambda (n size) 0) (lambda (n size) n)))
    (%callee "rjust" '(width (fill " "))
            (%padder (lambda (n size) n) (lambda (n size) 0)))
    (%callee "center" '(width (fill " "))
            (%padder %center-left (lambda (n size) (- n (%center-left n size)))))
    (%callee "zfill" '(width) %zero-filled)
    (%callee "expandtabs" '(("tabsize" 8))
            (lambda (run line text size)
              (let ((n (max 0 (%check-integer line size))))
                (%count-text! run line (* n (%count-parts text "\t")))
                (%expanded-tabs text n)))))))

(define (%check-separator line x)
  "A separator that is not empty."
  (when (string=? (%check-text line x) "")
    (%template-error line "the separator is empty"))
  x)

(define (%joined-text run line texts mark)
  "Texts with a mark between them."
  (%count-text! run line
                (fold (lambda (text n)
                        (+ n (string-length text) (string-length mark)))
                      0 texts))
  (string-join texts mark))

(define (%expanded-tabs text size)
  "A text with spaces up to the next column for each tab."
  (let loop ((chars (string->list text)) (column 0) (made '()))
    (cond ((null? chars) (string-concatenate (reverse made)))
          ((eqv? (car chars) #\tab)
           (let ((n (if (= size 0) 0 (- size (modulo column size)))))
             (loop (cdr chars) (+ column n)
                   (cons (make-string n #\space) made))))
          (else
           (loop (cdr chars)
                 (if (memv (car chars) '(#\newline #\return)) 0 (+ column 1))
                 (cons (string (car chars)) made))))))
