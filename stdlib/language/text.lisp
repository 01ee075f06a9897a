;; text.lisp - strings, character by character, with the names and arguments of
;; SRFI-13.
;;
;; In searches, `wanted` is a character or a predicate.  `range` is an optional
;; start and end, as in substring.

(define (%check-string who x)
  "Raise an error unless x is a string."
  (unless (string? x)
    (wrong-type who "a string" x)))

(define (%test-of who wanted)
  "The predicate that a character or a predicate stands for."
  (cond ((char? wanted) (lambda (c) (char=? c wanted)))
        ((procedure? wanted) wanted)
        (else (wrong-type who "a character or a procedure" wanted))))

(define (%range who required text range)
  "(start . end): the range of text that two optional arguments mean."
  (%check-string who text)
  (%part who required (string-length text) range))

(define (%part who required n range)
  "(start . end): the range of n elements that two optional arguments mean."
  (cond ((null? range) (cons 0 n))
        ((or (null? (cdr range)) (null? (cddr range)))
         (let ((start (car range))
               (end (if (null? (cdr range)) n (cadr range))))
           (%check-index who start)
           (%check-index who end)
           (cond ((> start n) (%out-of-range who start n))
                 ((> end n) (%out-of-range who end n))
                 ((> start end)
                  (error (string who ": start " start " is after end " end)))
                 (else (cons start end)))))
        (else
         (error (string who ": expected " required " to " (+ required 2)
                        " arguments, got " (+ required (length range)))))))

;; For (srfi 13), where these names mean something else.

(define (%text-upcase text) "string-upcase." (string-upcase text))
(define (%text-downcase text) "string-downcase." (string-downcase text))
(define (%text-contains text part) "string-contains." (string-contains text part))
(define (%text-contains-from text part start)
  "string-contains."
  (string-contains text part start))

;; Iteration over characters.

(define (%strings->lists who texts)
  "The characters of each string as a list."
  (map (lambda (x) (%check-string who x) (string->list x)) texts))

(define (%chars->string who chars)
  "The string of characters that the program's procedure has returned."
  (for-each (lambda (c)
              (unless (char? c)
                (wrong-type who "a character" c)))
            chars)
  (list->string chars))

(define (string-map f text . more)
  "The string of the results of f on each character, or on several side by
  side."
  (%chars->string
   "string-map"
   (if (null? more)
       (begin (%check-string "string-map" text) (map f (string->list text)))
       (apply map f (%strings->lists "string-map" (cons text more))))))

(define (string-for-each f text . more)
  "Call f on each character in order, or on characters side by side."
  (if (null? more)
      (begin
        (%check-string "string-for-each" text)
        (let ((n (string-length text)))
          (let loop ((k 0))
            (when (< k n)
              (f (string-ref text k))
              (loop (+ k 1))))))
      (apply for-each f (%strings->lists "string-for-each" (cons text more)))))

(define (string-fold f initial text . range)
  "(f c2 (f c1 initial)) and so on, from the first character to the last."
  (let* ((part (%range "string-fold" 3 text range)) (end (cdr part)))
    (let loop ((k (car part)) (result initial))
      (if (= k end)
          result
          (loop (+ k 1) (f (string-ref text k) result))))))

(define (string-fold-right f initial text . range)
  "(f c1 (f c2 initial)) and so on, from the last character to the first."
  (let* ((part (%range "string-fold-right" 3 text range)) (start (car part)))
    (let loop ((k (cdr part)) (result initial))
      (if (= k start)
          result
          (loop (- k 1) (f (string-ref text (- k 1)) result))))))

