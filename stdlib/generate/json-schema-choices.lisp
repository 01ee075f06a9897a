;; json-schema-choices.lisp - oneOf, whose schemas must exclude each other.
;;
;; A grammar cannot say that a text matches one rule and no other.  So oneOf is
;; taken only where that follows from the schemas: their types differ, or their
;; values, or the values of a member that both have:
;;
;;     {"oneOf": [{"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
;;                {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}]}

(define %most-checks 200000)    ; of one schema
(define %deepest-check 20)

(define (%schema-one-of rules schema path)
  "The expression of exactly one of several schemas."
  (let* ((schemas (%schema-list schema "oneOf" path))
         (numbers (iota (length schemas))))
    (for-each
     (lambda (a j)
       (for-each
        (lambda (b k)
          (when (and (< j k) (not (%exclusive? rules a b path 0)))
            (%schema-error path (string "oneOf needs schemas that exclude each "
                                        "other, and the schemas " j " and " k
                                        " may allow the same value; say anyOf"))))
        schemas numbers))
     schemas numbers)
    (%schema-choice rules schema "oneOf" path)))

(define (%count-check! rules path)
  "Count one comparison of schemas."
  (%set-schema-checks! rules (+ 1 (%schema-checks rules)))
  (when (> (%schema-checks rules) %most-checks)
    (%schema-error path "oneOf has too many schemas to compare")))

(define (%exclusive? rules a b path depth)
  "Whether it is certain that no value is allowed by both schemas."
  (%count-check! rules path)
  (let ((a (%resolved rules a path)) (b (%resolved rules b path)))
    (define (each-of schemas other)
      (every (lambda (one) (%exclusive? rules one other path (+ depth 1)))
             schemas))
    (cond ((> depth %deepest-check) #f)
          ((or (eq? a #f) (eq? b #f)) #t)
          ((not (and (hash-table? a) (hash-table? b))) #f)
          ((%alternatives a) => (lambda (schemas) (each-of schemas b)))
          ((%alternatives b) => (lambda (schemas) (each-of schemas a)))
          ((%listed-values a)
           => (lambda (values) (%none-fits? rules values a b path)))
          ((%listed-values b)
           => (lambda (values) (%none-fits? rules values b a path)))
          (else
           (every (lambda (kind) (%exclusive-in? rules kind a b path depth))
                  (append (%shared-kinds a b) (%shared-kinds b a)))))))

(define (%resolved rules schema path)
  "The schema that references lead to."
  (let loop ((schema schema) (left 100))
    (cond ((not (and (hash-table? schema) (hash-has-key? schema "$ref"))) schema)
          ((= left 0) #t)
          (else
           (loop (%referred rules
                            (%decoded-reference (hash-ref schema "$ref") path)
                            path)
                 (- left 1))))))

(define (%alternatives schema)
  "The schemas of anyOf, oneOf or allOf, or #f."
  (let ((schemas (any (lambda (key) (hash-ref schema key #f))
                      '("anyOf" "oneOf" "allOf"))))
    (and (list? schemas) (pair? schemas) schemas)))

(define (%listed-values schema)
  "The values of const or enum, or #f."
  (cond ((hash-has-key? schema "const") (list (hash-ref schema "const")))
        ((list? (hash-ref schema "enum" #f)) (hash-ref schema "enum"))
        (else #f)))

(define (%none-fits? rules values own other path)
  "Whether no value that its own schema allows is allowed by the other."
  (every (lambda (value)
           (%count-check! rules path)
           (not (and (%may-fit? rules value own path 0)
                     (%may-fit? rules value other path 0))))
         values))

;; Kinds of values: the types, with integers and other numbers apart.

(define (%kinds-of schema)
  "The kinds of values that a schema may allow."
  (let ((type (hash-ref schema "type" %schema-type-names)))
    (append-map (lambda (type)
                  (cond ((equal? type "number") '(integer fraction))
                        ((string? type) (list (string->symbol type)))
                        (else '())))
                (if (list? type) type (list type)))))

(define (%shared-kinds a b)
  "The kinds that the grammar of a writes and b allows."
  (let* ((has? (lambda (key) (hash-has-key? a key)))
         (kinds (cond ((has? "type") (%kinds-of a))
                      ((any has? %object-keywords) '(object))
                      ((any has? %array-keywords) '(array))
                      (else (%kinds-of a)))))
    (filter (lambda (kind) (memq kind (%kinds-of b))) kinds)))

(define (%kind-of-value value)
  "The kind of a JSON value."
  (cond ((string? value) 'string)
        ((boolean? value) 'boolean)
        ((eq? value 'null) 'null)
        ((hash-table? value) 'object)
        ((list? value) 'array)
        ((and (number? value) (integer? value)) 'integer)
        (else 'fraction)))

(define (%has-type? value types)
  "Whether a value has one of the types; #f for any."
  (or (not types)
      (let ((kind (%kind-of-value value)))
        (any (lambda (type)
               (case kind
                 ((integer) (member type '("integer" "number")))
                 ((fraction) (string=? type "number"))
                 (else (string=? type (symbol->string kind)))))
             types))))

(define (%exclusive-in? rules kind a b path depth)
  "Whether it is certain that no value of a kind is allowed by both schemas."
  (case kind
    ((object) (and (%excluded-members? rules a b path depth)
                   (%excluded-members? rules b a path depth)))
    ((array) (%ranges-apart? (%range-of a "minItems" "maxItems")
                             (%range-of b "minItems" "maxItems")))
    ((string) (%ranges-apart? (%range-of a "minLength" "maxLength")
                              (%range-of b "minLength" "maxLength")))
    ((integer) (%ranges-apart? (%range-of a "minimum" "maximum")
                               (%range-of b "minimum" "maximum")))
    (else #f)))

(define (%range-of schema low high)
  "The pair of the bounds that a schema gives, #f for none."
  (let ((bound (lambda (key) (let ((x (hash-ref schema key #f)))
                               (and (real? x) x)))))
    (cons (bound low) (bound high))))

(define (%ranges-apart? a b)
  "Whether one range ends before the other begins."
  (or (and (cdr a) (car b) (< (cdr a) (car b)))
      (and (cdr b) (car a) (< (cdr b) (car a)))))

(define (%table-in schema key)
  "A table that a schema holds, empty if there is none."
  (let ((table (hash-ref schema key #f)))
    (if (hash-table? table) table (make-hash-table))))

(define (%others-of schema)
  "What a schema surely asks of a member that it does not list."
  (or (%names-members? schema) (hash-ref schema "additionalProperties" #t)))

(define (%excluded-members? rules a b path depth)
  "Whether no object that the grammar of a writes is allowed by b."
  (let ((in-a (%table-in a "properties")) (in-b (%table-in b "properties"))
        (names (lambda (schema)
                 (let ((names (hash-ref schema "required" '())))
                   (if (list? names) names '())))))
    (or (and (not (%other-members a in-a)) (not (%names-members? a))
             (any (lambda (name) (not (hash-has-key? in-a name))) (names b)))
        (any (lambda (name)
               (and (hash-has-key? in-a name)
                    (%exclusive? rules (hash-ref in-a name)
                                 (hash-ref in-b name (%others-of b))
                                 path (+ depth 1))))
             (append (names a) (names b))))))

;; Values beside schemas.

(define (%may-fit? rules value schema path depth)
  "Whether a schema may allow a value; #t also where that is not certain."
  (%count-check! rules path)
  (let ((schema (%resolved rules schema path)))
    (define (fits? one) (%may-fit? rules value one path (+ depth 1)))
    (cond ((eq? schema #f) #f)
          ((or (not (hash-table? schema)) (> depth %deepest-check)) #t)
          ((not (memq (%kind-of-value value) (%kinds-of schema))) #f)
          ((%listed-values schema)
           => (lambda (values)
                (any (lambda (other) (%json-equal? value other)) values)))
          ((%alternatives schema) => (lambda (schemas) (any fits? schemas)))
          (else (%may-fit-kind? rules value schema path depth)))))

(define (%may-fit-kind? rules value schema path depth)
  "The same for the keywords of the value's kind."
  (define (within? size low high)
    (let ((range (%range-of schema low high)))
      (and (or (not (car range)) (>= size (car range)))
           (or (not (cdr range)) (<= size (cdr range))))))
  (case (%kind-of-value value)
    ((string) (within? (string-length value) "minLength" "maxLength"))
    ((integer) (within? value "minimum" "maximum"))
    ((array) (within? (length value) "minItems" "maxItems"))
    ((object)
     (let ((properties (%table-in schema "properties"))
           (required (hash-ref schema "required" '()))
           (others (%others-of schema)))
       (and (every (lambda (name) (hash-has-key? value name))
                   (if (list? required) required '()))
            (every (lambda (entry)
                     (%may-fit? rules (cdr entry)
                                (hash-ref properties (car entry) others)
                                path (+ depth 1)))
                   (hash->list value)))))
    (else #t)))

(define (%json-equal? a b)
  "Whether two JSON values are equal; 1 is 1.0."
  (cond ((and (number? a) (number? b)) (= a b))
        ((and (hash-table? a) (hash-table? b))
         (and (= (hash-size a) (hash-size b))
              (every (lambda (entry)
                       (and (hash-has-key? b (car entry))
                            (%json-equal? (cdr entry)
                                          (hash-ref b (car entry)))))
                     (hash->list a))))
        ((and (pair? a) (pair? b))
         (and (%json-equal? (car a) (car b)) (%json-equal? (cdr a) (cdr b))))
        (else (equal? a b))))
