;; simple-runner.lisp - what test-runner-simple prints.
;;
;;     FAIL demo.lisp:7: arithmetic > sum
;;       (test-equal "sum" 5 (+ 2 2))
;;       expected: 5
;;       got:      4
;;     arithmetic: 3 passed, 1 failed

(define (test-on-test-begin-simple runner)
  "What test-runner-simple does before a test: nothing."
  (%check-runner "test-on-test-begin-simple" runner))

(define (test-on-group-begin-simple runner name count)
  "What test-runner-simple does at the begin of a group: nothing."
  (%check-runner "test-on-group-begin-simple" runner))

(define (test-on-group-end-simple runner)
  "What test-runner-simple does at the end of a group: nothing."
  (%check-runner "test-on-group-end-simple" runner))

(define (test-on-test-end-simple runner)
  "Print a test that failed, or that passed unexpectedly: its location, groups
  and name, its form, and the values."
  (%check-runner "test-on-test-end-simple" runner)
  (case (test-result-kind runner)
    ((fail)
     (%print-head "FAIL" runner)
     (%print-property "  " runner 'source-form)
     (%print-property "  expected: " runner 'expected-value)
     (%print-expected-error runner)
     (%print-property "  got:      " runner 'actual-value)
     (%print-error runner))
    ((xpass)
     (%print-head "PASSED UNEXPECTEDLY" runner)
     (%print-property "  " runner 'source-form))))

(define (%print-head word runner)
  "Print where the latest test is, and its name."
  (let ((file (test-result-ref runner 'source-file))
        (names (append (test-runner-group-path runner)
                       (list (test-runner-test-name runner)))))
    (display word)
    (when file
      (display (string " " file ":" (test-result-ref runner 'source-line))))
    (display ": ")
    (display (string-join (remove (lambda (name) (equal? name "")) names)
                          " > "))
    (newline)))

(define (%print-property label runner name)
  "Print a property of the latest test, if it has it."
  (let ((entry (assq name (%properties runner))))
    (when entry
      (display label)
      (write (cdr entry))
      (newline))))

(define (%print-expected-error runner)
  "Print that an error was expected, if it was."
  (let ((entry (assq 'expected-error (%properties runner))))
    (cond ((not entry) (if #f #f))
          ((procedure? (cdr entry))
           (display "  expected: an error for which this is true: ")
           (write (cdr entry))
           (newline))
          (else (display "  expected: an error") (newline)))))

(define (%print-error runner)
  "Print the error of the latest test, if it has one."
  (let ((entry (assq 'actual-error (%properties runner))))
    (when entry
      (let ((e (cdr entry)))
        (cond ((error-object? e)
               (display "  error:    ")
               (display (error-object-message e))
               (for-each (lambda (x) (display " ") (write x))
                         (error-object-irritants e)))
              (else
               (display "  raised:   ")
               (write e)))
        (newline)))))

(define (test-on-bad-count-simple runner actual expected)
  "Print that a group has another number of tests than its test-begin says."
  (%check-runner "test-on-bad-count-simple" runner)
  (display (string "BAD COUNT: "
                   (string-join (test-runner-group-path runner) " > ")
                   ": expected " expected (if (= expected 1) " test" " tests")
                   ", got " actual))
  (newline))

(define (test-on-bad-end-name-simple runner begin-name end-name)
  "Raise the error for a test-end with another name than its test-begin."
  (%check-runner "test-on-bad-end-name-simple" runner)
  (error (string "test-end: expected the name of the group, \"" begin-name
                 "\", got \"" end-name "\"")))

(define (test-on-final-simple runner)
  "Print the summary: how many tests passed, failed, and so on."
  (%check-runner "test-on-final-simple" runner)
  (let ((others (filter-map
                 (lambda (kind label)
                   (let ((count (%count "test-on-final-simple" runner kind)))
                     (and (> count 0) (string count label))))
                 '(fail xfail xpass skip)
                 '(" failed" " failed as expected" " passed unexpectedly"
                   " skipped"))))
    (when (%suite runner) (display (string (%suite runner) ": ")))
    (display (string-join (cons (string (test-runner-pass-count runner)
                                        " passed")
                                others)
                          ", "))
    (newline)))
