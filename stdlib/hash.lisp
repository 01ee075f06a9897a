;; hash.lisp - hash tables: what calls procedures, and the names of SRFI 69.

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
             (error (string-append "hash-table: expected keys and values in "
                                   "turn, got a key without a value")
                    (car rest)))
            (else
             (hash-set! table (car rest) (cadr rest))
             (loop (cddr rest)))))))

(define (alist->hash-table alist)
  "A new hash table with the pairs of key and value; the first of a key counts."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry)
                (unless (pair? entry)
                  (wrong-type "alist->hash-table" "a pair" entry))
                (unless (hash-has-key? table (car entry))
                  (hash-set! table (car entry) (cdr entry))))
              alist)
    table))

(define (hash-update! table key f . default)
  "Give a key the value that f makes of the one it has, or of the default."
  (%check-table "hash-update!" table)
  (let* ((otherwise (%optional "hash-update!" 3 default %missing))
         (value (hash-ref table key otherwise)))
    (if (eq? value %missing)
        (error "hash-update!: no such key:" key)
        (hash-set! table key (f value)))))

(define (hash-for-each table f)
  "Call f on each key and value, in the order of insertion.

  What f does to the table does not change on which it is called."
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
  "The value of a key; what the first procedure gives if there is none, and
  what the second makes of the value if there is one."
  (%check-table "hash-table-ref" table)
  (let ((value (hash-ref table key %missing)))
    (cond ((not (eq? value %missing))
           (if (and (pair? procedures) (pair? (cdr procedures)))
               ((cadr procedures) value)
               value))
          ((and (pair? procedures) (car procedures)) ((car procedures)))
          (else (hash-ref table key)))))

(define (hash-table-ref/default table key default)
  "The value of a key, or the default."
  (hash-ref table key default))

(define (hash-table-set! table key value)
  "Give a key a value."
  (hash-set! table key value))

(define (hash-table-delete! table key)
  "Remove a key, if it is there."
  (hash-delete! table key))

(define (hash-table-contains? table key)
  "Whether a key is there."
  (hash-has-key? table key))

(define (hash-table-exists? table key)
  "Whether a key is there."
  (hash-has-key? table key))

(define (hash-table-count table)
  "How many keys there are."
  (hash-size table))

(define (hash-table-size table)
  "How many keys there are."
  (hash-size table))

(define (hash-table-keys table)
  "The list of the keys."
  (hash-keys table))

(define (hash-table-values table)
  "The list of the values."
  (hash-values table))

(define (hash-table->alist table)
  "The list of pairs of key and value."
  (hash->list table))

(define (hash-table-walk table f)
  "Call f on each key and value."
  (hash-for-each table f))

(define (hash-table-update! table key f . otherwise)
  "Give a key the value that f makes of the one it has, or of what the last
  procedure gives."
  (hash-set! table key (f (apply hash-table-ref table key otherwise))))

(define (hash-table-update!/default table key f default)
  "Give a key the value that f makes of the one it has, or of the default."
  (hash-update! table key f default))

(define (hash-table-fold table f initial)
  "(f key value result) for each key and value."
  (hash-fold f initial table))

(define (hash-table-clear! table)
  "Remove all keys."
  (hash-clear! table))

(define (hash-table-copy table . mutable?)
  "A new table of the same keys and values."
  (hash-copy table))
