;; template-parser.lisp - the statements and expressions of a chat template.
;;
;;     {% if a %}x{% endif %}  =>  (if 1 (name 1 "a") ((text 1 "x")) ())
;;
;; A node is a list: what it is, its line, and its parts.

(define %deepest-template 100)          ; nested brackets, or blocks

(define-record-type %parser
  (%make-parser pieces tokens line depth blocks)
  %parser?
  (pieces %parser-pieces %set-parser-pieces!)     ; those that are left
  (tokens %parser-tokens %set-parser-tokens!)     ; of the present piece
  (line %parser-line %set-parser-line!)
  (depth %parser-depth %set-parser-depth!)        ; of nested parts
  (blocks %parser-blocks %set-parser-blocks!))    ; the nodes of blocks by name

(define (%parse-template text)
  "The statements of a template."
  (let ((p (%make-parser (%template-pieces text) '() 1 0 '())))
    (let ((body (%parse-body p '())))
      (when (pair? (%parser-pieces p))
        (%unexpected-tag p (%tag-name (car (%parser-pieces p)))))
      (if (null? (%parser-blocks p))
          body
          (cons (list 'self 1 (%parser-blocks p)) body)))))

(define (%tag-name piece)
  "The first word of a tag, or #f."
  (and (eq? (%piece-kind piece) 'tag)
       (pair? (%piece-content piece))
       (cadar (%piece-content piece))))

(define (%unexpected-tag p name)
  "Raise the error for a tag that nothing has opened, or that is unknown."
  (%template-error
   (%piece-line (car (%parser-pieces p)))
   (if (member name '("endif" "endfor" "else" "elif" "endmacro" "endset"
                      "endgeneration" "endfilter" "endraw" "endwith" "endcall"
                      "endblock"))
       (string "unexpected " name)
       (string "the tag " (or name "{% %}") " is not supported"))))

(define (%deeper! p line)
  "Count one more nested part, and return a thunk that ends it."
  (let ((depth (%parser-depth p)))
    (when (>= depth %deepest-template)
      (%template-error line (string "it nests more than " %deepest-template
                                    " deep")))
    (%set-parser-depth! p (+ depth 1))
    (lambda () (%set-parser-depth! p depth))))

(define (%parse-body p ends)
  "The statements up to a tag whose name is one of ends, which stays."
  (let loop ((made '()))
    (let ((pieces (%parser-pieces p)))
      (if (null? pieces)
          (reverse made)
          (let* ((piece (car pieces))
                 (line (%piece-line piece))
                 (name (%tag-name piece)))
            (cond ((and name (member name ends)) (reverse made))
                  ((eq? (%piece-kind piece) 'text)
                   (%set-parser-pieces! p (cdr pieces))
                   (loop (cons (list 'text line (%piece-content piece)) made)))
                  ((eq? (%piece-kind piece) 'value)
                   (%take-piece! p)
                   (let ((node (%parse-tuple p)))
                     (%expect-end p)
                     (loop (cons (list 'print line node) made))))
                  (else (loop (cons (%parse-tag p name) made)))))))))

(define (%take-piece! p)
  "Go to the tokens of the next piece."
  (let ((piece (car (%parser-pieces p))))
    (%set-parser-pieces! p (cdr (%parser-pieces p)))
    (%set-parser-tokens! p (%piece-content piece))
    (%set-parser-line! p (%piece-line piece))))

(define (%parse-tag p name)
  "The statement that a tag begins."
  (let* ((line (%piece-line (car (%parser-pieces p))))
         (done (%deeper! p line))
         (parse (assoc name %template-tags)))
    (unless parse (%unexpected-tag p name))
    (%take-piece! p)
    (%next! p)
    (let ((node ((cdr parse) p line)))
      (done)
      node)))

;; Tokens.

(define (%peek p)
  "The next token, or one of the kind end."
  (let ((tokens (%parser-tokens p)))
    (if (pair? tokens)
        (car tokens)
        (list 'end "the end" (%parser-line p)))))

(define (%next! p)
  "The next token, which is consumed."
  (let ((token (%peek p)))
    (when (pair? (%parser-tokens p))
      (%set-parser-tokens! p (cdr (%parser-tokens p)))
      (%set-parser-line! p (caddr token)))
    token))

(define (%at? p kind value)
  "Whether the next token is that."
  (let ((token (%peek p)))
    (and (eq? (car token) kind) (equal? (cadr token) value))))

(define (%mark? p value) (%at? p 'mark value))
(define (%word? p value) (%at? p 'name value))

(define (%skip? p kind value)
  "Consume the next token if it is that; whether it was."
  (let ((found (%at? p kind value)))
    (when found (%next! p))
    found))

(define (%expected p what)
  "Raise the error for another token than expected."
  (let ((token (%peek p)))
    (%template-error (%parser-line p)
                     (string "expected " what ", got " (cadr token)))))

(define (%expect! p kind value)
  "Consume a token, which must be that."
  (unless (%skip? p kind value) (%expected p value)))

(define (%expect-end p)
  "Raise an error unless all tokens are consumed."
  (unless (null? (%parser-tokens p)) (%expected p "the end")))

(define (%expect-name p)
  "The name that is the next token."
  (if (eq? (car (%peek p)) 'name)
      (cadr (%next! p))
      (%expected p "a name")))

;; Statements.

(define (%end-tag! p line . names)
  "Consume the tag that ends a statement, whose name is one of names; returns the
  name."
  (when (null? (%parser-pieces p))
    (%template-error line (string (car (reverse names)) " is missing")))
  (%take-piece! p)
  (cadr (%next! p)))

(define (%parse-if p line)
  "An if, from its test on."
  (let ((test (%parse-tuple p)))
    (%expect-end p)
    (let* ((then (%parse-body p '("elif" "else" "endif")))
           (end (%end-tag! p line "endif"))
           (otherwise
            (cond ((string=? end "elif")
                   (list (%parse-if p (%parser-line p))))
                  ((string=? end "else")
                   (%expect-end p)
                   (let ((body (%parse-body p '("endif"))))
                     (%end-tag! p line "endif")
                     body))
                  (else '()))))
      (list 'if line test then otherwise))))

(define (%parse-targets p)
  "What a for or a set assigns to: a name, or a list of such for the items of a
  tuple."
  (let loop ((targets (list (%parse-target p))) (several #f))
    (cond ((not (%skip? p 'mark ","))
           (if several (reverse targets) (car targets)))
          ((and (or (eq? (car (%peek p)) 'name) (%mark? p "("))
                (not (%word? p "in")))
           (loop (cons (%parse-target p) targets) #t))
          (else (reverse targets)))))

(define (%parse-target p)
  "A name, or the targets in round brackets."
  (if (%skip? p 'mark "(")
      (let ((targets (%parse-targets p)))
        (%expect! p 'mark ")")
        targets)
      (%expect-name p)))

(define (%parse-for p line)
  "A loop, from its targets on."
  (let ((targets (%parse-targets p)))
    (%expect! p 'name "in")
    (let* ((items (%parse-tuple p #f))
           (test (and (%skip? p 'name "if") (%parse-expression p)))
           (recursive (%skip? p 'name "recursive")))
      (%expect-end p)
      (let* ((body (%parse-body p '("else" "endfor")))
             (end (%end-tag! p line "endfor"))
             (otherwise (if (string=? end "else")
                            (let ((body (%parse-body p '("endfor"))))
                              (%end-tag! p line "endfor")
                              body)
                            '())))
        (list 'for line targets items test body otherwise recursive)))))

(define (%parse-set p line)
  "An assignment, from its target on: to names, or to the field of a namespace."
  (let* ((targets (%parse-targets p))
         (field (and (%skip? p 'mark ".") (%expect-name p))))
    (when (and field (pair? targets))
      (%template-error line "a field is set alone"))
    (if (%skip? p 'mark "=")
        (let ((value (%parse-tuple p)))
          (%expect-end p)
          (list 'set line targets field value))
        (let ((filters (%parse-block-filters p '(block))))
          (%expect-end p)
          (let ((body (%parse-body p '("endset"))))
            (%end-tag! p line "endset")
            (list 'set line targets field
                  (list 'block-text line body filters)))))))

(define (%parse-block-filters p node)
  "The filters that follow, applied to a node."
  (if (%mark? p "|")
      (%parse-block-filters p (%parse-filter p node))
      node))

(define (%parse-macro p line)
  "A macro, from its name on."
  (let* ((name (%expect-name p)) (parameters (%parse-parameters p)))
    (%expect-end p)
    (let ((body (%parse-body p '("endmacro"))))
      (%end-tag! p line "endmacro")
      (list 'set line name #f (%macro-node line name parameters body)))))

(define (%macro-node line name parameters body)
  "The expression of a macro: its parameters are pairs of a name and a default,
  or #f; used are those of caller, varargs and kwargs that its body names."
  (list 'macro line name parameters body
        (filter (lambda (special) (%names-variable? body special))
                '("caller" "varargs" "kwargs"))))

(define (%names-variable? node name)
  "Whether nodes hold the name as a variable."
  (and (pair? node)
       (or (and (eq? (car node) 'name) (equal? (cddr node) (list name)))
           (let loop ((node node))
             (and (pair? node)
                  (or (%names-variable? (car node) name) (loop (cdr node))))))))

(define (%parse-parameters p)
  "The parameters in round brackets."
  (%expect! p 'mark "(")
  (let loop ((parameters '()))
    (if (%skip? p 'mark ")")
        (reverse parameters)
        (let* ((parameter (%expect-name p))
               (default (and (%skip? p 'mark "=") (%parse-expression p))))
          (unless (%mark? p ")") (%expect! p 'mark ","))
          (loop (cons (cons parameter default) parameters))))))

(define (%parse-call-block p line)
  "A call of a macro, for which caller is the body."
  (let* ((parameters (if (%mark? p "(") (%parse-parameters p) '()))
         (call (%parse-expression p)))
    (unless (eq? (car call) 'call)
      (%template-error line "call needs the call of a macro"))
    (%expect-end p)
    (let ((body (%parse-body p '("endcall"))))
      (%end-tag! p line "endcall")
      (list 'print line
            (append (take call 4)
                    (list (append (list-ref call 4)
                                  (list (cons "caller"
                                              (%macro-node line "caller"
                                                           parameters
                                                           body))))))))))

(define (%parse-with p line)
  "A scope of its own, with variables whose values come from outside."
  (let loop ((bindings '()))
    (if (eq? (car (%peek p)) 'end)
        (let ((body (%parse-body p '("endwith"))))
          (%end-tag! p line "endwith")
          (list 'with line (reverse bindings) body))
        (let ((target (%parse-target p)))
          (%expect! p 'mark "=")
          (let ((value (%parse-expression p)))
            (unless (eq? (car (%peek p)) 'end) (%expect! p 'mark ","))
            (loop (cons (cons target value) bindings)))))))

(define (%parse-named-block p line)
  "A part that self can show again, from its name on."
  (let* ((name (%expect-name p))
         (scoped (%skip? p 'name "scoped"))
         (required (%skip? p 'name "required")))
    (when (assoc name (%parser-blocks p))
      (%template-error line (string "the block " name " is defined twice")))
    (%expect-end p)
    (let* ((body (%parse-body p '("endblock")))
           (node (list 'named-block line name scoped required body)))
      (%end-tag! p line "endblock")
      (%skip? p 'name name)
      (%expect-end p)
      (when (and required (not (every %blank-text? body)))
        (%template-error line "a required block holds only white space"))
      (%set-parser-blocks! p (cons (cons name node) (%parser-blocks p)))
      node)))

(define (%blank-text? node)
  "Whether it is a text of white space."
  (and (eq? (car node) 'text) (string-every char-whitespace? (caddr node))))

(define (%parse-generation p line)
  "The text of an assistant, which only training needs to know."
  (%expect-end p)
  (let ((body (%parse-body p '("endgeneration"))))
    (%end-tag! p line "endgeneration")
    (list 'block line body)))

(define (%parse-filter-block p line)
  "A text to which filters apply."
  (let* ((name (%expect-name p))
         (node (list 'filter line name '(block) '() '()))
         (node (if (%mark? p "(") (%with-arguments p node) node))
         (node (%parse-block-filters p node)))
    (%expect-end p)
    (let ((body (%parse-body p '("endfilter"))))
      (%end-tag! p line "endfilter")
      (list 'print line (list 'block-text line body node)))))

(define (%parse-do p line)
  "An expression whose value does not matter."
  (let ((node (%parse-tuple p)))
    (%expect-end p)
    (list 'do line node)))

(define %template-tags
  (list (cons "if" %parse-if)
        (cons "for" %parse-for)
        (cons "set" %parse-set)
        (cons "macro" %parse-macro)
        (cons "call" %parse-call-block)
        (cons "with" %parse-with)
        (cons "block" %parse-named-block)
        (cons "generation" %parse-generation)
        (cons "filter" %parse-filter-block)
        (cons "do" %parse-do)
        (cons "break" (lambda (p line) (%expect-end p) (list 'break line)))
        (cons "continue"
              (lambda (p line) (%expect-end p) (list 'continue line)))))
