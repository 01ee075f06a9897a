"""The documentation of special forms, for `lambent doc NAME` and docs/reference.md.

The usages are with the forms, in lang/core/.  The sentences and examples are here, because only
documentation needs them, and a program's start should not load them.  The examples are tests.

    FORM_DOCS["when"]  =>  FormDoc("If the test is true, ...", "(print (when (< 1 2) ...")
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FormDoc:
    """What a form does, and an example with its output."""

    doc: str
    example: str | None = None


WORDS = {
    "else": "The last clause of cond, case, guard and cond-expand, for all other cases.",
    "=>": "In a clause of cond, case or guard: the procedure after it takes the test's value.",
    "...": "In syntax-rules: the pattern or template before it, any number of times.  In match: "
    "the pattern before it matches any number of elements.",
    "_": "In a pattern of syntax-rules or match: matches anything, without a name.",
}

FORM_DOCS = {
    "define": FormDoc(
        "Define a variable, at the top level or in a body.  Keyword parameters with defaults "
        "may follow the parameters, and a rest parameter after a dot.  A string that begins a "
        "body is its documentation.",
        '(define (greet name :by "I") (print by "greet" name)) (greet "Ada")  ; => I greet Ada',
    ),
    "lambda": FormDoc(
        "A procedure.  A name instead of the parameter list takes all arguments as a list; after "
        "a dot it takes the remaining ones.  :name and a default are a keyword parameter.",
        "(print ((lambda (x :plus 1 . rest) (list (+ x plus) rest)) 1 :plus 9 2 3))  "
        "; => (10 (2 3))",
    ),
    "case-lambda": FormDoc(
        "A procedure with a body for each number of arguments: the first that matches runs.",
        "(print ((case-lambda ((a) 'one) ((a b) 'two) ((a . rest) 'more)) 1 2))  ; => two",
    ),
    "set!": FormDoc(
        "Change the value of an existing variable.",
        "(define n 1) (set! n (+ n 1)) (print n)  ; => 2",
    ),
    "let": FormDoc(
        "The body with variables, whose values do not see each other.  With a name before the "
        "bindings, that name is a procedure that runs the body again: a loop.",
        "(print (let loop ((i 3) (l '())) (if (= i 0) l (loop (- i 1) (cons i l)))))  "
        "; => (1 2 3)",
    ),
    "let*": FormDoc(
        "The body with variables, whose values see the variables before them.",
        "(print (let* ((a 1) (b (+ a 1))) (list a b)))  ; => (1 2)",
    ),
    "letrec": FormDoc(
        "The body with variables, whose values may refer to each other in procedures.",
        "(print (letrec ((even? (lambda (n) (or (= n 0) (odd? (- n 1))))) "
        "(odd? (lambda (n) (and (> n 0) (even? (- n 1)))))) (even? 10)))  ; => #t",
    ),
    "letrec*": FormDoc(
        "letrec, in order: each value may use the variables before it.",
        "(print (letrec* ((a 1) (b (+ a 1))) b))  ; => 2",
    ),
    "begin": FormDoc(
        "One form after the other; the value is the last one's.",
        '(print (begin (display "a") 2))  ; => a2',
    ),
    "begin0": FormDoc(
        "One form after the other; the value is the first one's.",
        '(print (begin0 1 (display "a")))  ; => a1',
    ),
    "if": FormDoc(
        "The first form if the test is true, the other one if it is #f.",
        "(print (if (> 2 1) 'yes 'no))  ; => yes",
    ),
    "when": FormDoc(
        "The forms, if the test is true.",
        "(print (when (> 2 1) 'one 'two))  ; => two",
    ),
    "unless": FormDoc(
        "The forms, if the test is false.",
        "(print (unless (> 1 2) 'one 'two))  ; => two",
    ),
    "cond": FormDoc(
        "The forms of the first clause whose test is true.  A clause (test => procedure) calls "
        "the procedure with the test's value; the value of a clause without forms is the test's.",
        "(print (cond ((assv 2 '((1 . a) (2 . b))) => cdr) (else 'none)))  ; => b",
    ),
    "case": FormDoc(
        "The forms of the clause that has the key among its data, compared by eqv?.",
        "(print (case (* 2 3) ((2 3 5 7) 'prime) ((4 6 8 9) 'composite)))  ; => composite",
    ),
    "and": FormDoc(
        "The first value that is false, or the last; what follows a false one does not run.",
        "(print (and 1 2) (and 1 #f (car '())) (and))  ; => 2 #f #t",
    ),
    "or": FormDoc(
        "The first value that is true, or the last; what follows a true one does not run.",
        "(print (or #f 2 (car '())) (or #f #f) (or))  ; => 2 #f #f",
    ),
    "match": FormDoc(
        "The forms of the first clause whose pattern the value has; an error if there is none.  "
        "Patterns: a name, which is bound to what stands there, and again only to an equal value; "
        "_ for anything; numbers, strings and 'datum; (p ...) with as many elements, (p . rest), "
        "#(p ...), and `(word ,p); p ... (or ___) for any number of elements, p **1 or p ..2 for "
        "at least as many, with patterns after it, too, and its names are lists; (and p ...), "
        "(or p ...), (not p); (? predicate p ...); (= procedure p) for the procedure's result; "
        "($ type p ...) for the fields of a record, (@ type (field p) ...) for some by name; "
        "(hash-table key p ...) for a table with these keys; (get! name) and (set! name) for "
        "procedures of no and one argument that read and replace what stands there; (p *** q) for "
        "what matches q, or a list whose first element matches p, with an element that "
        "matches p *** q.  After the pattern, (=> next) names "
        "a procedure that goes on with the clauses after it, and :when test must be true.  "
        "SRFI 204.",
        "(define (f x) (match x (`(+ ,a ,b) (+ (f a) (f b))) ((? number? n) n))) "
        "(print (f '(+ 1 (+ 2 3))))  ; => 6",
    ),
    "match-lambda": FormDoc(
        "A procedure of one argument that matches it against the patterns, as match does.",
        "(print (map (match-lambda ((a . _) a) (x x)) '((1 . 2) 3)))  ; => (1 3)",
    ),
    "match-lambda*": FormDoc(
        "A procedure that matches the list of its arguments against the patterns.",
        "(print ((match-lambda* ((x) x) ((x y ...) y)) 1 2 3))  ; => (2 3)",
    ),
    "match-let": FormDoc(
        "The body with the variables of patterns, each for the value beside it.  With a name "
        "before the bindings, that name is a procedure that matches its arguments: a loop.",
        "(print (match-let (((a b) '(1 2)) (#(c) #(3))) (list a b c)))  ; => (1 2 3)",
    ),
    "match-let*": FormDoc(
        "match-let whose values see the variables before them.",
        "(print (match-let* (((a b) '(1 2)) ((c) (list (+ a b)))) c))  ; => 3",
    ),
    "match-letrec": FormDoc(
        "match-let whose values may refer to all variables, in procedures.",
        "(print (match-letrec (((even odd) (list (lambda (n) (or (= n 0) (odd (- n 1)))) "
        "(lambda (n) (and (> n 0) (even (- n 1))))))) (even 10)))  ; => #t",
    ),
    "match-define": FormDoc(
        "Define the variables of a pattern, at the top level or in a body.",
        "(match-define (a b . c) '(1 2 3 4)) (print a b c)  ; => 1 2 (3 4)",
    ),
    "assert": FormDoc(
        "An error that shows the test, unless the test is true.",
        "(print (guard (e (#t (error-object-message e))) (assert (= 1 2))))  "
        "; => assertion failed: (= 1 2)",
    ),
    "do": FormDoc(
        "A loop that steps variables until the test is true; then the results are evaluated.",
        "(print (do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 5) sum)))  ; => 10",
    ),
    "dolist": FormDoc(
        "The forms for each element of a list; then the value of the result, if there is one.",
        "(dolist (x '(1 2 3)) (display (* x x)))  ; => 149",
    ),
    "dotimes": FormDoc(
        "The forms for each integer from 0 to below the count.",
        "(dotimes (i 3) (display i))  ; => 012",
    ),
    "while": FormDoc(
        "The forms repeatedly, as long as the test is true.",
        "(define i 0) (while (< i 3) (display i) (set! i (+ i 1)))  ; => 012",
    ),
    "->": FormDoc(
        "The value as first argument of the first call, its result as first of the next.",
        "(print (-> 10 (- 1) (/ 3)))  ; => 3",
    ),
    "->>": FormDoc(
        "The value as last argument of the first call, its result as last of the next.",
        "(print (->> '(1 2 3 4) (filter even?) (map square)))  ; => (4 16)",
    ),
    "quote": FormDoc(
        "The datum itself, not its value; 'datum for short.",
        "(print (quote (+ 1 2)) 'x)  ; => (+ 1 2) x",
    ),
    "quasiquote": FormDoc(
        "The template as data, in which ,form is replaced by a value and ,@form by the elements "
        "of a list; `template for short.",
        "(print `(1 ,(+ 1 1) ,@(list 3 4)))  ; => (1 2 3 4)",
    ),
    "unquote": FormDoc("A value in a quasiquoted template; ,form for short."),
    "unquote-splicing": FormDoc(
        "The elements of a list in a quasiquoted template; ,@form for short."
    ),
    "define-record-type": FormDoc(
        "A new type: a constructor that takes the named fields, a predicate, and for each field "
        "an accessor and optionally a modifier.  After :call comes a procedure that makes records "
        "applicable: a call of one calls it with the record before the arguments.  (circle point) "
        "for the name extends the type point: circles have its fields first, and are points.",
        "(define-record-type point (make-point x y) point? (x point-x) (y point-y set-y!)) "
        "(print (make-point 1 2))  ; => #<point x: 1 y: 2>",
    ),
    "record-update": FormDoc(
        "A new record of the record's own type with other values in some fields.  type is the name "
        "of its type, or of one that this extends.",
        "(define-record-type point (make-point x y) point? (x point-x) (y point-y)) "
        "(print (record-update (make-point 1 2) point (y 5)))  ; => #<point x: 1 y: 5>",
    ),
    "define-module": FormDoc(
        "A module, a part of a model: a record whose fields hold tensors, other modules and plain "
        "values, and which is called like a procedure.  It defines the constructor name, the "
        "predicate name?, and for each field the accessor name-field and the modifier "
        "set-name-field!.  Field expressions see the constructor's parameters and the fields "
        "before them.  A :parameter is learned; a :buffer is saved, not learned; :parameters "
        "are an alist of parameters with names of their own; modules in an :unnamed field have "
        "paths without the field's name.  In forward, fields are variables, and self is the "
        "module.",
        "(define-module (scaled n) ((scale (tensor-ones n) :parameter)) "
        "(forward (x) (* scale x))) (print ((scaled 2) [1.0 2.0]))  ; => [1.0 2.0]",
    ),
    "define-values": FormDoc(
        "Define a name for each of several values; after a dot one for the rest.",
        "(define-values (q r) (floor/ 17 5)) (print q r)  ; => 3 2",
    ),
    "receive": FormDoc(
        "The body with variables for several values; after a dot one for the rest.",
        "(receive (q . rest) (floor/ 17 5) (print q rest))  ; => 3 (2)",
    ),
    "let-list": FormDoc(
        "let for the elements of lists, such as the several results of an operator; after a dot "
        "one variable for the rest.",
        "(let-list (((values indices) (tensor-topk [1 5 3] 2))) (print values indices))  "
        "; => [5 3] [1 2]",
    ),
    "let-values": FormDoc(
        "let, where each expression may return several values.",
        "(let-values (((q r) (floor/ 17 5)) ((x) 1)) (print q r x))  ; => 3 2 1",
    ),
    "let*-values": FormDoc(
        "let-values, where each expression sees the names before it.",
        "(let*-values (((q r) (floor/ 17 5)) ((x) (+ q r))) (print x))  ; => 5",
    ),
    "guard": FormDoc(
        "The forms.  An object raised in them is bound to the name, and the clauses, as in cond, "
        "are evaluated.  If no clause matches, it is raised again.",
        "(print (guard (e ((symbol? e) (list 'caught e))) (raise 'oops)))  ; => (caught oops)",
    ),
    "time-it": FormDoc(
        "The value of the last form.  Prints to the current error port how many milliseconds the "
        "forms took, and, if they created tensors, the number of allocations, their total size, "
        "and the peak of the memory that tensors used.",
        "(print (parameterize ((current-error-port (open-output-string))) (time-it (+ 1 2))))  "
        "; => 3",
    ),
    "parameterize": FormDoc(
        "The forms, while parameters have other values.",
        "(define size (make-parameter 1)) (print (parameterize ((size 2)) (size)) (size))  "
        "; => 2 1",
    ),
    "fluid-let": FormDoc(
        "The forms, while existing variables have other values.  However the forms end, by an "
        "error or an escape, too, the variables have their values from before again.",
        "(define depth 1) (define (show) (print depth)) (fluid-let ((depth 2)) (show)) (show)  "
        "; => 2\n1",
    ),
    "let/cc": FormDoc(
        "The forms, with a name for their continuation.  Calling it leaves the forms with that "
        "value.",
        "(print (let/cc return (for-each (lambda (x) (if (odd? x) (return x))) '(2 3 5)) #f))  "
        "; => 3",
    ),
    "delay": FormDoc(
        "A promise of the value, which force computes once.",
        "(define p (delay (begin (display 'once-) 5))) (print (+ (force p) (force p)))  "
        "; => once-10",
    ),
    "delay-force": FormDoc(
        "A promise whose value is that of the promise that the expression returns; chains of "
        "them run in constant space.",
        "(print (force (delay-force (delay 5))))  ; => 5",
    ),
    "cons-stream": FormDoc(
        "A pair of a value and the promise of the rest.",
        "(define (from n) (cons-stream n (from (+ n 1)))) (print (stream-head (from 1) 3))  "
        "; => (1 2 3)",
    ),
    "define-syntax": FormDoc(
        "A macro by rules: a use that matches a pattern is replaced by its template.",
        "(define-syntax twice (syntax-rules () ((_ e ...) (begin e ... e ...)))) "
        "(twice (display 1) (display 2))  ; => 1212",
    ),
    "define-syntax-rule": FormDoc(
        "A macro by one rule: define-syntax with a syntax-rules that has no literals.",
        "(define-syntax-rule (swap! a b) (let ((old a)) (set! a b) (set! b old))) "
        "(define x 1) (define y 2) (swap! x y) (print x y)  ; => 2 1",
    ),
    "er-macro-transformer": FormDoc(
        "The transformer of a macro by a procedure: it takes the form, a procedure that makes an "
        "identifier mean what it means where the macro is defined, and one that tells whether two "
        "identifiers mean the same at the use.  It runs before the program, with the library.",
        "(define-syntax twice (er-macro-transformer (lambda (form rename compare) "
        "(list (rename '+) (cadr form) (cadr form))))) (print (twice 4))  ; => 8",
    ),
    "syntax-case": FormDoc(
        "In the procedure of a macro: the value of the first clause whose pattern matches the form "
        "and whose fender, if it has one, is true.  Patterns are those of syntax-rules, with the "
        "macro's name; #'template is a form in which their variables are replaced.  The procedure "
        "runs before the program, with the library.",
        "(define-syntax twice (lambda (form) (syntax-case form () ((_ x) (identifier? #'x) "
        "#'(+ x x))))) (define n 4) (print (twice n))  ; => 8",
    ),
    "syntax": FormDoc(
        "In the procedure of a macro: the template as a form, in which the variables of patterns "
        "are replaced, and all other identifiers mean what they mean here; #'template for short.",
        "(define-syntax nine (lambda (form) (syntax-case form () ((_) #'(* 3 3))))) "
        "(print (nine))  ; => 9",
    ),
    "quasisyntax": FormDoc(
        "As syntax, but #,form in the template is replaced by a value, and #,@form by the elements "
        "of a list; #`template for short.",
        "(define-syntax size (lambda (form) (syntax-case form () ((_ x ...) #`(quote #,(length "
        "#'(x ...))))))) (print (size a b c))  ; => 3",
    ),
    "unsyntax": FormDoc("A value in a quasisyntax template; #,form for short."),
    "unsyntax-splicing": FormDoc(
        "The elements of a list in a quasisyntax template; #,@form for short."
    ),
    "with-syntax": FormDoc(
        "In the procedure of a macro: the body with the variables of patterns that match values.",
        "(define-syntax two (lambda (form) (with-syntax (((a b) (list 1 2))) #'(list b a)))) "
        "(print (two))  ; => (2 1)",
    ),
    "syntax-rules": FormDoc(
        "The rules of a macro.  The literals must occur in a use unchanged; ... repeats the "
        "item before it; a name before the literals replaces ... as the ellipsis.",
        "(define-syntax put (syntax-rules (into) ((_ x into l) (set! l (cons x l))))) "
        "(define l '()) (put 1 into l) (print l)  ; => (1)",
    ),
    "let-syntax": FormDoc(
        "The body with local macros.",
        "(print (let-syntax ((two (syntax-rules () ((_) 2)))) (two)))  ; => 2",
    ),
    "letrec-syntax": FormDoc(
        "let-syntax, where the macros see each other.",
        "(print (letrec-syntax ((all (syntax-rules () ((_) #t) ((_ e r ...) (if e (all r ...) "
        "#f))))) (all 1 2)))  ; => #t",
    ),
    "syntax-error": FormDoc(
        "In a template: report the use as an error with this message.",
        "(define-syntax one (syntax-rules () ((_ x) x) ((_ x y) (syntax-error \"one only\" y)))) "
        "(print (one 1))  ; => 1",
    ),
    "defmacro": FormDoc(
        "A macro whose body computes the form that replaces a use, before the program runs.  The "
        "body may use the library and the macros before it.",
        "(defmacro swapped (a f b) `(,f ,a ,b)) (print (swapped 7 - 2))  ; => 5",
    ),
    "import": FormDoc(
        "Import the names of a file or a library; (only set name ...), (except set name ...), "
        "(prefix set word) and (rename set (old new) ...) select and rename them.",
        "(import (prefix (only (scheme base) car) my-)) (print (my-car '(1 2)))  ; => 1",
    ),
    "use": FormDoc(
        "At the top of a file, or in a session: what follows is LispE, with the functions of its "
        "extension LispETorch.  docs/lispe.md describes them."
    ),
    "define-library": FormDoc(
        "A library by a name, with (export name ...), (import ...) and (begin form ...)."
    ),
    "cond-expand": FormDoc(
        "The forms of the first clause whose requirement holds: a feature, (library name), and "
        "with and, or, not.",
        "(print (cond-expand ((and r7rs (library (scheme base))) 'yes) (else 'no)))  ; => yes",
    ),
    "include": FormDoc("The forms of other files, as if they were written here."),
    "include-ci": FormDoc("include, with the names folded to lower case."),
    "with-device": FormDoc(
        "The forms, with new tensors on the device.  Every exit restores the device before.",
        '(print (with-device "meta" (tensor-device [1 2])) (default-device))  ; => meta cpu',
    ),
    "with-autocast": FormDoc(
        "The forms, with LibTorch's autocast on, on the CPU and on CUDA devices: matrix products, "
        "convolutions and attention work in the dtype, 'bfloat16 or 'float16, losses and some "
        "reductions in float32, other operators in the dtypes of their arguments.  Parameters and "
        "their gradients stay float32.  #f instead of a dtype turns it off.  Call backward "
        "outside of the form, as in PyTorch.  Every exit restores the mode before.",
        "(print (tensor-dtype (with-autocast 'bfloat16 (@ [[1.0]] [[2.0]]))))  ; => bfloat16",
    ),
    "no-grad": FormDoc(
        "The forms, without recording operations for gradients.",
        "(define w (requires-grad! [1.0])) (print (no-grad (tensor-sub! w 0.5)))  ; => [0.5]",
    ),
    "inference-mode": FormDoc(
        "The forms, without recording operations for gradients, and faster than in no-grad: the "
        "tensors that they make are never part of a recorded computation, and outside of the form "
        "they can neither require grad nor be changed in place; a copy by tensor-copy can.  "
        "Tensors made before may be used, and changed, as anywhere.  with-grad inside is ordinary "
        "again.  Every exit restores the mode before.",
        "(print (inference-mode (tensor-is-inference (* 2 [1.0]))))  ; => #t",
    ),
    "with-grad": FormDoc(
        "The forms, with operations recorded for gradients, also inside no-grad and "
        "inference-mode.",
        "(define w (requires-grad! [3.0])) (define y (no-grad (with-grad (* w w)))) "
        "(backward (tensor-sum y)) (print (tensor-grad w))  ; => [6.0]",
    ),
}
