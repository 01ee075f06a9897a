;; entries.lisp - what mappings and hashmaps of (import (srfi 146)) share.
;;
;; The tree of a mapping is ordered by its keys.  That of a hashmap is ordered
;; by hashes; its values are association lists of the keys that have the hash.
;; Below, an entry is the pair of a key and its value.

(define-record-type <mapping>
  (%new-mapping comparator order tree)
  mapping?
  (comparator %comparator)
  (order %order)
  (tree %tree))

(define-record-type <hashmap>
  (%new-hashmap comparator hash tree size)
  hashmap?
  (comparator %hash-comparator)
  (hash %hash)
  (tree %hash-tree)
  (size %hash-size))

(define (%check-mapping who x)
  "Raise an error unless x is a mapping."
  (unless (mapping? x) (wrong-type who "a mapping" x)))

(define (%check-hashmap who x)
  "Raise an error unless x is a hashmap."
  (unless (hashmap? x) (wrong-type who "a hashmap" x)))

(define (%check-function who f)
  "Raise an error unless f is a procedure."
  (unless (procedure? f) (wrong-type who "a procedure" f)))

(define (%comparator-of m)
  (if (mapping? m) (%comparator m) (%hash-comparator m)))

(define (%check-same who m others)
  "Raise an error unless the others are of the same type and comparator."
  (for-each
   (lambda (other)
     (if (mapping? m) (%check-mapping who other) (%check-hashmap who other))
     (unless (eq? (%comparator-of m) (%comparator-of other))
       (error (string who ": the comparators differ; make all with one"))))
   others))

(define (%same-comparators? m others)
  "Whether all others that are of the type of m have its comparator."
  (let ((same-type? (if (mapping? m) mapping? hashmap?)))
    (every (lambda (other)
             (or (not (same-type? other))
                 (eq? (%comparator-of m) (%comparator-of other))))
           others)))

(define (%with-tree m tree)
  "The mapping of a tree instead of m's."
  (%new-mapping (%comparator m) (%order m) tree))

