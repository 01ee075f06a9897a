;; runners.lisp - the test runners of (import (srfi 64)).
;;
;; A runner has the counts and the open groups of a run, the properties of the
;; latest test as an association list, and procedures for what happens.

(define-record-type <test-runner>
  (%new-runner counts properties groups suite total skipped failing chosen
               implicit aux-value on-test-begin on-test-end on-group-begin
               on-group-end on-bad-count on-bad-end-name on-final)
  test-runner?
  (counts %counts %set-counts!)              ; ((kind . count) ...)
  (properties %properties %set-properties!)  ; of the latest test
  (groups %groups %set-groups!)              ; the innermost first
  (suite %suite %set-suite!)                 ; the name of the outermost group
  (total %total %set-total!)                 ; how many tests there were
  (skipped %skipped %set-skipped!)           ; specifiers of tests to skip
  (failing %failing %set-failing!)           ; those of tests that should fail
  (chosen %chosen %set-chosen!)              ; those of test-apply, or #f
  (implicit %implicit %set-implicit!)        ; whether test-begin created it
  (aux-value %aux-value %set-aux-value!)
  (on-test-begin %on-test-begin %set-on-test-begin!)
  (on-test-end %on-test-end %set-on-test-end!)
  (on-group-begin %on-group-begin %set-on-group-begin!)
  (on-group-end %on-group-end %set-on-group-end!)
  (on-bad-count %on-bad-count %set-on-bad-count!)
  (on-bad-end-name %on-bad-end-name %set-on-bad-end-name!)
  (on-final %on-final %set-on-final!))

(define-record-type <test-group>
  (%new-group name total count skipped failing)
  %group?
  (name %group-name)
  (total %group-total)       ; how many tests there were before it
  (count %group-count)       ; how many it should have, or #f
  (skipped %group-skipped)   ; the specifiers that were active before it
  (failing %group-failing))

(define (%check-runner who x)
  "Raise an error unless x is a test runner."
  (unless (test-runner? x) (wrong-type who "a test runner" x)))

(define (%check-hook who f)
  "Raise an error unless f is a procedure."
  (unless (procedure? f) (wrong-type who "a procedure" f)))

