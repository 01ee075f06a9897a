;; hash-tables.lisp - what (import (srfi 125)) means: hash tables by
;; comparators, or by an equivalence and a hash function.
;;
;; The tables are those that programs have without the import, and all of them
;; can be changed.  They keep their keys in the order of insertion.

(define (%check-function who f)
  "Raise an error unless f is a procedure."
  (unless (procedure? f) (wrong-type who "a procedure" f)))

(define (%new-table who options)
  "A new table of a comparator, or of an equivalence and perhaps a hash
  function; further options, such as a size, have no effect."
  (let ((first (car options)))
    (if (comparator? first)
        (%table-by (comparator-equality-predicate first)
                      (comparator-hash-function first))
        (let ((second (and (pair? (cdr options)) (cadr options))))
          (unless (procedure? first)
            (wrong-type who "a comparator or an equivalence" first))
          (%table-by first (and (procedure? second) second))))))

;; Constructors.

(define (make-hash-table comparator . options)
  "A new hash table.  Its keys are compared by a comparator, or by an equivalence
  and a hash function, which may be left out."
  (%new-table "make-hash-table" (cons comparator options)))

(define (hash-table comparator . keys-and-values)
  "A new hash table of a comparator, with the keys and values:
  (hash-table (make-eqv-comparator) 'a 1 'b 2).  Equal keys are an error."
  (let ((table (%new-table "hash-table" (list comparator))))
    (%for-each-pair
     "hash-table" keys-and-values
     (lambda (key value)
       (when (%table-has? "hash-table" table key)
         (error "hash-table: the key is there twice:" key))
       (%table-set! "hash-table" table key value)))
    table))

(define (%for-each-pair who items f)
  "Call f on each key and the value after it."
  (let loop ((left items))
    (unless (null? left)
      (when (null? (cdr left))
        (error (string who ": expected alternating keys and values, got a key "
                       "without a value")
               (car left)))
      (f (car left) (cadr left))
      (loop (cddr left)))))

(define (hash-table-unfold stop? mapper successor seed comparator . options)
  "A new hash table of the keys and values that (mapper seed),
  (mapper (successor seed)) ... return as two values, until (stop? seed) is
  true."
  (let ((table (%new-table "hash-table-unfold" (cons comparator options))))
    (let loop ((seed seed))
      (if (stop? seed)
          table
          (begin
            (call-with-values
             (lambda () (mapper seed))
             (lambda (key value)
               (%table-set! "hash-table-unfold" table key value)))
            (loop (successor seed)))))))

(define (alist->hash-table alist comparator . options)
  "A new hash table with the pairs of key and value; of equal keys, the first
  one counts."
  (let ((table (%new-table "alist->hash-table" (cons comparator options))))
    (for-each (lambda (entry)
                (unless (pair? entry)
                  (wrong-type "alist->hash-table" "a pair" entry))
                (unless (%table-has? "alist->hash-table" table (car entry))
                  (%table-set! "alist->hash-table" table
                               (car entry) (cdr entry))))
              alist)
    table))

;; Predicates.

(define (hash-table-empty? table)
  "Whether the table has no keys."
  (%check-table "hash-table-empty?" table)
  (= (hash-size table) 0))

(define (hash-table=? comparator one other)
  "Whether two tables have the same keys, and a comparator of values calls their
  values equal."
  (%check-table "hash-table=?" one)
  (%check-table "hash-table=?" other)
  (and (= (hash-size one) (hash-size other))
       (every (lambda (entry)
                (let ((value (%table-ref "hash-table=?" other (car entry) %missing)))
                  (and (not (eq? value %missing))
                       (=? comparator (cdr entry) value))))
              (hash->list one))))

