;; template-evaluator.lisp - runs the statements of a chat template.
;;
;; An environment is a list of tables, the innermost scope first; the last two
;; are those of the template and of its arguments.  A run ends templates that
;; loop for ever.

(define-record-type %template-run
  (%make-template-run steps characters tables depth most-steps)
  %template-run?
  (steps %run-steps %set-run-steps!)
  (characters %run-characters %set-run-characters!)   ; of all texts
  (tables %run-tables %set-run-tables!)        ; that may hold themselves
  (depth %run-depth %set-run-depth!)           ; of macros and loops
  (most-steps %run-most-steps))

(define %most-template-steps 500000)
(define %most-shown 200000)               ; values
(define %longest-template-text 16000000)   ; characters, of all texts together
(define %deepest-macro 100)

(define %steps-of-message 5000)

(define (%run-template nodes arguments messages)
  "The text of a parsed template with a table of arguments, for so many
  messages."
  (let ((run (%make-template-run 0 0 '() 0
                                (+ %most-template-steps
                                  (* %steps-of-message messages))))
        (out (vector '())))
    (dynamic-wind
     (lambda ()
       (vector-set! %text-budget 0 %most-shown)
       (vector-set! %work-budget 0 %most-work))
     (lambda ()
       (%execute nodes (list (make-hash-table) arguments) run out)
       (%output-text out))
     (lambda ()                            ; they may hold themselves
       (for-each hash-clear! (%run-tables run))))))

(define (%output-text out)
  "The text that was written."
  (string-concatenate (reverse (vector-ref out 0))))

(define (%write-text! run out line text)
  "Add a text to an output."
  (%count-text! run line (string-length text))
  (vector-set! out 0 (cons text (vector-ref out 0))))

(define (%count-text! run line length)
  "Count the characters of a text that a template makes."
  (let ((all (+ (%run-characters run) length)))
    (when (> all %longest-template-text)
      (%template-error line (string "it makes more than "
                                    %longest-template-text " characters")))
    (%set-run-characters! run all)))

(define (%count-step! run line)
  "Count one step."
  (let ((steps (+ (%run-steps run) 1)))
    (when (> steps (%run-most-steps run))
      (%template-error line (string "it takes more than " (%run-most-steps run)
                                    " steps")))
    (%set-run-steps! run steps)))

;; Statements.

(define (%execute nodes env run out)
  "Run statements; the result is break, continue or #f."
  (let loop ((nodes nodes))
    (if (null? nodes)
        #f
        (or (%execute-one (car nodes) env run out)
            (loop (cdr nodes))))))

(define (%execute-one node env run out)
  "Run a statement; the result is break, continue or #f."
  (let ((line (cadr node)) (parts (cddr node)))
    (%count-step! run line)
    (case (car node)
      ((text) (%write-text! run out line (car parts)) #f)
      ((print)
       (%write-text! run out line
                     (%template-text (%evaluate (car parts) env run)))
       #f)
      ((if)
       (if (%template-true? (%evaluate (car parts) env run))
           (%execute (cadr parts) env run out)
           (%execute (caddr parts) env run out)))
      ((for) (apply %execute-for env run out line 1 parts) #f)
      ((set) (apply %execute-set env run line parts) #f)
      ((with) (%execute-with env run out line (car parts) (cadr parts)))
      ((block) (%execute (car parts) env run out))
      ((named-block) (apply %execute-named-block env run out line parts) #f)
      ((self) (%define-self! env run (car parts)) #f)
      ((do) (%evaluate (car parts) env run) #f)
      (else (car node)))))                 ; break and continue

(define (%block-text body filters env run)
  "The text of a body, with the filters in whose place (block) stands."
  (let ((inner (vector '())))
    (%execute body (cons (make-hash-table) env) run inner)
    (let replace ((node filters))
      (if (eq? (car node) 'block)
          (%output-text inner)
          (%apply-filter node (replace (cadddr node)) env run)))))

(define (%execute-named-block env run out line name scoped required body)
  "Run a block, which sees the variables of the template, and those around it
  only if it is scoped."
  (when required
    (%template-error line (string "the block " name
                                  " is required, and no template has it")))
  (%execute body (cons (make-hash-table) (if scoped env (%outermost env)))
            run out))

(define (%outermost env)
  "The scopes of the template and of its arguments."
  (if (null? (cddr env)) env (%outermost (cdr env))))

(define (%define-self! env run blocks)
  "Set self, whose fields show the template's blocks."
  (let ((table (make-hash-table)))
    (define (show block)
      (lambda (run line)
        (%deeper-text run line
          (lambda (out)
            (apply %execute-named-block env run out line (cddr block))))))
    (for-each
     (lambda (entry)
       (hash-set! table (car entry)
                  (%callable 'function
                             (%callee (car entry) '() (show (cdr entry))))))
     blocks)
    (%set-run-tables! run (cons* table (car env) (%run-tables run)))
    (hash-set! (car env) "self" (%record %namespace-type table))))

(define (%assign! table line target value)
  "Set a name, or those of a list to the items of a value."
  (if (string? target)
      (hash-set! table target value)
      (let ((items (%template-items line value)))
        (unless (= (length items) (length target))
          (%template-error line (string "expected " (length target)
                                        " items, got " (length items))))
        (for-each (lambda (target item) (%assign! table line target item))
                  target items))))

(define (%execute-set env run line target field value)
  "Set variables, or a field of a namespace."
  (if field
      (let ((namespace (%look-up env target)))
        (unless (%namespace? namespace)
          (%template-error line (string "cannot set a field of "
                                        (%template-kind namespace))))
        (hash-set! (%namespace-table namespace) field
                   (%evaluate value env run)))
      (%assign! (car env) line target (%evaluate value env run))))

(define (%execute-with env run out line bindings body)
  "Run statements in a scope of their own."
  (let ((scope (make-hash-table)))
    (for-each (lambda (binding)
                (%assign! scope line (car binding)
                          (%evaluate (cdr binding) env run)))
              bindings)
    (%execute body (cons scope env) run out)))

;; Expressions.

(define (%look-up env name)
  "The value of a name; undefined if there is none."
  (cond ((null? env)
         (let ((found (hash-ref (force %template-functions) name #f)))
           (if found
               (%callable 'function found)
               (%undefined name))))
        ((hash-has-key? (car env) name) (hash-ref (car env) name))
        (else (%look-up (cdr env) name))))

(define (%evaluate node env run)
  "The value of an expression."
  (let ((line (cadr node)) (parts (cddr node)))
    (define (value-of part) (%plain (%evaluate part env run)))
    (define (all-of parts) (map (lambda (part) (%evaluate part env run)) parts))
    (%count-step! run line)
    (case (car node)
      ((constant) (car parts))
      ((name) (%look-up env (car parts)))
      ((list) (all-of (car parts)))
      ((tuple) (list->vector (all-of (car parts))))
      ((table)
       (let ((table (make-hash-table)))
         (for-each (lambda (entry)
                     (hash-set! table
                                (%dictionary-key line (value-of (car entry)))
                                (%evaluate (cdr entry) env run)))
                   (car parts))
         table))
      ((field) (%field-of line (value-of (car parts)) (cadr parts)))
      ((index)
       (let ((x (value-of (car parts))))
         (%item-of line x (value-of (cadr parts)))))
      ((slice)
       (apply %slice-of run line
              (map (lambda (part) (and part (value-of part))) parts)))
      ((call) (apply %evaluate-call env run line parts))
      ((filter) (%apply-filter node (%evaluate (cadr parts) env run) env run))
      ((block-text) (%block-text (car parts) (cadr parts) env run))
      ((macro) (%made-macro env run parts))
      ((test)
       (%apply-test run line (car parts) (%evaluate (cadr parts) env run)
                    (all-of (caddr parts))
                    (map (lambda (entry)
                           (cons (car entry) (%evaluate (cdr entry) env run)))
                         (cadddr parts))))
      ((not) (not (%template-true? (%evaluate (car parts) env run))))
      ((sign)
       (let ((x (%number-of (value-of (cadr parts)))))
         (unless (number? x)
           (%template-error line (string "a sign needs a number, got "
                                         (%template-kind x))))
         (if (string=? (car parts) "-") (- x) x)))
      ((choose)
       (cond ((%template-true? (%evaluate (car parts) env run))
              (%evaluate (cadr parts) env run))
             ((caddr parts) (%evaluate (caddr parts) env run))
             (else (%undefined "the value without else"))))
      ((compare) (%evaluate-comparison env run line parts))
      (else (apply %evaluate-binary env run line parts)))))

(define (%evaluate-comparison env run line parts)
  "Whether all comparisons of a chain hold."
  (let loop ((left (%evaluate (car parts) env run)) (pairs (cadr parts)))
    (or (null? pairs)
        (let ((right (%evaluate (cdar pairs) env run)))
          (and (%compare line (caar pairs) left right)
               (loop right (cdr pairs)))))))

(define (%compare line operator a b)
  "Whether a comparison holds."
  (cond ((string=? operator "==") (%template-equal? a b))
        ((string=? operator "!=") (not (%template-equal? a b)))
        ((string=? operator "in") (%contained? line a b))
        ((string=? operator "not in") (not (%contained? line a b)))
        ((string=? operator "<") (%template-less? line a b))
        ((string=? operator ">") (%template-less? line b a))
        ((string=? operator "<=")
         (or (%template-less? line a b) (%template-equal? a b)))
        (else (or (%template-less? line b a) (%template-equal? a b)))))

(define (%contained? line a b)
  "Whether b has a: a part of a string, an item, or a key."
  (let ((a (%plain a)) (b (%plain b)))
    (cond ((and (string? b) (string? a))
           (%count-work! (quotient (string-length b) 8))
           (and (string-contains b a) #t))
          ((string? b)
           (%template-error line (string "in a string there are strings, not "
                                         (%template-kind a))))
          ((hash-table? b) (hash-has-key? b (%dictionary-key line a)))
          (else
           (any (lambda (item) (%template-equal? a item))
                (%template-items line b))))))

(define (%evaluate-binary env run line operator left right)
  "The value of an operator with two operands."
  (let ((a (%evaluate left env run)))
    (cond ((string=? operator "and")
           (if (%template-true? a) (%evaluate right env run) a))
          ((string=? operator "or")
           (if (%template-true? a) a (%evaluate right env run)))
          (else
           (%combine run line operator a (%evaluate right env run))))))
