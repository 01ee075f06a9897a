;; toml.lisp - TOML texts, version 1.0.
;;
;;     a table       a hash table, its keys strings
;;     an array      a list
;;     an integer    an exact integer; a float is a double
;;     true false    #t #f
;;     a date        a string of RFC 3339: "1979-05-27T07:32:00.5Z",
;;                   "1979-05-27T07:32:00", "1979-05-27", "07:32:00"
;;
;; A text is read once, from left to right.  An input is #(text, index, how
;; messages begin, depth, arrays of tables).

(define (read-toml source)
  "The table of a TOML text: source is the path of a file, or a textual port,
  which is read to its end.

  Tables become hash tables whose keys are strings, arrays become lists, floats
  doubles, and dates and times strings such as \"1979-05-27T07:32:00Z\".  A text
  that is not TOML is an error that names line and column."
  (cond ((string? source)
         (%toml-document (call-with-input-file source port->string)
                         (string "read-toml: " source ", ")))
        ((and (input-port? source) (textual-port? source))
         (%toml-document (port->string source) "read-toml: "))
        (else (wrong-type "read-toml" "a path or a textual input port"
                          source))))

(define (string->toml text)
  "The table of a TOML text in a string, as read-toml returns it."
  (unless (string? text)
    (wrong-type "string->toml" "a string" text))
  (%toml-document text "string->toml: "))

;; Inputs.

(define (%toml-peek in)
  "The next character, or #f at the end."
  (let ((text (vector-ref in 0)) (k (vector-ref in 1)))
    (and (< k (string-length text)) (string-ref text k))))

(define (%toml-skip! in count)
  (vector-set! in 1 (+ (vector-ref in 1) count)))

(define (%toml-at? in part)
  "Whether a text is next."
  (let* ((text (vector-ref in 0)) (k (vector-ref in 1))
         (end (+ k (string-length part))))
    (and (<= end (string-length text))
         (let loop ((i k) (j 0))
           (or (= i end)
               (and (char=? (string-ref text i) (string-ref part j))
                    (loop (+ i 1) (+ j 1))))))))

