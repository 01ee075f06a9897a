;; template-expressions.lisp - parsing the expressions of a chat template, each
;; level of precedence in a procedure.

(define (%parse-tuple p . conditional)
  "An expression, or several with commas, which are a tuple."
  (let* ((one (lambda ()
                (if (null? conditional)
                    (%parse-expression p)
                    (%parse-or p))))
         (line (%parser-line p))
         (first (one)))
    (if (%mark? p ",")
        (let loop ((items (list first)))
          (if (and (%skip? p 'mark ",") (not (%tuple-ends? p)))
              (loop (cons (one) items))
              (list 'tuple line (reverse items))))
        first)))

(define (%tuple-ends? p)
  "Whether no item can follow a comma."
  (or (eq? (car (%peek p)) 'end) (%mark? p ")") (%mark? p "=")))

(define (%parse-expression p)
  "An expression: a if b else c, and what binds stronger."
  (let* ((line (%parser-line p))
         (done (%deeper! p line))
         (value (let loop ((value (%parse-or p)))
                  (if (%skip? p 'name "if")
                      (let* ((test (%parse-or p))
                             (otherwise (and (%skip? p 'name "else")
                                             (%parse-expression p))))
                        (loop (list 'choose line test value otherwise)))
                      value))))
    (done)
    value))

(define (%parse-left p next marks)
  "Operators that bind to the left: marks lists them, next parses operands."
  (let loop ((left (next p)))
    (let ((token (%peek p)))
      (if (and (memq (car token) '(mark name)) (member (cadr token) marks))
          (let ((line (%parser-line p)))
            (%next! p)
            (loop (list 'binary line (cadr token) left (next p))))
          left))))

(define (%parse-or p) (%parse-left p %parse-and '("or")))
(define (%parse-and p) (%parse-left p %parse-not '("and")))

(define (%parse-not p)
  "not, and what binds stronger."
  (let ((line (%parser-line p)))
    (if (%skip? p 'name "not")
        (let* ((done (%deeper! p line)) (value (%parse-not p)))
          (done)
          (list 'not line value))
        (%parse-comparison p))))

(define (%parse-comparison p)
  "Comparisons, which may be chained: a < b < c."
  (let ((line (%parser-line p)) (first (%parse-sum p)))
    (let loop ((pairs '()))
      (let ((operator (%comparison-operator! p)))
        (cond (operator (loop (cons (cons operator (%parse-sum p)) pairs)))
              ((null? pairs) first)
              (else (list 'compare line first (reverse pairs))))))))

(define (%comparison-operator! p)
  "The comparison that follows, which is consumed; #f if there is none."
  (let ((token (%peek p)))
    (cond ((and (eq? (car token) 'mark)
                (member (cadr token) '("==" "!=" "<" "<=" ">" ">=")))
           (cadr (%next! p)))
          ((%skip? p 'name "in") "in")
          ((and (%word? p "not")
                (pair? (cdr (%parser-tokens p)))
                (equal? (cadr (cadr (%parser-tokens p))) "in"))
           (%next! p)
           (%next! p)
           "not in")
          (else #f))))

(define (%parse-sum p) (%parse-left p %parse-joined '("+" "-")))
(define (%parse-joined p) (%parse-left p %parse-product '("~")))
(define (%parse-product p) (%parse-left p %parse-power '("*" "/" "//" "%")))
(define (%parse-power p)
  (%parse-left p (lambda (p) (%parse-unary p #t)) '("**")))

(define (%parse-unary p filters)
  "A sign, or a value with what follows it."
  (let ((line (%parser-line p)))
    (if (or (%mark? p "-") (%mark? p "+"))
        (let* ((sign (cadr (%next! p)))
               (done (%deeper! p line))
               (value (%parse-unary p #f)))
          (done)
          (%parse-filters p (list 'sign line sign value) filters))
        (%parse-filters p (%parse-postfix p (%parse-primary p)) filters))))

(define (%parse-primary p)
  "A name, a literal, or what stands in brackets."
  (let* ((token (%next! p)) (line (%parser-line p)) (value (cadr token)))
    (case (car token)
      ((name)
       (cond ((member value '("true" "True")) (list 'constant line #t))
             ((member value '("false" "False")) (list 'constant line #f))
             ((member value '("none" "None")) (list 'constant line 'null))
             (else (list 'name line value))))
      ((number) (list 'constant line value))
      ((string)
       (let loop ((text value))
         (if (eq? (car (%peek p)) 'string)
             (loop (string-append text (cadr (%next! p))))
             (list 'constant line text))))
      (else
       (cond ((equal? value "(") (%parse-bracketed p line))
             ((equal? value "[")
              (list 'list line (%parse-items p "]" %parse-expression)))
             ((equal? value "{")
              (list 'table line (%parse-items p "}" %parse-entry)))
             (else
              (%template-error line (string "unexpected " value))))))))

(define (%parse-bracketed p line)
  "What stands in round brackets."
  (if (%skip? p 'mark ")")
      (list 'tuple line '())
      (let ((value (%parse-tuple p)))
        (%expect! p 'mark ")")
        value)))

(define (%parse-items p close parse)
  "Items with commas up to a closing bracket."
  (let loop ((items '()))
    (if (%skip? p 'mark close)
        (reverse items)
        (let ((item (parse p)))
          (unless (%mark? p close) (%expect! p 'mark ","))
          (loop (cons item items))))))

(define (%parse-entry p)
  "A key and its value."
  (let ((key (%parse-expression p)))
    (%expect! p 'mark ":")
    (cons key (%parse-expression p))))

(define (%parse-postfix p node)
  "A value with its fields, indices and calls."
  (let ((line (%parser-line p)))
    (cond ((%skip? p 'mark ".")
           (let ((token (%next! p)))
             (%parse-postfix
              p
              (case (car token)
                ((name) (list 'field line node (cadr token)))
                ((number)
                 (list 'index line node (list 'constant line (cadr token))))
                (else
                 (%template-error line "expected a name behind the point"))))))
          ((%skip? p 'mark "[")
           (let ((index (%parse-index p line)))
             (%expect! p 'mark "]")
             (%parse-postfix p (cons* (car index) line node (cdr index)))))
          ((%mark? p "(")
           (let ((arguments (%parse-arguments p)))
             (%parse-postfix p (list 'call line node (car arguments)
                                     (cdr arguments)))))
          (else node))))

(define (%parse-index p line)
  "What stands in square brackets: (index value) or (slice start end step)."
  (let* ((part (lambda ()
                 (if (or (%mark? p ":") (%mark? p "]"))
                     #f
                     (%parse-expression p))))
         (start (part)))
    (if (%skip? p 'mark ":")
        (let* ((end (part)) (step (and (%skip? p 'mark ":") (part))))
          (list 'slice start end step))
        (if start
            (list 'index start)
            (%template-error line "expected an index")))))

(define (%parse-arguments p)
  "The arguments of a call: a pair of those by position and those by name."
  (%expect! p 'mark "(")
  (let loop ((items '()) (named '()))
    (if (%skip? p 'mark ")")
        (cons (reverse items) (reverse named))
        (let* ((tokens (%parser-tokens p))
               (by-name (and (eq? (car (%peek p)) 'name)
                             (pair? (cdr tokens))
                             (eq? (car (cadr tokens)) 'mark)
                             (equal? (cadr (cadr tokens)) "="))))
          (if by-name
              (let ((name (cadr (%next! p))))
                (%next! p)
                (let ((value (%parse-expression p)))
                  (unless (%mark? p ")") (%expect! p 'mark ","))
                  (loop items (cons (cons name value) named))))
              (let ((value (%parse-expression p)))
                (unless (%mark? p ")") (%expect! p 'mark ","))
                (loop (cons value items) named)))))))

;; Filters and tests.

(define (%parse-filters p node filters)
  "A value with its filters, tests and calls."
  (cond ((and filters (%mark? p "|"))
         (%parse-filters p (%parse-filter p node) filters))
        ((and filters (%word? p "is"))
         (%parse-filters p (%parse-test p node) filters))
        (else node)))

(define (%parse-filter p node)
  "A filter behind its bar, applied to a value."
  (%expect! p 'mark "|")
  (let* ((line (%parser-line p))
         (name (%expect-name p))
         (made (list 'filter line name node '() '())))
    (if (%mark? p "(") (%with-arguments p made) made)))

(define (%with-arguments p node)
  "A filter with the arguments that follow."
  (let ((arguments (%parse-arguments p)))
    (append (take node 4) (list (car arguments) (cdr arguments)))))

(define (%parse-test p node)
  "A test behind is, applied to a value."
  (%expect! p 'name "is")
  (let* ((line (%parser-line p))
         (negated (%skip? p 'name "not"))
         (name (%expect-name p))
         (token (%peek p))
         (arguments
          (cond ((%mark? p "(") (%parse-arguments p))
                ((or (memq (car token) '(string number))
                     (and (eq? (car token) 'name)
                          (not (member (cadr token)
                                       '("else" "or" "and" "is" "if" "in"
                                         "not" "recursive"))))
                     (%mark? p "[") (%mark? p "{"))
                 (list (list (%parse-postfix p (%parse-primary p)))))
                (else '(()))))
         (made (list 'test line name node (car arguments) (cdr arguments))))
    (if negated (list 'not line made) made)))
