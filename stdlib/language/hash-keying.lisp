;; hash-keying.lisp - hash tables with their own equivalence.
;;
;; Primitives cannot call procedures, so such a table is searched here.  The
;; table holds a keying, the vector of its equivalence, its hash function and
;; whether that takes a key alone, and it finds its keys of a hash; the equivalent one is searched among them.
;; The procedures of SRFI 69 use %table-ref, %table-set! and so on, which take
;; tables with and without a keying.

(define (%keyed-table equivalence hash)
  "A new table with that equivalence; hash is #f if there is no hash function."
  (let ((hash (or hash (%hash-for equivalence))))
    (%make-keyed-table (vector equivalence hash (%accepts? hash 1)))))

(define (%hash-for equivalence)
  "A hash function that returns the same hash for equivalent keys: 0 for all
  keys if the equivalence is an unknown procedure."
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
  (if (and (exact-integer? x) (null? bound) (< (abs x) 9007199254740992))
      (modulo x %hash-modulus)   ; that of the equal double
      (let ((double (+ x 0.0)))   ; 0.0 for -0.0, too
        (%bounded "hash" 1
                  (if (and (integer? double) (< (abs double) 9007199254740992.0))
                      (exact double)
                      (%hash-text (number->string double)))
                  bound))))

;; Finding keys.

(define (%key-hash who keying key)
  "The result of the table's hash function for a key, in 32 bits."
  (let* ((hash-function (vector-ref keying 1))
         (hash (if (vector-ref keying 2)
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

;; A table of the default comparator is one by equal? at first: both are the
;; same for plain keys.  Before another key it becomes a table with a keying.

(define (%keying-for table)
  "The keying of a table that cannot be searched without one."
  (or (%table-keying table)
      (begin (%give-keying! table) (%table-keying table))))

(define (%give-keying! table)
  "Let a table of the default comparator search by its equality."
  (let ((entries (hash->list table)))
    (hash-clear! table)
    (%set-keying! table (vector %default-equal? %default-hash #t))
    (for-each (lambda (entry)
                (%table-set! "hash-table-set!" table (car entry) (cdr entry)))
              entries)))

;; Tables with and without a keying.  The equivalence or the hash function may
;; change the table meanwhile: a removed key is %missing.

(define (%table-ref who table key default)
  "The value of a key, or the default."
  (if (%searchable? table key)
      (hash-ref table key default)
      (%table-ref-by-keying who table key default)))

(define (%table-ref-by-keying who table key default)
  (%check-table who table)
  (let* ((keying (%keying-for table))
         (hash (%key-hash who keying key))
         (found (%equivalent-key table keying hash key)))
    (if (eq? found %missing)
        default
        (%keyed-ref table hash found default))))

(define (%table-has? who table key)
  "Whether the table has a key."
  (not (eq? (%table-ref who table key %missing) %missing)))

(define (%table-set! who table key value)
  "Set the value of a key.  An existing key remains the same object."
  (if (%searchable? table key)
      (hash-set! table key value)
      (%table-set-by-keying! who table key value)))

(define (%table-set-by-keying! who table key value)
  (%check-table who table)
  (let* ((keying (%keying-for table))
         (hash (%key-hash who keying key))
         (found (%equivalent-key table keying hash key)))
    (%keyed-set! table hash (if (eq? found %missing) key found) value)))

(define (%table-delete! who table key)
  "Remove a key, if the table has it."
  (if (%searchable? table key)
      (hash-delete! table key)
      (%table-delete-by-keying! who table key)))

(define (%table-delete-by-keying! who table key)
  (%check-table who table)
  (let* ((keying (%keying-for table))
         (hash (%key-hash who keying key))
         (found (%equivalent-key table keying hash key)))
    (unless (eq? found %missing)
      (%keyed-delete! table hash found))))
