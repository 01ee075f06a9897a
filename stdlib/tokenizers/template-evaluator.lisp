;; template-evaluator.lisp - runs the statements of a chat template.
;;
;; An environment is a list of tables, the innermost scope first; the last two
;; are those of the template and of its arguments.  A run is
;; #(steps, characters, namespaces, depth of macros); it ends templates that
;; loop for ever.

(define %most-template-steps 500000)
(define %most-shown 1000000)              ; values
(define %longest-template-text 16000000)   ; characters, of all texts together
(define %deepest-macro 100)

(define (%run-template nodes arguments)
  "The text of a parsed template with a table of arguments."
  (let ((run (vector 0 0 '() 0)) (out (vector '())))
    (dynamic-wind
     (lambda () (vector-set! %text-budget 0 %most-shown))
     (lambda ()
       (%execute nodes (list (make-hash-table) arguments) run out)
       (%output-text out))
     (lambda ()                            ; they may hold themselves
       (for-each hash-clear! (vector-ref run 2))))))

(define (%output-text out)
  "The text that was written."
  (string-concatenate (reverse (vector-ref out 0))))

(define (%write-text! run out line text)
  "Add a text to an output."
  (%count-text! run line (string-length text))
  (vector-set! out 0 (cons text (vector-ref out 0))))

(define (%count-text! run line length)
  "Count the characters of a text that a template makes."
  (let ((all (+ (vector-ref run 1) length)))
    (when (> all %longest-template-text)
      (%template-error line (string "it makes more than "
                                    %longest-template-text " characters")))
    (vector-set! run 1 all)))