(define (test-runner-null)
  "A new runner that counts, and prints nothing."
  (let ((nothing (lambda arguments (if #f #f))))
    (%new-runner '() '() '() #f 0 '() '() #f #f #f
                 nothing nothing nothing nothing nothing nothing nothing)))

(define (test-runner-simple)
  "A new runner that prints each failure with its location and values, and a
  summary at the end."
  (let ((runner (test-runner-null)))
    (%set-on-test-begin! runner test-on-test-begin-simple)
    (%set-on-test-end! runner test-on-test-end-simple)
    (%set-on-group-begin! runner test-on-group-begin-simple)
    (%set-on-group-end! runner test-on-group-end-simple)
    (%set-on-bad-count! runner test-on-bad-count-simple)
    (%set-on-bad-end-name! runner test-on-bad-end-name-simple)
    (%set-on-final! runner test-on-final-simple)
    runner))

(define test-runner-factory
  (make-parameter test-runner-simple))   ; what test-runner-create calls

(define test-runner-current
  (make-parameter #f))   ; the runner of the tests, or #f

(define (test-runner-create)
  "A new runner by the procedure that (test-runner-factory) returns, by default
  test-runner-simple."
  (let ((runner ((test-runner-factory))))
    (%check-runner "test-runner-create" runner)
    runner))

(define (test-runner-get)
  "The current runner, which must exist."
  (or (test-runner-current)
      (error "test-runner-get: there is no test runner: write (test-begin \"name\") before the tests")))

(define-syntax test-with-runner
  "(test-with-runner runner form ...): the forms with the runner as the current
  one."
  (syntax-rules ()
    ((_ runner form ...) (%with-runner runner (lambda () form ...)))))

(define (%with-runner runner thunk)
  "The result of a thunk with a current runner."
  (%check-runner "test-with-runner" runner)
  (parameterize ((test-runner-current runner)) (thunk)))

(define (test-runner-reset runner)
  "Let a runner begin again: without counts, groups and specifiers."
  (%check-runner "test-runner-reset" runner)
  (%set-counts! runner '())
  (%set-properties! runner '())
  (%set-groups! runner '())
  (%set-total! runner 0)
  (%set-skipped! runner '())
  (%set-failing! runner '())
  (%set-chosen! runner #f))

;; Counts.

(define (%count who runner kind)
  "How many tests had a result."
  (%check-runner who runner)
  (let ((entry (assq kind (%counts runner))))
    (if entry (cdr entry) 0)))

(define (%count! runner kind)
  "Count a test with a result."
  (let ((count (+ 1 (%count "test-result-kind" runner kind))))
    (%set-total! runner (+ 1 (%total runner)))
    (%set-counts! runner
                  (cons (cons kind count)
                        (remove (lambda (entry) (eq? (car entry) kind))
                                (%counts runner))))))

(define (test-runner-pass-count runner)
  "How many tests passed."
  (%count "test-runner-pass-count" runner 'pass))

(define (test-runner-fail-count runner)
  "How many tests failed."
  (%count "test-runner-fail-count" runner 'fail))

(define (test-runner-xpass-count runner)
  "How many tests passed that were expected to fail."
  (%count "test-runner-xpass-count" runner 'xpass))

(define (test-runner-xfail-count runner)
  "How many tests failed as expected."
  (%count "test-runner-xfail-count" runner 'xfail))

(define (test-runner-skip-count runner)
  "How many tests were skipped."
  (%count "test-runner-skip-count" runner 'skip))

;; The open groups.

(define (test-runner-group-stack runner)
  "The names of the open groups, the innermost first."
  (%check-runner "test-runner-group-stack" runner)
  (map %group-name (%groups runner)))

(define (test-runner-group-path runner)
  "The names of the open groups, the outermost first."
  (%check-runner "test-runner-group-path" runner)
  (reverse (test-runner-group-stack runner)))

;; The properties of the latest test.

(define (test-result-ref runner name . default)
  "A property of the latest test: test-name, source-file, source-line,
  source-form, expected-value, expected-error, actual-value, actual-error or
  result-kind.  The default, or #f, if it has none."
  (%check-runner "test-result-ref" runner)
  (let ((default (%optional "test-result-ref" 2 default #f))
        (entry (assq name (%properties runner))))
    (if entry (cdr entry) default)))

(define (test-result-set! runner name value)
  "Set a property of the latest test."
  (%check-runner "test-result-set!" runner)
  (test-result-remove runner name)
  (%set-properties! runner (append (%properties runner)
                                   (list (cons name value)))))

(define (test-result-remove runner name)
  "Remove a property of the latest test."
  (%check-runner "test-result-remove" runner)
  (%set-properties! runner (remove (lambda (entry) (eq? (car entry) name))
                                   (%properties runner))))

(define (test-result-clear runner)
  "Remove all properties of the latest test."
  (%check-runner "test-result-clear" runner)
  (%set-properties! runner '()))

(define (test-result-alist runner)
  "The properties of the latest test as an association list."
  (%check-runner "test-result-alist" runner)
  (alist-copy (%properties runner)))

(define (test-result-kind . runner)
  "The result of the latest test, or what is expected while it runs: pass, fail,
  xpass, xfail or skip.  xpass and xfail are results of tests that should fail.
  #f if there is none."
  (let ((runner (or (%optional "test-result-kind" 0 runner #f) (test-runner-get))))
    (test-result-ref runner 'result-kind)))

(define (test-passed? . runner)
  "Whether the latest test passed, or passed unexpectedly."
  (let ((runner (or (%optional "test-passed?" 0 runner #f) (test-runner-get))))
    (if (memq (test-result-kind runner) '(pass xpass)) #t #f)))

(define (test-runner-test-name runner)
  "The name of the latest test; the empty string if it has none."
  (%check-runner "test-runner-test-name" runner)
  (test-result-ref runner 'test-name ""))

;; What a runner calls.

(define (test-runner-aux-value runner)
  "The value that the user of a runner has put into it."
  (%check-runner "test-runner-aux-value" runner)
  (%aux-value runner))

(define (test-runner-aux-value! runner value)
  "Put a value into a runner."
  (%check-runner "test-runner-aux-value!" runner)
  (%set-aux-value! runner value))

(define (test-runner-on-test-begin runner)
  "The procedure f of a runner: (f runner) is called before each test."
  (%check-runner "test-runner-on-test-begin" runner)
  (%on-test-begin runner))

(define (test-runner-on-test-begin! runner f)
  "Let a runner call (f runner) before each test."
  (%check-runner "test-runner-on-test-begin!" runner)
  (%check-hook "test-runner-on-test-begin!" f)
  (%set-on-test-begin! runner f))

(define (test-runner-on-test-end runner)
  "The procedure f of a runner: (f runner) is called after each test."
  (%check-runner "test-runner-on-test-end" runner)
  (%on-test-end runner))

(define (test-runner-on-test-end! runner f)
  "Let a runner call (f runner) after each test."
  (%check-runner "test-runner-on-test-end!" runner)
  (%check-hook "test-runner-on-test-end!" f)
  (%set-on-test-end! runner f))

(define (test-runner-on-group-begin runner)
  "The procedure f of a runner: (f runner name count) is called at the begin of each group, whose
  count is #f if it has none."
  (%check-runner "test-runner-on-group-begin" runner)
  (%on-group-begin runner))

(define (test-runner-on-group-begin! runner f)
  "Let a runner call (f runner name count) at the begin of each group, whose
  count is #f if it has none."
  (%check-runner "test-runner-on-group-begin!" runner)
  (%check-hook "test-runner-on-group-begin!" f)
  (%set-on-group-begin! runner f))

(define (test-runner-on-group-end runner)
  "The procedure f of a runner: (f runner) is called at the end of each group."
  (%check-runner "test-runner-on-group-end" runner)
  (%on-group-end runner))

(define (test-runner-on-group-end! runner f)
  "Let a runner call (f runner) at the end of each group."
  (%check-runner "test-runner-on-group-end!" runner)
  (%check-hook "test-runner-on-group-end!" f)
  (%set-on-group-end! runner f))

(define (test-runner-on-bad-count runner)
  "The procedure f of a runner: (f runner actual expected) is called at the end of a group
  that has another number of tests than it should have."
  (%check-runner "test-runner-on-bad-count" runner)
  (%on-bad-count runner))

(define (test-runner-on-bad-count! runner f)
  "Let a runner call (f runner actual expected) at the end of a group
  that has another number of tests than it should have."
  (%check-runner "test-runner-on-bad-count!" runner)
  (%check-hook "test-runner-on-bad-count!" f)
  (%set-on-bad-count! runner f))

(define (test-runner-on-bad-end-name runner)
  "The procedure f of a runner: (f runner begin-name end-name) is called if a test-end has
  another name than its test-begin."
  (%check-runner "test-runner-on-bad-end-name" runner)
  (%on-bad-end-name runner))

(define (test-runner-on-bad-end-name! runner f)
  "Let a runner call (f runner begin-name end-name) if a test-end has
  another name than its test-begin."
  (%check-runner "test-runner-on-bad-end-name!" runner)
  (%check-hook "test-runner-on-bad-end-name!" f)
  (%set-on-bad-end-name! runner f))

(define (test-runner-on-final runner)
  "The procedure f of a runner: (f runner) is called at the end of the outermost group."
  (%check-runner "test-runner-on-final" runner)
  (%on-final runner))

(define (test-runner-on-final! runner f)
  "Let a runner call (f runner) at the end of the outermost group."
  (%check-runner "test-runner-on-final!" runner)
  (%check-hook "test-runner-on-final!" f)
  (%set-on-final! runner f))