(define (hash-table-mutable? table)
  "Whether the table can be changed: always."
  (%check-table "hash-table-mutable?" table)
  #t)

;; One key.

(define (hash-table-ref table key . procedures)
  "The value of a key.  A first procedure is called for the result if there is
  none; a second one is applied to the value if there is one."
  (%value-of "hash-table-ref" table key procedures))

(define (%value-of who table key procedures)
  "hash-table-ref with a list of procedures."
  (let ((value (%table-ref who table key %missing)))
    (cond ((eq? value %missing)
           (if (and (pair? procedures) (car procedures))
               ((car procedures))
               (error (string who ": no such key:") key)))
          ((and (pair? procedures) (pair? (cdr procedures)))
           ((cadr procedures) value))
          (else value))))

(define (hash-table-set! table . keys-and-values)
  "Set the values of keys: (hash-table-set! table 'a 1 'b 2)."
  (%check-table "hash-table-set!" table)
  (%for-each-pair
   "hash-table-set!" keys-and-values
   (lambda (key value) (%table-set! "hash-table-set!" table key value))))

(define (hash-table-delete! table . keys)
  "Remove keys, and return how many of them the table had."
  (%check-table "hash-table-delete!" table)
  (fold (lambda (key n)
          (if (%table-has? "hash-table-delete!" table key)
              (begin (%table-delete! "hash-table-delete!" table key) (+ n 1))
              n))
        0
        keys))

(define (hash-table-intern! table key failure)
  "The value of a key, which becomes (failure) if there is none."
  (let ((value (%table-ref "hash-table-intern!" table key %missing)))
    (if (eq? value %missing)
        (let ((new (failure)))
          (%table-set! "hash-table-intern!" table key new)
          new)
        value)))

(define (hash-table-update! table key updater . procedures)
  "Set the value of a key to (updater value).  A first procedure is called for
  the value if there is none; a second one is applied to it if there is one."
  (%table-set! "hash-table-update!" table key
               (updater (%value-of "hash-table-update!" table key procedures))))

(define (hash-table-pop! table)
  "Remove a key, and return two values: the key and its value."
  (%check-table "hash-table-pop!" table)
  (when (= (hash-size table) 0)
    (error "hash-table-pop!: the table is empty"))
  (let* ((key (car (hash-keys table)))
         (value (%table-ref "hash-table-pop!" table key #f)))
    (%table-delete! "hash-table-pop!" table key)
    (values key value)))

;; All keys.

(define (hash-table-entries table)
  "Two values: the list of the keys, and the list of the values, in the same
  order."
  (%check-table "hash-table-entries" table)
  (values (hash-keys table) (hash-values table)))

(define (hash-table-find f table failure)
  "The first true result of f on the keys and values; (failure) if there is
  none."
  (%check-table "hash-table-find" table)
  (let loop ((entries (hash->list table)))
    (if (null? entries)
        (failure)
        (or (f (car (car entries)) (cdr (car entries)))
            (loop (cdr entries))))))

(define (hash-table-count counted? table)
  "How many keys and values there are of which counted? is true."
  (%check-table "hash-table-count" table)
  (count (lambda (entry) (counted? (car entry) (cdr entry))) (hash->list table)))

(define (hash-table-map f comparator table)
  "A new hash table of a comparator, with the results of f on the values."
  (%check-table "hash-table-map" table)
  (let ((result (%new-table "hash-table-map" (list comparator))))
    (for-each (lambda (entry)
                (%table-set! "hash-table-map" result
                             (car entry) (f (cdr entry))))
              (hash->list table))
    result))

(define (%in-order who f table)
  "(f . table), also if the table is the first argument, as in SRFI 69."
  (if (hash-table? f)
      (begin (%check-function who table) (cons table f))
      (begin (%check-table who table) (%check-function who f) (cons f table))))

(define (hash-table-for-each f table)
  "Call f on each key and value."
  (let ((both (%in-order "hash-table-for-each" f table)))
    (for-each (lambda (entry) ((car both) (car entry) (cdr entry)))
              (hash->list (cdr both)))))

(define (hash-table-map! f table)
  "Replace each value by (f key value)."
  (%check-table "hash-table-map!" table)
  (for-each (lambda (entry)
              (%table-set! "hash-table-map!" table
                           (car entry) (f (car entry) (cdr entry))))
            (hash->list table)))

(define (hash-table-map->list f table)
  "The list of the results of f on each key and value."
  (%check-table "hash-table-map->list" table)
  (map (lambda (entry) (f (car entry) (cdr entry))) (hash->list table)))

(define (hash-table-fold f seed table)
  "(f key value result) for each key and value; the result at first is the seed.
  The table may also be the first argument, as in SRFI 69."
  (if (hash-table? f)
      (hash-table-fold seed table f)
      (begin
        (%check-table "hash-table-fold" table)
        (fold (lambda (entry result) (f (car entry) (cdr entry) result))
              seed
              (hash->list table)))))

(define (hash-table-prune! pruned? table)
  "Remove each key of which (pruned? key value) is true."
  (%check-table "hash-table-prune!" table)
  (for-each (lambda (entry)
              (when (pruned? (car entry) (cdr entry))
                (%table-delete! "hash-table-prune!" table (car entry))))
            (hash->list table)))

(define (hash-table-empty-copy table)
  "A new table without keys that compares them like the table."
  (%check-table "hash-table-empty-copy" table)
  (let ((copy (hash-copy table)))
    (hash-clear! copy)
    copy))

;; Tables as sets of keys.  All change the first table, and return it.

(define (hash-table-union! one other)
  "Add the keys of another table that are missing, and their values."
  (%check-table "hash-table-union!" one)
  (%check-table "hash-table-union!" other)
  (for-each (lambda (entry)
              (unless (%table-has? "hash-table-union!" one (car entry))
                (%table-set! "hash-table-union!" one (car entry) (cdr entry))))
            (hash->list other))
  one)

(define (hash-table-merge! one other)
  "hash-table-union! under its name in SRFI 69."
  (hash-table-union! one other))

(define (%keep-keys! who one other kept?)
  "Remove the keys of which kept? is not whether another table has them."
  (%check-table who one)
  (%check-table who other)
  (for-each (lambda (key)
              (unless (eq? kept? (%table-has? who other key))
                (%table-delete! who one key)))
            (hash-keys one))
  one)

(define (hash-table-intersection! one other)
  "Remove the keys that another table does not have."
  (%keep-keys! "hash-table-intersection!" one other #t))

(define (hash-table-difference! one other)
  "Remove the keys that another table has."
  (%keep-keys! "hash-table-difference!" one other #f))

(define (hash-table-xor! one other)
  "Remove the keys that another table has, and add those that are missing, and
  their values."
  (%check-table "hash-table-xor!" one)
  (%check-table "hash-table-xor!" other)
  (for-each (lambda (entry)
              (if (%table-has? "hash-table-xor!" one (car entry))
                  (%table-delete! "hash-table-xor!" one (car entry))
                  (%table-set! "hash-table-xor!" one (car entry) (cdr entry))))
            (hash->list other))
  one)