(define (%count-step! run line)
  "Count one step."
  (let ((steps (+ (vector-ref run 0) 1)))
    (when (> steps %most-template-steps)
      (%template-error line (string "it takes more than " %most-template-steps
                                    " steps")))
    (vector-set! run 0 steps)))

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
      ((for) (apply %execute-for env run out line parts) #f)
      ((set)
       (%assign! (car env) line (car parts) (%evaluate (cadr parts) env run))
       #f)
      ((set-field) (apply %execute-set-field env run line parts) #f)
      ((set-block)
       (hash-set! (car env) (car parts)
                  (%filtered-block (cadr parts) (caddr parts) env run))
       #f)
      ((filter-block)
       (%write-text! run out line
                     (%template-text
                      (%filtered-block (car parts) (cadr parts) env run)))
       #f)
      ((macro) (hash-set! (car env) (car parts) (%callable 'macro parts)) #f)
      ((block) (%execute (car parts) env run out))
      ((do) (%evaluate (car parts) env run) #f)
      (else (car node)))))                 ; break and continue

(define (%filtered-block body filters env run)
  "The text of a body, with the filters in whose place (block) stands."
  (let ((inner (vector '())))
    (%execute body (cons (make-hash-table) env) run inner)
    (let replace ((node filters))
      (if (eq? (car node) 'block)
          (%output-text inner)
          (%apply-filter node (replace (cadddr node)) env run)))))

(define (%assign! table line names value)
  "Set one name, or several to the items of a list."
  (if (null? (cdr names))
      (hash-set! table (car names) value)
      (begin
        (unless (and (list? value) (= (length value) (length names)))
          (%template-error line (string "expected a list of " (length names)
                                        " items, got "
                                        (%template-kind value))))
        (for-each (lambda (name item) (hash-set! table name item))
                  names value))))

(define (%execute-set-field env run line name field value)
  "Set a field of a namespace."
  (let ((target (%look-up env name)))
    (unless (%namespace? target)
      (%template-error line (string "cannot set a field of "
                                    (%template-kind target))))
    (hash-set! (%namespace-table target) field (%evaluate value env run))))

;; Loops.  A loop's own table has its facts: index, first ...

(define (%execute-for env run out line names items test body otherwise)
  "Run a loop."
  (let* ((all (%template-items line (%evaluate items env run)))
         (kept (if test
                   (filter (lambda (item)
                             (let ((scope (make-hash-table)))
                               (%assign! scope line names item)
                               (%template-true?
                                (%evaluate test (cons scope env) run))))
                           all)
                   all))
         (count (length kept)))
    (if (null? kept)
        (%execute otherwise env run out)
        (let loop ((rest kept) (index 0) (before #f))
          (unless (null? rest)
            (let ((scope (make-hash-table)))
              (%count-step! run line)
              (hash-set! scope "loop"
                         (%loop-facts index count before rest))
              (%assign! scope line names (car rest))
              (unless (eq? (%execute body (cons scope env) run out) 'break)
                (loop (cdr rest) (+ index 1) (list (car rest))))))))))

(define (%loop-facts index count before rest)
  "The table of a loop's facts; before is a list of the item before, or #f."
  (let ((facts (hash-table "index" (+ index 1) "index0" index
                           "revindex" (- count index)
                           "revindex0" (- count index 1)
                           "first" (= index 0) "last" (= (+ index 1) count)
                           "length" count "depth" 1 "depth0" 0
                           "cycle" (%callable 'function
                                              (%cycle-at index)))))
    (when before (hash-set! facts "previtem" (car before)))
    (when (pair? (cdr rest)) (hash-set! facts "nextitem" (cadr rest)))
    facts))

(define (%cycle-at index)
  "The procedure that picks the argument of an iteration."
  (lambda (run line items named)
    (when (null? items)
      (%template-error line "loop.cycle needs items"))
    (list-ref items (modulo index (length items)))))

(define (%template-items line x)
  "The items of a value, as a list."
  (cond ((list? x) x)
        ((hash-table? x) (hash-keys x))
        ((string? x) (map string (string->list x)))
        ((%undefined? x) '())
        (else
         (%template-error line (string "cannot loop over "
                                       (%template-kind x))))))

;; Expressions.

(define (%look-up env name)
  "The value of a name; undefined if there is none."
  (cond ((null? env)
         (let ((found (assoc name (force %template-functions))))
           (if found
               (%callable 'function (cdr found))
               (%undefined name))))
        ((hash-has-key? (car env) name) (hash-ref (car env) name))
        (else (%look-up (cdr env) name))))

(define (%evaluate node env run)
  "The value of an expression."
  (let ((line (cadr node)) (parts (cddr node)))
    (%count-step! run line)
    (case (car node)
      ((constant) (car parts))
      ((name) (%look-up env (car parts)))
      ((list) (map (lambda (item) (%evaluate item env run)) (car parts)))
      ((table)
       (let ((table (make-hash-table)))
         (for-each (lambda (entry)
                     (hash-set! table (%evaluate (car entry) env run)
                                (%evaluate (cdr entry) env run)))
                   (car parts))
         table))
      ((field)
       (%field-of line (%evaluate (car parts) env run) (cadr parts)))
      ((index)
       (%item-of line (%evaluate (car parts) env run)
                 (%evaluate (cadr parts) env run)))
      ((slice)
       (apply %slice-of line
              (map (lambda (part) (and part (%evaluate part env run))) parts)))
      ((call) (apply %evaluate-call env run line parts))
      ((filter) (%apply-filter node (%evaluate (cadr parts) env run) env run))
      ((test)
       (%apply-test run line (car parts) (%evaluate (cadr parts) env run)
                    (map (lambda (x) (%evaluate x env run)) (caddr parts))))
      ((not) (not (%template-true? (%evaluate (car parts) env run))))
      ((sign)
       (let ((x (%evaluate (cadr parts) env run)))
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
        (else
         (let ((less (cond ((and (number? a) (number? b)) <)
                           ((and (string? a) (string? b)) string<?)
                           (else
                            (%template-error
                             line (string "cannot compare " (%template-kind a)
                                          " with " (%template-kind b)))))))
           (cond ((string=? operator "<") (less a b))
                 ((string=? operator ">") (less b a))
                 ((string=? operator "<=") (not (less b a)))
                 (else (not (less a b))))))))

(define (%contained? line a b)
  "Whether b has a: a part of a string, an item, or a key."
  (cond ((and (string? b) (string? a)) (and (string-contains b a) #t))
        ((string? b)
         (%template-error line (string "in a string there are strings, not "
                                       (%template-kind a))))
        ((hash-table? b) (hash-has-key? b a))
        (else
         (any (lambda (item) (%template-equal? a item))
              (%template-items line b)))))

(define (%evaluate-binary env run line operator left right)
  "The value of an operator with two operands."
  (let ((a (%evaluate left env run)))
    (cond ((string=? operator "and")
           (if (%template-true? a) (%evaluate right env run) a))
          ((string=? operator "or")
           (if (%template-true? a) a (%evaluate right env run)))
          (else
           (%combine run line operator a (%evaluate right env run))))))

(define (%combine run line operator a b)
  "The value of an arithmetic operator."
  (let ((wrong (lambda ()
                 (%template-error line (string "cannot apply " operator " to "
                                               (%template-kind a) " and "
                                               (%template-kind b)))))
        (joined (lambda (a b)
                  (%count-text! run line (+ (string-length a)
                                            (string-length b)))
                  (string-append a b))))
    (cond ((string=? operator "~")
           (joined (%template-text a) (%template-text b)))
          ((and (number? a) (number? b)) (%calculate line operator a b))
          ((and (string=? operator "+") (string? a) (string? b)) (joined a b))
          ((and (string=? operator "+") (list? a) (list? b))
           (%count-text! run line (+ (length a) (length b)))
           (append a b))
          ((and (string=? operator "*") (exact-integer? b)
                (or (string? a) (list? a)))
           (%repeated run line a b))
          ((and (string=? operator "*") (exact-integer? a)
                (or (string? b) (list? b)))
           (%repeated run line b a))
          ((and (string=? operator "%") (string? a))
           (%template-error line "the formatting operator % is not supported"))
          (else (wrong)))))

(define (%repeated run line x n)
  "A string or a list n times."
  (let ((n (max n 0)))
    (%count-text! run line (* n (if (string? x) (string-length x) (length x))))
    (if (string? x)
        (string-concatenate (list-tabulate n (lambda (k) x)))
        (append-map values (list-tabulate n (lambda (k) x))))))

(define (%calculate line operator a b)
  "The value of an operator of two numbers."
  (when (and (member operator '("/" "//" "%")) (= b 0))
    (%template-error line "division by zero"))
  (when (and (string=? operator "**")
             (or (> (abs b) 1000) (> (abs a) (expt 10 30))))
    (%template-error line "a power is too large"))
  (let ((value (cond ((string=? operator "+") (+ a b))
                     ((string=? operator "-") (- a b))
                     ((string=? operator "*") (* a b))
                     ((string=? operator "/") (inexact (/ a b)))
                     ((string=? operator "//") (floor (/ a b)))
                     ((string=? operator "%")
                      (if (and (exact-integer? a) (exact-integer? b))
                          (modulo a b)
                          (- a (* b (floor (/ a b))))))
                     ((and (exact-integer? b) (< b 0)) (expt (inexact a) b))
                     (else (expt a b)))))
    (when (and (exact-integer? value) (> (abs value) (expt 10 1000)))
      (%template-error line "a number has more than 1000 digits"))
    value))

;; Fields, items, slices.

(define (%field-of line x name)
  "The field of that name: an entry of a dictionary, or a method."
  (cond ((and (hash-table? x) (hash-has-key? x name)) (hash-ref x name))
        ((%namespace? x)
         (hash-ref (%namespace-table x) name (%undefined name)))
        ((%undefined? x)
         (%template-error line (string "cannot take " name " of "
                                       (%template-kind x))))
        ((%template-method x name)
         => (lambda (method) (%callable 'method (cons x method))))
        (else (%undefined name))))

(define (%item-of line x index)
  "The item at an index, or the entry of a key; undefined if there is none."
  (let ((at (lambda (count)
              (let ((k (if (< index 0) (+ index count) index)))
                (and (< -1 k count) k)))))
    (cond ((hash-table? x)
           (hash-ref x index (%undefined (%template-text index))))
          ((%undefined? x)
           (%template-error line (string "cannot take an item of "
                                         (%template-kind x))))
          ((and (exact-integer? index) (or (list? x) (string? x)))
           (let ((k (at (if (list? x) (length x) (string-length x)))))
             (cond ((not k) (%undefined (string "item " index)))
                   ((list? x) (list-ref x k))
                   (else (string (string-ref x k))))))
          ((string? index) (%field-of line x index))
          (else (%undefined (string "an item of " (%template-kind x)))))))

(define (%slice-of line x start end step)
  "The items from start to before end."
  (unless (or (list? x) (string? x))
    (%template-error line (string "cannot slice " (%template-kind x))))
  (for-each (lambda (k)
              (unless (or (not k) (eq? k 'null) (exact-integer? k))
                (%template-error line (string "an index of a slice is "
                                              (%template-kind k)))))
            (list start end step))
  (let* ((items (list->vector (if (string? x) (string->list x) x)))
         (made (%slice-items line items
                             (if (eq? start 'null) #f start)
                             (if (eq? end 'null) #f end)
                             (if (memv step '(#f null)) 1 step))))
    (if (string? x) (list->string made) made)))

(define (%slice-items line items start end step)
  "The items of a vector from start to before end, as a list."
  (when (= step 0)
    (%template-error line "the step of a slice is 0"))
  (let* ((n (vector-length items))
         (up (> step 0))
         (clip (lambda (k otherwise)
                 (let ((k (cond ((not k) otherwise)
                                ((< k 0) (+ k n))
                                (else k))))
                   (if up (max 0 (min k n)) (max -1 (min k (- n 1)))))))
         (end (if (or end up) (clip end n) -1)))
    (let loop ((k (clip start (if up 0 (- n 1)))) (made '()))
      (if (if up (< k end) (> k end))
          (loop (+ k step) (cons (vector-ref items k) made))
          (reverse made)))))

;; Calls.

(define (%evaluate-call env run line callee items named)
  "The value of a call."
  (let ((f (%evaluate callee env run))
        (items (map (lambda (x) (%evaluate x env run)) items))
        (named (map (lambda (entry)
                      (cons (car entry) (%evaluate (cdr entry) env run)))
                    named)))
    (unless (%callable? f)
      (%template-error line (string "cannot call " (%template-kind f))))
    (let ((value (%callable-part f 1)))
      (case (%callable-part f 0)
        ((macro) (apply %call-macro env run line items named value))
        ((method) ((cdr value) run line (car value) items named))
        (else (value run line items named))))))

(define (%call-macro env run line items named name parameters body)
  "The text of a macro."
  (when (>= (vector-ref run 3) %deepest-macro)
    (%template-error line (string "macros call each other more than "
                                  %deepest-macro " deep")))
  (when (> (length items) (length parameters))
    (%template-error line (string "the macro " name " takes "
                                  (length parameters) " arguments, got "
                                  (length items))))
  (vector-set! run 3 (+ (vector-ref run 3) 1))
  (let* ((outer (list-tail env (- (length env) 2)))
         (scope (make-hash-table))
         (inner (cons scope outer))
         (out (vector '())))
    (let loop ((parameters parameters) (items items))
      (unless (null? parameters)
        (let ((parameter (car parameters)))
          (hash-set! scope (car parameter)
                     (cond ((pair? items) (car items))
                           ((assoc (car parameter) named) => cdr)
                           ((cdr parameter) (%evaluate (cdr parameter) inner run))
                           (else (%undefined (car parameter)))))
          (loop (cdr parameters) (if (pair? items) (cdr items) '())))))
    (%execute body inner run out)
    (vector-set! run 3 (- (vector-ref run 3) 1))
    (%output-text out)))
