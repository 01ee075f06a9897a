;; hash-keying.lisp - hash tables with an equivalence of the program's own.
;;
;; No primitive calls a procedure, so such a table is searched here.  The table
;; holds a keying, the vector of its equivalence and its hash function, and it
;; knows which of its keys have a hash; the equivalent one is found among them.
;; The procedures of SRFI 69 stand on %table-ref and its kin, which take tables
;; of both kinds.

(define (%keyed-table equivalence hash)
  "A new table with that equivalence; hash is #f if the program gave none."
  (%make-keyed-table (vector equivalence (or hash (%hash-for equivalence)))))

(define (%hash-for equivalence)
  "A hash function that gives equivalent keys one hash: 0 for all, where the
  equivalence is not known."
  (cond ((eq? equivalence string-ci=?) string-ci-hash)
        ((eq? equivalence char-ci=?) %char-ci-hash)
        ((eq? equivalence =) %number-hash)
        (else (lambda (key . bound) 0))))

(define (%char-ci-hash c . bound)
  "A hash of a character, the same whatever its case."
  (unless (char? c) (wrong-type "char-ci=?" "a character" c))
  (%bounded "hash" 1 (char->integer (char-foldcase c)) bound))

(define (%number-hash x . bound)
  "A hash of a number, the same for all that are = to it: 1, 1.0."
  (unless (number? x) (wrong-type "=" "a number" x))
  (let ((double (+ x 0.0)))   ; 0.0 for -0.0, too
    (%bounded "hash" 1
              (if (and (integer? double) (< (abs double) 9007199254740992.0))
                  (exact double)
                  (%hash-text (number->string double)))
              bound)))

;; Finding keys.

(define (%key-hash who keying key)
  "What the table's hash function says of a key, in 32 bits."
  (let* ((hash-function (vector-ref keying 1))
         (hash (if (%accepts? hash-function 1)
                   (hash-function key)
                   (hash-function key %hash-modulus))))
    (unless (exact-integer? hash)
      (wrong-type who "an exact integer from the hash function" hash))
    (modulo hash %hash-modulus)))

(define (%equivalent-key table keying hash key)
  "The table's own key that is equivalent to key, or %missing."
  (let ((same? (vector-ref keying 0)))
    (let loop ((keys (%keys-of-hash table hash)))
      (cond ((null? keys) %missing)
            ((same? (car keys) key) (car keys))
            (else (loop (cdr keys)))))))

;; Tables of both kinds.  What the equivalence or the hash function do to the
;; table meanwhile harms nothing: a key that has gone is %missing.

(define (%table-ref who table key default)
  "The value of a key, or the default."
  (%check-table who table)
  (let ((keying (%table-keying table)))
    (if keying
        (let* ((hash (%key-hash who keying key))
               (found (%equivalent-key table keying hash key)))
          (if (eq? found %missing)
              default
              (%keyed-ref table hash found default)))
        (hash-ref table key default))))

(define (%table-has? who table key)
  "Whether a key is there."
  (not (eq? (%table-ref who table key %missing) %missing)))

(define (%table-set! who table key value)
  "Give a key a value.  A key that is there stays the object that it was."
  (%check-table who table)
  (let ((keying (%table-keying table)))
    (if keying
        (let* ((hash (%key-hash who keying key))
               (found (%equivalent-key table keying hash key)))
          (%keyed-set! table hash (if (eq? found %missing) key found) value))
        (hash-set! table key value))))

(define (%table-delete! who table key)
  "Remove a key, if it is there."
  (%check-table who table)
  (let ((keying (%table-keying table)))
    (if keying
        (let* ((hash (%key-hash who keying key))
               (found (%equivalent-key table keying hash key)))
          (unless (eq? found %missing)
            (%keyed-delete! table hash found)))
        (hash-delete! table key))))
