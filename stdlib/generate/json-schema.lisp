;; json-schema.lisp - the grammar of the JSON texts that a schema allows.
;;
;;     {"type": "object", "properties": {"name": {"type": "string"},
;;      "age": {"type": "integer"}}, "required": ["name"]}
;;
;; becomes rules for make-grammar, one for each schema in it, so the work is
;; linear in the schema.  A reference names the rule of what it refers to, so
;; schemas may be recursive.  Members come in the order of the schema, and only
;; those that it lists, unless it says additionalProperties.  A keyword that
;; would restrict texts and is not supported is an error, rather than a promise
;; that is not kept.

(define-record-type %schema-rules
  (%make-schema-rules root rules names whitespace count depth size checks)
  %schema-rules?
  (root %schema-rules-root)                     ; the whole schema
  (rules %schema-rules-list %set-schema-rules-list!)
  (names %schema-rules-names)                   ; hash table: reference -> rule
  (whitespace %schema-rules-whitespace)
  (count %schema-count %set-schema-count!)      ; of schemas
  (depth %schema-depth %set-schema-depth!)
  (size %schema-size %set-schema-size!)         ; characters of names and values
  (checks %schema-checks %set-schema-checks!))  ; see json-schema-choices.lisp

(define %most-schemas 5000)
(define %deepest-schema 100)
(define %longest-path 10000)         ; characters
(define %most-schema-text 120000)    ; characters of names and values

