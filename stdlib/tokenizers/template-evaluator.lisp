;; template-evaluator.lisp - runs the statements of a chat template.
;;
;; An environment is a list of tables, the innermost scope first; the last two
;; are those of the template and of its arguments.  A run is #(steps,
;; characters, tables that may hold themselves, depth of macros, most steps); it
;; ends templates that loop for ever.

(define %most-template-steps 500000)
(define %most-shown 200000)               ; values
(define %longest-template-text 16000000)   ; characters, of all texts together
(define %deepest-macro 100)

(define %steps-of-message 5000)

(define (%run-template nodes arguments messages)
  "The text of a parsed template with a table of arguments, for so many
  messages."
  (let ((run (vector 0 0 '() 0 (+ %most-template-steps
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
    (when (> steps (vector-ref run 4))
      (%template-error line (string "it takes more than " (vector-ref run 4)
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
      ((for) (apply %execute-for env run out line 1 parts) #f)
      ((set) (apply %execute-set env run line parts) #f)
      ((with) (%execute-with env run out line (car parts) (cadr parts)))
      ((block) (%execute (car parts) env run out))
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

;; Loops.

(define %loop-type
  (%record-type 'loop #(index count before rest depth changed recurse)))

(define (%loop? x) (%record? x %loop-type))
(define (%loop-part x k) (%record-ref x %loop-type k "loop"))

(define (%execute-for env run out line depth targets items test body otherwise
                      recursive)
  "Run a loop, which is so deep in calls of itself."
  (%run-loop env run out line depth (%evaluate items env run) targets test body
             otherwise recursive))

(define (%run-loop env run out line depth value targets test body otherwise
                   recursive)
  "Run a loop over the items of a value."
  (let* ((all (%template-items line value))
         (kept (if test
                   (filter (lambda (item)
                             (let ((scope (make-hash-table)))
                               (%assign! scope line targets item)
                               (%template-true?
                                (%evaluate test (cons scope env) run))))
                           all)
                   all))
         (count (length kept))
         (changed (vector #f))
         (recurse (and recursive
                       (lambda (line value)
                         (%deeper-text run line
                           (lambda (out)
                             (%run-loop env run out line (+ depth 1) value
                                        targets test body otherwise #t)))))))
    (if (null? kept)
        (%execute otherwise env run out)
        (let loop ((rest kept) (index 0) (before #f))
          (unless (null? rest)
            (let ((scope (make-hash-table)))
              (%count-step! run line)
              (hash-set! scope "loop"
                         (%record %loop-type index count before rest depth
                                  changed recurse))
              (%assign! scope line targets (car rest))
              (unless (eq? (%execute body (cons scope env) run out) 'break)
                (loop (cdr rest) (+ index 1) (list (car rest))))))))))

(define (%deeper-text run line write)
  "What a procedure writes to the output that it is given, one macro or loop
  deeper."
  (when (>= (vector-ref run 3) %deepest-macro)
    (%template-error line (string "macros and loops call each other more than "
                                  %deepest-macro " deep")))
  (let ((out (vector '())))
    (vector-set! run 3 (+ (vector-ref run 3) 1))
    (write out)
    (vector-set! run 3 (- (vector-ref run 3) 1))
    (%output-text out)))

(define (%loop-field x name)
  "A fact of a loop; before is a list of the item before, or #f."
  (let ((index (%loop-part x 0)) (count (%loop-part x 1))
        (before (%loop-part x 2)) (rest (%loop-part x 3))
        (depth (%loop-part x 4)))
    (case (string->symbol name)
      ((index) (+ index 1))
      ((index0) index)
      ((revindex) (- count index))
      ((revindex0) (- count index 1))
      ((first) (= index 0))
      ((last) (= (+ index 1) count))
      ((length) count)
      ((depth) depth)
      ((depth0) (- depth 1))
      ((previtem) (if before (car before) (%undefined "loop.previtem")))
      ((nextitem)
       (if (pair? (cdr rest)) (cadr rest) (%undefined "loop.nextitem")))
      ((cycle)
       (%callable 'function (vector "loop.cycle" 'any (%cycle-at index))))
      ((changed)
       (%callable 'function
                  (vector "loop.changed" 'any
                          (%change-noted (%loop-part x 5)))))
      (else (%undefined name)))))

(define (%cycle-at index)
  "The procedure that picks the argument of an iteration."
  (lambda (run line items named)
    (when (or (null? items) (pair? named))
      (%template-error line "loop.cycle needs items"))
    (list-ref items (modulo index (length items)))))

(define (%change-noted last)
  "The procedure whether its arguments differ from those of the last call."
  (lambda (run line items named)
    (let ((same (and (vector-ref last 0)
                     (%template-equal? (vector-ref last 0) items))))
      (vector-set! last 0 items)
      (not same))))

(define (%template-items line x)
  "The items of a value, as a list."
  (let ((x (%plain x)))
    (cond ((or (pair? x) (null? x)) (%count-work! (length x)) x)
          ((vector? x) (%count-work! (vector-length x)) (vector->list x))
          ((hash-table? x) (%count-work! (hash-size x)) (hash-keys x))
          ((string? x)
           (%count-work! (* 10 (string-length x)))
           (map string (string->list x)))
          ((%undefined? x) '())
          (else
           (%template-error line (string "cannot loop over "
                                         (%template-kind x)))))))

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

(define (%combine run line operator a b)
  "The value of an arithmetic operator."
  (if (string=? operator "~")
      (%joined-values run line (%template-text a) (%template-text b))
      (let ((a (if (%markup? a) a (%number-of a)))
            (b (if (%markup? b) b (%number-of b))))
        (cond ((and (number? a) (number? b)) (%calculate line operator a b))
              ((string=? operator "+") (%sum run line a b))
              ((string=? operator "*")
               (cond ((exact-integer? b) (%repeated run line (%plain a) b))
                     ((exact-integer? a) (%repeated run line (%plain b) a))
                     (else (%wrong-operands line operator a b))))
              ((and (string=? operator "%") (string? (%plain a)))
               (%percent-formatted run line (%plain a)
                                   (cond ((vector? b) (vector->list b))
                                         ((hash-table? b) b)
                                         (else (list b)))))
              (else (%wrong-operands line operator a b))))))

(define (%wrong-operands line operator a b)
  (%template-error line (string "cannot apply " operator " to "
                                (%template-kind a) " and "
                                (%template-kind b))))

(define (%sum run line a b)
  "Two strings, lists or tuples as one."
  (cond ((and (string? (%plain a)) (string? (%plain b))) (%joined-values run line a b))
        ((and (vector? a) (vector? b))
         (%count-text! run line (+ (vector-length a) (vector-length b)))
         (vector-append a b))
        ((and (not (vector? a)) (not (vector? b)) (%sequence? a) (%sequence? b))
         (%count-text! run line (+ (length a) (length b)))
         (append a b))
        (else (%wrong-operands line "+" a b))))

(define (%joined-values run line a b)
  "The texts of two values as one; a safe one escapes the other."
  (let* ((safe (or (%markup? a) (%markup? b)))
         (text (lambda (x)
                 (let ((text (%template-text x)))
                   (if (and safe (not (%markup? x))) (%escaped text) text))))
         (a (text a))
         (b (text b)))
    (%count-text! run line (+ (string-length a) (string-length b)))
    (let ((made (string-append a b)))
      (if safe (%markup made) made))))

(define (%repeated run line x n)
  "A string, a list or a tuple n times."
  (let* ((n (max n 0)) (all (if (vector? x) (vector->list x) x)))
    (unless (or (string? all) (pair? all) (null? all))
      (%wrong-operands line "*" x n))
    (%count-text! run line
                  (* n (if (string? all) (string-length all) (length all))))
    (let ((n (if (equal? all "") 0 (if (null? all) 0 n))))
      (cond ((string? all)
             (string-concatenate (list-tabulate n (lambda (k) all))))
            (else
             (let ((made (append-map values (list-tabulate n (lambda (k) all)))))
               (if (vector? x) (list->vector made) made)))))))

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
  "The field of that name: a method, or an entry of a dictionary."
  (let ((x (%plain x)))
    (cond ((%undefined? x)
           (%template-error line (string "cannot take " name " of "
                                         (%template-kind x))))
          ((%namespace? x)
           (hash-ref (%namespace-table x) name (%undefined name)))
          ((%loop? x) (%loop-field x name))
          ((%template-method x name)
           => (lambda (method) (%method-value x name method)))
          ((hash-table? x) (hash-ref x name (%undefined name)))
          ((and (vector? x) (= (vector-length x) 2)      ; of groupby
                (member name '("grouper" "list")))
           (vector-ref x (if (string=? name "list") 1 0)))
          (else (%undefined name)))))

(define (%method-value x name method)
  "A method as a value."
  (if (eq? method 'unsafe)
      (%undefined (string name ", which would change its value"))
      (%callable 'method (cons x method))))

(define (%item-of line x index)
  "The entry of a key, or the item at an index; for a name also a method;
  undefined if there is none."
  (let* ((x (%plain x))
         (index (let ((k (%plain index))) (if (hash-table? x) k (%number-of k))))
         (at (lambda (count)
               (let ((k (if (< index 0) (+ index count) index)))
                 (and (< -1 k count) k)))))
    (cond ((%undefined? x)
           (%template-error line (string "cannot take an item of "
                                         (%template-kind x))))
          ((and (hash-table? x) (%key? index) (hash-has-key? x index))
           (hash-ref x index))
          ((and (exact-integer? index) (or (%sequence? x) (string? x)))
           (let* ((count (%length-of line x)) (k (at count)))
             (cond ((not k) (%undefined (string "item " index)))
                   ((vector? x) (vector-ref x k))
                   ((string? x) (string (string-ref x k)))
                   (else (list-ref x k)))))
          ((string? index)
           (if (hash-table? x)
               (let ((method (%template-method x index)))
                 (if method
                     (%method-value x index method)
                     (%undefined index)))
               (%field-of line x index)))
          (else (%undefined (string "an item of " (%template-kind x)))))))

(define (%key? x)
  "Whether a value may be a key."
  (or (string? x) (number? x) (boolean? x) (eq? x 'null)))

(define (%slice-of run line x start end step)
  "The items from start to before end; undefined if there are none."
  (when (%undefined? x)
    (%template-error line (string "cannot slice " (%template-kind x))))
  (if (and (or (%sequence? x) (string? x))
           (every (lambda (k) (or (memq k '(#f null)) (exact-integer? k)))
                  (list start end step)))
      (let* ((items (cond ((string? x) (string->vector x))
                          ((vector? x) x)
                          (else (list->vector x))))
             (counted (%count-work! (vector-length items)))
             (made (%slice-items line items
                                 (if (eq? start 'null) #f start)
                                 (if (eq? end 'null) #f end)
                                 (if (memv step '(#f null)) 1 step))))
        (cond ((string? x) (list->string made))
              ((vector? x) (list->vector made))
              (else made)))
      (%undefined (string "a slice of " (%template-kind x)))))

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
    (if (%loop? f)
        (%call-loop line f items named)
        (%call-value run line f items named))))

(define (%call-loop line x items named)
  "The text of a loop that is called with new items."
  (unless (%loop-part x 6)
    (%template-error line "the loop is called, and is not marked as recursive"))
  (unless (and (= (length items) 1) (null? named))
    (%template-error line "a loop is called with its items"))
  ((%loop-part x 6) line (car items)))

(define (%call-value run line f items named)
  "The value of a call of a macro, a method or a function."
  (unless (%callable? f)
    (%template-error line (string "cannot call " (%template-kind f))))
  (let ((value (%callable-part f 1)))
    (case (%callable-part f 0)
      ((macro) (apply %call-macro run line items named value))
      ((method)
       (%call-entry (cdr value) run line (list (car value))
                    (map %plain items) named))
      (else (%call-entry value run line '() items named)))))

;; Macros see the scopes in which they are defined.

(define (%made-macro env run parts)
  "The value of a macro."
  (vector-set! run 2 (cons (car env) (vector-ref run 2)))
  (%callable 'macro (cons env parts)))

(define (%call-macro run line items named env name parameters body used)
  "The text of a macro."
  (let* ((scope (make-hash-table))
         (inner (cons scope env))
         (count (length parameters))
         (surplus (if (> (length items) count) (drop items count) '())))
    (define (special! special value)
      (when (member special used) (hash-set! scope special value)))
    (when (and (pair? surplus) (not (member "varargs" used)))
      (%template-error line (string "the macro " name " takes " count
                                    " arguments, got " (length items))))
    (let loop ((parameters parameters) (items items))
      (unless (null? parameters)
        (let* ((parameter (car parameters))
               (by-name (assoc (car parameter) named)))
          (when (and by-name (pair? items))
            (%template-error line (string "the macro " name " has the argument "
                                          (car parameter) " twice")))
          (hash-set! scope (car parameter)
                     (cond ((pair? items) (car items))
                           (by-name (cdr by-name))
                           ((cdr parameter) (%evaluate (cdr parameter) inner run))
                           (else (%undefined (car parameter)))))
          (loop (cdr parameters) (if (pair? items) (cdr items) '())))))
    (let ((others (remove (lambda (entry)
                            (or (assoc (car entry) parameters)
                                (and (string=? (car entry) "caller")
                                     (member "caller" used))))
                          named))
          (caller (assoc "caller" named)))
      (when (and (pair? others) (not (member "kwargs" used)))
        (%template-error line (string "the macro " name " has no argument "
                                      (caar others))))
      (special! "varargs" (list->vector surplus))
      (special! "kwargs" (%template-dict run line '() others))
      (unless (assoc "caller" parameters)
        (special! "caller" (if caller (cdr caller) (%undefined "caller")))))
    (%deeper-text run line
      (lambda (out) (%execute body inner run out)))))
