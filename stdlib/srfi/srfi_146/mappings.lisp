;; mappings.lisp - what (import (srfi 146)) means: ordered mappings.

;; Constructors.

(define (mapping comparator . entries)
  "A new mapping of keys and values in turn: (mapping comparator 'a 1 'b 2).  Of
  equal keys, the first one counts."
  (%put-all "mapping" (%empty-mapping "mapping" comparator) entries #f))

(define (mapping-unfold stop? mapper successor seed comparator)
  "A new mapping of the keys and values, two values, that (mapper seed),
  (mapper (successor seed)) ... return, until (stop? seed) is true."
  (%unfolded (%empty-mapping "mapping-unfold" comparator)
             stop? mapper successor seed))

(define (mapping/ordered comparator . entries)
  "A new mapping of keys and values in turn, whose keys increase."
  (%in-order "mapping/ordered" comparator
             (%pairs "mapping/ordered" entries)))

(define (mapping-unfold/ordered stop? mapper successor seed comparator)
  "mapping-unfold for keys that increase."
  (let loop ((seed seed) (entries '()))
    (if (stop? seed)
        (%in-order "mapping-unfold/ordered" comparator (reverse entries))
        (loop (successor seed)
              (cons (call-with-values (lambda () (mapper seed)) cons)
                    entries)))))

(define (alist->mapping/ordered comparator entries)
  "A new mapping of an association list whose keys increase."
  (%check-list "alist->mapping/ordered" entries)
  (%in-order "alist->mapping/ordered" comparator entries))

(define (%pairs who entries)
  "The association list of keys and values in turn."
  (cond ((null? entries) '())
        ((null? (cdr entries))
         (error (string who ": expected a value for each key, got none for:")
                (car entries)))
        (else
         (let loop ((left entries) (pairs '()))
           (cond ((null? left) (reverse pairs))
                 ((null? (cdr left)) (%pairs who left))
                 (else (loop (cddr left)
                             (cons (cons (car left) (cadr left)) pairs))))))))

(define (%in-order who comparator entries)
  "A mapping of an association list whose keys must increase."
  (let* ((m (%empty-mapping who comparator)) (before? (%order m)))
    (let loop ((left entries) (tree #f))
      (cond ((null? left) (%with-tree m tree))
            ((not (pair? (car left)))
             (wrong-type who "a pair of a key and a value" (car left)))
            ((and tree (not (before? (%key (%last-node tree)) (caar left))))
             (error (string who ": the keys do not increase at:") (caar left)))
            (else
             (%check-key m (caar left))
             (loop (cdr left)
                   (%with-last tree (caar left) (cdar left))))))))

(define (mapping-copy m)
  "A copy."
  (%check-mapping "mapping-copy" m)
  (%with-tree m (%tree m)))

(define (alist->mapping comparator entries)
  "A new mapping of an association list.  Of equal keys, the first one counts."
  (%put-alist "alist->mapping" (%empty-mapping "alist->mapping" comparator)
              entries))

(define (alist->mapping! m entries)
  "The mapping with those keys of an association list that it has not."
  (%check-mapping "alist->mapping!" m)
  (%put-alist "alist->mapping!" m entries))

;; Predicates and accessors.

(define (mapping-contains? m key)
  "Whether a key is there."
  (%check-mapping "mapping-contains?" m)
  (if (%entry m key) #t #f))

(define (mapping-empty? m)
  "Whether there are no keys."
  (%check-mapping "mapping-empty?" m)
  (= (%count-of m) 0))

(define (mapping-disjoint? m other)
  "Whether no key is in both."
  (%check-mapping "mapping-disjoint?" m)
  (%check-same "mapping-disjoint?" m (list other))
  (%disjoint? m other))

(define (mapping-ref m key . options)
  "The value of a key.  Options: failure, which is called without arguments if
  there is no such key; and success, which is called with the value."
  (%check-mapping "mapping-ref" m)
  (%ref "mapping-ref" m key options))

(define (mapping-ref/default m key default)
  "The value of a key, or the default."
  (%check-mapping "mapping-ref/default" m)
  (%ref/default m key default))

(define (mapping-key-comparator m)
  "The comparator of the keys."
  (%check-mapping "mapping-key-comparator" m)
  (%comparator-of m))

;; Changes: the result is a new mapping.

(define (mapping-adjoin m . entries)
  "The mapping with keys and values in turn; keys that are there keep their
  values."
  (%check-mapping "mapping-adjoin" m)
  (%put-all "mapping-adjoin" m entries #f))

(define (mapping-set m . entries)
  "The mapping with keys and values in turn, which replace those that are
  there."
  (%check-mapping "mapping-set" m)
  (%put-all "mapping-set" m entries #t))

(define (mapping-replace m key value)
  "The mapping with another value of a key, if the key is there."
  (%check-mapping "mapping-replace" m)
  (%replaced m key value))

(define (mapping-delete m . keys)
  "The mapping without keys."
  (%check-mapping "mapping-delete" m)
  (%cut-all m keys))

(define (mapping-delete-all m keys)
  "The mapping without the keys of a list."
  (%check-mapping "mapping-delete-all" m)
  (%check-list "mapping-delete-all" keys)
  (%cut-all m keys))

(define (mapping-intern m key failure)
  "Two values: the mapping with a key, and its value, which is (failure) if the
  key was not there."
  (%check-mapping "mapping-intern" m)
  (%interned m key failure))

(define (mapping-update m key updater . options)
  "The mapping with (updater value) for the value of a key.  Options: failure
  and success, as for mapping-ref; updater gets their result."
  (%check-mapping "mapping-update" m)
  (%updated "mapping-update" m key updater options))

(define (mapping-update/default m key updater default)
  "The mapping with (updater value) for the value of a key, or
  (updater default)."
  (%check-mapping "mapping-update/default" m)
  (%put m key (updater (%ref/default m key default))))

(define (mapping-pop m . failure)
  "Three values: the mapping without its least key, the key, and its value.
  (failure) if there are no keys; by default an error."
  (%check-mapping "mapping-pop" m)
  (let ((failure (%optional "mapping-pop" 1 failure #f))
        (entry (%any-entry cons m)))
    (cond (entry (values (%cut m (car entry)) (car entry) (cdr entry)))
          (failure (failure))
          (else (error "mapping-pop: there are no keys")))))

(define (mapping-search m key failure success)
  "Two values: a mapping and a result.  If the key is not there, they are what
  (failure insert ignore) returns, which calls (insert value result) or
  (ignore result); otherwise what (success key value update remove) returns,
  which calls (update new-key new-value result) or (remove result)."
  (%check-mapping "mapping-search" m)
  (%searched m key failure success))

;; All keys.

(define (mapping-size m)
  "How many keys there are."
  (%check-mapping "mapping-size" m)
  (%count-of m))

(define (mapping-find found? m failure)
  "Two values: a key and its value of which (found? key value) is true, the
  first one; (failure) if there is none."
  (%check-mapping "mapping-find" m)
  (%find-entry found? m failure))

(define (mapping-count counted? m)
  "How many keys there are for which (counted? key value) is true."
  (%check-mapping "mapping-count" m)
  (%count-entries counted? m))

(define (mapping-any? holds? m)
  "Whether (holds? key value) is true for any key."
  (%check-mapping "mapping-any?" m)
  (if (%any-entry holds? m) #t #f))

(define (mapping-every? holds? m)
  "Whether (holds? key value) is true for every key."
  (%check-mapping "mapping-every?" m)
  (not (%any-entry (lambda (key value) (not (holds? key value))) m)))

(define (mapping-keys m)
  "The list of the keys."
  (%check-mapping "mapping-keys" m)
  (%entries (lambda (key value) key) m))

(define (mapping-values m)
  "The list of the values."
  (%check-mapping "mapping-values" m)
  (%entries (lambda (key value) value) m))

(define (mapping-entries m)
  "Two values: the lists of the keys and of the values."
  (%check-mapping "mapping-entries" m)
  (values (mapping-keys m) (mapping-values m)))

(define (mapping->alist m)
  "The association list of the keys and values."
  (%check-mapping "mapping->alist" m)
  (%entries cons m))

(define (mapping-map f comparator m)
  "A new mapping of the keys and values, two values, that (f key value)
  returns."
  (%check-mapping "mapping-map" m)
  (%mapped f (%empty-mapping "mapping-map" comparator) m))

(define (mapping-map->list f m)
  "The list of the results of (f key value)."
  (%check-mapping "mapping-map->list" m)
  (%entries f m))

(define (mapping-for-each f m)
  "Call (f key value) for each key."
  (%check-mapping "mapping-for-each" m)
  (%fold-entries (lambda (key value result) (f key value) result)
                 (if #f #f) m))

(define (mapping-fold f seed m)
  "(f key value result) for each key; the result at first is the seed."
  (%check-mapping "mapping-fold" m)
  (%fold-entries f seed m))

(define (mapping-filter kept? m)
  "The mapping of the keys for which (kept? key value) is true."
  (%check-mapping "mapping-filter" m)
  (%kept-entries kept? m))

(define (mapping-remove removed? m)
  "The mapping of the keys for which (removed? key value) is not true."
  (%check-mapping "mapping-remove" m)
  (%kept-entries (lambda (key value) (not (removed? key value))) m))

(define (mapping-partition in-first? m)
  "Two values: the mapping of the keys for which (in-first? key value) is true,
  and that of the others."
  (%check-mapping "mapping-partition" m)
  (%parts in-first? m))

;; Comparison.  The comparator is that of the values.

(define (mapping=? comparator m . others)
  "Whether all have the same keys with the same values, and key comparator."
  (%check-mapping "mapping=?" m)
  (and (%same-comparators? m others)
       (%compared? "mapping=?" %equal-entries? comparator m others)))

(define (mapping<=? comparator m . others)
  "Whether each is a subset of the next one."
  (%check-mapping "mapping<=?" m)
  (%compared? "mapping<=?" %subset? comparator m others))

(define (mapping<? comparator m . others)
  "Whether each is a subset of the next one, which has more keys."
  (%check-mapping "mapping<?" m)
  (%compared? "mapping<?" %proper-subset? comparator m others))

(define (mapping>=? comparator m . others)
  "Whether the next one is a subset of each."
  (%check-mapping "mapping>=?" m)
  (%compared? "mapping>=?" (lambda (c a b) (%subset? c b a))
              comparator m others))

(define (mapping>? comparator m . others)
  "Whether the next one is a subset of each, which has more keys."
  (%check-mapping "mapping>?" m)
  (%compared? "mapping>?" (lambda (c a b) (%proper-subset? c b a))
              comparator m others))

;; Set operations.

(define (mapping-union m . others)
  "All keys, each with the value of the first that has it."
  (%check-mapping "mapping-union" m)
  (%combined "mapping-union" %joined m others))

(define (mapping-intersection m . others)
  "The keys of the first that are in all others, with its values."
  (%check-mapping "mapping-intersection" m)
  (%combined "mapping-intersection" %common m others))

(define (mapping-difference m . others)
  "The keys of the first that are in none of the others, with its values."
  (%check-mapping "mapping-difference" m)
  (%combined "mapping-difference" %less m others))

(define (mapping-xor m . others)
  "The keys that are in one of two; of more, the result and the next one are
  the two."
  (%check-mapping "mapping-xor" m)
  (%combined "mapping-xor" %in-one m others))

;; The order of the keys.

(define (%end-entry who m node-of)
  "The entry at one end."
  (%check-mapping who m)
  (if (%tree m)
      (let ((node (node-of (%tree m)))) (cons (%key node) (%value node)))
      (error (string who ": there are no keys"))))

(define (mapping-min-key m)
  "The least key."
  (car (%end-entry "mapping-min-key" m %first-node)))

(define (mapping-max-key m)
  "The greatest key."
  (car (%end-entry "mapping-max-key" m %last-node)))

(define (mapping-min-value m)
  "The value of the least key."
  (cdr (%end-entry "mapping-min-value" m %first-node)))

(define (mapping-max-value m)
  "The value of the greatest key."
  (cdr (%end-entry "mapping-max-value" m %last-node)))

(define (mapping-min-entry m)
  "Two values: the least key and its value."
  (let ((entry (%end-entry "mapping-min-entry" m %first-node)))
    (values (car entry) (cdr entry))))

(define (mapping-max-entry m)
  "Two values: the greatest key and its value."
  (let ((entry (%end-entry "mapping-max-entry" m %last-node)))
    (values (car entry) (cdr entry))))

(define (mapping-key-predecessor m key failure)
  "The greatest key before a key; (failure) if there is none."
  (%check-mapping "mapping-key-predecessor" m)
  (let ((before? (%order m)))
    (let loop ((tree (%tree m)) (best #f))
      (cond ((not tree) (if best (%key best) (failure)))
            ((before? (%key tree) key) (loop (%right tree) tree))
            (else (loop (%left tree) best))))))

(define (mapping-key-successor m key failure)
  "The least key after a key; (failure) if there is none."
  (%check-mapping "mapping-key-successor" m)
  (let ((before? (%order m)))
    (let loop ((tree (%tree m)) (best #f))
      (cond ((not tree) (if best (%key best) (failure)))
            ((before? key (%key tree)) (loop (%left tree) tree))
            (else (loop (%right tree) best))))))

(define (mapping-range= m key)
  "The mapping of only that key, if it is there."
  (%check-mapping "mapping-range=" m)
  (let ((entry (%entry m key)))
    (if entry
        (%put (%emptied m) (car entry) (cdr entry))
        (%emptied m))))

(define (mapping-range< m key)
  "The mapping of the keys before a key."
  (%check-mapping "mapping-range<" m)
  (%with-tree m (%part-before (%tree m) key (%order m))))

(define (mapping-range> m key)
  "The mapping of the keys after a key."
  (%check-mapping "mapping-range>" m)
  (%with-tree m (%part-after (%tree m) key (%order m))))

(define (%with-entry-of m part key)
  "Part of m, and the entry of a key, if m has it."
  (let ((entry (%entry m key)))
    (if entry (%put part (car entry) (cdr entry)) part)))

(define (mapping-range<= m key)
  "The mapping of the keys before a key, and of that key."
  (%check-mapping "mapping-range<=" m)
  (%with-entry-of m (mapping-range< m key) key))

(define (mapping-range>= m key)
  "The mapping of the keys after a key, and of that key."
  (%check-mapping "mapping-range>=" m)
  (%with-entry-of m (mapping-range> m key) key))

(define (mapping-split m key)
  "Five values: the mappings of the keys that are <, <=, =, >= and > than a
  key."
  (%check-mapping "mapping-split" m)
  (values (mapping-range< m key) (mapping-range<= m key)
          (mapping-range= m key) (mapping-range>= m key)
          (mapping-range> m key)))

(define (mapping-catenate comparator before key value after)
  "A new mapping of the keys of two mappings, and of a key between them."
  (%check-mapping "mapping-catenate" before)
  (%check-mapping "mapping-catenate" after)
  (let* ((m (%empty-mapping "mapping-catenate" comparator))
         (before? (%order m)))
    (unless (and (or (mapping-empty? before)
                     (before? (mapping-max-key before) key))
                 (or (mapping-empty? after)
                     (before? key (mapping-min-key after))))
      (error "mapping-catenate: the key is not between those of the mappings:"
             key))
    (%with-tree m (%linked key value (%tree before) (%tree after)))))

(define (mapping-map/monotone f comparator m)
  "mapping-map, where the keys that f returns increase."
  (%check-mapping "mapping-map/monotone" m)
  (%in-order "mapping-map/monotone" comparator
             (%entries (lambda (key value)
                         (call-with-values (lambda () (f key value)) cons))
                       m)))

(define (mapping-fold/reverse f seed m)
  "mapping-fold from the greatest key on."
  (%check-mapping "mapping-fold/reverse" m)
  (%folded-back f seed (%tree m)))

;; Comparators.

(define (make-mapping-comparator comparator)
  "A comparator of mappings, whose values the comparator compares.  Their order
  is that of their keys and values from the least key on."
  (make-comparator
   mapping?
   (lambda (a b) (mapping=? comparator a b))
   (and (comparator-ordered? comparator)
        (lambda (a b) (%before? comparator (mapping->alist a) b)))
   (and (comparator-hashable? comparator)
        (lambda (m) (%entries-hash (%comparator m) comparator m)))))

(define (%before? comparator entries b)
  "Whether a mapping with the entries is before b."
  (let ((keys (%comparator b)))
    (let loop ((a entries) (b (mapping->alist b)))
      (cond ((null? b) #f)
            ((null? a) #t)
            ((<? keys (caar a) (caar b)) #t)
            ((<? keys (caar b) (caar a)) #f)
            ((<? comparator (cdar a) (cdar b)) #t)
            ((<? comparator (cdar b) (cdar a)) #f)
            (else (loop (cdr a) (cdr b)))))))

(define mapping-comparator
  (make-mapping-comparator (make-default-comparator)))   ; compares mappings

;; A mapping does not change, so these are other names.

(define mapping-adjoin! mapping-adjoin)   ; the same as mapping-adjoin
(define mapping-set! mapping-set)   ; the same as mapping-set
(define mapping-replace! mapping-replace)   ; the same as mapping-replace
(define mapping-delete! mapping-delete)   ; the same as mapping-delete
(define mapping-delete-all!
  mapping-delete-all)   ; the same as mapping-delete-all
(define mapping-intern! mapping-intern)   ; the same as mapping-intern
(define mapping-update! mapping-update)   ; the same as mapping-update
(define mapping-pop! mapping-pop)   ; the same as mapping-pop
(define mapping-search! mapping-search)   ; the same as mapping-search
(define mapping-filter! mapping-filter)   ; the same as mapping-filter
(define mapping-remove! mapping-remove)   ; the same as mapping-remove
(define mapping-partition! mapping-partition)   ; the same as mapping-partition
(define mapping-union! mapping-union)   ; the same as mapping-union
(define mapping-intersection!
  mapping-intersection)   ; the same as mapping-intersection
(define mapping-difference!
  mapping-difference)   ; the same as mapping-difference
(define mapping-xor! mapping-xor)   ; the same as mapping-xor
(define mapping-update!/default
  mapping-update/default)   ; the same as mapping-update/default
(define mapping-range=! mapping-range=)   ; the same as mapping-range=
(define mapping-range<! mapping-range<)   ; the same as mapping-range<
(define mapping-range>! mapping-range>)   ; the same as mapping-range>
(define mapping-range<=! mapping-range<=)   ; the same as mapping-range<=
(define mapping-range>=! mapping-range>=)   ; the same as mapping-range>=
(define mapping-split! mapping-split)   ; the same as mapping-split
(define mapping-catenate! mapping-catenate)   ; the same as mapping-catenate
(define mapping-map/monotone!
  mapping-map/monotone)   ; the same as mapping-map/monotone

(define (alist->mapping/ordered! m entries)
  "The mapping with an association list whose keys increase and are after its
  own."
  (%check-mapping "alist->mapping/ordered!" m)
  (%check-list "alist->mapping/ordered!" entries)
  (%in-order "alist->mapping/ordered!" (%comparator m)
             (append (mapping->alist m) entries)))
