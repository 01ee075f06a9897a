;; hash.lisp - hash tables: procedures that take procedures, and those of SRFI
;; 69.

(define %missing (list 'missing))

(define (%check-table who x)
  "Raise an error unless x is a hash table."
  (unless (hash-table? x)
    (wrong-type who "a hash table" x)))

(define (hash-table . keys-and-values)
  "A new hash table: (hash-table 'a 1 'b 2)."
  (let ((table (make-hash-table)))
    (let loop ((rest keys-and-values))
      (cond ((null? rest) table)
            ((null? (cdr rest))
             (error (string-append "hash-table: expected alternating keys and "
                                   "values, got a key without a value")
                    (car rest)))
            (else
             (hash-set! table (car rest) (cadr rest))
             (loop (cddr rest)))))))

(define (make-hash-table . options)
  "A new hash table.  Options are an equivalence, a procedure of two keys, and
  a hash function, which returns an exact integer for a key (and a bound, if
  it takes one), the same one for equivalent keys.  Without a hash function,
  tables are fast for equal?, eqv?, eq?, =, string-ci=?, char-ci=?, and for
  the equivalences of one type: string=?, symbol=?, char=?, boolean=?; others
  compare a key with all keys."
  (if (null? options)
      (make-hash-table)
      (%table-by (car options)
                 (if (null? (cdr options)) #f (cadr options)))))

(define (%table-by same? hash)
  "A new table of an equivalence, and of a hash function or #f."
  (%check-keying same? hash)
  (cond ((and (eq? same? %default-equal?) hash (not (eq? hash %default-hash)))
         (%keyed-table same? hash))
        ((memq same? %equivalences)
         => (lambda (found)
              (let ((table (if (memq same? (list eq? eqv?))
                               (%make-identity-table)
                               (make-hash-table))))
                (%note-equivalence!
                 table (- (length %equivalences) (length found)))
                table)))
        (else (%keyed-table same? hash))))

;; A table keeps the index of the one that it was made with.
(define %equivalences
  (list equal? eqv? eq? string=? symbol=? char=? boolean=? %default-equal?))
(define %loose-equality 7)   ; the index of the last one, as in runtime/data/hash.c

(define (%check-keying equivalence hash)
  "Raise an error unless they can be the options of a table; hash may be #f."
  (unless (and (procedure? equivalence) (%accepts? equivalence 2))
    (wrong-type "make-hash-table" "a procedure of 2 keys" equivalence))
  (unless (or (not hash)
              (and (procedure? hash) (or (%accepts? hash 1) (%accepts? hash 2))))
    (wrong-type "make-hash-table" "a hash function of 1 or 2 arguments" hash)))

(define (alist->hash-table alist . options)
  "A new hash table with the pairs of key and value; of equal keys, the first
  one counts.  The options are those of make-hash-table."
  (let ((table (apply make-hash-table options)))
    (for-each (lambda (entry)
                (unless (pair? entry)
                  (wrong-type "alist->hash-table" "a pair" entry))
                (unless (%table-has? "alist->hash-table" table (car entry))
                  (%table-set! "alist->hash-table" table
                               (car entry) (cdr entry))))
              alist)
    table))

(define (hash-update! table key f . default)
  "Set the value of a key to (f value), or to (f default) if there is none."
  (let* ((otherwise (%optional "hash-update!" 3 default %missing))
         (value (%table-ref "hash-update!" table key otherwise)))
    (if (eq? value %missing)
        (error "hash-update!: no such key:" key)
        (%table-set! "hash-update!" table key (f value)))))

(define (hash-for-each table f)
  "Call f on each key and value, in the order of insertion.

  Changes of the table by f do not affect on which keys f is called."
  (%check-table "hash-for-each" table)
  (for-each (lambda (entry) (f (car entry) (cdr entry))) (hash->list table)))

(define (hash-map table f)
  "The list of the results of f on each key and value."
  (%check-table "hash-map" table)
  (map (lambda (entry) (f (car entry) (cdr entry))) (hash->list table)))

(define (hash-fold f initial table)
  "(f key value result) for each key and value; the result at first is initial."
  (%check-table "hash-fold" table)
  (fold (lambda (entry result) (f (car entry) (cdr entry) result))
        initial
        (hash->list table)))

;; SRFI 69.

(define (hash-table-ref table key . procedures)
  "The value of a key.  A first procedure is called for the result if there is
  none; a second one is applied to the value if there is one."
  (let ((value (%table-ref "hash-table-ref" table key %missing)))
    (cond ((not (eq? value %missing))
           (if (and (pair? procedures) (pair? (cdr procedures)))
               ((cadr procedures) value)
               value))
          ((and (pair? procedures) (car procedures)) ((car procedures)))
          (else (error "hash-table-ref: no such key:" key)))))

(define (hash-table-ref/default table key default)
  "The value of a key, or the default."
  (%table-ref "hash-table-ref/default" table key default))

(define (hash-table-set! table key value)
  "Set the value of a key."
  (%table-set! "hash-table-set!" table key value))

(define (hash-table-delete! table key)
  "Remove a key, if the table has it."
  (%table-delete! "hash-table-delete!" table key))

(define (hash-table-contains? table key)
  "Whether the table has a key."
  (%table-has? "hash-table-contains?" table key))

(define (hash-table-exists? table key)
  "Whether the table has a key."
  (%table-has? "hash-table-exists?" table key))

(define (hash-table-count table)
  "How many keys there are."
  (%check-table "hash-table-count" table)
  (hash-size table))

(define (hash-table-size table)
  "How many keys there are."
  (%check-table "hash-table-size" table)
  (hash-size table))

(define (hash-table-keys table)
  "The list of the keys."
  (%check-table "hash-table-keys" table)
  (hash-keys table))

(define (hash-table-values table)
  "The list of the values."
  (%check-table "hash-table-values" table)
  (hash-values table))

(define (hash-table->alist table)
  "The list of pairs of key and value."
  (%check-table "hash-table->alist" table)
  (hash->list table))

(define (hash-table-walk table f)
  "Call f on each key and value."
  (%check-table "hash-table-walk" table)
  (hash-for-each table f))

(define (hash-table-update! table key f . otherwise)
  "Set the value of a key to (f value); if there is none, the last procedure is
  called for the value."
  (let ((value (%table-ref "hash-table-update!" table key %missing)))
    (unless (or (null? otherwise) (not (car otherwise))
                (procedure? (car otherwise)))
      (wrong-type "hash-table-update!"
                  "a procedure for a missing key; hash-table-update!/default takes a value"
                  (car otherwise)))
    (%table-set!
     "hash-table-update!" table key
     (f (cond ((not (eq? value %missing)) value)
              ((and (pair? otherwise) (car otherwise)) ((car otherwise)))
              (else (error "hash-table-update!: no such key:" key)))))))

(define (hash-table-update!/default table key f default)
  "Set the value of a key to (f value), or to (f default) if there is none."
  (let ((value (%table-ref "hash-table-update!/default" table key default)))
    (%table-set! "hash-table-update!/default" table key (f value))))

(define (hash-table-fold table f initial)
  "(f key value result) for each key and value."
  (%check-table "hash-table-fold" table)
  (hash-fold f initial table))

(define (hash-table-clear! table)
  "Remove all keys."
  (%check-table "hash-table-clear!" table)
  (hash-clear! table))

(define (hash-table-copy table . mutable?)
  "A new table of the same keys and values."
  (%check-table "hash-table-copy" table)
  (hash-copy table))

(define (hash-table-merge! table other)
  "Add the keys and values of the other table to a table, and return it."
  (%check-table "hash-table-merge!" table)
  (%check-table "hash-table-merge!" other)
  (hash-for-each other
                 (lambda (key value)
                   (%table-set! "hash-table-merge!" table key value)))
  table)

(define (hash-table-equivalence-function table)
  "The equivalence of the keys that the table was made with, at first equal?."
  (let ((keying (%table-keying table)))
    (if keying
        (vector-ref keying 0)
        (list-ref %equivalences (%noted-equivalence table)))))

(define (hash-table-hash-function table)
  "A hash function that suits the table's equivalence."
  (%check-table "hash-table-hash-function" table)
  (let ((keying (%table-keying table)))
    (cond (keying (vector-ref keying 1))
          ((%identity-table? table) hash-by-identity)
          ((= (%noted-equivalence table) %loose-equality) %default-hash)
          (else hash))))

;; Hash functions, for tables with their own equivalence and for programs.

(define %hash-modulus 4294967291)   ; the largest prime of 32 bits
(define %hash-depth 8)              ; the depth to which elements count

(define (%bounded who required hash bound)
  "A hash below the optional bound."
  (let ((bound (%optional who required bound %hash-modulus)))
    (unless (and (exact-integer? bound) (> bound 0))
      (wrong-type who "a positive exact integer" bound))
    (modulo hash bound)))

(define (%mixed hash other)
  "The hash of a sequence with one element more."
  (modulo (+ (* 31 hash) other 7) %hash-modulus))

(define (%hash x depth)
  "The hash of a value: the same for all that are equal? to it."
  (cond ((= depth 0) 0)
        ((string? x) (%hash-text x))
        ((symbol? x) (%mixed 1 (%hash-text (symbol->string x))))
        ((char? x) (%mixed 2 (char->integer x)))
        ((exact-integer? x) (modulo x %hash-modulus))
        ((tensor? x) 0)
        ((number? x) (%hash-text (number->string x)))
        ((pair? x)
         (%mixed (%hash (car x) (- depth 1)) (%hash (cdr x) (- depth 1))))
        ((vector? x) (%mixed 3 (vector-length x)))
        ((bytevector? x) (%mixed 4 (bytevector-length x)))
        ((null? x) 5)
        ((eq? x #t) 6)
        (else 7)))

(define (hash x . bound)
  "A hash of any value: the same for those that are equal?.  It is below the
  bound."
  (%bounded "hash" 1 (%hash x %hash-depth) bound))

(define (string-hash text . bound)
  "A hash of a string."
  (%check-string "string-hash" text)
  (%bounded "string-hash" 1 (%hash-text text) bound))

(define (string-ci-hash text . bound)
  "A hash of a string, the same whatever the case of its characters."
  (%check-string "string-ci-hash" text)
  (%bounded "string-ci-hash" 1 (%hash-text (string-foldcase text)) bound))

(define (hash-by-identity x . bound)
  "A hash of any value: the same for those that are eq?, also once they have
  been changed."
  (let ((hash (if (or (pair? x) (vector? x) (bytevector? x))
                  0
                  (%hash x %hash-depth))))
    (%bounded "hash-by-identity" 1 hash bound)))
