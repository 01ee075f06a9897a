;; json-schema.lisp - the grammar of the JSON texts that a schema allows.
;;
;;     {"type": "object", "properties": {"name": {"type": "string"},
;;      "age": {"type": "integer"}}, "required": ["name"]}
;;
;; becomes rules for make-grammar, one for each schema in it.  A reference
;; names the rule of what it refers to, so schemas may be recursive.  Members
;; come in the order of the schema, and only those that it lists.  A keyword
;; that would restrict texts and is not supported is an error, rather than a
;; promise that is not kept.

(define-record-type %schema-rules
  (%make-schema-rules root rules names whitespace)
  %schema-rules?
  (root %schema-rules-root)                     ; the whole schema
  (rules %schema-rules-list %set-schema-rules-list!)
  (names %schema-rules-names)                   ; hash table: reference -> rule
  (whitespace %schema-rules-whitespace))

(define (json-schema-grammar schema :depth 16 :whitespace #t)
  "A grammar of the JSON texts that a schema allows, for the :grammar of
  generate.

  schema: a JSON text, a hash table as read-json returns it, or an alist with
  strings as keys.  Supported: type (also a list of types), properties,
  required, additionalProperties, items, prefixItems, minItems, maxItems,
  minLength, maxLength, minimum and maximum and their exclusive forms of
  integers, enum, const, anyOf, oneOf, allOf of one, $ref into the same schema.
  depth: of objects and arrays where the schema allows any value."
  (let* ((root (%schema-value schema))
         (rules (%make-schema-rules root '() (make-hash-table) whitespace))
         (start (%schema-rule! rules root "#")))
    (make-grammar (cons (list 'root start)
                        (append (reverse (%schema-rules-list rules))
                                (%json-rules depth)
                                (%json-token-rules whitespace)
                                (list (list 'any-value
                                            (%at-depth 'value depth))))))))

(define (%schema-value schema)
  "A schema in any of its forms with hash tables for objects."
  (%with-tables (if (string? schema) (string->json schema) schema)))

(define (%with-tables value)
  "A JSON value with hash tables in place of alists."
  (cond ((%alist-with-strings? value)
         (let ((table (make-hash-table)))
           (for-each (lambda (entry)
                       (hash-set! table (car entry) (%with-tables (cdr entry))))
                     value)
           table))
        ((list? value) (map %with-tables value))
        (else value)))

(define (%alist-with-strings? x)
  "Whether it is a list of pairs whose first elements are strings."
  (and (pair? x) (list? x)
       (every (lambda (entry) (and (pair? entry) (string? (car entry)))) x)))

(define (%schema-rule! rules schema path)
  "The name of a new rule for the schema at a path."
  (let ((name (string->symbol (string "schema-" path))))
    (hash-set! (%schema-rules-names rules) path name)
    (let ((expression (%schema-expression rules schema path)))
      (%set-schema-rules-list! rules
                               (cons (list name expression)
                                     (%schema-rules-list rules)))
      name)))

(define (%schema-error path message . irritants)
  "Raise an error about the schema at a path."
  (apply error (string "json-schema-grammar: at " path ": " message)
         irritants))

;; Keywords that restrict nothing.
(define %schema-notes
  '("$schema" "$id" "$defs" "definitions" "$comment" "title" "description"
    "default" "examples" "example" "deprecated" "readOnly" "writeOnly"
    "strict"))

(define (%check-keywords schema path known)
  "Raise an error for a keyword that is not supported here."
  (for-each (lambda (key)
              (unless (or (member key known) (member key %schema-notes))
                (%schema-error path
                               (string "keyword " key " is not supported here; "
                                       "leave it out"))))
            (hash-keys schema)))

(define (%schema-expression rules schema path)
  "The expression of the texts that a schema allows."
  (define (has? key) (hash-has-key? schema key))
  (cond ((eq? schema #t) 'any-value)
        ((not (hash-table? schema))
         (%schema-error path "expected an object or true, got" schema))
        ((has? "$ref")
         (%check-keywords schema path '("$ref"))
         (%referred-rule rules (hash-ref schema "$ref") path))
        ((has? "const")
         (%check-keywords schema path '("const" "type"))
         (%json-literal rules (hash-ref schema "const")))
        ((has? "enum")
         (%check-keywords schema path '("enum" "type"))
         (cons 'or (map (lambda (value) (%json-literal rules value))
                        (%schema-list schema "enum" path))))
        ((has? "anyOf") (%schema-choice rules schema "anyOf" path))
        ((has? "oneOf") (%schema-choice rules schema "oneOf" path))
        ((has? "allOf")
         (if (= 1 (length (%schema-list schema "allOf" path)))
             (%schema-choice rules schema "allOf" path)
             (%schema-error path "allOf is supported for one schema only")))
        ((has? "type")
         (%schema-of-types rules schema (hash-ref schema "type") path))
        ((or (has? "properties") (has? "required"))
         (%schema-object rules schema path))
        ((or (has? "items") (has? "prefixItems"))
         (%schema-array rules schema path))
        (else (%check-keywords schema path '()) 'any-value)))

(define (%schema-list schema key path)
  "The value of a keyword that is a list of at least one element."
  (let ((items (hash-ref schema key)))
    (if (and (list? items) (pair? items))
        items
        (%schema-error path (string "expected a list for " key ", got")
                       items))))

(define (%schema-choice rules schema key path)
  "The expression of one of several schemas."
  (%check-keywords schema path (list key))
  (let ((schemas (%schema-list schema key path)))
    (cons 'or (map (lambda (one k)
                     (%schema-rule! rules one (string path "/" key "/" k)))
                   schemas (iota (length schemas))))))

(define (%schema-of-types rules schema types path)
  "The expression of the values of a type, or of one of several."
  (if (list? types)
      (cons 'or (map (lambda (type) (%schema-of-type rules schema type path
                                                     #t))
                     types))
      (%schema-of-type rules schema types path #f)))

(define (%schema-of-type rules schema type path mixed)
  "The expression of the values of a type; mixed: other types are allowed too,
  and have keywords of their own."
  (define (known . keys)
    (unless mixed (%check-keywords schema path (cons "type" keys))))
  (cond ((equal? type "object") (%schema-object rules schema path))
        ((equal? type "array") (%schema-array rules schema path))
        ((equal? type "string")
         (known "minLength" "maxLength")
         (%schema-string schema path))
        ((equal? type "integer")
         (known "minimum" "maximum" "exclusiveMinimum" "exclusiveMaximum")
         (%schema-integer schema path))
        ((equal? type "number") (known) 'number)
        ((equal? type "boolean") (known) 'boolean)
        ((equal? type "null") (known) "null")
        (else (%schema-error path "unknown type" type))))

(define (%json-literal rules value)
  "The expression of one value: its text, with whitespace where it may be."
  (define (separated items)
    (if (null? items)
        '()
        (cons (car items)
              (append-map (lambda (item) (list "," 'space item))
                          (cdr items)))))
  (cond ((hash-table? value)
         `(seq "{" space
               ,@(separated
                  (map (lambda (entry)
                         (list 'seq (json->string (car entry)) 'space ":"
                               'space (%json-literal rules (cdr entry))
                               'space))
                       (hash->list value)))
               "}"))
        ((list? value)
         `(seq "[" space
               ,@(separated (map (lambda (item)
                                   (list 'seq (%json-literal rules item)
                                         'space))
                                 value))
               "]"))
        (else (json->string value))))

;; References: # and #/a/b, where ~1 is / and ~0 is ~.

(define (%referred-rule rules reference path)
  "The rule of the schema that a reference names."
  (unless (and (string? reference) (string-prefix? "#" reference))
    (%schema-error path
                   "$ref is supported within the schema only, #/..., got"
                   reference))
  (or (hash-ref (%schema-rules-names rules) reference #f)
      (%schema-rule! rules (%referred rules reference path) reference)))

(define (%referred rules reference path)
  "The schema that a reference names."
  (let loop ((at (%schema-rules-root rules))
             (keys (cdr (string-split reference "/"))))
    (if (null? keys)
        at
        (let ((key (string-replace (string-replace (car keys) "~1" "/")
                                   "~0" "~")))
          (cond ((and (hash-table? at) (hash-has-key? at key))
                 (loop (hash-ref at key) (cdr keys)))
                ((and (list? at) (string->number key)
                      (< -1 (string->number key) (length at)))
                 (loop (list-ref at (string->number key)) (cdr keys)))
                (else (%schema-error path "$ref leads nowhere:"
                                     reference)))))))