(define (%toml-fail-at in k problem)
  "Raise the error for a place in the text."
  (let ((text (vector-ref in 0)))
    (let loop ((i 0) (line 1) (column 1))
      (cond ((= i k)
             (error (string (vector-ref in 2) "line " line ", column " column
                            ": " problem)))
            ((char=? (string-ref text i) #\newline)
             (loop (+ i 1) (+ line 1) 1))
            (else (loop (+ i 1) line (+ column 1)))))))

(define (%toml-fail in expected)
  "Raise the error for a text with something else than expected here."
  (let ((c (%toml-peek in)))
    (%toml-fail-at
     in (vector-ref in 1)
     (string "expected " expected ", got "
             (cond ((not c) "the end of the text")
                   ((char=? c #\newline) "the end of the line")
                   ((or (char<? c #\space) (char=? c #\delete))
                    (string "the control character " (char->integer c)))
                   (else (string "'" c "'")))))))

(define (%toml-skip-blanks! in)
  "Skip spaces and tabs."
  (when (memv (%toml-peek in) '(#\space #\tab))
    (%toml-skip! in 1)
    (%toml-skip-blanks! in)))

(define (%toml-skip-comment! in)
  "Skip a comment, if one begins here, up to the end of the line."
  (when (eqv? (%toml-peek in) #\#)
    (let loop ()
      (let ((c (%toml-peek in)))
        (cond ((or (not c) (char=? c #\newline)) #f)
              ((%toml-control? c) (%toml-fail in "a comment's text"))
              (else (%toml-skip! in 1) (loop)))))))

(define (%toml-control? c)
  "Whether a character must not stand in a text; a tab may."
  (or (and (char<? c #\space) (not (char=? c #\tab))) (char=? c #\delete)))

(define (%toml-skip-lines! in)
  "Skip white space, new lines and comments."
  (%toml-skip-blanks! in)
  (%toml-skip-comment! in)
  (when (eqv? (%toml-peek in) #\newline)
    (%toml-skip! in 1)
    (%toml-skip-lines! in)))

;; Nodes say how each table came to be, as long as the text is read: they hold
;; the table, and nodes of the tables in it by their keys.  kind: 'header, by
;; [name]; 'implicit, by [name.of.another]; 'dotted, by name.key = ...; 'inline;
;; or 'array, by [[name]]: then the table is the list of tables so far, the last
;; one first, and the children are the node of the last one.

(define (%toml-node kind table) (vector kind table #f))
(define (%toml-node-kind node) (vector-ref node 0))
(define (%toml-node-table node) (vector-ref node 1))

(define (%toml-child node key)
  "The node of a table in a table, or #f."
  (let ((children (vector-ref node 2)))
    (and children (hash-ref children key #f))))

(define (%toml-new-child! node key kind)
  "A new table in a table."
  (let ((child (%toml-node kind (make-hash-table))))
    (hash-set! (%toml-node-table node) key (%toml-node-table child))
    (%toml-add-child! node key child)
    child))

(define (%toml-add-child! node key child)
  (unless (vector-ref node 2)
    (vector-set! node 2 (make-hash-table)))
  (hash-set! (vector-ref node 2) key child))

(define (%toml-defined? node key)
  "Whether a table has a value that is not a table with a node."
  (and (not (%toml-child node key))
       (hash-has-key? (%toml-node-table node) key)))

;; Documents.

(define %deepest-toml 1000)

(define (%toml-document text who)
  "The table of a whole text."
  (let* ((in (vector (if (string-contains text "\r\n")
                         (string-replace text "\r\n" "\n")
                         text)
                     0 who 0 '()))
         (root (%toml-node 'header (make-hash-table))))
    (let loop ((node root))
      (%toml-skip-blanks! in)
      (%toml-skip-comment! in)
      (let ((c (%toml-peek in)))
        (cond ((not c) #f)
              ((char=? c #\newline) (%toml-skip! in 1) (loop node))
              ((char=? c #\[)
               (let ((next (%toml-header in root)))
                 (%toml-end-line! in)
                 (loop next)))
              (else
               (%toml-pair in node)
               (%toml-end-line! in)
               (loop node)))))
    (for-each (lambda (array)
                (hash-set! (cadr array) (caddr array)
                           (reverse (%toml-node-table (car array)))))
              (vector-ref in 4))
    (%toml-node-table root)))

(define (%toml-end-line! in)
  "Skip the rest of a line, which must be empty."
  (%toml-skip-blanks! in)
  (%toml-skip-comment! in)
  (cond ((eqv? (%toml-peek in) #\newline) (%toml-skip! in 1))
        ((%toml-peek in) (%toml-fail in "the end of the line"))))

(define (%toml-header in root)
  "The node of the table that [name] or [[name]] begins."
  (let* ((array? (%toml-at? in "[["))
         (end (if array? "]]" "]")))
    (%toml-skip! in (if array? 2 1))
    (%toml-skip-blanks! in)
    (let* ((start (vector-ref in 1)) (keys (%toml-keys in)))
      (unless (%toml-at? in end)
        (%toml-fail in (string "'" end "'")))
      (%toml-skip! in (string-length end))
      (let loop ((node root) (keys keys))
        (cond ((pair? (cdr keys))
               (loop (%toml-step in start node (car keys)) (cdr keys)))
              (array? (%toml-array-element in start node (car keys)))
              (else (%toml-header-table in start node (car keys))))))))

(define (%toml-step in start node key)
  "The node of a table on the way to that of a header."
  (let ((child (%toml-child node key)))
    (cond ((%toml-defined? node key)
           (%toml-fail-at in start (string "the key " key
                                           " has a value already")))
          ((not child) (%toml-new-child! node key 'implicit))
          ((eq? (%toml-node-kind child) 'array) (vector-ref child 2))
          (else child))))

(define (%toml-header-table in start node key)
  "The node of the table of a header, which is new or implicit."
  (let ((child (%toml-child node key)))
    (cond ((%toml-defined? node key)
           (%toml-fail-at in start (string "the key " key
                                           " has a value already")))
          ((not child) (%toml-new-child! node key 'header))
          ((eq? (%toml-node-kind child) 'implicit)
           (vector-set! child 0 'header)
           child)
          (else
           (%toml-fail-at in start (string "the table " key
                                           " is defined already"))))))

(define (%toml-array-element in start node key)
  "The node of a new table at the end of an array of tables."
  (let* ((old (%toml-child node key))
         (element (%toml-node 'header (make-hash-table)))
         (array (or old (vector 'array '() #f))))
    (when (or (%toml-defined? node key)
              (and old (not (eq? (%toml-node-kind old) 'array))))
      (%toml-fail-at in start (string "the key " key
                                      " is not an array of tables")))
    (unless old
      (hash-set! (%toml-node-table node) key '())
      (%toml-add-child! node key array)
      (vector-set! in 4 (cons (list array (%toml-node-table node) key)
                              (vector-ref in 4))))
    (vector-set! array 1 (cons (%toml-node-table element)
                               (%toml-node-table array)))
    (vector-set! array 2 element)
    element))

(define (%toml-pair in node)
  "Read key = value into the table of a node."
  (let* ((start (vector-ref in 1)) (keys (%toml-keys in)))
    (unless (eqv? (%toml-peek in) #\=)
      (%toml-fail in "'=' after a key"))
    (%toml-skip! in 1)
    (%toml-skip-blanks! in)
    (let loop ((node node) (keys keys))
      (if (pair? (cdr keys))
          (loop (%toml-dotted-step in start node (car keys)) (cdr keys))
          (begin
            (when (hash-has-key? (%toml-node-table node) (car keys))
              (%toml-fail-at in start
                             (string "the key " (car keys)
                                     " has a value already")))
            (hash-set! (%toml-node-table node) (car keys)
                       (%toml-value in)))))))

(define (%toml-dotted-step in start node key)
  "The node of a table that a dotted key names: it has no header of its own."
  (let ((child (%toml-child node key)))
    (cond ((%toml-defined? node key)
           (%toml-fail-at in start (string "the key " key
                                           " has a value already")))
          ((not child) (%toml-new-child! node key 'dotted))
          ((memq (%toml-node-kind child) '(implicit dotted))
           (vector-set! child 0 'dotted)
           child)
          (else
           (%toml-fail-at in start (string "the table " key
                                           " is defined elsewhere"))))))

;; Keys.

(define (%toml-keys in)
  "The keys with points between them, and the blanks after them."
  (let loop ((keys '()))
    (let ((keys (cons (%toml-key in) keys)))
      (%toml-skip-blanks! in)
      (if (eqv? (%toml-peek in) #\.)
          (begin
            (%toml-skip! in 1)
            (%toml-skip-blanks! in)
            (loop keys))
          (reverse keys)))))

(define (%toml-key in)
  "A key: letters, digits, _ and -, or a string on one line."
  (case (%toml-peek in)
    ((#\") (%toml-skip! in 1) (%toml-basic-string in))
    ((#\') (%toml-skip! in 1) (%toml-literal-string in))
    (else
     (let* ((start (vector-ref in 1))
            (end (%toml-token-end in %toml-key-char?)))
       (when (= start end)
         (%toml-fail in "a key"))
       (vector-set! in 1 end)
       (substring (vector-ref in 0) start end)))))

(define (%toml-token-end in inside?)
  "The index of the next character for which a test is false."
  (let ((text (vector-ref in 0)))
    (let loop ((k (vector-ref in 1)))
      (if (and (< k (string-length text)) (inside? (string-ref text k)))
          (loop (+ k 1))
          k))))

(define (%toml-key-char? c)
  (or (char<=? #\a c #\z) (char<=? #\A c #\Z) (char<=? #\0 c #\9)
      (memv c '(#\_ #\-))))

;; Values.

(define (%toml-value in)
  "The value that begins here."
  (case (%toml-peek in)
    ((#\") (if (%toml-at? in "\"\"\"")
               (%toml-long-string in "\"\"\"" #t)
               (begin (%toml-skip! in 1) (%toml-basic-string in))))
    ((#\') (if (%toml-at? in "'''")
               (%toml-long-string in "'''" #f)
               (begin (%toml-skip! in 1) (%toml-literal-string in))))
    ((#\[) (%toml-inside in %toml-array))
    ((#\{) (%toml-inside in %toml-inline-table))
    (else (%toml-word in))))

(define (%toml-inside in read)
  "What stands in brackets, the first of which is the next character."
  (let ((depth (+ (vector-ref in 3) 1)))
    (when (> depth %deepest-toml)
      (%toml-fail in (string "at most " %deepest-toml " nested brackets")))
    (vector-set! in 3 depth)
    (%toml-skip! in 1)
    (let ((value (read in)))
      (vector-set! in 3 (- depth 1))
      value)))

(define (%toml-array in)
  "The elements up to ], as a list."
  (let loop ((items '()))
    (%toml-skip-lines! in)
    (if (eqv? (%toml-peek in) #\])
        (begin (%toml-skip! in 1) (reverse items))
        (let ((items (cons (%toml-value in) items)))
          (%toml-skip-lines! in)
          (case (%toml-peek in)
            ((#\,) (%toml-skip! in 1) (loop items))
            ((#\]) (%toml-skip! in 1) (reverse items))
            (else (%toml-fail in "',' or ']'")))))))

(define (%toml-inline-table in)
  "The table up to }, on one line."
  (let ((node (%toml-node 'inline (make-hash-table))))
    (%toml-skip-blanks! in)
    (if (eqv? (%toml-peek in) #\})
        (%toml-skip! in 1)
        (let loop ()
          (%toml-skip-blanks! in)
          (%toml-pair in node)
          (%toml-skip-blanks! in)
          (case (%toml-peek in)
            ((#\,) (%toml-skip! in 1) (loop))
            ((#\}) (%toml-skip! in 1))
            (else (%toml-fail in "',' or '}'")))))
    (%toml-node-table node)))

(define (%toml-word in)
  "true, false, a number, a date or a time."
  (let* ((start (vector-ref in 1))
         (text (vector-ref in 0))
         (end (%toml-word-end in start))
         (word (substring text start end))
         (value (%toml-word-value word)))
    (when (= start end)
      (%toml-fail in "a value"))
    (unless value
      (%toml-fail-at in start (string "'" (%toml-short word)
                                      "' is not a value")))
    (vector-set! in 1 end)
    (vector-ref value 0)))

(define (%toml-short word)
  (if (> (string-length word) 40)
      (string-append (substring word 0 40) "...")
      word))

(define (%toml-word-end in start)
  "The end of a word; a space may stand between a date and a time."
  (let* ((text (vector-ref in 0))
         (end (%toml-token-end in %toml-word-char?)))
    (if (and (= (- end start) 10)
             (< (+ end 1) (string-length text))
             (char=? (string-ref text end) #\space)
             (char<=? #\0 (string-ref text (+ end 1)) #\9)
             (%toml-date (substring text start end)))
        (begin
          (vector-set! in 1 (+ end 1))
          (let ((end (%toml-token-end in %toml-word-char?)))
            (vector-set! in 1 start)
            end))
        end)))

(define (%toml-word-char? c)
  (or (%toml-key-char? c) (memv c '(#\+ #\. #\:))))

(define (%toml-word-value word)
  "The value in a vector, or #f if it is not one."
  (cond ((string=? word "true") (vector #t))
        ((string=? word "false") (vector #f))
        (else
         (let ((value (or (%toml-number word) (%toml-time-stamp word))))
           (and value (vector value))))))

;; Numbers.

(define (%toml-number word)
  "The number of a word, or #f."
  (let* ((n (string-length word))
         (sign (and (> n 0) (memv (string-ref word 0) '(#\+ #\-))
                    (string-ref word 0)))
         (start (if sign 1 0))
         (rest (substring word start)))
    (cond ((string=? rest "inf") (if (eqv? sign #\-) -inf.0 +inf.0))
          ((string=? rest "nan") +nan.0)
          ((and (not sign) (> n 2) (char=? (string-ref word 0) #\0)
                (assv (string-ref word 1) '((#\x . 16) (#\o . 8) (#\b . 2))))
           => (lambda (entry) (%toml-radix-number word (cdr entry))))
          (else (%toml-decimal word start)))))

(define (%toml-radix-number word radix)
  "The integer of 0x..., 0o... or 0b..., or #f."
  (let ((end (%toml-digits-end word 2 radix)))
    (and (eqv? end (string-length word))
         (string->number (%toml-without-lines (substring word 2)) radix))))

(define (%toml-without-lines digits)
  "Digits without _."
  (if (string-index digits #\_) (string-replace digits "_" "") digits))

(define (%toml-digits-end word start radix)
  "The end of digits with single _ between them; #f if there are none."
  (let loop ((k start) (digit? #f))
    (let ((c (and (< k (string-length word)) (string-ref word k))))
      (cond ((and c (%toml-digit? c radix)) (loop (+ k 1) #t))
            ((and c (char=? c #\_) digit? (< (+ k 1) (string-length word))
                  (%toml-digit? (string-ref word (+ k 1)) radix))
             (loop (+ k 1) #f))
            (else (and digit? k))))))

(define (%toml-digit? c radix)
  (let ((value (cond ((char<=? #\0 c #\9) (- (char->integer c) 48))
                     ((char<=? #\a c #\f) (- (char->integer c) 87))
                     ((char<=? #\A c #\F) (- (char->integer c) 55))
                     (else 99))))
    (< value radix)))

(define (%toml-decimal word start)
  "The integer or float whose digits begin at an index, or #f."
  (let* ((n (string-length word))
         (whole (%toml-digits-end word start 10))
         (point (and whole (< whole n) (char=? (string-ref word whole) #\.)
                     whole))
         (fraction (if point (%toml-digits-end word (+ point 1) 10) whole))
         (power (and fraction (< fraction n)
                     (memv (string-ref word fraction) '(#\e #\E))
                     fraction))
         (digits (and power
                      (if (and (< (+ power 1) n)
                               (memv (string-ref word (+ power 1))
                                     '(#\+ #\-)))
                          (+ power 2)
                          (+ power 1))))
         (end (if power (%toml-digits-end word digits 10) fraction)))
    (and (eqv? end n)
         (or (= (- whole start) 1)
             (not (char=? (string-ref word start) #\0)))
         (let ((number (string->number (%toml-without-lines word))))
           (and number
                (if (or point power) (inexact number) number))))))

;; Dates and times.

(define (%toml-time-stamp word)
  "A date, a time or both, in the form of RFC 3339, or #f."
  (let ((n (string-length word)))
    (cond ((< n 8) #f)
          ((char=? (string-ref word 2) #\:) (%toml-time word))
          ((= n 10) (%toml-date word))
          ((< n 19) #f)
          (else
           (let ((date (%toml-date (substring word 0 10)))
                 (time (%toml-offset-time (substring word 11))))
             (and date time (memv (string-ref word 10) '(#\T #\t #\space))
                  (string-append date "T" time)))))))

(define (%toml-number-at word start end)
  "The number of the digits between indices, or #f."
  (and (<= end (string-length word))
       (let loop ((k start) (n 0))
         (cond ((= k end) n)
               ((char<=? #\0 (string-ref word k) #\9)
                (loop (+ k 1)
                      (+ (* 10 n) (- (char->integer (string-ref word k)) 48))))
               (else #f)))))

(define (%toml-date word)
  "A date of the form year-month-day that there is, or #f."
  (let ((year (%toml-number-at word 0 4))
        (month (%toml-number-at word 5 7))
        (day (%toml-number-at word 8 10)))
    (and year month day
         (char=? (string-ref word 4) (string-ref word 7) #\-)
         (> year 0)
         (<= 1 month 12)
         (<= 1 day (%toml-days-in year month))
         word)))

(define (%toml-days-in year month)
  "How many days a month has."
  (cond ((memv month '(4 6 9 11)) 30)
        ((not (= month 2)) 31)
        ((and (= (remainder year 4) 0)
              (or (not (= (remainder year 100) 0)) (= (remainder year 400) 0)))
         29)
        (else 28)))

(define (%toml-time word)
  "A time of the form 07:32:00 or 07:32:00.999, or #f."
  (let ((n (string-length word))
        (hour (%toml-number-at word 0 2))
        (minute (%toml-number-at word 3 5))
        (second (%toml-number-at word 6 8)))
    (and hour minute second
         (char=? (string-ref word 2) (string-ref word 5) #\:)
         (< hour 24) (< minute 60) (< second 60)
         (or (= n 8)
             (and (> n 9) (char=? (string-ref word 8) #\.)
                  (%toml-number-at word 9 n)))
         word)))

(define (%toml-offset-time word)
  "A time that may have an offset, Z or +hours:minutes, or #f."
  (let* ((n (string-length word))
         (k (string-index word (lambda (c) (memv c '(#\Z #\z #\+ #\-)))))
         (time (%toml-time (substring word 0 (or k n)))))
    (cond ((not (and time k)) time)
          ((memv (string-ref word k) '(#\Z #\z))
           (and (= (+ k 1) n) (string-append time "Z")))
          (else
           (let ((hours (%toml-number-at word (+ k 1) (+ k 3)))
                 (minutes (%toml-number-at word (+ k 4) (+ k 6))))
             (and hours minutes (= n (+ k 6))
                  (char=? (string-ref word (+ k 3)) #\:)
                  (< hours 24) (< minutes 60)
                  word))))))

;; Strings.

(define (%toml-basic-string in)
  "The string up to the next \", with escapes, on one line."
  (let loop ((parts '()))
    (let* ((start (vector-ref in 1))
           (end (%toml-token-end in %toml-basic-char?))
           (parts (cons (substring (vector-ref in 0) start end) parts)))
      (vector-set! in 1 end)
      (case (%toml-peek in)
        ((#\") (%toml-skip! in 1) (%toml-joined parts))
        ((#\\) (%toml-skip! in 1) (loop (cons (%toml-escape in) parts)))
        (else (%toml-fail in "'\"' at the end of a string"))))))

(define (%toml-basic-char? c)
  (not (or (char=? c #\") (char=? c #\\) (%toml-control? c))))

(define (%toml-joined parts)
  (string-join (reverse parts) ""))

(define (%toml-literal-string in)
  "The string up to the next ', on one line."
  (let* ((start (vector-ref in 1))
         (end (%toml-token-end
               in (lambda (c) (not (or (char=? c #\') (%toml-control? c)))))))
    (vector-set! in 1 end)
    (unless (eqv? (%toml-peek in) #\')
      (%toml-fail in "\"'\" at the end of a string"))
    (%toml-skip! in 1)
    (substring (vector-ref in 0) start end)))

(define (%toml-long-string in quotes escapes?)
  "The string between two times three quotes, over any lines.  A new line at its
  start is left out.  One or two quotes before those that end it belong to it."
  (%toml-skip! in 3)
  (when (eqv? (%toml-peek in) #\newline)
    (%toml-skip! in 1))
  (let* ((mark (string-ref quotes 0))
         (inside? (lambda (c)
                    (not (or (char=? c mark)
                             (and escapes? (char=? c #\\))
                             (and (%toml-control? c)
                                  (not (char=? c #\newline))))))))
    (let loop ((parts '()))
      (let* ((start (vector-ref in 1))
             (end (%toml-token-end in inside?))
             (parts (cons (substring (vector-ref in 0) start end) parts)))
        (vector-set! in 1 end)
        (let ((c (%toml-peek in)))
          (cond ((and c (char=? c mark))
                 (let ((count (%toml-quotes-here in mark)))
                   (%toml-skip! in count)
                   (if (< count 3)
                       (loop (cons (make-string count mark) parts))
                       (%toml-joined (cons (make-string (- count 3) mark)
                                           parts)))))
                ((and escapes? (eqv? c #\\))
                 (%toml-skip! in 1)
                 (loop (cons (if (%toml-skip-line-end! in)
                                 ""
                                 (%toml-escape in))
                             parts)))
                (else
                 (%toml-fail in (string quotes " at the end of a string")))))))))

(define (%toml-quotes-here in mark)
  "How many quotes are next, but at most five."
  (let* ((text (vector-ref in 0)) (start (vector-ref in 1))
         (most (min (string-length text) (+ start 5))))
    (let loop ((k start))
      (if (and (< k most) (char=? (string-ref text k) mark))
          (loop (+ k 1))
          (- k start)))))

(define (%toml-skip-line-end! in)
  "Skip white space and new lines after a \\, if the line ends there."
  (let ((start (vector-ref in 1)))
    (%toml-skip-blanks! in)
    (cond ((eqv? (%toml-peek in) #\newline)
           (%toml-skip-white! in)
           #t)
          (else (vector-set! in 1 start) #f))))

(define (%toml-skip-white! in)
  (vector-set! in 1 (%toml-token-end
                     in (lambda (c) (memv c '(#\space #\tab #\newline))))))

(define (%toml-escape in)
  "The text of the escape after a \\."
  (let* ((c (%toml-peek in))
         (simple (assv c '((#\b . #\backspace) (#\t . #\tab) (#\n . #\newline)
                           (#\f . #\page) (#\r . #\return) (#\" . #\")
                           (#\\ . #\\)))))
    (cond (simple (%toml-skip! in 1) (string (cdr simple)))
          ((eqv? c #\u) (%toml-code-point in 4))
          ((eqv? c #\U) (%toml-code-point in 8))
          (else (%toml-fail in "a letter of an escape")))))

(define (%toml-code-point in count)
  "The character of hexadecimal digits after u or U."
  (let* ((text (vector-ref in 0))
         (start (+ (vector-ref in 1) 1))
         (end (min (+ start count) (string-length text)))
         (digits (substring text start end))
         (code (and (= (string-length digits) count)
                    (string-every (lambda (c) (%toml-digit? c 16)) digits)
                    (string->number digits 16))))
    (unless (and code (or (< code #xd800) (< #xdfff code #x110000)))
      (%toml-fail-at in (- start 2)
                     (string "expected " count
                             " hexadecimal digits of a character")))
    (vector-set! in 1 end)
    (string (integer->char code))))
