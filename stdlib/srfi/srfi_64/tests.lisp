;; tests.lisp - the tests and groups of (import (srfi 64)).
;;
;; A test is a macro, which knows its location and its form, and calls %run with
;; a procedure that sets the values of the test and returns whether it passed.

;; Groups.

(define (test-begin name . count)
  "Begin a group of tests, and the test run if no group is open: then
  a runner is created if there is none.  count: how many tests the group should
  have."
  (let ((name (%name "test-begin" name))
        (count (%optional "test-begin" 1 count #f)))
    (when count (%check-index "test-begin" count))
    (unless (test-runner-current)
      (test-runner-current (test-runner-create))
      (%set-implicit! (test-runner-get) #t))
    (let ((runner (test-runner-get)))
      ((%on-group-begin runner) runner name count)
      (when (null? (%groups runner)) (%set-suite! runner name))
      (%set-groups! runner
                    (cons (%new-group name (%total runner) count
                                      (%skipped runner) (%failing runner))
                          (%groups runner))))))

(define (test-end . name)
  "End the latest group.  The name is checked if there is one."
  (let* ((runner (test-runner-get))
         (name (%optional "test-end" 0 name #f)))
    (when (null? (%groups runner))
      (error "test-end: no group is open: write (test-begin \"name\") before it"))
    (let ((group (car (%groups runner))))
      (when (and name (not (equal? (%name "test-end" name) (%group-name group))))
        ((%on-bad-end-name runner) runner (%group-name group)
                                   (%name "test-end" name)))
      (%check-count runner group)
      ((%on-group-end runner) runner)
      (%set-groups! runner (cdr (%groups runner)))
      (%set-skipped! runner (%group-skipped group))
      (%set-failing! runner (%group-failing group))
      (when (null? (%groups runner))
        ((%on-final runner) runner)
        (when (and (%implicit runner) (eq? runner (test-runner-current)))
          (test-runner-current #f))))))

(define (%check-count runner group)
  "Tell the runner if a group has another number of tests than it should have."
  (let ((count (- (%total runner) (%group-total group)))
        (expected (%group-count group)))
    (when (and expected (not (= count expected)))
      ((%on-bad-count runner) runner count expected))))

(define-syntax test-group
  "(test-group name form ...): a group of the tests in the forms, which ends if
  the forms fail, too."
  (syntax-rules ()
    ((_ name form ...)
     (%run-group name (lambda () form ... (if #f #f)) (lambda () #f)))))

(define-syntax test-group-with-cleanup
  "(test-group-with-cleanup name form ... cleanup): a group; the cleanup is
  evaluated at its end, even if the forms fail."
  (syntax-rules ()
    ((_ name cleanup) (%run-group name (lambda () #f) (lambda () cleanup)))
    ((_ name form cleanup)
     (%run-group name (lambda () form) (lambda () cleanup)))
    ((_ name first second other ...)
     (test-group-with-cleanup name (begin first second) other ...))))

(define (%run-group name run clean-up)
  "Run a group, unless it is skipped."
  (let ((name (%name "test-group" name)) (runner (test-runner-current)))
    (when runner (%set-properties! runner (list (cons 'test-name name))))
    (unless (and runner (%any-match? (%skipped runner) runner))
      (dynamic-wind
       (lambda () (test-begin name))
       (lambda () (dynamic-wind (lambda () #f) run clean-up))
       (lambda () (test-end name))))))

;; Tests.

(define (%name who name)
  "The name of a test or group, a string; it may be a symbol, too."
  (cond ((string? name) name)
        ((symbol? name) (symbol->string name))
        (else (wrong-type who "a string for the name" name))))

(define (%run who location form name passed?)
  "Run a test: (passed? runner) sets its values, and returns whether it passed.
  name: #f if it has none."
  (let ((runner (test-runner-get)))
    (%set-properties!
     runner
     (append (if name (list (cons 'test-name (%name who name))) '())
             (list (cons 'source-file (car location))
                   (cons 'source-line (cdr location))
                   (cons 'source-form form))))
    (%expect! runner)
    ((%on-test-begin runner) runner)
    (unless (eq? (test-result-kind runner) 'skip)
      (let* ((may-fail (eq? (test-result-kind runner) 'xfail))
             (passed (guard (e (#t (test-result-set! runner 'actual-error e) #f))
                       (passed? runner))))
        (test-result-set! runner 'result-kind
                          (cond ((and passed may-fail) 'xpass)
                                (passed 'pass)
                                (may-fail 'xfail)
                                (else 'fail)))))
    (%count! runner (test-result-kind runner))
    (%record-result runner)
    ((%on-test-end runner) runner)))

(define (%expect! runner)
  "Set the result to skip or xfail if the next test should have it."
  (let ((skipped (or (%any-match? (%skipped runner) runner)
                     (%filtered-out? runner)))
        (chosen (or (not (%chosen runner))
                    (%any-match? (%chosen runner) runner)))
        (failing (%any-match? (%failing runner) runner)))
    (cond ((or skipped (not chosen))
           (test-result-set! runner 'result-kind 'skip))
          (failing (test-result-set! runner 'result-kind 'xfail)))))

(define-syntax test-assert
  "(test-assert [name] expression): a test that passes if the expression is
  true."
  (syntax-rules ()
    ((test name expression)
     (%assert (%source-location) '(test-assert name expression) name
              (lambda () expression)))
    ((test expression)
     (%assert (%source-location) '(test-assert expression) #f
              (lambda () expression)))))

(define (%assert location form name value)
  "A test-assert."
  (%run "test-assert" location form name
        (lambda (runner)
          (let ((x (value)))
            (test-result-set! runner 'actual-value x)
            x))))

(define-syntax test-equal
  "(test-equal [name] expected expression): a test that passes if the values are
  equal?."
  (syntax-rules ()
    ((test name expected expression)
     (%compare "test-equal" (%source-location)
               '(test-equal name expected expression) name equal?
               (lambda () expected) (lambda () expression)))
    ((test expected expression)
     (%compare "test-equal" (%source-location)
               '(test-equal expected expression) #f equal?
               (lambda () expected) (lambda () expression)))))

(define-syntax test-eqv
  "(test-eqv [name] expected expression): a test that passes if the values are
  eqv?."
  (syntax-rules ()
    ((test name expected expression)
     (%compare "test-eqv" (%source-location)
               '(test-eqv name expected expression) name eqv?
               (lambda () expected) (lambda () expression)))
    ((test expected expression)
     (%compare "test-eqv" (%source-location)
               '(test-eqv expected expression) #f eqv?
               (lambda () expected) (lambda () expression)))))

(define-syntax test-eq
  "(test-eq [name] expected expression): a test that passes if the values are
  eq?."
  (syntax-rules ()
    ((test name expected expression)
     (%compare "test-eq" (%source-location)
               '(test-eq name expected expression) name eq?
               (lambda () expected) (lambda () expression)))
    ((test expected expression)
     (%compare "test-eq" (%source-location)
               '(test-eq expected expression) #f eq?
               (lambda () expected) (lambda () expression)))))

(define-syntax test-approximate
  "(test-approximate [name] expected expression error): a test that passes if
  the value is at most the error away from the expected one."
  (syntax-rules ()
    ((test name expected expression error)
     (%approximate (%source-location)
                   '(test-approximate name expected expression error) name
                   error (lambda () expected) (lambda () expression)))
    ((test expected expression error)
     (%approximate (%source-location)
                   '(test-approximate expected expression error) #f
                   error (lambda () expected) (lambda () expression)))))

(define (%compare who location form name same? expected value)
  "A test of whether two values are the same."
  (%run who location form name
        (lambda (runner)
          (let ((wanted (expected)))
            (test-result-set! runner 'expected-value wanted)
            (let ((x (value)))
              (test-result-set! runner 'actual-value x)
              (same? wanted x))))))

(define (%approximate location form name tolerance expected value)
  "A test-approximate."
  (%compare "test-approximate" location form name
            (lambda (a b) (<= (- a tolerance) b (+ a tolerance)))
            expected value))

(define-syntax test-error
  "(test-error [[name] type] expression): a test that passes if the expression
  raises an error.  The type is a predicate that must be true of it, or #t for
  any error.  A string alone is a name."
  (syntax-rules ()
    ((test name type expression)
     (%test-error (%source-location) '(test-error name type expression) name
                  type (lambda () expression)))
    ((test type expression)
     (%test-error (%source-location) '(test-error type expression) #f
                  type (lambda () expression)))
    ((test expression)
     (%test-error (%source-location) '(test-error expression) #f
                  #t (lambda () expression)))))

(define (%test-error location form name type value)
  "A test-error."
  (cond ((and (string? type) (not name))
         (%raises location form type #t value))
        ((or (eq? type #t) (procedure? type))
         (%raises location form name type value))
        (else
         (wrong-type "test-error" "a predicate or #t for the type" type))))

(define (%raises location form name type value)
  "A test-error with its type."
  (%run "test-error" location form name
        (lambda (runner)
          (test-result-set! runner 'expected-error type)
          (guard (e (#t (test-result-set! runner 'actual-error e)
                        (or (eq? type #t) (type e))))
            (test-result-set! runner 'actual-value (value))
            #f))))

(define-syntax test-read-eval-string
  "(test-read-eval-string text): the value of the one expression in a string,
  among the definitions of the program.  An executable cannot do it."
  (syntax-rules ()
    ((_ text) (eval (%read-one text)))))

(define (%read-one text)
  "The one datum in a string."
  (let* ((port (open-input-string text)) (datum (read port)))
    (when (eof-object? datum)
      (error "test-read-eval-string: expected an expression, got none in:" text))
    (unless (eof-object? (read port))
      (error "test-read-eval-string: expected one expression, got more in:" text))
    datum))

;; Specifiers: procedures of a runner that say whether its next test matches.

(define (%any-match? specifiers runner)
  "Whether any specifier matches; all are called, because they may count."
  (fold (lambda (specifier result) (or (specifier runner) result))
        #f specifiers))

(define (%specifier who x)
  "The procedure of a specifier, which may also be the name of a test, or the
  number of tests to come."
  (cond ((procedure? x) x)
        ((string? x) (test-match-name x))
        ((exact-integer? x) (test-match-nth 1 x))
        (else (wrong-type who "a procedure, a name or a count" x))))

(define (test-match-name name)
  "The specifier of tests and groups with a name."
  (let ((name (%name "test-match-name" name)))
    (lambda (runner) (equal? name (test-runner-test-name runner)))))

(define (test-match-nth n . count)
  "The specifier of the n-th test or group from here on, or of so many from the
  n-th on."
  (let ((count (%optional "test-match-nth" 1 count 1)) (k 0))
    (%check-index "test-match-nth" n)
    (%check-index "test-match-nth" count)
    (lambda (runner)
      (set! k (+ k 1))
      (and (>= k n) (< k (+ n count))))))

(define (test-match-any . specifiers)
  "The specifier of tests that any of the specifiers matches."
  (let ((all (map (lambda (x) (%specifier "test-match-any" x)) specifiers)))
    (lambda (runner) (%any-match? all runner))))

(define (test-match-all . specifiers)
  "The specifier of tests that all of the specifiers match."
  (let ((all (map (lambda (x) (%specifier "test-match-all" x)) specifiers)))
    (lambda (runner)
      (fold (lambda (specifier result) (and (specifier runner) result))
            #t all))))

(define (test-skip . specifiers)
  "Skip the tests and groups that all of the specifiers match, until the current
  group ends.  A specifier is what test-match-name and its relatives return, the
  name of a test, or the number of tests to come."
  (let ((runner (test-runner-get)))
    (%set-skipped! runner (cons (%joint "test-skip" specifiers)
                                (%skipped runner)))))

(define (test-expect-fail . specifiers)
  "Expect that the tests fail that all of the specifiers match, until the
  current group ends."
  (let ((runner (test-runner-get)))
    (%set-failing! runner (cons (%joint "test-expect-fail" specifiers)
                                (%failing runner)))))

(define (%joint who specifiers)
  "The specifier of the tests that all of the specifiers match."
  (let ((all (map (lambda (x) (%specifier who x)) specifiers)))
    (if (and (pair? all) (null? (cdr all)))
        (car all)
        (apply test-match-all all))))

(define (test-apply first . others)
  "(test-apply [runner] specifier ... procedure): call the procedure, in which
  only the tests run that any of the specifiers matches; without specifiers, all
  tests.  Without a runner, it is the current one, or a new one."
  (cond ((test-runner? first)
         (parameterize ((test-runner-current first))
           (apply %run-chosen first others)))
        ((test-runner-current)
         (apply %run-chosen (test-runner-get) first others))
        (else
         (apply test-apply (test-runner-create) first others))))

(define (%run-chosen runner . arguments)
  "test-apply with a runner."
  (when (null? arguments)
    (error "test-apply: expected a procedure after the runner"))
  (let ((procedure (last arguments))
        (chosen (map (lambda (x) (%specifier "test-apply" x))
                     (drop-right arguments 1)))
        (before (%chosen runner)))
    (%check-hook "test-apply" procedure)
    (dynamic-wind
     (lambda () (when (pair? chosen) (%set-chosen! runner chosen)))
     procedure
     (lambda () (%set-chosen! runner before)))))

;; For `lambent test`, which runs the program and names a file and a filter by
;; variables of the environment.

(define (%test-path runner)
  "The groups and the name of the latest test."
  (string-join (remove (lambda (name) (equal? name ""))
                       (append (test-runner-group-path runner)
                               (list (test-runner-test-name runner))))
               " > "))

(define (%filtered-out? runner)
  "Whether only other tests should run."
  (let ((part (get-environment-variable "LAMBENT_TEST_FILTER")))
    (and part (not (string-contains (%test-path runner) part)))))

(define (%record-result runner)
  "Add the result of the latest test to the file that lambent test reads: fields that
  end in the character 31, records in 30."
  (let ((path (get-environment-variable "LAMBENT_TEST_RESULTS")))
    (when path
      (call-with-output-file path
        (lambda (port)
          (for-each (lambda (field)
                      (write-string field port)
                      (write-char #\x1f port))
                    (%result-fields runner))
          (write-char #\x1e port))
        :append #t))))

(define (%result-fields runner)
  "The kind, file, line, path, form, expected value, value and error of the latest test, as
  texts; empty where there is none."
  (let ((shown (lambda (name)
                 (let ((entry (assq name (%properties runner))))
                   (if entry
                       (call-with-output-string (lambda (port) (write (cdr entry) port)))
                       ""))))
        (e (test-result-ref runner 'actual-error #f)))
    (list (symbol->string (test-result-kind runner))
          (string (test-result-ref runner 'source-file ""))
          (string (test-result-ref runner 'source-line ""))
          (%test-path runner)
          (shown 'source-form)
          (if (assq 'expected-error (%properties runner)) "an error" (shown 'expected-value))
          (shown 'actual-value)
          (cond ((error-object? e)
                 (call-with-output-string
                   (lambda (port)
                     (write-string (error-object-message e) port)
                     (for-each (lambda (x) (write-char #\space port) (write x port))
                               (error-object-irritants e)))))
                ((assq 'actual-error (%properties runner)) (shown 'actual-error))
                (else "")))))