(define (string-tabulate f n)
  "The string of the characters (f 0), (f 1) ... of length n."
  (%check-room "string-tabulate" n)
  (let loop ((k 0) (chars '()))
    (if (= k n)
        (%chars->string "string-tabulate" (reverse chars))
        (loop (+ k 1) (cons (f k) chars)))))

(define (string-reverse text)
  "The characters from the last to the first."
  (%check-string "string-reverse" text)
  (list->string (reverse (string->list text))))

;; Search.

(define (%find-char text test start end)
  "The index of the first character that passes the test, or #f."
  (let loop ((k start))
    (cond ((= k end) #f)
          ((test (string-ref text k)) k)
          (else (loop (+ k 1))))))

(define (%find-char-right text test start end)
  "The index of the last character that passes the test, or #f."
  (let loop ((k (- end 1)))
    (cond ((< k start) #f)
          ((test (string-ref text k)) k)
          (else (loop (- k 1))))))

(define (%search who find text wanted range skip?)
  "The search of string-index, string-skip and so on."
  (let* ((part (%range who 2 text range)) (test (%test-of who wanted)))
    (find text
          (if skip? (lambda (c) (not (test c))) test)
          (car part)
          (cdr part))))

(define (string-index text wanted . range)
  "The index of the first character that is or satisfies wanted, or #f."
  (%search "string-index" %find-char text wanted range #f))

(define (string-index-right text wanted . range)
  "The index of the last character that is or satisfies wanted, or #f."
  (%search "string-index-right" %find-char-right text wanted range #f))

(define (string-skip text wanted . range)
  "The index of the first character that is not wanted, or #f."
  (%search "string-skip" %find-char text wanted range #t))

(define (string-skip-right text wanted . range)
  "The index of the last character that is not wanted, or #f."
  (%search "string-skip-right" %find-char-right text wanted range #t))

(define (string-count text wanted . range)
  "How many characters are or satisfy wanted."
  (let* ((part (%range "string-count" 2 text range))
         (test (%test-of "string-count" wanted))
         (end (cdr part)))
    (let loop ((k (car part)) (count 0))
      (cond ((= k end) count)
            ((test (string-ref text k)) (loop (+ k 1) (+ count 1)))
            (else (loop (+ k 1) count))))))

(define (string-any wanted text . range)
  "The first true result of the predicate on a character, or #f."
  (let* ((part (%range "string-any" 2 text range))
         (test (%test-of "string-any" wanted))
         (end (cdr part)))
    (let loop ((k (car part)))
      (and (< k end)
           (or (test (string-ref text k)) (loop (+ k 1)))))))

(define (string-every wanted text . range)
  "The last result of the predicate if it is true of all characters, or #f."
  (let* ((part (%range "string-every" 2 text range))
         (test (%test-of "string-every" wanted))
         (end (cdr part)))
    (let loop ((k (car part)) (result #t))
      (if (and result (< k end))
          (loop (+ k 1) (test (string-ref text k)))
          result))))

(define (%filtered who wanted text range keep?)
  "The characters that are wanted, or those that are not."
  (let* ((part (%range who 2 text range)) (test (%test-of who wanted)))
    (let loop ((k (cdr part)) (chars '()))
      (if (= k (car part))
          (list->string chars)
          (let ((c (string-ref text (- k 1))))
            (loop (- k 1)
                  (if (eq? keep? (if (test c) #t #f))
                      (cons c chars)
                      chars)))))))

(define (string-filter wanted text . range)
  "The characters that are or satisfy wanted."
  (%filtered "string-filter" wanted text range #t))

(define (string-delete wanted text . range)
  "The characters that neither are nor satisfy wanted."
  (%filtered "string-delete" wanted text range #f))

;; Substrings.

(define (%check-part who text n)
  "Raise an error unless n counts characters of text; the text's length."
  (%check-string who text)
  (%check-index who n)
  (let ((size (string-length text)))
    (when (> n size)
      (%out-of-range who n size))
    size))

(define (string-take text n)
  "The first n characters."
  (%check-part "string-take" text n)
  (substring text 0 n))

(define (string-drop text n)
  "All but the first n characters."
  (%check-part "string-drop" text n)
  (substring text n))

(define (string-take-right text n)
  "The last n characters."
  (substring text (- (%check-part "string-take-right" text n) n)))

(define (string-drop-right text n)
  "All but the last n characters."
  (substring text 0 (- (%check-part "string-drop-right" text n) n)))

(define (%trimmed who text wanted left? right?)
  "The text without wanted characters at its ends."
  (%check-string who text)
  (let* ((test (%test-of who wanted))
         (other? (lambda (c) (not (test c))))
         (n (string-length text))
         (start (if left? (or (%find-char text other? 0 n) n) 0))
         (last (and right? (%find-char-right text other? start n))))
    (substring text start (if right? (if last (+ last 1) start) n))))

(define (string-trim text . wanted)
  "The text without white space, or what is wanted, at either end."
  (let ((wanted (%optional "string-trim" 1 wanted char-whitespace?)))
    (%trimmed "string-trim" text wanted #t #t)))

(define (string-trim-left text . wanted)
  "The text without white space, or what is wanted, at its beginning."
  (let ((wanted (%optional "string-trim-left" 1 wanted char-whitespace?)))
    (%trimmed "string-trim-left" text wanted #t #f)))

(define (string-trim-right text . wanted)
  "The text without white space, or what is wanted, at its end."
  (let ((wanted (%optional "string-trim-right" 1 wanted char-whitespace?)))
    (%trimmed "string-trim-right" text wanted #f #t)))

(define (%check-pad who text n fill)
  "Check the arguments for padding; how many characters the string lacks."
  (%check-string who text)
  (%check-index who n)
  (unless (char? fill)
    (wrong-type who "a character" fill))
  (- n (string-length text)))

(define (string-pad-left text n . fill)
  "The text with fill, or spaces, before it; of a longer one the last n."
  (let* ((fill (%optional "string-pad-left" 2 fill #\space))
         (lacks (%check-pad "string-pad-left" text n fill)))
    (if (< lacks 0)
        (substring text (- lacks))
        (string-append (make-string lacks fill) text))))

(define (string-pad-right text n . fill)
  "The text with fill, or spaces, after it; of a longer one the first n."
  (let* ((fill (%optional "string-pad-right" 2 fill #\space))
         (lacks (%check-pad "string-pad-right" text n fill)))
    (if (< lacks 0)
        (substring text 0 n)
        (string-append text (make-string lacks fill)))))

;; Several texts.

(define (string-concatenate texts)
  "The strings of a list, appended."
  (%check-list "string-concatenate" texts)
  (for-each (lambda (x) (%check-string "string-concatenate" x)) texts)
  (string-join texts ""))

(define (string-titlecase text . range)
  "The text, or a part of it, with an upper-case letter at the beginning of each
  word, and lower-case letters after it."
  (let* ((part (%range "string-titlecase" 1 text range))
         (part (substring text (car part) (cdr part))))
    (let loop ((chars (string->list part)) (inside? #f) (done '()))
      (if (null? chars)
          (list->string (reverse done))
          (let ((c (car chars)))
            (loop (cdr chars)
                  (%cased? c)
                  (cons (if inside? (char-downcase c) (%char-titlecase c))
                        done)))))))

(define (%cased? c)
  "Whether a character is a letter that has cases."
  (or (char-lower-case? c)
      (char-upper-case? c)
      (not (char=? c (char-downcase c)))))

(define (%char-titlecase c)
  "The character at the beginning of a word.  It differs from char-upcase's for
  four pairs of letters that are one character, and for Georgian, whose
  upper-case letters begin no words."
  (let ((code (char->integer c)))
    (cond ((<= 452 code 460) (integer->char (+ 453 (* 3 (quotient (- code 452) 3)))))
          ((<= 497 code 499) (integer->char 498))
          ((<= 4304 code 4351) c)
          (else (char-upcase c)))))

(define (string-replace text part replacement)
  "The text with every occurrence of part replaced."
  (for-each (lambda (x) (%check-string "string-replace" x))
            (list text part replacement))
  (when (string-null? part)
    (error "string-replace: the part is empty"))
  (string-join (string-split text part) replacement))
