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

(define (%schema-string schema path)
  "Strings of a length."
  (let ((least (or (%schema-bound schema "minLength" path) 0))
        (most (%schema-bound schema "maxLength" path)))
    (when (and most (< most least))
      (%schema-error path "maxLength is less than minLength"))
    (if (and (= least 0) (not most))
        'string
        (list 'seq "\"" (list 'repeat 'character least most) "\""))))

;; Arrays.

(define (%schema-array rules schema path)
  "Arrays: prefixItems, and then items."
  (%check-keywords schema path
                   '("type" "items" "prefixItems" "minItems" "maxItems"))
  (let* ((first (hash-ref schema "prefixItems" '()))
         (items (hash-ref schema "items" #t))
         (least (or (%schema-bound schema "minItems" path) 0))
         (most (%schema-bound schema "maxItems" path))
         (most (if items most (min (length first) (or most (length first)))))
         (first (map (lambda (one k)
                       (%schema-rule! rules one
                                      (string path "/prefixItems/" k)))
                     first (iota (length first))))
         (item (and items
                    (%schema-rule! rules items (string path "/items")))))
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

(define (%schema-object rules schema path)
  "Objects with the members of properties, in this order."
  (%check-keywords schema path
                   '("type" "properties" "required" "additionalProperties"))
  (let* ((properties (hash-ref schema "properties" (make-hash-table)))
         (required (hash-ref schema "required" '()))
         (others (hash-ref schema "additionalProperties"
                           (= 0 (%table-size properties path)))))
    (for-each (lambda (name)
                (unless (hash-has-key? properties name)
                  (%schema-error path
                                 "required names a property that is not listed:"
                                 name)))
              required)
    (list 'seq "{" 'space
          (%object-members
           (map (lambda (entry)
                  (cons (%member-expression
                         (json->string (car entry))
                         (%schema-rule! rules (cdr entry)
                                        (string path "/properties/"
                                                (car entry))))
                        (and (member (car entry) required) #t)))
                (hash->list properties))
           (and others
                (%member-expression
                 'string
                 (%schema-rule! rules others
                                (string path "/additionalProperties"))))
           #t)
          "}")))

(define (%table-size properties path)
  "The number of the properties, which are an object."
  (if (hash-table? properties)
      (hash-size properties)
      (%schema-error path "expected an object for properties, got"
                     properties)))

(define (%member-expression key value)
  (list 'seq key 'space ":" 'space value 'space))

(define (%object-members members others first)
  "The members, pairs of an expression and whether it is required; then any
  number of others, if they are allowed.  first: no member came before."
  (define (with-comma expression)
    (if first expression (list 'seq "," 'space expression)))
  (cond ((pair? members)
         (let ((member (list 'seq (with-comma (caar members))
                             (%object-members (cdr members) others #f))))
           (if (cdar members)
               member
               (list 'or member
                     (%object-members (cdr members) others first)))))
        ((not others) '(seq))
        (first (list '? (%separated others)))
        (else (list '* "," 'space others))))

;; Integers between bounds: decimal texts, compared digit by digit.

(define (%schema-integer schema path)
  "Integers between the bounds, each of which may be absent."
  (define (bound key exclusive step)
    (let ((x (hash-ref schema key #f)) (other (hash-ref schema exclusive #f)))
      (for-each (lambda (x)
                  (unless (or (not x) (exact-integer? x))
                    (%schema-error path (string "expected an integer for " key
                                                ", got") x)))
                (list x other))
      (cond ((and x other)
             (%schema-error path (string key " and " exclusive " are both "
                                         "given")))
            (other (+ other step))
            (else x))))
  (let ((low (bound "minimum" "exclusiveMinimum" 1))
        (high (bound "maximum" "exclusiveMaximum" -1)))
    (when (and low high (> low high))
      (%schema-error path "maximum is less than minimum"))
    (if (or low high) (%integer-range low high) 'integer)))

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
  "Expressions of the integers from low to high, both not negative."
  (let loop ((low low) (done '()))
    (let* ((size (string-length (number->string low)))
           (most (- (expt 10 size) 1)))
      (cond ((and high (> low high)) (reverse done))
            ((and (not high) (= low (expt 10 (- size 1))))
             (reverse (cons (%digits-from size) done)))
            (else
             (loop (+ most 1)
                   (cons (%same-size-range
                          (%digits-of low) (%digits-of (if high
                                                           (min most high)
                                                           most)))
                         done)))))))

(define (%digits-of n)
  "The digits of an integer as a list."
  (map (lambda (c) (- (char->integer c) 48))
       (string->list (number->string n))))

(define (%digits-from size)
  "Numbers of that many digits or more, without a zero in front."
  (list 'seq '(one-of (#\1 #\9)) (list 'repeat 'digit (- size 1) #f)))

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
                (else (under a b zeros nines)))))))

(define (%digit-range a b)
  "One digit from a to b."
  (list 'one-of (list (integer->char (+ 48 a)) (integer->char (+ 48 b)))))
