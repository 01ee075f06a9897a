;; member-names.lisp - the members of objects that no schema lists by name:
;; additionalProperties, patternProperties and propertyNames.
;;
;; A name that several patterns match has a value that all their schemas allow.
;; So there is one expression for each set of patterns that a name can match.

(define %most-name-patterns 4)

(define (%other-member-expression rules schema path properties)
  "The expression of a member that is not listed; #f if there may be none."
  (if (%names-members? schema)
      (%patterned-members rules schema path properties)
      (let ((others (%other-members schema properties)))
        (and others
             (%member-expression
              (%other-name rules (hash-keys properties))
              (%schema-rule! rules others
                             (%path-of path "additionalProperties")))))))

(define (%names-members? schema)
  "Whether a schema says by patterns which members there are."
  (or (hash-has-key? schema "patternProperties")
      (hash-has-key? schema "propertyNames")))

(define (%patterned-members rules schema path properties)
  "The same where patterns say which names there may be."
  (let* ((p (%new-patterns))
         (entries (hash->list (%table-in schema "patternProperties")))
         (patterns (map (lambda (entry) (%read-pattern p (car entry) path))
                        entries))
         (allowed (%p-and p (%allowed-names rules p schema path)
                          (%p-not p (apply %p-or p
                                           (map (lambda (name) (%p-text p name))
                                                (hash-keys properties))))))
         (others (hash-ref schema "additionalProperties"
                           (and (null? entries) (= 0 (hash-size properties))))))
    (when (> (length entries) %most-name-patterns)
      (%schema-error path (string "at most " %most-name-patterns " patterns of "
                                  "patternProperties are supported")))
    (let ((members
           (filter-map
            (lambda (which k)
              (%pattern-member rules p allowed patterns (map cdr entries) which
                               others (%path-of (string path " names") k)))
            (%subsets (length entries)) (iota (expt 2 (length entries))))))
      (and (pair? members) (cons 'or members)))))

(define (%subsets n)
  "All lists of n booleans."
  (if (= n 0)
      '(())
      (append-map (lambda (rest) (list (cons #f rest) (cons #t rest)))
                  (%subsets (- n 1)))))

(define (%pattern-member rules p allowed patterns schemas which others path)
  "The expression of a member whose name matches some patterns and not the rest,
  as a list of booleans says; #f if there is none."
  (let ((name (apply %p-and p allowed
                     (map (lambda (pattern in?)
                            (if in? pattern (%p-not p pattern)))
                          patterns which)))
        (value (if (any values which)
                   (%all-of rules
                            (append-map (lambda (schema in?)
                                          (if in? (list schema) '()))
                                        schemas which)
                            path)
                   others)))
    (and value
         (%some-name? p name path)
         (%member-expression
          (%string-pattern-expression rules p name (string path " name"))
          (%schema-rule! rules value path)))))

(define (%all-of rules schemas path)
  "One schema for all of a list; #f allows nothing."
  (if (null? (cdr schemas))
      (car schemas)
      (%merged-schemas rules schemas path)))

(define (%some-name? p name path)
  "Whether an expression matches any text that can be written."
  (let* ((classes (filter (lambda (range) (%string-class-expression (list range)))
                          (%code-classes p)))
         (states (%automaton-states path name
                                    (lambda (k code)
                                      (%live-derivative p k code))
                                    classes)))
    (any (lambda (k) (%nullable? p k)) (hash-keys states))))

(define (%allowed-names rules p schema path)
  "The expression of the names that propertyNames allows."
  (let ((names (%unfolded-schema rules (hash-ref schema "propertyNames" #t)
                                 (%path-of path "propertyNames"))))
    (if (eq? names #t) (%p-all p) (%name-texts p names path))))

(define (%name-texts p names path)
  "The expression of the strings that the schema of names allows."
  (unless (hash-table? names)
    (%schema-error path "propertyNames allows no name"))
  (%check-keywords names path
                   '("type" "enum" "pattern" "format" "minLength" "maxLength"))
  (let ((texts (%string-texts p names path))
        (listed (hash-ref names "enum" #f)))
    (if (list? listed)
        (%p-and p texts
                (apply %p-or p (map (lambda (name) (%p-text p name))
                                    (filter string? listed))))
        texts)))

(define (%with-pattern-members schema path properties rules)
  "The listed members with what patterns ask of their names; #f: never."
  (let* ((p (%new-patterns))
         (allowed (%allowed-names rules p schema path))
         (patterns (map (lambda (entry)
                          (cons (%read-pattern p (car entry) path) (cdr entry)))
                        (hash->list (%table-in schema "patternProperties")))))
    (map (lambda (member)
           (cons (car member)
                 (and (%text-matches? p allowed (car member))
                      (fold (lambda (pattern value)
                              (if (%text-matches? p (car pattern) (car member))
                                  (%both-schemas value (cdr pattern))
                                  value))
                            (cdr member) patterns))))
         (hash->list properties))))

;; How many members there are.

(define (%schema-member-counts schema listed required path)
  "The least and the most number of members: two values, 0 and #f where the
  schema itself sees to it.  listed: how many members it names."
  (let ((least (or (%schema-bound schema "minProperties" path) 0))
        (most (%schema-bound schema "maxProperties" path)))
    (when (and most (< most least))
      (%schema-error path "maxProperties is less than minProperties"))
    (cond ((= listed 0) (values least most))
          ((and (<= least required) (or (not most) (<= listed most)))
           (values 0 #f))
          (else
           (%schema-error path (string "minProperties and maxProperties are not "
                                       "supported beside properties"))))))
