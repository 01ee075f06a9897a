;; comparators.lisp - what (import (srfi 128)) means: comparators.
;;
;; A comparator bundles a type test, an equality, an order and a hash function.
;; The order and the hash function may be missing; they are #f inside then.

(define-record-type <comparator>
  (%new-comparator type-test equality ordering hash)
  comparator?
  (type-test %type-test)
  (equality %equality)
  (ordering %ordering)
  (hash %hash-function))

(define (%check-comparator who x)
  "Raise an error unless x is a comparator."
  (unless (comparator? x) (wrong-type who "a comparator" x)))

(define (%check-procedure who x)
  "Raise an error unless x is a procedure."
  (unless (procedure? x) (wrong-type who "a procedure" x)))

(define (make-comparator type-test equality ordering hash)
  "A new comparator of four procedures: (type-test x), (equality x y),
  (ordering x y), which is less-than, and (hash x).  ordering and hash may be
  #f: the comparator is then not ordered, or not hashable.
  (make-comparator string? string=? string<? string-hash) compares strings."
  (%check-procedure "make-comparator" type-test)
  (%check-procedure "make-comparator" equality)
  (when ordering (%check-procedure "make-comparator" ordering))
  (when hash (%check-procedure "make-comparator" hash))
  (%new-comparator type-test equality ordering hash))

