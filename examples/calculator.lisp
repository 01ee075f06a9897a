;; calculator.lisp - a small language: tokens, a parser, and what programs mean.
;;
;; Statements end in a semicolon.  `let x = e;` binds, `print e;` shows,
;; `fn f(a, b) = e;` defines a function, `if a then b else c` chooses.

;; Tokens: numbers, symbols for names and operators; each with its line.

(define-record-type token
  (make-token value line)
  token?
  (value token-value)
  (line token-line))

(define keywords '(let print fn if then else end))

(define (scan text)
  "The tokens of a text, as a list."
  (define size (string-length text))
  (define (end-of start fits?)
    (let loop ((i start))
      (if (and (< i size) (fits? (string-ref text i))) (loop (+ i 1)) i)))
  (define (digit? c) (or (char-numeric? c) (char=? c #\.)))
  (define (two-wide? i)
    (and (< (+ i 1) size)
         (member (substring text i (+ i 2)) '("==" "<=" ">=" "!="))))
  (let loop ((i 0) (line 1) (tokens '()))
    (define (take end value)
      (loop end line (cons (make-token value line) tokens)))
    (if (= i size)
        (reverse tokens)
        (let ((c (string-ref text i)))
          (cond ((char=? c #\newline) (loop (+ i 1) (+ line 1) tokens))
                ((char-whitespace? c) (loop (+ i 1) line tokens))
                ((char=? c #\#)
                 (loop (end-of i (lambda (c) (not (char=? c #\newline)))) line tokens))
                ((char-numeric? c)
                 (let ((end (end-of i digit?)))
                   (take end (string->number (substring text i end)))))
                ((char-alphabetic? c)
                 (let ((end (end-of i char-alphabetic?)))
                   (take end (string->symbol (substring text i end)))))
                ((two-wide? i)
                 (take (+ i 2) (string->symbol (substring text i (+ i 2)))))
                ((string-index "+-*/%^()=<>;," c)
                 (take (+ i 1) (string->symbol (string c))))
                (else
                 (error (string "line " line ": a program cannot hold") c)))))))

;; The parser: precedence climbing.  `left` holds the tokens that are left.

(define left (make-parameter (list '())))

(define (peek)
  (let ((tokens (car (left))))
    (if (null? tokens) (make-token 'end "last") (car tokens))))

(define (peek-value) (token-value (peek)))

(define (next!)
  (let ((token (peek)))
    (set-car! (left) (cdr (car (left))))
    (token-value token)))

(define (expect! value)
  (if (eqv? (peek-value) value)
      (next!)
      (error (string "line " (token-line (peek)) ": expected " value ", got")
             (peek-value))))

(define (name? value)
  "Whether a token's value is a name, not a keyword or an operator."
  (and (symbol? value)
       (char-alphabetic? (string-ref (symbol->string value) 0))
       (not (memq value keywords))))

(define (name!)
  (let ((value (peek-value)))
    (if (name? value)
        (next!)
        (error (string "line " (token-line (peek)) ": expected a name, got") value))))

(define precedences
  '((== . 1) (!= . 1) (< . 2) (> . 2) (<= . 2) (>= . 2)
    (+ . 3) (- . 3) (* . 4) (/ . 4) (% . 4) (^ . 6)))

(define (parse-expression least)
  "An expression whose operators all bind at least that tightly."
  (let loop ((tree (parse-operand)))
    (let ((level (assv (peek-value) precedences)))
      (if (and level (>= (cdr level) least))
          (let ((operator (next!)))
            (loop (list operator tree
                        (parse-expression (if (eq? operator '^)
                                              (cdr level)
                                              (+ (cdr level) 1))))))
          tree))))

(define (parse-operand)
  (let ((value (peek-value)))
    (cond ((number? value) (next!))
          ((eq? value '-) (next!) (list 'negate (parse-expression 5)))
          ((eq? value (string->symbol "("))
           (next!)
           (let ((tree (parse-expression 1)))
             (expect! (string->symbol ")"))
             tree))
          ((eq? value 'if)
           (next!)
           (let* ((test (parse-expression 1))
                  (then (begin (expect! 'then) (parse-expression 1)))
                  (else-tree (begin (expect! 'else) (parse-expression 1))))
             (list 'if test then else-tree)))
          (else
           (let ((name (name!)))
             (if (eq? (peek-value) (string->symbol "("))
                 (cons* 'call name (parse-list (lambda () (parse-expression 1))))
                 (list 'get name)))))))

(define (parse-list parse-item)
  "What stands in brackets, between commas."
  (expect! (string->symbol "("))
  (if (eq? (peek-value) (string->symbol ")"))
      (begin (next!) '())
      (let loop ((items (list (parse-item))))
        (cond ((eq? (peek-value) (string->symbol ","))
               (next!)
               (loop (cons (parse-item) items)))
              (else
               (expect! (string->symbol ")"))
               (reverse items))))))

(define (parse-statement)
  (let ((tree
         (case (peek-value)
           ((let)
            (next!)
            (let ((name (name!)))
              (expect! '=)
              (list 'let name (parse-expression 1))))
           ((print) (next!) (list 'print (parse-expression 1)))
           ((fn)
            (next!)
            (let* ((name (name!)) (parameters (parse-list name!)))
              (expect! '=)
              (list 'fn name parameters (parse-expression 1))))
           (else (parse-expression 1)))))
    (expect! (string->symbol ";"))
    tree))

(define (parse text)
  "The statements of a program."
  (parameterize ((left (list (scan text))))
    (let loop ((statements '()))
      (if (eq? (peek-value) 'end)
          (reverse statements)
          (loop (cons (parse-statement) statements))))))

;; What trees mean.  An environment is a list of (name . value).

(define operations
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '/ /) (cons '% modulo)
        (cons '^ expt) (cons '< <) (cons '> >) (cons '<= <=) (cons '>= >=)
        (cons '== =) (cons '!= (lambda (a b) (not (= a b))))
        (cons 'negate -)))

(define (look-up name env what)
  (let ((entry (assq name env)))
    (if entry (cdr entry) (error (string "there is no " what " called") name))))

(define (evaluate tree env functions)
  (if (number? tree)
      tree
      (case (car tree)
        ((get) (look-up (cadr tree) env "variable"))
        ((if)
         (evaluate (if (evaluate (cadr tree) env functions)
                       (caddr tree)
                       (cadddr tree))
                   env functions))
        ((call)
         (let ((function (look-up (cadr tree) (unbox functions) "function"))
               (arguments (map (lambda (a) (evaluate a env functions)) (cddr tree))))
           (unless (= (length arguments) (length (car function)))
             (error (string (cadr tree) ": wrong number of arguments:")
                    (length arguments)))
           (evaluate (cdr function) (map cons (car function) arguments) functions)))
        (else => (lambda (operator)
                   (apply (cdr (assq operator operations))
                          (map (lambda (part) (evaluate part env functions))
                               (cdr tree))))))))

(define (box x) (vector x))
(define (unbox b) (vector-ref b 0))
(define (set-box! b x) (vector-set! b 0 x))

(define (run text)
  "Run a program; a mistake in it is printed."
  (guard (e ((error-object? e)
             (apply print "mistake:" (error-object-message e)
                    (error-object-irritants e))))
    (let ((functions (box '())))
      (let loop ((statements (parse text)) (env '()))
        (unless (null? statements)
          (let ((statement (car statements)))
            (case (and (pair? statement) (car statement))
              ((let)
               (let ((value (evaluate (caddr statement) env functions)))
                 (loop (cdr statements) (cons (cons (cadr statement) value) env))))
              ((print)
               (print (evaluate (cadr statement) env functions))
               (loop (cdr statements) env))
              ((fn)
               (set-box! functions
                         (cons (cons (cadr statement) (cddr statement))
                               (unbox functions)))
               (set-cdr! (car (unbox functions))
                         (cons (caddr statement) (cadddr statement)))
               (loop (cdr statements) env))
              (else
               (evaluate statement env functions)
               (loop (cdr statements) env)))))))))

(run "
# Powers bind to the right, and numbers are as exact as can be.
print 1 + 2 * 3 ^ 2 ^ 2;
print (1 + 2) * 3 / 4;
print -2 ^ 2;
fn fact(n) = if n < 2 then 1 else n * fact(n - 1);
print fact(25);
fn fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
let n = 15;
print fib(n) + n % 4;
print 0.1 + 0.2 == 0.3;
")

(run "let x = 3\nprint x;")
(run "print 2 * ;")
(run "print nobody(1);")
(run "fn two(a) = a * 2; print two(1, 2);")
(run "let a = 1;\nprint a ? 2;")