(define (%empty-mapping who comparator)
  "A mapping without keys."
  (unless (comparator? comparator) (wrong-type who "a comparator" comparator))
  (unless (comparator-ordered? comparator)
    (error (string who ": the comparator has no order; "
                   "(make-default-comparator) has one")))
  (%register-mappings!)
  (%new-mapping comparator (comparator-ordering-predicate comparator) #f))

(define (%empty-hashmap who comparator)
  "A hashmap without keys."
  (unless (comparator? comparator) (wrong-type who "a comparator" comparator))
  (unless (comparator-hashable? comparator)
    (error (string who ": the comparator has no hash function; "
                   "(make-default-comparator) has one")))
  (%register-mappings!)
  (%new-hashmap comparator (comparator-hash-function comparator) #f 0))

(define %mappings-registered #f)

(define (%register-mappings!)
  "Let the default comparator compare mappings and hashmaps.  The first of them
  calls this, so that programs without any need not."
  (unless %mappings-registered
    (set! %mappings-registered #t)
    (comparator-register-default! mapping-comparator)
    (comparator-register-default! hashmap-comparator)))

(define (%emptied m)
  "An empty one like m."
  (if (mapping? m)
      (%with-tree m #f)
      (%new-hashmap (%hash-comparator m) (%hash m) #f 0)))

(define (%count-of m)
  "How many keys there are."
  (if (mapping? m) (%size (%tree m)) (%hash-size m)))

(define (%check-key m key)
  "Raise an error unless the comparator can compare the key."
  (unless (comparator-test-type (%comparator-of m) key)
    (wrong-type (if (mapping? m) "mapping" "hashmap")
                "a key that the comparator can compare" key)))

(define (%entry m key)
  "The entry of a key, or #f."
  (if (mapping? m)
      (begin
        (%check-key m key)
        (let ((node (%found (%tree m) key (%order m))))
          (and node (cons (%key node) (%value node)))))
      (let ((hash (%hash-of m key)))
        (%in-bucket m (%bucket m hash) key))))

(define (%put m key value)
  "m with a key and its value, which replace those that are there."
  (if (mapping? m)
      (begin
        (%check-key m key)
        (%with-tree m (%inserted (%tree m) key value (%order m))))
      (let* ((hash (%hash-of m key)) (bucket (%bucket m hash)))
        (%put-entry m hash bucket (%in-bucket m bucket key) key value))))

(define (%cut m key)
  "m without a key."
  (if (mapping? m)
      (begin
        (%check-key m key)
        (%with-tree m (%removed (%tree m) key (%order m))))
      (let* ((hash (%hash-of m key)) (bucket (%bucket m hash))
             (entry (%in-bucket m bucket key)))
        (if entry (%cut-entry m hash (%without entry bucket)) m))))

;; The buckets of hashmaps: the entries of one hash.  Hashes are exact integers,
;; which the default order compares fastest.

(define (%hash-of m key)
  "The hash of a key."
  (%check-key m key)
  ((%hash m) key))

(define (%bucket m hash)
  (let ((node (%found (%hash-tree m) hash %default-before?)))
    (if node (%value node) '())))

(define (%in-bucket m bucket key)
  "The entry of a key among those of one hash, or #f."
  (and (pair? bucket)
       (let ((same? (comparator-equality-predicate (%hash-comparator m))))
         (find (lambda (entry) (same? key (car entry))) bucket))))

(define (%without entry bucket)
  "The other entries of a bucket; entry may be #f."
  (if entry (remove (lambda (other) (eq? entry other)) bucket) bucket))

(define (%put-entry m hash bucket entry key value)
  "m with a key and its value instead of an entry of its bucket, or of #f."
  (%new-hashmap (%hash-comparator m) (%hash m)
                (%inserted (%hash-tree m) hash
                           (cons (cons key value) (%without entry bucket))
                           %default-before?)
                (if entry (%hash-size m) (+ (%hash-size m) 1))))

(define (%cut-entry m hash others)
  "m with only these entries of a hash, one less than before."
  (%new-hashmap (%hash-comparator m) (%hash m)
                (if (null? others)
                    (%removed (%hash-tree m) hash %default-before?)
                    (%inserted (%hash-tree m) hash others %default-before?))
                (- (%hash-size m) 1)))

(define (%updated-hashmap m key change)
  "A hashmap with (change entry) for the value of a key; entry may be #f."
  (let* ((hash (%hash-of m key)) (bucket (%bucket m hash))
         (entry (%in-bucket m bucket key)))
    (%put-entry m hash bucket entry key (change entry))))

(define (%fold-entries f seed m)
  "(f key value result) for each entry, in order."
  (if (mapping? m)
      (%folded f seed (%tree m))
      (%folded (lambda (hash bucket result)
                 (fold (lambda (entry result)
                         (f (car entry) (cdr entry) result))
                       result bucket))
               seed (%hash-tree m))))

(define (%any-entry f m)
  "The first true value that (f key value) returns; #f if there is none."
  (if (mapping? m)
      (%first-result f (%tree m))
      (%first-result (lambda (hash bucket)
                       (any (lambda (entry) (f (car entry) (cdr entry)))
                            bucket))
                     (%hash-tree m))))

(define (%kept-entries kept? m)
  "m with only the entries of which (kept? key value) is true."
  (if (mapping? m)
      (%with-tree m (%kept (%tree m) kept?))
      (%fold-entries (lambda (key value result)
                       (if (kept? key value) (%put result key value) result))
                     (%emptied m) m)))

;; What takes keys and values.

(define (%put-all who m entries replace?)
  "m with keys and values of a list, which replace those that are there if
  replace? is true."
  (let loop ((m m) (left entries))
    (cond ((null? left) m)
          ((null? (cdr left))
           (error (string who ": expected a value for each key, got none for:")
                  (car left)))
          ((and (not replace?) (%entry m (car left))) (loop m (cddr left)))
          (else (loop (%put m (car left) (cadr left)) (cddr left))))))

(define (%put-alist who m entries)
  "m with the entries of an association list whose keys are not there."
  (%check-list who entries)
  (fold (lambda (entry m)
          (unless (pair? entry)
            (wrong-type who "a pair of a key and a value" entry))
          (if (%entry m (car entry)) m (%put m (car entry) (cdr entry))))
        m entries))

(define (%unfolded m stop? mapper successor seed)
  "m with the keys and values that (mapper seed) ... return."
  (let loop ((m m) (seed seed))
    (if (stop? seed)
        m
        (call-with-values
         (lambda () (mapper seed))
         (lambda (key value)
           (loop (if (%entry m key) m (%put m key value)) (successor seed)))))))

(define (%ref who m key options)
  "The value of a key; options: failure and success."
  (let ((entry (%entry m key)))
    (cond (entry
           (if (and (pair? options) (pair? (cdr options)))
               ((cadr options) (cdr entry))
               (cdr entry)))
          ((and (pair? options) (car options)) ((car options)))
          (else (error (string who ": there is no such key:") key)))))

(define (%ref/default m key default)
  "The value of a key, or the default."
  (let ((entry (%entry m key)))
    (if entry (cdr entry) default)))

(define (%replaced m key value)
  "m with another value of a key, if the key is there."
  (if (%entry m key) (%put m key value) m))

(define (%cut-all m keys)
  "m without keys."
  (fold (lambda (key m) (%cut m key)) m keys))

(define (%interned m key failure)
  "Two values: m with a key, and its value, which is (failure) if it is new."
  (let ((entry (%entry m key)))
    (if entry
        (values m (cdr entry))
        (let ((value (failure))) (values (%put m key value) value)))))

(define (%updated who m key updater options)
  "m with (updater value) for the value of a key."
  (%put m key (updater (%ref who m key options))))

(define (%searched m key failure success)
  "Two values: m as failure or success change it, and their result."
  (let ((entry (%entry m key)))
    (if entry
        (success (car entry) (cdr entry)
                 (lambda (new-key value result)
                   (values (%put (%cut m key) new-key value) result))
                 (lambda (result) (values (%cut m key) result)))
        (failure (lambda (value result) (values (%put m key value) result))
                 (lambda (result) (values m result))))))

;; The whole.

(define (%find-entry found? m failure)
  "The key and value of which found? is true, as two values, or (failure)."
  (let ((entry (%any-entry (lambda (key value)
                             (and (found? key value) (cons key value)))
                           m)))
    (if entry (values (car entry) (cdr entry)) (failure))))

(define (%count-entries counted? m)
  (%fold-entries (lambda (key value n) (if (counted? key value) (+ n 1) n))
                 0 m))

(define (%entries f m)
  "The list of the results of (f key value)."
  (reverse (%fold-entries (lambda (key value l) (cons (f key value) l)) '() m)))

(define (%mapped f empty m)
  "One of the keys and values that (f key value) returns."
  (%fold-entries (lambda (key value result)
                   (call-with-values
                    (lambda () (f key value))
                    (lambda (key value)
                      (if (%entry result key) result (%put result key value)))))
                 empty m))

(define (%parts in-first? m)
  "Two values: with the entries of which in-first? is true, and the others."
  (values (%kept-entries in-first? m)
          (%kept-entries (lambda (key value) (not (in-first? key value))) m)))

;; Subsets and set operations.

(define (%subset? values-comparator a b)
  "Whether all entries of a are in b."
  (and (<= (%count-of a) (%count-of b))
       (not (%any-entry
             (lambda (key value)
               (let ((entry (%entry b key)))
                 (not (and entry (=? values-comparator value (cdr entry))))))
             a))))

(define (%compared? who holds? comparator m others)
  "Whether (holds? comparator a b) is true of each and the next one."
  (unless (comparator? comparator) (wrong-type who "a comparator" comparator))
  (%check-same who m others)
  (let loop ((m m) (left others))
    (or (null? left)
        (and (holds? comparator m (car left))
             (loop (car left) (cdr left))))))

(define (%equal-entries? comparator a b)
  (and (= (%count-of a) (%count-of b)) (%subset? comparator a b)))

(define (%proper-subset? comparator a b)
  (and (< (%count-of a) (%count-of b)) (%subset? comparator a b)))

(define (%disjoint? a b)
  "Whether no key is in both."
  (not (%any-entry (lambda (key value) (%entry b key)) a)))

(define (%joined a b)
  "The entries of a, and those of b whose keys are not in a."
  (%fold-entries (lambda (key value result)
                   (if (%entry a key) result (%put result key value)))
                 a b))

(define (%common a b)
  "The entries of a whose keys are in b."
  (%kept-entries (lambda (key value) (%entry b key)) a))

(define (%less a b)
  "The entries of a whose keys are not in b."
  (%kept-entries (lambda (key value) (not (%entry b key))) a))

(define (%in-one a b)
  "The entries whose keys are in one of the two."
  (%joined (%less a b) (%less b a)))

(define (%combined who f m others)
  "The result of f on m and the first of the others, on that and the next ..."
  (%check-same who m others)
  (fold (lambda (other result) (f result other)) m others))

;; Comparators of mappings and hashmaps.

(define (%entries-hash key-comparator value-comparator m)
  "A hash that does not depend on the order of the entries."
  (%fold-entries
   (lambda (key value hash)
     (+ hash (modulo (+ (* 31 (comparator-hash key-comparator key))
                        (comparator-hash value-comparator value))
                     33554393)))
   0 m))
