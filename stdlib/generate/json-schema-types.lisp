;; json-schema-types.lisp - the values of each type that a schema allows, as
;; expressions of a grammar.

(define (%schema-bound schema key path)
  "The value of a keyword that is a non-negative integer, or #f."
  (let ((x (hash-ref schema key #f)))
    (if (or (not x) (%size? x 0))
        x
        (%schema-error path
                       (string "expected a non-negative integer for " key
                               ", got")
                       x))))

(define (%schema-string rules schema path)
  "Strings of a length, of a pattern or of a format."
  (let ((least (or (%schema-bound schema "minLength" path) 0))
        (most (%schema-bound schema "maxLength" path)))
    (when (and most (< most least))
      (%schema-error path "maxLength is less than minLength"))
    (cond ((pair? (%schema-patterns schema path))
           (let ((p (%new-patterns)))
             (%string-pattern-expression rules p (%string-texts p schema path)
                                         path)))
          ((and (= least 0) (not most)) 'string)
          (else (list 'seq "\"" (list 'repeat 'character least most) "\"")))))

(define (%schema-patterns schema path)
  "The patterns of a schema, those of its formats included."
  (define (texts key)
    (let ((value (hash-ref schema key #f)))
      (cond ((not value) '())
            ((and (list? value) (every string? value)) value)
            ((string? value) (list value))
            (else (%schema-error path (string "expected a string for " key
                                              ", got")
                                 value)))))
  (append (texts "pattern")
          (filter-map (lambda (format) (%format-pattern format path))
                      (texts "format"))))

(define (%string-texts p schema path)
  "The expression of the texts that patterns, formats and lengths allow."
  (let ((least (or (%schema-bound schema "minLength" path) 0))
        (most (%schema-bound schema "maxLength" path)))
    (apply %p-and p
           (if (or most (> least 0))
               (%p-repeat p (%p-any p) least most)
               (%p-all p))
           (map (lambda (text) (%read-pattern p text path))
                (%schema-patterns schema path)))))

(define (%value-fits? schema value path)
  "Whether the keywords of numbers, strings and lists allow a value."
  (define (within? size low high)
    (let ((least (hash-ref schema low #f)) (most (hash-ref schema high #f)))
      (and (or (not least) (>= size least)) (or (not most) (<= size most)))))
  (cond ((not (any (lambda (key) (hash-has-key? schema key))
                   (append '("minItems" "maxItems") %string-keywords
                           %number-keywords)))
         #t)
        ((string? value)
         (let ((p (%new-patterns)))
           (%text-matches? p (%string-texts p schema path) value)))
        ((number? value)
         (let ((x (%exact-decimal value))
               (low (%number-bound schema "minimum" "exclusiveMinimum" path))
               (high (%number-bound schema "maximum" "exclusiveMaximum" path))
               (step (hash-ref schema "multipleOf" #f)))
           (and (or (not low) ((if (cdr low) > >=) x (car low)))
                (or (not high) ((if (cdr high) < <=) x (car high)))
                (or (not step) (integer? (/ x (%exact-decimal step)))))))
        ((list? value) (within? (length value) "minItems" "maxItems"))
        (else #t)))

;; Arrays.

(define (%schema-array rules schema path known)
  "Arrays: prefixItems, and then items."
  (%check-keywords schema path known)
  (let* ((first (if (hash-has-key? schema "prefixItems")
                    (%schema-list schema "prefixItems" path)
                    '()))
         (items (hash-ref schema "items" #t))
         (least (or (%schema-bound schema "minItems" path) 0))
         (most (%schema-bound schema "maxItems" path))
         (most (if items most (min (length first) (or most (length first)))))
         (first (map (lambda (one k)
                       (%schema-rule! rules one
                                      (%path-of (%path-of path "prefixItems")
                                                k)))
                     first (iota (length first))))
         (item (and items
                    (%schema-rule! rules items (%path-of path "items")))))
    (when (and most (< most least))
      (%schema-error path "maxItems is less than minItems"))
    (list 'seq "[" 'space (%array-items first item least most 0) "]")))

(define (%array-items first item least most done)
  "The items after those that are done: first ones, then any number."
  (define (entry rule)
    (append (if (= done 0) '(seq) '(seq "," space)) (list rule 'space)))
  (define (unless-needed expression)
    (if (< done least) expression (list '? expression)))
  (cond ((and most (>= done most)) '(seq))
        ((pair? first)
         (unless-needed
          (list 'seq (entry (car first))
                (%array-items (cdr first) item least most (+ done 1)))))
        ((= done 0)
         (unless-needed
          (list 'seq (entry item) (%array-items first item least most 1))))
        (else
         (list 'repeat (entry item) (max 0 (- least done))
               (and most (- most done))))))

;; Objects.

(define (%schema-object rules schema path known)
  "Objects with the members of properties, in this order."
  (%check-keywords schema path known)
  (let* ((properties (%schema-properties schema path))
         (required (%schema-required schema properties path))
         (others (%other-member-expression rules schema path properties))
         (listed (filter cdr                                   ; false: never
                         (if (%names-members? schema)
                             (%with-pattern-members schema path properties rules)
                             (hash->list properties)))))
    (let-values (((least most)
                  (%schema-member-counts schema (length listed)
                                         (length required) path)))
      (list 'seq "{" 'space
            (if (null? listed)
                (%counted-members others least most path)
                (%object-members!
                 rules path
                 (map (lambda (entry)
                        (cons (%member-rule! rules path (car entry) (cdr entry))
                              (and (member (car entry) required) #t)))
                      listed)
                 others))
            "}"))))

(define (%counted-members others least most path)
  "From least to most members, none of which is listed."
  (cond ((or (not others) (eqv? most 0))
         (when (> least 0) (%schema-error path "no member is allowed"))
         '(seq))
        (else
         (let ((all (list 'seq others
                          (list 'repeat (list 'seq "," 'space others)
                                (max 0 (- least 1)) (and most (- most 1))))))
           (if (= least 0) (list '? all) all)))))

(define (%schema-properties schema path)
  "The properties, a hash table."
  (let ((properties (hash-ref schema "properties" #f)))
    (cond ((hash-table? properties) properties)
          ((not (hash-has-key? schema "properties")) (make-hash-table))
          ((null? properties) (make-hash-table))     ; of an alist
          (else (%schema-error path "expected an object for properties, got"
                               properties)))))

(define (%schema-required schema properties path)
  "The names of the members that must be there."
  (let ((required (hash-ref schema "required" '())))
    (unless (and (list? required) (every string? required))
      (%schema-error path "expected a list of strings for required, got"
                     required))
    (for-each (lambda (name)
                (unless (hash-ref properties name #f)
                  (%schema-error path
                                 (if (hash-has-key? properties name)
                                     "required names a property that is false:"
                                     "required names a property that is not \
listed:")
                                 name)))
              required)
    required))

(define (%other-members schema properties)
  "The schema of the members that are not listed, or #f."
  (hash-ref schema "additionalProperties" (= 0 (hash-size properties))))

(define (%member-rule! rules path name schema)
  "The rule of a member that properties lists."
  (let ((at (%path-of (%path-of path "properties") name)))
    (%add-schema-rule!
     rules (string->symbol (string at " member"))
     (%member-expression (%count-schema-text! rules (json->string name))
                         (%schema-rule! rules schema at)))))

(define (%member-expression key value)
  (list 'seq key 'space ":" 'space value 'space))

(define (%object-members! rules path members others)
  "The expression of the members, pairs of a rule and whether it is required;
  then any number of others, if there are any.  For each member two rules say
  what may come from it on: first, if none came before it, and rest."
  (define (rule! k which expression)
    (%add-schema-rule! rules (string->symbol (string path " " which " " k))
                       expression))
  (define (from member next skipped)
    (if (cdr member) next (list 'or next skipped)))
  (let loop ((left (reverse members)) (k (length members))
             (first (if others (list '? (%separated others)) '(seq)))
             (rest (if others (list '* "," 'space others) '(seq))))
    (if (null? left)
        first
        (let ((member (car left)) (follow (rule! k "rest" rest)))
          (loop (cdr left) (- k 1)
                (from member (list 'seq (car member) follow)
                      (rule! k "first" first))
                (from member (list 'seq "," 'space (car member) follow)
                      follow))))))

;; Names that properties does not list.  They are written with the shortest
;; escapes only, so each name has one text, and what is not listed is found
;; letter by letter:
;;
;;     not "ab"  =>  "\"" (or "\"" (seq other-than-a ...)
;;                            (seq "a" (or "\"" (seq other-than-b ...)
;;                                         (seq "b" name-character ...))))

(define %short-escapes
  '((#\" . "\"") (#\\ . "\\") (#\backspace . "b") (#\x0C . "f")
    (#\newline . "n") (#\return . "r") (#\tab . "t")))

(define %member-name-rules
  '((name-rest (* (or plain-character beyond-ascii (seq "\\" short-escape)))
               "\"")
    (plain-character (one-of (#\space #\!) (#\# #\[) (#\] #\~)))
    (beyond-ascii (one-of (#\x80 #\x10ffff)))
    (short-escape (one-of "\"\\bfnrt"))))

(define (%other-name rules names)
  "The expression of the names of members that are not listed."
  (if (null? names)
      'string
      (list 'seq "\""
            (%name-except rules
                          (map (lambda (name)
                                 (string->list (%count-schema-text! rules name)))
                               names)))))

(define (%name-except rules names)
  "The expression of the rest of a name, up to its quotes, that is none of those,
  lists of characters."
  (let* ((groups (make-hash-table))
         (ended (any null? names)))
    (for-each (lambda (name)
                (when (pair? name)
                  (hash-update! groups (car name)
                                (lambda (rests) (cons (cdr name) rests)) '())))
              names)
    (append
     '(or)
     (if ended '() '("\""))
     (list (list 'seq (%other-character! rules (hash-keys groups)) 'name-rest))
     (filter-map (lambda (entry)
                   (let ((text (%name-character-text (car entry))))
                     (and text (list 'seq text (%name-except rules (cdr entry))))))
                 (hash->list groups)))))

(define (%name-character-text c)
  "How a character is written in a name; #f if it cannot be."
  (cond ((assv c %short-escapes)
         => (lambda (entry) (string "\\" (cdr entry))))
        ((or (char<? c #\space) (eqv? c #\delete)) #f)
        (else (string c))))

(define (%other-character! rules characters)
  "The rule of one character of a name that is none of those."
  (let ((name (string->symbol (string "other than "
                                      (list->string characters)))))
    (unless (hash-has-key? (%schema-rules-names rules) name)
      (hash-set! (%schema-rules-names rules) name name)
      (%add-schema-rule! rules name (%character-except characters)))
    name))

(define (%character-except characters)
  "The expression of one character of a name that is none of those."
  (let* ((beyond (filter (lambda (c) (char>? c #\delete)) characters))
         (plain (filter (lambda (c) (and (char<=? #\space c #\~)
                                         (not (assv c %short-escapes))))
                        characters))
         (escapes (filter (lambda (entry) (not (memv (car entry) characters)))
                          %short-escapes)))
    (append
     (list 'or
           (if (null? plain)
               'plain-character
               (list 'none-of "\"\\" (list #\x0 #\x1f)
                     (list #\delete #\x10ffff) (list->string plain)))
           (if (null? beyond)
               'beyond-ascii
               (list 'none-of (list #\x0 #\delete) (list->string beyond))))
     (if (null? escapes)
         '()
         (list (list 'seq "\\"
                     (list 'one-of
                           (string-concatenate (map cdr escapes)))))))))

;; Integers between bounds: decimal texts, compared digit by digit.

(define (%schema-integer rules schema path)
  "Integers between the bounds, each of which may be absent."
  (define (inward bound round step)
    (and bound
         (let ((x (round (car bound))))
           (if (and (cdr bound) (= x (car bound))) (+ x step) x))))
  (let ((low (inward (%number-bound schema "minimum" "exclusiveMinimum" path)
                     ceiling 1))
        (high (inward (%number-bound schema "maximum" "exclusiveMaximum" path)
                      floor -1)))
    (when (and low high (> low high))
      (%schema-error path "maximum is less than minimum"))
    (cond ((hash-has-key? schema "multipleOf")
           (%schema-decimal rules schema path #t))
          ((or low high) (%integer-range low high))
          (else 'integer))))

(define (%integer-range low high)
  "The texts of the integers from low to high, #f for no bound."
  (let ((positive (if (and high (< high 0))
                      '()
                      (%natural-range (max 0 (or low 0)) high)))
        (negative (if (and low (>= low 0))
                      '()
                      (map (lambda (e) (list 'seq "-" e))
                           (%natural-range (max 1 (if high (- high) 1))
                                           (and low (- low)))))))
    (cons 'or (append positive negative))))

(define (%natural-range low high)
  "Expressions of the integers from low to high, both not negative: those that
  are as long as low, those that are as long as high, and all between."
  (let* ((length-of (lambda (n) (string-length (number->string n))))
         (least (lambda (size) (expt 10 (- size 1))))
         (same (lambda (low high)
                 (%same-size-range (%digits-of low) (%digits-of high))))
         (size (length-of low))
         (last-size (and high (length-of high))))
    (cond ((and high (> low high)) '())
          ((and (not high) (= low (least size)))
           (list (%digits-from size #f)))
          ((eqv? size last-size) (list (same low high)))
          (else
            (append (list (same low (- (expt 10 size) 1)))
                    (if (and high (= (+ size 1) last-size))
                        '()
                        (list (%digits-from (+ size 1)
                                            (and high (- last-size 1)))))
                    (if high
                        (list (same (least last-size) high))
                        '()))))))

(define (%digits-of n)
  "The digits of an integer as a list."
  (map (lambda (c) (- (char->integer c) 48))
       (string->list (number->string n))))

(define (%digits-from size last-size)
  "Numbers of so many digits, to last-size or any number of them, without a zero
  in front."
  (list 'seq '(one-of (#\1 #\9))
        (list 'repeat 'digit (- size 1) (and last-size (- last-size 1)))))

(define (%same-size-range low high)
  "The texts of digits from low to high, two lists of one length."
  (let ((a (car low)) (b (car high)))
    (if (null? (cdr low))
        (%digit-range a b)
        (let ((zeros (map (lambda (d) 0) (cdr low)))
              (nines (map (lambda (d) 9) (cdr low))))
          (define (under a b low high)
            (list 'seq (%digit-range a b) (%same-size-range low high)))
          (cond ((= a b) (under a a (cdr low) (cdr high)))
                ((not (equal? (cdr low) zeros))
                 (list 'or (under a a (cdr low) nines)
                       (%same-size-range (cons (+ a 1) zeros) high)))
                ((not (equal? (cdr high) nines))
                 (list 'or
                       (%same-size-range low (cons (- b 1) nines))
                       (under b b zeros (cdr high))))
                (else
                  (let ((rest (length zeros)))
                    (list 'seq (%digit-range a b)
                          (list 'repeat 'digit rest rest)))))))))

(define (%digit-range a b)
  "One digit from a to b."
  (list 'one-of (list (integer->char (+ 48 a)) (integer->char (+ 48 b)))))