(define (comparator-ordered? comparator)
  "Whether a comparator has an order."
  (%check-comparator "comparator-ordered?" comparator)
  (if (%ordering comparator) #t #f))

(define (comparator-hashable? comparator)
  "Whether a comparator has a hash function."
  (%check-comparator "comparator-hashable?" comparator)
  (if (%hash-function comparator) #t #f))

;; The procedures of a comparator.

(define (comparator-type-test-predicate comparator)
  "The type test of a comparator, a procedure of one value."
  (%check-comparator "comparator-type-test-predicate" comparator)
  (%type-test comparator))

(define (comparator-equality-predicate comparator)
  "The equality of a comparator, a procedure of two values."
  (%check-comparator "comparator-equality-predicate" comparator)
  (%equality comparator))

(define (comparator-ordering-predicate comparator)
  "The order of a comparator, a procedure of two values.  Without an order, it
  is a procedure that raises an error."
  (%check-comparator "comparator-ordering-predicate" comparator)
  (or (%ordering comparator)
      (lambda (a b) (%order "comparator-ordering-predicate" comparator))))

(define (comparator-hash-function comparator)
  "The hash function of a comparator, a procedure of one value.  Without one,
  it is a procedure that raises an error."
  (%check-comparator "comparator-hash-function" comparator)
  (or (%hash-function comparator)
      (lambda (x) (%hasher "comparator-hash-function" comparator))))

(define (%order who comparator)
  "The order of a comparator, which must have one."
  (%check-comparator who comparator)
  (or (%ordering comparator)
      (error (string who ": the comparator has no order") comparator)))

(define (%hasher who comparator)
  "The hash function of a comparator, which must have one."
  (%check-comparator who comparator)
  (or (%hash-function comparator)
      (error (string who ": the comparator has no hash function") comparator)))

(define (comparator-test-type comparator x)
  "Whether a comparator can compare x."
  (%check-comparator "comparator-test-type" comparator)
  ((%type-test comparator) x))

(define (comparator-check-type comparator x)
  "#t if a comparator can compare x; an error if it cannot."
  (unless (comparator-test-type comparator x)
    (error "comparator-check-type: the comparator cannot compare:" x))
  #t)

(define (comparator-hash comparator x)
  "The hash of x by the hash function of a comparator."
  ((%hasher "comparator-hash" comparator) x))

;; Comparisons.

(define (=? comparator a b . others)
  "Whether each value is equal to the next: (=? comparator 1 1 1) is #t."
  (%check-comparator "=?" comparator)
  (%neighbours? (%equality comparator) a b others))

(define (<? comparator a b . others)
  "Whether each value is before the next: (<? comparator 1 2 3) is #t."
  (%neighbours? (%order "<?" comparator) a b others))

(define (>? comparator a b . others)
  "Whether each value is after the next."
  (let ((before? (%order ">?" comparator)))
    (%neighbours? (lambda (x y) (before? y x)) a b others)))

(define (<=? comparator a b . others)
  "Whether no value is after the next."
  (let ((before? (%order "<=?" comparator)))
    (%neighbours? (lambda (x y) (not (before? y x))) a b others)))

(define (>=? comparator a b . others)
  "Whether no value is before the next."
  (let ((before? (%order ">=?" comparator)))
    (%neighbours? (lambda (x y) (not (before? x y))) a b others)))

(define (%neighbours? holds? a b others)
  "Whether holds? is true of each value and the next."
  (let loop ((a a) (b b) (left others))
    (cond ((not (holds? a b)) #f)
          ((null? left) #t)
          (else (loop b (car left) (cdr left))))))

(define-syntax comparator-if<=>
  "(comparator-if<=> comparator a b less equal greater): the value of less if a
  is before b, of equal if they are equal, and otherwise of greater.  Without a
  comparator, it is the default one."
  (syntax-rules ()
    ((_ a b less equal greater)
     (comparator-if<=> (make-default-comparator) a b less equal greater))
    ((_ comparator a b less equal greater)
     (%if<=> comparator a b
             (lambda () less) (lambda () equal) (lambda () greater)))))

(define (%if<=> comparator a b less equal greater)
  "The result of the procedure that stands for how a and b compare."
  (cond ((=? comparator a b) (equal))
        ((<? comparator a b) (less))
        (else (greater))))

;; Comparators of compound values, and of identity.

(define (make-pair-comparator car-comparator cdr-comparator)
  "A comparator of pairs: by their cars, and then by their cdrs."
  (%check-comparator "make-pair-comparator" car-comparator)
  (%check-comparator "make-pair-comparator" cdr-comparator)
  (make-comparator
   (lambda (x)
     (and (pair? x)
          (comparator-test-type car-comparator (car x))
          (comparator-test-type cdr-comparator (cdr x))))
   (lambda (a b)
     (and (=? car-comparator (car a) (car b))
          (=? cdr-comparator (cdr a) (cdr b))))
   (and (%ordering car-comparator) (%ordering cdr-comparator)
        (lambda (a b)
          (if (=? car-comparator (car a) (car b))
              (<? cdr-comparator (cdr a) (cdr b))
              (<? car-comparator (car a) (car b)))))
   (and (%hash-function car-comparator) (%hash-function cdr-comparator)
        (lambda (x)
          (%mixed (comparator-hash car-comparator (car x))
                  (comparator-hash cdr-comparator (cdr x)))))))

(define (make-list-comparator element type-test empty? head tail)
  "A comparator of what is like a list, element by element: type-test accepts
  one, (empty? x) says whether it has no elements, (head x) is the first, and
  (tail x) the rest.  If one begins with all of the other, the shorter one is
  before the longer one."
  (%check-comparator "make-list-comparator" element)
  (make-comparator
   (lambda (x)
     (and (type-test x)
          (let loop ((x x))
            (or (empty? x)
                (and (comparator-test-type element (head x))
                     (loop (tail x)))))))
   (lambda (a b)
     (let loop ((a a) (b b))
       (cond ((empty? a) (empty? b))
             ((empty? b) #f)
             (else (and (=? element (head a) (head b))
                        (loop (tail a) (tail b)))))))
   (and (%ordering element)
        (lambda (a b)
          (let loop ((a a) (b b))
            (cond ((empty? a) (not (empty? b)))
                  ((empty? b) #f)
                  ((=? element (head a) (head b)) (loop (tail a) (tail b)))
                  (else (<? element (head a) (head b)))))))
   (and (%hash-function element)
        (lambda (x)
          (let loop ((x x) (hash 8))
            (if (empty? x)
                hash
                (loop (tail x)
                      (%mixed hash (comparator-hash element (head x))))))))))

(define (make-vector-comparator element type-test length ref)
  "A comparator of what is like a vector: type-test accepts one, (length x)
  says how many elements it has, and (ref x k) is one of them.  The shorter one
  is before the longer one; those of the same length are compared element by
  element."
  (%check-comparator "make-vector-comparator" element)
  (make-comparator
   (lambda (x)
     (and (type-test x)
          (let ((n (length x)))
            (let loop ((k 0))
              (or (= k n)
                  (and (comparator-test-type element (ref x k))
                       (loop (+ k 1))))))))
   (lambda (a b)
     (let ((n (length a)))
       (and (= n (length b))
            (let loop ((k 0))
              (or (= k n)
                  (and (=? element (ref a k) (ref b k))
                       (loop (+ k 1))))))))
   (and (%ordering element)
        (lambda (a b)
          (let ((n (length a)) (m (length b)))
            (if (= n m)
                (let loop ((k 0))
                  (cond ((= k n) #f)
                        ((=? element (ref a k) (ref b k)) (loop (+ k 1)))
                        (else (<? element (ref a k) (ref b k)))))
                (< n m)))))
   (and (%hash-function element)
        (lambda (x)
          (let ((n (length x)))
            (let loop ((k 0) (hash 9))
              (if (= k n)
                  hash
                  (loop (+ k 1)
                        (%mixed hash (comparator-hash element (ref x k)))))))))))

(define (make-eq-comparator)
  "A comparator of all values by eq?, without an order."
  (make-comparator %any? eq? #f hash-by-identity))

(define (make-eqv-comparator)
  "A comparator of all values by eqv?, without an order."
  (make-comparator %any? eqv? #f hash-by-identity))

(define (make-equal-comparator)
  "A comparator of all values by equal?, without an order."
  (make-comparator %any? equal? #f default-hash))

;; Hash functions.

(define-syntax hash-bound
  "(hash-bound) is what hashes of user programs should be below."
  (syntax-rules () ((_) 33554432)))

(define-syntax hash-salt
  "(hash-salt) is a number that hash functions may begin with."
  (syntax-rules () ((_) 16064047)))

(define (boolean-hash x)
  "A hash of a boolean."
  (unless (boolean? x) (wrong-type "boolean-hash" "a boolean" x))
  (if x 6 7))

(define (char-hash char)
  "A hash of a character."
  (unless (char? char) (wrong-type "char-hash" "a character" char))
  (%default-hash char))

(define (char-ci-hash char)
  "A hash of a character, the same whatever its case."
  (unless (char? char) (wrong-type "char-ci-hash" "a character" char))
  (%default-hash (char-foldcase char)))

(define (symbol-hash symbol)
  "A hash of a symbol."
  (unless (symbol? symbol) (wrong-type "symbol-hash" "a symbol" symbol))
  (%default-hash symbol))

(define (number-hash number)
  "A hash of a number, the same for all that are = to it."
  (unless (number? number) (wrong-type "number-hash" "a number" number))
  (%number-hash number))

;; The default comparator: its equality, order and hash function are in
;; stdlib/language/default-equality.lisp, as hash tables know them.  The types
;; that it knows are in this order, and those of comparator-register-default!
;; come after them.

(define (comparator-register-default! comparator)
  "Let the default comparator compare the values of a comparator, too; they
  must not be of a standard type.  They come after the values of standard types
  and of the comparators that were registered before."
  (%check-comparator "comparator-register-default!" comparator)
  (%register-default! (lambda (x) (comparator-test-type comparator x))
                      (lambda (a b) (=? comparator a b))
                      (lambda (a b) (<? comparator a b))
                      (lambda (x) (comparator-hash comparator x)))
  (if #f #f))

(define (default-hash x)
  "A hash of any value: the same for those that the default comparator calls
  equal."
  (%default-hash x))

(define (make-default-comparator)
  "A comparator of all standard types, ordered in this way: the empty list,
  pairs, booleans, characters, strings, symbols, numbers, vectors, bytevectors,
  and then those of comparator-register-default!."
  (%new-comparator %any? %default-equal? %default-before? %default-hash))