(define (json-schema-grammar schema :depth 16 :whitespace #t)
  "A grammar of the JSON texts that a schema allows, for the :grammar of
  generate.

  schema: a JSON text, a hash table as read-json returns it, or an alist with
  strings as keys, whose lists of lists are vectors.  Supported: type (also a
  list of types), properties, required, additionalProperties, items,
  prefixItems, minItems, maxItems, minLength, maxLength, pattern, format, minimum
  and maximum and their exclusive forms, multipleOf, enum, const, anyOf, oneOf
  whose schemas exclude each other, allOf, $ref into the same schema, also to
  itself, patternProperties, propertyNames, and minProperties and maxProperties of
  objects that list no members; other keywords are errors.  pattern is a regular
  expression of ECMAScript without references to groups.  depth: of objects and
  arrays where the schema allows any value.

  Members come in the order of properties.  Members that properties does not
  list come last, if additionalProperties is given; their names are written
  without \\u."
  (let* ((root (%schema-value schema))
         (rules (%make-schema-rules root '() (make-hash-table) whitespace 0 0 0 0))
         (start (%schema-rule! rules root "#"))
         (first (assq start (%schema-rules-list rules))))
    (%grammar-of-rules
     "json-schema-grammar"
     (cons first
           (append (remove (lambda (rule) (eq? rule first))
                           (%schema-rules-list rules))
                   (%json-rules depth)
                   (%json-token-rules whitespace)
                   %member-name-rules
                   (list (list 'any-value (%at-depth 'value depth))))))))

(define (%schema-value schema)
  "A schema in any of its forms with hash tables for objects."
  (cond ((string? schema) (string->json schema))
        ((hash-table? schema) schema)
        (else (%with-tables schema))))

(define (%with-tables value)
  "A JSON value with hash tables in place of alists, and lists of vectors."
  (cond ((%alist-with-strings? value)
         (let ((table (make-hash-table)))
           (for-each (lambda (entry)
                       (hash-set! table (car entry) (%with-tables (cdr entry))))
                     value)
           table))
        ((vector? value) (map %with-tables (vector->list value)))
        ((list? value) (map %with-tables value))
        (else value)))

(define (%alist-with-strings? x)
  "Whether it is a list of pairs whose first elements are strings."
  (and (pair? x) (list? x)
       (every (lambda (entry) (and (pair? entry) (string? (car entry)))) x)))

;; Rules.

(define (%schema-rule! rules schema path)
  "The name of the rule for the schema at a path."
  (or (hash-ref (%schema-rules-names rules) path #f)
      (let ((name (string->symbol path)) (depth (%schema-depth rules)))
        (%check-schema-size rules path)
        (hash-set! (%schema-rules-names rules) path name)
        (%set-schema-depth! rules (+ depth 1))
        (%add-schema-rule! rules name (%schema-expression rules schema path))
        (%set-schema-depth! rules depth)
        name)))

(define (%add-schema-rule! rules name expression)
  "Add a rule, and return its name."
  (%set-schema-rules-list! rules (cons (list name expression)
                                       (%schema-rules-list rules)))
  name)

(define (%check-schema-size rules path)
  "Raise an error for a schema that is too deep, or one too many."
  (%set-schema-count! rules (+ 1 (%schema-count rules)))
  (when (> (%schema-count rules) %most-schemas)
    (error (string "json-schema-grammar: a schema may hold " %most-schemas
                   " schemas, and this one has more")))
  (when (>= (%schema-depth rules) %deepest-schema)
    (error (string "json-schema-grammar: schemas nest more than "
                   %deepest-schema " deep, at the end of " path)))
  (when (> (string-length path) %longest-path)
    (error (string "json-schema-grammar: the path of a schema has more than "
                   %longest-path " characters"))))

(define (%count-schema-text! rules text)
  "The text of a name or a value, whose characters are counted."
  (let ((size (+ (%schema-size rules) (string-length text))))
    (when (> size %most-schema-text)
      (error (string "json-schema-grammar: the names and values of a schema may "
                     "have " %most-schema-text " characters, and these have "
                     "more")))
    (%set-schema-size! rules size)
    text))

(define (%path-of path key)
  "The path of what a key leads to: in a key, ~1 is / and ~0 is ~."
  (string path "/"
          (if (string? key)
              (string-replace (string-replace key "~" "~0") "/" "~1")
              key)))

(define (%schema-error path message . irritants)
  "Raise an error about the schema at a path."
  (apply error (string "json-schema-grammar: at " path ": " message)
         irritants))

;; Keywords that restrict nothing.
(define %schema-notes
  '("$schema" "$defs" "definitions" "$comment" "title" "description"
    "default" "examples" "example" "deprecated" "readOnly" "writeOnly"
    "strict" "discriminator"))

(define (%check-keywords schema path known)
  "Raise an error for a keyword that is not supported here."
  (for-each (lambda (key)
              (unless (or (member key known) (member key %schema-notes)
                          (and (member path '("#" "# merged"))
                               (string=? key "$id")))
                (%schema-error path
                               (string "keyword " key " is not supported here; "
                                       "leave it out"))))
            (hash-keys schema)))

(define (%schema-expression rules schema path)
  "The expression of the texts that a schema allows."
  (define (has? key) (hash-has-key? schema key))
  (cond ((eq? schema #t) 'any-value)
        ((eq? schema #f)
         (%schema-error path "false allows no value"))
        ((not (hash-table? schema))
         (%schema-error path "expected an object or true, got" schema))
        ((or (has? "allOf")
             (and (has? "$ref") (%restricts-beside? schema "$ref")))
         (%check-base schema path)
         (%schema-rule! rules (%merged-schemas rules (list schema) path)
                        (string path " merged")))
        ((has? "$ref")
         (%check-base schema path)
         (%referred-rule rules (hash-ref schema "$ref") path))
        ((has? "const")
         (%schema-literals rules schema (list (hash-ref schema "const")) path))
        ((has? "enum")
         (%schema-literals rules schema (%schema-list schema "enum" path) path))
        ((has? "anyOf") (%schema-choice rules schema "anyOf" path))
        ((has? "oneOf") (%schema-one-of rules schema path))
        ((has? "type")
         (%schema-of-types rules schema path))
        ((any has? %object-keywords)
         (%schema-object rules schema path %object-keywords))
        ((any has? %array-keywords)
         (%schema-array rules schema path %array-keywords))
        ((any has? %string-keywords)
         (%schema-of-types rules (%schema-with-type schema "string") path))
        ((any has? %number-keywords)
         (%schema-of-types rules (%schema-with-type schema "number") path))
        (else (%check-keywords schema path '()) 'any-value)))

(define (%check-base schema path)
  "Raise an error for $id inside a schema, which changes what references mean."
  (when (hash-has-key? schema "$id")
    (%check-keywords schema path (remove (lambda (key) (string=? key "$id"))
                                         (hash-keys schema)))))

(define (%restricts-beside? schema key)
  "Whether a schema has keywords beside one that restrict values."
  (not (eq? #t (%keywords-beside schema key))))

(define (%schema-literals rules schema values path)
  "The expression of those values that the other keywords allow."
  (%check-keywords schema path
                   (append '("const" "enum" "type" "minItems" "maxItems")
                           %string-keywords %number-keywords))
  (let* ((types (%schema-types schema path))
         (typed (filter (lambda (value) (%has-type? value types)) values))
         (kept (filter (lambda (value) (%value-fits? schema value path)) typed)))
    (when (null? typed)
      (%schema-error path "no value has the type" (hash-ref schema "type")))
    (when (null? kept)
      (%schema-error path "the other keywords allow none of the values" typed))
    (cons 'or (map (lambda (value) (%json-literal rules value)) kept))))

(define (%schema-list schema key path)
  "The value of a keyword that is a list of at least one element."
  (let ((items (hash-ref schema key)))
    (if (and (list? items) (pair? items))
        items
        (%schema-error path (string "expected a list for " key ", got")
                       items))))

(define (%schema-choice rules schema key path)
  "The expression of one of several schemas; false is none."
  (if (%restricts-beside? schema key)
      (%schema-choice-beside rules schema key path)
      (%schema-choice-alone rules schema key path)))

(define (%schema-choice-alone rules schema key path)
  "The same where nothing stands beside the choice."
  (let* ((schemas (%schema-list schema key path))
         (names (filter-map
                 (lambda (one k)
                   (and one
                        (%schema-rule! rules one
                                       (%path-of (%path-of path key) k))))
                 schemas (iota (length schemas)))))
    (when (null? names) (%schema-error path "false allows no value"))
    (cons 'or names)))

(define %schema-type-names
  '("object" "array" "string" "integer" "number" "boolean" "null"))

(define (%schema-types schema path)
  "The types that a schema names, as a list; #f if it names none."
  (and (hash-has-key? schema "type")
       (let* ((type (hash-ref schema "type"))
              (types (if (list? type) type (list type))))
         (when (null? types)
           (%schema-error path "expected at least one type"))
         (for-each (lambda (type)
                     (unless (member type %schema-type-names)
                       (%schema-error path "unknown type" type)))
                   types)
         types)))

(define (%schema-with-type schema type)
  "A schema that says which type its keywords are for."
  (let ((copy (hash-copy schema)))
    (hash-set! copy "type" type)
    copy))

(define (%schema-of-types rules schema path)
  "The expression of the values of a type, or of one of several, whose keywords
  may all be there."
  (let* ((types (%schema-types schema path))
         (known (cons "type" (append-map %keywords-of-type types))))
    (%check-keywords schema path known)
    (cons 'or (map (lambda (type) (%schema-of-type rules schema type path known))
                   types))))

(define %object-keywords
  '("properties" "required" "additionalProperties" "patternProperties"
    "propertyNames" "minProperties" "maxProperties"))
(define %array-keywords '("items" "prefixItems" "minItems" "maxItems"))
(define %string-keywords '("minLength" "maxLength" "pattern" "format"))
(define %number-keywords
  '("minimum" "maximum" "exclusiveMinimum" "exclusiveMaximum" "multipleOf"
    "format"))

(define (%keywords-of-type type)
  "The keywords that restrict the values of a type."
  (cond ((string=? type "object") %object-keywords)
        ((string=? type "array") %array-keywords)
        ((string=? type "string") %string-keywords)
        ((member type '("integer" "number")) %number-keywords)
        (else '())))

(define (%schema-of-type rules schema type path known)
  "The expression of the values of a type."
  (cond ((string=? type "object") (%schema-object rules schema path known))
        ((string=? type "array") (%schema-array rules schema path known))
        ((string=? type "string") (%schema-string rules schema path))
        ((string=? type "integer") (%schema-integer rules schema path))
        ((string=? type "number")
         (if (%bounded-number? schema)
             (%schema-decimal rules schema path #f)
             'number))
        ((string=? type "boolean") 'boolean)
        (else "null")))

(define (%bounded-number? schema)
  "Whether the schema has bounds of numbers, or what they are multiples of."
  (any (lambda (key) (hash-has-key? schema key))
       (delete "format" %number-keywords)))

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
                         (list 'seq
                               (%count-schema-text!
                                rules (json->string (car entry)))
                               'space ":"
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
        (else (%count-schema-text! rules (json->string value)))))

;; References: # and #/a/b, where ~1 is / and ~0 is ~, and %41 is A.

(define (%referred-rule rules reference path)
  "The rule of the schema that a reference names."
  (let ((reference (%decoded-reference reference path)))
    (or (hash-ref (%schema-rules-names rules) reference #f)
        (%schema-rule! rules (%referred rules reference path) reference))))

(define (%decoded-reference reference path)
  "A reference into the same schema, without % escapes."
  (unless (and (string? reference)
               (or (string=? reference "#") (string-prefix? "#/" reference)))
    (%schema-error path
                   "$ref is supported within the schema only, #/..., got"
                   reference))
  (if (string-contains reference "%")
      (let* ((parts (string-split reference "%"))
             (bytes (map (lambda (part) (%unescaped part path)) (cdr parts))))
        (guard (e (#t (%schema-error path "$ref is not UTF-8:" reference)))
          (utf8->string
           (apply bytevector-append (string->utf8 (car parts)) bytes))))
      reference))

(define (%unescaped part path)
  "The bytes of a text behind %, which begins with two hexadecimal digits."
  (let ((byte (and (>= (string-length part) 2)
                   (string-every (lambda (c) (%hexadecimal? c))
                                 (string-take part 2))
                   (string->number (string-take part 2) 16))))
    (unless byte
      (%schema-error path "$ref has % without two digits:" part))
    (bytevector-append (bytevector byte) (string->utf8 (string-drop part 2)))))

(define (%hexadecimal? c)
  "Whether a character is a hexadecimal digit."
  (and (string-index "0123456789abcdefABCDEF" c) #t))

(define (%referred rules reference path)
  "The schema that a reference names."
  (let loop ((at (%schema-rules-root rules))
             (keys (cdr (string-split reference "/"))))
    (if (null? keys)
        at
        (let* ((key (string-replace (string-replace (car keys) "~1" "/")
                                    "~0" "~"))
               (k (string->number key)))
          (cond ((and (hash-table? at) (hash-has-key? at key))
                 (loop (hash-ref at key) (cdr keys)))
                ((and (list? at) (exact-integer? k)
                      (string=? key (number->string k)) (< -1 k (length at)))
                 (loop (list-ref at k) (cdr keys)))
                (else (%schema-error path "$ref leads nowhere:"
                                     reference)))))))
