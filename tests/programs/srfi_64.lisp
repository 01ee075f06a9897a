; SRFI 64: a test suite.
(import (srfi 64))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))

; The simple runner.
(test-begin "vec-test")
(define v (make-vector 5 99))
(test-assert (vector? v))
(test-eqv 99 (vector-ref v 2))
(vector-set! v 2 7)
(test-eqv 7 (vector-ref v 2))
(test-end "vec-test")
; => vec-test: 3 passed

(test-begin "failures" 14)
(test-assert "a false value" (memv 4 '(1 2 3)))
; => FAIL tests/programs/srfi_64.lisp:16: failures > a false value
; =>   (test-assert "a false value" (memv 4 '(1 2 3)))
; =>   got:      #f
(test-equal "lists" '(1 "two" #\3)
  (list 1 "2" #\3))
; => FAIL tests/programs/srfi_64.lisp:20: failures > lists
; =>   (test-equal "lists" '(1 "two" #\3) (list 1 "2" #\3))
; =>   expected: (1 "two" #\3)
; =>   got:      (1 "2" #\3)
(test-eq 'unnamed (car '(a b)) (cadr '(a b)))
; => FAIL tests/programs/srfi_64.lisp:26: failures > unnamed
; =>   (test-eq 'unnamed (car '(a b)) (cadr '(a b)))
; =>   expected: a
; =>   got:      b
(test-equal "an error" 1 (vector-ref (vector 1) 1))
; => FAIL tests/programs/srfi_64.lisp:31: failures > an error
; =>   (test-equal "an error" 1 (vector-ref (vector 1) 1))
; =>   expected: 1
; =>   error:    vector-ref: index 1 is out of range for length 1
(test-assert "raised" (raise 'anything))
; => FAIL tests/programs/srfi_64.lisp:36: failures > raised
; =>   (test-assert "raised" (raise 'anything))
; =>   raised:   anything
(test-error "no error" (+ 1 2))
; => FAIL tests/programs/srfi_64.lisp:40: failures > no error
; =>   (test-error "no error" (+ 1 2))
; =>   expected: an error
; =>   got:      3
(test-error "of another type" (lambda (e) (file-error? e)) (car 5))
; => FAIL tests/programs/srfi_64.lisp:45: failures > of another type
; =>   (test-error "of another type" (lambda (e) (file-error? e)) (car 5))
; =>   expected: an error for which this is true: #<procedure>
; =>   error:    car: expected a pair, got 5
(test-approximate "too far" 1.0 1.5 0.25)
; => FAIL tests/programs/srfi_64.lisp:50: failures > too far
; =>   (test-approximate "too far" 1.0 1.5 0.25)
; =>   expected: 1.0
; =>   got:      1.5
(test-group "inner"
  (test-group 'more
    (test-eqv 1 (length '(1 2)))))
; => FAIL tests/programs/srfi_64.lisp:57: failures > inner > more
; =>   (test-eqv 1 (length '(1 2)))
; =>   expected: 1
; =>   got:      2
(define-syntax test-square (syntax-rules () ((_ n x) (test-eqv n (* x x)))))
(test-square 9 3)
(test-square 9
  4)
; => FAIL tests/programs/srfi_64.lisp:64: failures
; =>   (test-eqv 9 (* 4 4))
; =>   expected: 9
; =>   got:      16
(test-expect-fail 2)
(test-assert "known" #f)
(test-assert "repaired" #t)
; => PASSED UNEXPECTEDLY tests/programs/srfi_64.lisp:72: failures > repaired
; =>   (test-assert "repaired" #t)
(test-skip "slow")
(test-assert "slow" (error "never"))
(test-end)
; => failures: 1 passed, 10 failed, 1 failed as expected, 1 passed unexpectedly, 1 skipped

; What passes.
(test-begin "passes" 8)
(test-equal '(1 2) (list 1 2))
(test-equal "named" "ab" (string-append "a" "b"))
(test-eqv 1 (+ 0 1))
(test-eq 'a (car '(a)))
(test-approximate 3.14 (/ 22 7) 0.01)
(test-error (car 5))
(test-error #t (car 5))
(test-error "with a predicate" error-object? (car 5))
(test-end "passes")
; => passes: 8 passed

; Counts, and runners that print nothing.
(define null (test-runner-null))
(print (test-runner? null) (test-runner? 1) (test-runner-current)) ; => #t #f #f
(define (counts r) (list (test-runner-pass-count r) (test-runner-fail-count r) (test-runner-xpass-count r) (test-runner-xfail-count r) (test-runner-skip-count r)))
(define (passed-names thunk)
  (let ((names '()))
    (define r (test-runner-null))
    (test-runner-on-test-end! r (lambda (r) (when (test-passed? r) (set! names (cons (test-runner-test-name r) names)))))
    (test-with-runner r (test-begin "all") (thunk) (test-end "all"))
    (list (reverse names) (counts r))))
(define (five) (test-assert "a" #t) (test-assert "b" #t) (test-assert "c" #t) (test-assert "d" #t) (test-assert "e" #t))
(print (passed-names five)) ; => ((a b c d e) (5 0 0 0 0))
(print (passed-names (lambda () (test-skip "b") (five)))) ; => ((a c d e) (4 0 0 0 1))
(print (passed-names (lambda () (test-skip 2) (five)))) ; => ((c d e) (3 0 0 0 2))
(print (passed-names (lambda () (test-skip (test-match-nth 2)) (five)))) ; => ((a c d e) (4 0 0 0 1))
(print (passed-names (lambda () (test-skip (test-match-nth 2 3)) (five)))) ; => ((a e) (2 0 0 0 3))
(print (passed-names (lambda () (test-skip (test-match-any "a" (test-match-name "e") (test-match-nth 3))) (five)))) ; => ((b d) (2 0 0 0 3))
(print (passed-names (lambda () (test-skip (test-match-all (test-match-nth 2 3) "c")) (five)))) ; => ((a b d e) (4 0 0 0 1))
(print (passed-names (lambda () (test-skip (test-match-nth 2 3) (test-match-name "d")) (five)))) ; => ((a b c e) (4 0 0 0 1))
(print (passed-names (lambda () (test-skip (lambda (r) (equal? (test-runner-test-name r) "d"))) (five)))) ; => ((a b c e) (4 0 0 0 1))
(print (passed-names (lambda () (test-expect-fail "b" ) (test-expect-fail "d") (five) (test-assert "b" #f)))) ; => ((a b c d e) (3 0 2 1 0))
(print (passed-names (lambda () (test-apply "a" (test-match-name "c") five)))) ; => ((a c) (2 0 0 0 3))
(print (passed-names (lambda () (test-skip "c") (test-apply "a" "c" five) (test-apply five)))) ; => ((a a b d e) (5 0 0 0 5))
; A specifier ends with the group in which it was introduced.
(print (passed-names (lambda () (test-group "one" (test-skip "b") (five)) (five)))) ; => ((a c d e a b c d e) (9 0 0 0 1))
(print (passed-names (lambda () (test-skip "one") (test-group "one" (five)) (test-group "two" (test-assert "f" #t))))) ; => ((f) (1 0 0 0 0))
(test-apply null "a" five)
(print (counts null)) ; => (1 0 0 0 4)
(test-runner-reset null)
(print (counts null)) ; => (0 0 0 0 0)
(test-runner-factory test-runner-null)
(test-apply "b" (lambda () (test-begin "quiet") (five) (print (counts (test-runner-get))) (test-end))) ; => (1 0 0 0 4)
(print (test-runner? (test-runner-create)) (test-runner-current)) ; => #t #f
(test-runner-factory test-runner-simple)

; Groups with cleanup.
(test-with-runner (test-runner-simple)
  (test-group-with-cleanup "files" (test-assert #t) (print "body") (print "cleanup"))
  ; => body
  ; => cleanup
  ; => files: 1 passed
  (test-group-with-cleanup "one form" (print "body") (print "cleanup"))
  ; => body
  ; => cleanup
  ; => one form: 1 passed
  (test-group-with-cleanup "no forms" (print "cleanup"))
  ; => cleanup
  ; => no forms: 1 passed
  (print (message (lambda () (test-group-with-cleanup "fails" (error "in the group") (print "cleanup"))))))
  ; => cleanup
  ; => fails: 1 passed
  ; => in the group

; Hooks.
(define log (test-runner-null))
(test-runner-on-test-begin! log (lambda (r) (print 'test-begin (test-runner-test-name r) (test-result-kind r))))
(test-runner-on-test-end! log (lambda (r) (print 'test-end (test-result-kind r) (test-runner-group-path r) (test-runner-group-stack r))))
(test-runner-on-group-begin! log (lambda (r name count) (print 'group-begin name count)))
(test-runner-on-group-end! log (lambda (r) (print 'group-end (test-runner-group-path r))))
(test-runner-on-bad-count! log (lambda (r actual expected) (print 'bad-count actual expected)))
(test-runner-on-bad-end-name! log (lambda (r begin end) (print 'bad-end-name begin end)))
(test-runner-on-final! log (lambda (r) (print 'final (counts r))))
(test-with-runner log (test-begin "a" 1) (test-begin 'b) (test-expect-fail 1) (test-eqv "x" 1 2) (test-eqv 1 1) (test-end "c") (test-end "a"))
; => group-begin a 1
; => group-begin b #f
; => test-begin x xfail
; => test-end xfail (a b) (b a)
; => test-begin  #f
; => test-end pass (a b) (b a)
; => bad-end-name b c
; => group-end (a b)
; => bad-count 2 1
; => group-end (a)
; => final (1 0 0 1 0)
(print (map procedure? (list (test-runner-on-test-begin log) (test-runner-on-test-end log) (test-runner-on-group-begin log) (test-runner-on-group-end log) (test-runner-on-bad-count log) (test-runner-on-bad-end-name log) (test-runner-on-final log)))) ; => (#t #t #t #t #t #t #t)
(define simple (test-runner-simple))
(print (eq? (test-runner-on-test-begin simple) test-on-test-begin-simple) (eq? (test-runner-on-test-end simple) test-on-test-end-simple) (eq? (test-runner-on-group-begin simple) test-on-group-begin-simple) (eq? (test-runner-on-group-end simple) test-on-group-end-simple) (eq? (test-runner-on-bad-count simple) test-on-bad-count-simple) (eq? (test-runner-on-bad-end-name simple) test-on-bad-end-name-simple) (eq? (test-runner-on-final simple) test-on-final-simple)) ; => #t #t #t #t #t #t #t
(test-runner-aux-value! log '(1 2))
(print (test-runner-aux-value log) (test-runner-aux-value simple)) ; => (1 2) #f

; The properties of a test.
(define r (test-runner-null))
(test-with-runner r (test-begin "x") (test-equal "p" 4 (+ 2 3)) (print (test-result-kind) (test-passed?)) (test-end)) ; => fail #f
(print (map car (test-result-alist r))) ; => (test-name source-file source-line source-form expected-value actual-value result-kind)
(print (test-result-ref r 'test-name) (test-result-ref r 'source-file) (test-result-ref r 'source-line) (test-result-ref r 'source-form)) ; => p tests/programs/srfi_64.lisp 175 (test-equal p 4 (+ 2 3))
(print (test-result-ref r 'expected-value) (test-result-ref r 'actual-value) (test-result-ref r 'result-kind) (test-result-ref r 'actual-error) (test-result-ref r 'mine 'none)) ; => 4 5 fail #f none
(test-result-set! r 'mine 1)
(test-result-set! r 'mine 2)
(print (test-result-ref r 'mine)) ; => 2
(test-result-remove r 'mine)
(print (test-result-ref r 'mine)) ; => #f
(test-result-clear r)
(print (test-result-alist r) (test-runner-test-name r) (test-result-kind r) (test-passed? r)) ; => ()  #f #f
(test-with-runner r (test-error "e" error-object? (car 5)) (test-assert #f))
(test-with-runner r (test-error "e" error-object? (car 5)) (print (eq? error-object? (test-result-ref r 'expected-error)) (error-object-message (test-result-ref r 'actual-error)))) ; => #t car: expected a pair, got 5

; Mistakes.
(test-begin "counted" 2)
(test-assert #t)
(print (message (lambda () (test-end "miscounted")))) ; => test-end: expected the name of the group, "counted", got "miscounted"
(test-end "counted")
; => BAD COUNT: counted: expected 2 tests, got 1
; => counted: 1 passed
(print (message (lambda () (test-assert #t)))) ; => test-runner-get: there is no test runner: write (test-begin "name") before the tests
(print (message (lambda () (test-end)))) ; => test-runner-get: there is no test runner: write (test-begin "name") before the tests
(print (message (lambda () (test-begin 5)))) ; => test-begin: expected a string for the name, got 5
(print (message (lambda () (test-begin "a" -1)))) ; => test-begin: expected a non-negative exact integer, got -1
(print (message (lambda () (test-skip 1)))) ; => test-runner-get: there is no test runner: write (test-begin "name") before the tests
(test-with-runner r
  (print (message (lambda () (test-end)))) ; => test-end: no group is open: write (test-begin "name") before it
  (print (message (lambda () (test-assert 5 #t)))) ; => test-assert: expected a string for the name, got 5
  (print (message (lambda () (test-skip '())))) ; => test-skip: expected a procedure, a name or a count, got ()
  (print (message (lambda () (test-error 5 (car 5))))) ; => test-error: expected a predicate or #t for the type, got 5
  (print (message (lambda () (test-apply 'a five)))) ; => test-apply: expected a procedure, a name or a count, got a
  (print (message (lambda () (test-apply r)))) ; => test-apply: expected a procedure after the runner
  (print (message (lambda () (test-match-nth 'a))))) ; => test-match-nth: expected a non-negative exact integer, got a
(print (message (lambda () (test-runner-pass-count 5)))) ; => test-runner-pass-count: expected a test runner, got 5
(print (message (lambda () (test-runner-on-final! r 5)))) ; => test-runner-on-final!: expected a procedure, got 5
(print (message (lambda () (test-with-runner 5 (five))))) ; => test-with-runner: expected a test runner, got 5
