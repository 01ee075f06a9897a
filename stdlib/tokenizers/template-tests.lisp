;; template-tests.lisp - the tests of chat templates: {{ x is divisibleby 3 }}.
;;
;; Tests are entries as in template-calls.lisp; the object is the value.

(define (%apply-test run line name value items named)
  "Whether a test holds for a value."
  (let* ((name (%plain name))
         (entry (hash-ref (force %template-tests) name #f)))
    (unless entry
      (%template-error line (string "unknown test " (%template-text name))))
    (and (%call-entry entry run line
                      (list (if (equal? name "escaped") value (%plain value)))
                      items named)
         #t)))

(define (%kind-test name ok?)
  "The entry of the test of a predicate."
  (%callee name '() (lambda (run line x) (ok? x))))

(define (%comparison-test name operator)
  "The entry of the test that compares with its argument."
  (%callee name '("other") (lambda (run line x other)
                            (%compare line operator x other))))

(define (%number-test name parameters ok?)
  "The entry of the test of a predicate of numbers."
  (%callee name parameters
          (lambda (run line x . others)
            (let ((all (map %number-of (cons x others))))
              (unless (every number? all)
                (%template-error line (string name " needs a number, got "
                                              (%template-kind x))))
              (apply ok? all)))))

(define (%remainder-is? x n k)
  "Whether x is k more than a multiple of n."
  (and (not (= n 0)) (= k (- x (* n (floor (/ x n)))))))

(define (%same-value? a b)
  "Whether two values are one, as Python's is says of constants."
  (or (eq? a b)
      (and (string? a) (string? b) (string=? a b))
      (and (exact-integer? a) (exact-integer? b) (= a b))))

(define (%case-test name change)
  "The entry of the test whether a text is of one case."
  (%callee name '()
          (lambda (run line x)
            (let ((text (%template-text x)))
              (and (string=? text (change text))
                   (string-any (lambda (c) (or (char-upper-case? c)
                                               (char-lower-case? c)))
                               text))))))

(define %template-tests
  (delay
   (apply
    %table-of-entries
    (append
     (list
      (%kind-test "defined" (lambda (x) (not (%undefined? x))))
      (%kind-test "undefined" %undefined?)
      (%kind-test "none" (lambda (x) (eq? x 'null)))
      (%kind-test "string" string?)
      (%kind-test "number" (lambda (x) (or (number? x) (boolean? x))))
      (%kind-test "integer" exact-integer?)
      (%kind-test "float" (lambda (x)
                            (and (number? x) (not (exact-integer? x)))))
      (%kind-test "boolean" boolean?)
      (%kind-test "true" (lambda (x) (eq? x #t)))
      (%kind-test "false" (lambda (x) (eq? x #f)))
      (%kind-test "mapping" hash-table?)
      (%kind-test "sequence" (lambda (x)
                               (or (%sequence? x) (string? x) (hash-table? x)
                                   (%undefined? x) (%range? x))))
      (%kind-test "iterable" (lambda (x)
                               (or (%sequence? x) (string? x) (hash-table? x)
                                   (%undefined? x) (%loop? x) (%view? x))))
      (%kind-test "callable" %callable?)
      (%kind-test "escaped" %markup?)
      (%callee "filter" '() (lambda (run line x)
                             (and (string? x)
                                  (hash-has-key? (force %template-filters) x))))
      (%callee "test" '() (lambda (run line x)
                           (and (string? x)
                                (hash-has-key? (force %template-tests) x))))
      (%case-test "lower" string-downcase)
      (%case-test "upper" string-upcase)
      (%number-test "odd" '() (lambda (x) (%remainder-is? x 2 1)))
      (%number-test "even" '() (lambda (x) (%remainder-is? x 2 0)))
      (%number-test "divisibleby" '("num") (lambda (x n) (%remainder-is? x n 0)))
      (%callee "sameas" '("other") (lambda (run line x other)
                                    (%same-value? x (%plain other)))))
     (append-map
      (lambda (entry)
        (map (lambda (name) (%comparison-test name (car entry))) (cdr entry)))
      '(("==" "equalto" "eq" "==") ("!=" "ne" "!=") ("<" "lt" "lessthan" "<")
        (">" "gt" "greaterthan" ">") ("<=" "le" "<=") (">=" "ge" ">=")
        ("in" "in")))))))
