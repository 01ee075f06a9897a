;; hashmaps.lisp - what (import (srfi 146 hash)) means: mappings by hashes.

;; Constructors.

(define (hashmap comparator . entries)
  "A new hashmap of keys and values in turn: (hashmap comparator 'a 1 'b 2).  Of
  equal keys, the first one counts."
  (%put-all "hashmap" (%empty-hashmap "hashmap" comparator) entries #f))

(define (hashmap-unfold stop? mapper successor seed comparator)
  "A new hashmap of the keys and values, two values, that (mapper seed),
  (mapper (successor seed)) ... return, until (stop? seed) is true."
  (%unfolded (%empty-hashmap "hashmap-unfold" comparator)
             stop? mapper successor seed))

(define (hashmap-copy m)
  "A copy."
  (%check-hashmap "hashmap-copy" m)
  (%new-hashmap (%hash-comparator m) (%hash m)
                (%hash-tree m) (%hash-size m)))

(define (alist->hashmap comparator entries)
  "A new hashmap of an association list.  Of equal keys, the first one counts."
  (%put-alist "alist->hashmap" (%empty-hashmap "alist->hashmap" comparator)
              entries))

(define (alist->hashmap! m entries)
  "The hashmap with those keys of an association list that it has not."
  (%check-hashmap "alist->hashmap!" m)
  (%put-alist "alist->hashmap!" m entries))

;; Predicates and accessors.

(define (hashmap-contains? m key)
  "Whether a key is there."
  (%check-hashmap "hashmap-contains?" m)
  (if (%entry m key) #t #f))

(define (hashmap-empty? m)
  "Whether there are no keys."
  (%check-hashmap "hashmap-empty?" m)
  (= (%count-of m) 0))

(define (hashmap-disjoint? m other)
  "Whether no key is in both."
  (%check-hashmap "hashmap-disjoint?" m)
  (%check-same "hashmap-disjoint?" m (list other))
  (%disjoint? m other))

(define (hashmap-ref m key . options)
  "The value of a key.  Options: failure, which is called without arguments if
  there is no such key; and success, which is called with the value."
  (%check-hashmap "hashmap-ref" m)
  (%ref "hashmap-ref" m key options))

(define (hashmap-ref/default m key default)
  "The value of a key, or the default."
  (%check-hashmap "hashmap-ref/default" m)
  (%ref/default m key default))

(define (hashmap-key-comparator m)
  "The comparator of the keys."
  (%check-hashmap "hashmap-key-comparator" m)
  (%comparator-of m))

;; Changes: the result is a new hashmap.

(define (hashmap-adjoin m . entries)
  "The hashmap with keys and values in turn; keys that are there keep their
  values."
  (%check-hashmap "hashmap-adjoin" m)
  (%put-all "hashmap-adjoin" m entries #f))

(define (hashmap-set m . entries)
  "The hashmap with keys and values in turn, which replace those that are
  there."
  (%check-hashmap "hashmap-set" m)
  (%put-all "hashmap-set" m entries #t))

(define (hashmap-replace m key value)
  "The hashmap with another value of a key, if the key is there."
  (%check-hashmap "hashmap-replace" m)
  (%replaced m key value))

(define (hashmap-delete m . keys)
  "The hashmap without keys."
  (%check-hashmap "hashmap-delete" m)
  (%cut-all m keys))

(define (hashmap-delete-all m keys)
  "The hashmap without the keys of a list."
  (%check-hashmap "hashmap-delete-all" m)
  (%check-list "hashmap-delete-all" keys)
  (%cut-all m keys))

(define (hashmap-intern m key failure)
  "Two values: the hashmap with a key, and its value, which is (failure) if the
  key was not there."
  (%check-hashmap "hashmap-intern" m)
  (%interned m key failure))

(define (hashmap-update m key updater . options)
  "The hashmap with (updater value) for the value of a key.  Options: failure
  and success, as for hashmap-ref; updater gets their result."
  (%check-hashmap "hashmap-update" m)
  (%updated "hashmap-update" m key updater options))

(define (hashmap-update/default m key updater default)
  "The hashmap with (updater value) for the value of a key, or
  (updater default)."
  (%check-hashmap "hashmap-update/default" m)
  (%updated-hashmap m key
                    (lambda (entry) (updater (if entry (cdr entry) default)))))

(define (hashmap-pop m . failure)
  "Three values: the hashmap without one of its keys, the key, and its value.
  (failure) if there are no keys; by default an error."
  (%check-hashmap "hashmap-pop" m)
  (let ((failure (%optional "hashmap-pop" 1 failure #f))
        (entry (%any-entry cons m)))
    (cond (entry (values (%cut m (car entry)) (car entry) (cdr entry)))
          (failure (failure))
          (else (error "hashmap-pop: there are no keys")))))

(define (hashmap-search m key failure success)
  "Two values: a hashmap and a result.  If the key is not there, they are what
  (failure insert ignore) returns, which calls (insert value result) or
  (ignore result); otherwise what (success key value update remove) returns,
  which calls (update new-key new-value result) or (remove result)."
  (%check-hashmap "hashmap-search" m)
  (%searched m key failure success))

;; All keys.

(define (hashmap-size m)
  "How many keys there are."
  (%check-hashmap "hashmap-size" m)
  (%count-of m))

(define (hashmap-find found? m failure)
  "Two values: a key and its value of which (found? key value) is true, the
  first one that is found; (failure) if there is none."
  (%check-hashmap "hashmap-find" m)
  (%find-entry found? m failure))

(define (hashmap-count counted? m)
  "How many keys there are for which (counted? key value) is true."
  (%check-hashmap "hashmap-count" m)
  (%count-entries counted? m))

(define (hashmap-any? holds? m)
  "Whether (holds? key value) is true for any key."
  (%check-hashmap "hashmap-any?" m)
  (if (%any-entry holds? m) #t #f))

(define (hashmap-every? holds? m)
  "Whether (holds? key value) is true for every key."
  (%check-hashmap "hashmap-every?" m)
  (not (%any-entry (lambda (key value) (not (holds? key value))) m)))

(define (hashmap-keys m)
  "The list of the keys."
  (%check-hashmap "hashmap-keys" m)
  (%entries (lambda (key value) key) m))

(define (hashmap-values m)
  "The list of the values."
  (%check-hashmap "hashmap-values" m)
  (%entries (lambda (key value) value) m))

(define (hashmap-entries m)
  "Two values: the lists of the keys and of the values."
  (%check-hashmap "hashmap-entries" m)
  (values (hashmap-keys m) (hashmap-values m)))

(define (hashmap->alist m)
  "The association list of the keys and values."
  (%check-hashmap "hashmap->alist" m)
  (%entries cons m))

(define (hashmap-map f comparator m)
  "A new hashmap of the keys and values, two values, that (f key value)
  returns."
  (%check-hashmap "hashmap-map" m)
  (%mapped f (%empty-hashmap "hashmap-map" comparator) m))

(define (hashmap-map->list f m)
  "The list of the results of (f key value)."
  (%check-hashmap "hashmap-map->list" m)
  (%entries f m))

(define (hashmap-for-each f m)
  "Call (f key value) for each key."
  (%check-hashmap "hashmap-for-each" m)
  (%fold-entries (lambda (key value result) (f key value) result)
                 (if #f #f) m))

(define (hashmap-fold f seed m)
  "(f key value result) for each key; the result at first is the seed."
  (%check-hashmap "hashmap-fold" m)
  (%fold-entries f seed m))

(define (hashmap-filter kept? m)
  "The hashmap of the keys for which (kept? key value) is true."
  (%check-hashmap "hashmap-filter" m)
  (%kept-entries kept? m))

(define (hashmap-remove removed? m)
  "The hashmap of the keys for which (removed? key value) is not true."
  (%check-hashmap "hashmap-remove" m)
  (%kept-entries (lambda (key value) (not (removed? key value))) m))

(define (hashmap-partition in-first? m)
  "Two values: the hashmap of the keys for which (in-first? key value) is true,
  and that of the others."
  (%check-hashmap "hashmap-partition" m)
  (%parts in-first? m))

;; Comparison.  The comparator is that of the values.

(define (hashmap=? comparator m . others)
  "Whether all have the same keys with the same values, and key comparator."
  (%check-hashmap "hashmap=?" m)
  (and (%same-comparators? m others)
       (%compared? "hashmap=?" %equal-entries? comparator m others)))

(define (hashmap<=? comparator m . others)
  "Whether each is a subset of the next one."
  (%check-hashmap "hashmap<=?" m)
  (%compared? "hashmap<=?" %subset? comparator m others))

(define (hashmap<? comparator m . others)
  "Whether each is a subset of the next one, which has more keys."
  (%check-hashmap "hashmap<?" m)
  (%compared? "hashmap<?" %proper-subset? comparator m others))

(define (hashmap>=? comparator m . others)
  "Whether the next one is a subset of each."
  (%check-hashmap "hashmap>=?" m)
  (%compared? "hashmap>=?" (lambda (c a b) (%subset? c b a))
              comparator m others))

(define (hashmap>? comparator m . others)
  "Whether the next one is a subset of each, which has more keys."
  (%check-hashmap "hashmap>?" m)
  (%compared? "hashmap>?" (lambda (c a b) (%proper-subset? c b a))
              comparator m others))

;; Set operations.

(define (hashmap-union m . others)
  "All keys, each with the value of the first that has it."
  (%check-hashmap "hashmap-union" m)
  (%combined "hashmap-union" %joined m others))

(define (hashmap-intersection m . others)
  "The keys of the first that are in all others, with its values."
  (%check-hashmap "hashmap-intersection" m)
  (%combined "hashmap-intersection" %common m others))

(define (hashmap-difference m . others)
  "The keys of the first that are in none of the others, with its values."
  (%check-hashmap "hashmap-difference" m)
  (%combined "hashmap-difference" %less m others))

(define (hashmap-xor m . others)
  "The keys that are in one of two; of more, the result and the next one are
  the two."
  (%check-hashmap "hashmap-xor" m)
  (%combined "hashmap-xor" %in-one m others))

;; Comparators.

(define (make-hashmap-comparator comparator)
  "A comparator of hashmaps, whose values the comparator compares, without an
  order."
  (make-comparator
   hashmap?
   (lambda (a b) (hashmap=? comparator a b))
   #f
   (and (comparator-hashable? comparator)
        (lambda (m) (%entries-hash (%hash-comparator m) comparator m)))))

(define hashmap-comparator
  (make-hashmap-comparator (make-default-comparator)))   ; compares hashmaps

;; A hashmap does not change, so these are other names.

(define hashmap-adjoin! hashmap-adjoin)   ; the same as hashmap-adjoin
(define hashmap-set! hashmap-set)   ; the same as hashmap-set
(define hashmap-replace! hashmap-replace)   ; the same as hashmap-replace
(define hashmap-delete! hashmap-delete)   ; the same as hashmap-delete
(define hashmap-delete-all!
  hashmap-delete-all)   ; the same as hashmap-delete-all
(define hashmap-intern! hashmap-intern)   ; the same as hashmap-intern
(define hashmap-update! hashmap-update)   ; the same as hashmap-update
(define hashmap-pop! hashmap-pop)   ; the same as hashmap-pop
(define hashmap-search! hashmap-search)   ; the same as hashmap-search
(define hashmap-filter! hashmap-filter)   ; the same as hashmap-filter
(define hashmap-remove! hashmap-remove)   ; the same as hashmap-remove
(define hashmap-partition! hashmap-partition)   ; the same as hashmap-partition
(define hashmap-union! hashmap-union)   ; the same as hashmap-union
(define hashmap-intersection!
  hashmap-intersection)   ; the same as hashmap-intersection
(define hashmap-difference!
  hashmap-difference)   ; the same as hashmap-difference
(define hashmap-xor! hashmap-xor)   ; the same as hashmap-xor
(define hashmap-update!/default
  hashmap-update/default)   ; the same as hashmap-update/default
