;; merged-schemas.lisp - one schema for what several ask for: allOf, and
;; keywords beside $ref, anyOf and oneOf.
;;
;;     {"allOf": [{"$ref": "#/$defs/a"}, {"required": ["b"]}]}
;;     =>  the keywords of both; members that both describe become an allOf
;;
;; Schemas inside are merged only when their rules are made, so references may
;; be recursive.

(define %most-products 400)    ; of the schemas of two anyOf

(define (%keywords-beside schema key)
  "A copy of a schema without a keyword, #t if nothing is left that restricts."
  (let ((rest (hash-copy schema)))
    (hash-delete! rest key)
    (if (every (lambda (key) (or (member key %schema-notes)
                                 (string=? key "$id")))
               (hash-keys rest))
        #t
        rest)))

(define (%both-schemas a b)
  "A schema for what two ask for, which is merged later."
  (cond ((or (eq? a #t) (equal? a b)) b)
        ((eq? b #t) a)
        ((or (eq? a #f) (eq? b #f)) #f)
        (else (%table-of (list (cons "allOf" (list a b)))))))

(define (%merged-schemas rules schemas path)
  "One schema for all of a list; #f allows nothing."
  (fold (lambda (schema merged) (%merged-pair rules merged schema path))
        #t schemas))

(define (%merged-pair rules a b path)
  "One schema for two; #f allows nothing."
  (%count-check! rules path)
  (let ((depth (%schema-depth rules)))
    (when (>= depth %deepest-schema)
      (%schema-error path "allOf and references lead to themselves"))
    (%set-schema-depth! rules (+ depth 1))
    (let* ((a (%unfolded-schema rules a path))
           (b (%unfolded-schema rules b path)))
      (%set-schema-depth! rules depth)
      (cond ((eq? a #t) b)
            ((eq? b #t) a)
            ((not (and a b)) #f)
            (else (%merged-tables rules a b path))))))

(define (%unfolded-schema rules schema path)
  "A schema without $ref, allOf and const at its top."
  (let loop ((schema schema))
    (define (with key others)
      (loop (%merged-schemas rules
                             (append others
                                     (list (%keywords-beside schema key)))
                             path)))
    (cond ((memq schema '(#t #f)) schema)
          ((not (hash-table? schema))
           (%schema-error path "expected an object or true, got" schema))
          ((hash-has-key? schema "$ref")
           (with "$ref" (list (%resolved rules
                                         (%table-of
                                          (list (cons "$ref"
                                                      (hash-ref schema "$ref"))))
                                         path))))
          ((hash-has-key? schema "allOf")
           (with "allOf" (%schema-list schema "allOf" path)))
          ((hash-has-key? schema "const")
           (let ((copy (hash-copy schema)))
             (hash-delete! copy "const")
             (hash-set! copy "enum" (list (hash-ref schema "const")))
             (if (hash-has-key? schema "enum")
                 (%merged-tables rules schema copy path)
                 copy)))
          (else schema))))

(define (%merged-tables rules a b path)
  "The keywords of two schemas; #f if no type is left."
  (let ((merged (hash-copy a)))
    (for-each (lambda (key)
                (hash-set! merged key
                           (if (hash-has-key? a key)
                               (%merged-keyword key (hash-ref a key)
                                                (hash-ref b key) path)
                               (hash-ref b key))))
              (hash-keys b))
    (%narrow-members! merged a b)
    (%narrow-members! merged b a)
    (and (not (null? (hash-ref merged "type" #t)))
         (not (null? (hash-ref merged "enum" #t)))
         merged)))

(define (%merged-keyword key x y path)
  "The value of a keyword that two schemas have."
  (define (is? . names) (member key names))
  (cond ((or (equal? x y) (member key %schema-notes)) x)
        ((is? "type") (%shared-types x y))
        ((is? "required") (delete-duplicates (append x y)))
        ((is? "properties" "patternProperties") (%merged-members x y))
        ((is? "additionalProperties" "items" "propertyNames")
         (%both-schemas x y))
        ((is? "prefixItems") (%merged-items x y))
        ((is? "minimum" "exclusiveMinimum" "minLength" "minItems"
              "minProperties")
         (max x y))
        ((is? "maximum" "exclusiveMaximum" "maxLength" "maxItems"
              "maxProperties")
         (min x y))
        ((is? "enum")
         (filter (lambda (value) (any (lambda (other) (%json-equal? value other))
                                      y))
                 x))
        ((is? "pattern" "format") (append (%listed x) (%listed y)))
        ((is? "multipleOf") (%common-multiple x y))
        ((is? "anyOf" "oneOf") (%both-choices key x y path))
        (else
         (%schema-error path (string "allOf cannot combine two values of "
                                     key)))))

(define (%listed x) (if (list? x) x (list x)))

(define (%shared-types x y)
  "The types that two values of type allow; an integer is a number."
  (let ((y (%listed y)))
    (append-map (lambda (type)
                  (cond ((member type y) (list type))
                        ((and (equal? type "integer") (member "number" y))
                         (list type))
                        ((and (equal? type "number") (member "integer" y))
                         '("integer"))
                        (else '())))
                (%listed x))))

(define (%merged-members x y)
  "The members that either table describes."
  (let ((merged (hash-copy x)))
    (for-each (lambda (entry)
                (hash-set! merged (car entry)
                           (%both-schemas (hash-ref x (car entry) #t)
                                          (cdr entry))))
              (hash->list y))
    merged))

(define (%merged-items x y)
  "The first items of two lists."
  (cond ((null? x) y)
        ((null? y) x)
        (else (cons (%both-schemas (car x) (car y))
                    (%merged-items (cdr x) (cdr y))))))

(define (%common-multiple x y)
  "The least number that is a multiple of both."
  (let* ((x (%exact-decimal x)) (y (%exact-decimal y))
         (scale (lcm (denominator x) (denominator y))))
    (/ (lcm (* x scale) (* y scale)) scale)))

(define (%both-choices key x y path)
  "The choices of two lists, each with each."
  (when (> (* (length x) (length y)) %most-products)
    (%schema-error path (string "allOf combines too many schemas of " key)))
  (append-map (lambda (a) (map (lambda (b) (%both-schemas a b)) y)) x))

(define (%narrow-members! merged a b)
  "Let additionalProperties of one schema count for the members that only the
  other one lists."
  (when (hash-has-key? a "additionalProperties")
    (let ((own (%table-in a "properties"))
          (properties (hash-copy (%table-in merged "properties"))))
      (unless (hash-has-key? a "patternProperties")
        (for-each (lambda (entry)
                    (unless (hash-has-key? own (car entry))
                      (hash-set! properties (car entry)
                                 (%both-schemas
                                  (cdr entry)
                                  (hash-ref a "additionalProperties")))))
                  (hash->list (%table-in b "properties")))
        (when (> (hash-size properties) 0)
          (hash-set! merged "properties" properties))))))

;; Keywords beside a choice.

(define (%schema-choice-beside rules schema key path)
  "The expression of one of several schemas, with the keywords beside them."
  (let* ((rest (%keywords-beside schema key))
         (merged (filter-map
                  (lambda (one) (%merged-pair rules one rest path))
                  (%schema-list schema key path))))
    (when (null? merged) (%schema-error path "no value is allowed"))
    (cons 'or
          (map (lambda (one k)
                 (%schema-rule! rules one
                                (%path-of (string path " " key) k)))
               merged (iota (length merged))))))
