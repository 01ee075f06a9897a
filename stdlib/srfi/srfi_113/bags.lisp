;; bags.lisp - the bags of (import (srfi 113)).
;;
;; A bag has each element once or several times.
;; A procedure whose name ends in ! changes its first bag and returns it.

;; Constructors.

(define (bag comparator . elements)
  "A new bag of the elements: (bag->list (bag (make-eqv-comparator) 1 2 1))
  is (1 1 2)."
  (%bag-of "bag" comparator elements))

(define (%bag-of who comparator elements)
  "A new bag of a list of elements."
  (let ((x (%new-bag comparator (%element-table who comparator))))
    (for-each (lambda (element) (%add! who x element 1)) elements)
    x))

(define (bag-unfold stop? mapper successor seed comparator)
  "A new bag of (mapper seed), (mapper (successor seed)) ..., until
  (stop? seed) is true.  The comparator may also be the first argument."
  (if (comparator? stop?)
      (bag-unfold mapper successor seed comparator stop?)
      (let ((x (%bag-of "bag-unfold" comparator '())))
        (let loop ((seed seed))
          (if (stop? seed)
              x
              (begin
                (%add! "bag-unfold" x (mapper seed) 1)
                (loop (successor seed))))))))

(define (list->bag comparator elements)
  "A new bag of the elements of a list."
  (%check-list "list->bag" elements)
  (%bag-of "list->bag" comparator elements))

(define (list->bag! b elements)
  "Add the elements of a list."
  (%check-bag "list->bag!" b)
  (%check-list "list->bag!" elements)
  (for-each (lambda (element) (%add! "list->bag!" b element 1)) elements)
  b)

(define (bag-copy b)
  "A copy of a bag."
  (%check-bag "bag-copy" b)
  (%copied b))

;; Predicates and accessors.

(define (bag-contains? b element)
  "Whether an element is there."
  (%check-bag "bag-contains?" b)
  (%table-has? "bag-contains?" (%bag-table b) element))

(define (bag-empty? b)
  "Whether there are no elements."
  (%check-bag "bag-empty?" b)
  (= (hash-size (%bag-table b)) 0))

(define (bag-disjoint? b other)
  "Whether two bags have no element in common."
  (%check-bag "bag-disjoint?" b)
  (%check-same "bag-disjoint?" b (list other))
  (not (any (lambda (element)
              (%table-has? "bag-disjoint?" (%bag-table other) element))
            (hash-keys (%bag-table b)))))

(define (bag-member b element default)
  "The element that is there and equal to an element; the default if there is
  none."
  (%check-bag "bag-member" b)
  (if (%table-has? "bag-member" (%bag-table b) element)
      (find (lambda (key) (=? (%bag-comparator b) key element))
            (hash-keys (%bag-table b)))
      default))

(define (bag-element-comparator b)
  "The comparator of the elements."
  (%check-bag "bag-element-comparator" b)
  (%bag-comparator b))

;; Changes.

(define (bag-adjoin b . elements)
  "A new bag with the elements, too.  They are there once more."
  (%check-bag "bag-adjoin" b)
  (apply bag-adjoin! (%copied b) elements))

(define (bag-adjoin! b . elements)
  "Add elements.  They are there once more."
  (%check-bag "bag-adjoin!" b)
  (for-each (lambda (element)
              (%add! "bag-adjoin!" b element 1))
            elements)
  b)

(define (bag-replace b element)
  "A new bag with the element instead of the one that is equal to it, if there
  is one."
  (%check-bag "bag-replace" b)
  (bag-replace! (%copied b) element))

(define (bag-replace! b element)
  "Put the element in the place of the one that is equal to it, if there is one."
  (%check-bag "bag-replace!" b)
  (let* ((table (%bag-table b))
         (count (%count-of "bag-replace!" table element)))
    (when (> count 0)
      (%table-delete! "bag-replace!" table element)
      (%table-set! "bag-replace!" table element count))
    b))

(define (bag-delete b . elements)
  "A new bag without the elements.  Each is there once
  less."
  (%check-bag "bag-delete" b)
  (bag-delete-all! (%copied b) elements))

(define (bag-delete! b . elements)
  "Remove elements.  Each is there once
  less."
  (%check-bag "bag-delete!" b)
  (bag-delete-all! b elements))

(define (bag-delete-all b elements)
  "A new bag without the elements of a list.  Each is there once
  less."
  (%check-bag "bag-delete-all" b)
  (bag-delete-all! (%copied b) elements))

(define (bag-delete-all! b elements)
  "Remove the elements of a list.  Each is there once
  less."
  (%check-bag "bag-delete-all!" b)
  (%check-list "bag-delete-all!" elements)
  (let ((table (%bag-table b)))
    (for-each
     (lambda (element)
       (%remove-one! "bag-delete-all!" table element
                     (%count-of "bag-delete-all!" table element)))
     elements)
    b))

(define (bag-search! b element failure success)
  "Two values: the bag, and a result.  If the element is not there, it is what
  (failure insert ignore) returns, which calls (insert result) or
  (ignore result); otherwise what (success found update remove) returns, which
  calls (update new-element result) or (remove result)."
  (%check-bag "bag-search!" b)
  (%search! "bag-search!" b element failure success))

;; All elements.

(define (bag-size b)
  "How many elements there are."
  (%check-bag "bag-size" b)
  (%size b))

(define (bag-find found? b failure)
  "An element of which found? is true; (failure) if there is none."
  (%check-bag "bag-find" b)
  (let loop ((elements (hash-keys (%bag-table b))))
    (cond ((null? elements) (failure))
          ((found? (car elements)) (car elements))
          (else (loop (cdr elements))))))

(define (bag-count counted? b)
  "How many elements there are of which counted? is true."
  (%check-bag "bag-count" b)
  (count counted? (%elements b)))

(define (bag-any? holds? b)
  "Whether holds? is true of any element."
  (%check-bag "bag-any?" b)
  (if (any holds? (%elements b)) #t #f))

(define (bag-every? holds? b)
  "Whether holds? is true of every element."
  (%check-bag "bag-every?" b)
  (if (every holds? (%elements b)) #t #f))

(define (bag-map comparator f b)
  "A new bag of a comparator, of the results of f on the elements."
  (%check-bag "bag-map" b)
  (%bag-of "bag-map" comparator (map f (%elements b))))

(define (bag-for-each f b)
  "Call f on each element."
  (%check-bag "bag-for-each" b)
  (%each b f))

(define (bag-fold f seed b)
  "(f element result) for each element; the result at first is the seed."
  (%check-bag "bag-fold" b)
  (fold f seed (%elements b)))

(define (bag-filter kept? b)
  "A new bag of the elements of which kept? is true."
  (%check-bag "bag-filter" b)
  (%with-table b (%kept "bag-filter" b kept?)))

(define (bag-filter! kept? b)
  "Keep the elements of which kept? is true."
  (%check-bag "bag-filter!" b)
  (%put-table! b (%kept "bag-filter!" b kept?)))

(define (bag-remove removed? b)
  "A new bag of the elements of which removed? is not true."
  (%check-bag "bag-remove" b)
  (bag-filter (lambda (element) (not (removed? element))) b))

(define (bag-remove! removed? b)
  "Remove the elements of which removed? is true."
  (%check-bag "bag-remove!" b)
  (bag-filter! (lambda (element) (not (removed? element))) b))

(define (bag-partition in-first? b)
  "Two new bags: of the elements of which in-first? is true, and of the
  others."
  (%check-bag "bag-partition" b)
  (let ((parts (%split "bag-partition" b in-first?)))
    (values (%with-table b (car parts)) (%with-table b (cdr parts)))))

(define (bag-partition! in-first? b)
  "Two values: the bag with only the elements of which in-first? is true, and a
  new bag of the others."
  (%check-bag "bag-partition!" b)
  (let ((parts (%split "bag-partition!" b in-first?)))
    (%put-table! b (car parts))
    (values b (%with-table b (cdr parts)))))

(define (bag->list b)
  "The list of the elements."
  (%check-bag "bag->list" b)
  (%elements b))

;; Several bags.

(define (bag=? b . others)
  "Whether all bags have the same elements."
  (%check-bag "bag=?" b)
  (%related? "bag=?" %equal? b others))

(define (bag<? b . others)
  "Whether the elements of each bag are among those of the next, which has
  more."
  (%check-bag "bag<?" b)
  (%related? "bag<?" %smaller? b others))

(define (bag>? b . others)
  "Whether the elements of each bag are among those of the one before, which has
  more."
  (%check-bag "bag>?" b)
  (%related? "bag>?" %greater? b others))

(define (bag<=? b . others)
  "Whether the elements of each bag are among those of the next."
  (%check-bag "bag<=?" b)
  (%related? "bag<=?" %inside? b others))

(define (bag>=? b . others)
  "Whether the elements of each bag are among those of the one before."
  (%check-bag "bag>=?" b)
  (%related? "bag>=?" %around? b others))

(define (bag-union b . others)
  "A new bag of the elements of all bags.  An element is as often there as in
  the one that has it most often."
  (%check-bag "bag-union" b)
  (%check-same "bag-union" b others)
  (%combined! "bag-union" (%copied b) others %union-count))

(define (bag-union! b . others)
  "Let the first bag have the elements of all bags.  An element is as often
  there as in the one that has it most often."
  (%check-bag "bag-union!" b)
  (%check-same "bag-union!" b others)
  (%combined! "bag-union!" b others %union-count))

(define (bag-intersection b . others)
  "A new bag of the elements that are in all bags.  An element is as often there
  as in the bag that has it least often."
  (%check-bag "bag-intersection" b)
  (%check-same "bag-intersection" b others)
  (%combined! "bag-intersection" (%copied b) others %intersection-count))

(define (bag-intersection! b . others)
  "Let the first bag have the elements that are in all bags.  An element is as
  often there as in the bag that has it least often."
  (%check-bag "bag-intersection!" b)
  (%check-same "bag-intersection!" b others)
  (%combined! "bag-intersection!" b others %intersection-count))

(define (bag-difference b . others)
  "A new bag of the elements of the first bag less those of the others.  An
  element is as often there as in the first bag, less its number in the others."
  (%check-bag "bag-difference" b)
  (%check-same "bag-difference" b others)
  (%combined! "bag-difference" (%copied b) others %difference-count))

(define (bag-difference! b . others)
  "Let the first bag have the elements of the first bag less those of the
  others.  An element is as often there as in the first bag, less its number in
  the others."
  (%check-bag "bag-difference!" b)
  (%check-same "bag-difference!" b others)
  (%combined! "bag-difference!" b others %difference-count))

(define (bag-xor b other)
  "A new bag of the elements that are in one of two bags only.  An element is as
  often there as its numbers differ."
  (%check-bag "bag-xor" b)
  (%check-same "bag-xor" b (list other))
  (%combined! "bag-xor" (%copied b) (list other) %xor-count))

(define (bag-xor! b other)
  "Let the first bag have the elements that are in one of two bags only.  An
  element is as often there as its numbers differ."
  (%check-bag "bag-xor!" b)
  (%check-same "bag-xor!" b (list other))
  (%combined! "bag-xor!" b (list other) %xor-count))

;; How often elements are there.

(define (%plus-count a b) (+ a b))

(define (bag-sum b . others)
  "A new bag of the elements of all bags.  An element is as often there as in all
  of them together."
  (%check-bag "bag-sum" b)
  (%check-same "bag-sum" b others)
  (%combined! "bag-sum" (%copied b) others %plus-count))

(define (bag-sum! b . others)
  "Add the elements of all other bags to the first one."
  (%check-bag "bag-sum!" b)
  (%check-same "bag-sum!" b others)
  (%combined! "bag-sum!" b others %plus-count))

(define (bag-product n b)
  "A new bag in which each element is n times as often there."
  (%check-index "bag-product" n)
  (%check-bag "bag-product" b)
  (bag-product! n (%copied b)))

(define (bag-product! n b)
  "Let each element be n times as often there."
  (%check-index "bag-product!" n)
  (%check-bag "bag-product!" b)
  (for-each (lambda (entry)
              (%set-count! "bag-product!" (%bag-table b)
                           (car entry) (* n (cdr entry))))
            (%entries b))
  b)

(define (bag-unique-size b)
  "How many different elements there are."
  (%check-bag "bag-unique-size" b)
  (hash-size (%bag-table b)))

(define (bag-element-count b element)
  "How often an element is there."
  (%check-bag "bag-element-count" b)
  (%count-of "bag-element-count" (%bag-table b) element))

(define (bag-for-each-unique f b)
  "Call f on each different element and how often it is there."
  (%check-bag "bag-for-each-unique" b)
  (for-each (lambda (entry) (f (car entry) (cdr entry))) (%entries b)))

(define (bag-fold-unique f seed b)
  "(f element count result) for each different element; the result at first is
  the seed."
  (%check-bag "bag-fold-unique" b)
  (fold (lambda (entry result) (f (car entry) (cdr entry) result))
        seed
        (%entries b)))

(define (bag-increment! b element n)
  "Let an element be there n times more."
  (%check-bag "bag-increment!" b)
  (%check-index "bag-increment!" n)
  (%add! "bag-increment!" b element n)
  b)

(define (bag-decrement! b element n)
  "Let an element be there n times less, at least not at all."
  (%check-bag "bag-decrement!" b)
  (%check-index "bag-decrement!" n)
  (let ((table (%bag-table b)))
    (%set-count! "bag-decrement!" table element
                 (- (%count-of "bag-decrement!" table element) n)))
  b)

;; Conversions.

(define (bag->set b)
  "A new set of the elements of a bag."
  (%check-bag "bag->set" b)
  (%set-of "bag->set" (%bag-comparator b) (hash-keys (%bag-table b))))

(define (set->bag s)
  "A new bag of the elements of a set."
  (%check-set "set->bag" s)
  (%bag-of "set->bag" (%set-comparator s) (%elements s)))

(define (set->bag! b s)
  "Add the elements of a set to a bag."
  (%check-bag "set->bag!" b)
  (%check-set "set->bag!" s)
  (for-each (lambda (element) (%add! "set->bag!" b element 1))
            (%elements s))
  b)

(define (bag->alist b)
  "The list of pairs of each different element and how often it is there."
  (%check-bag "bag->alist" b)
  (%entries b))

(define (alist->bag comparator alist)
  "A new bag of pairs of an element and how often it is there; of equal elements,
  the first one counts."
  (let ((result (%bag-of "alist->bag" comparator '())))
    (for-each (lambda (entry)
                (unless (pair? entry) (wrong-type "alist->bag" "a pair" entry))
                (%check-index "alist->bag" (cdr entry))
                (unless (bag-contains? result (car entry))
                  (%add! "alist->bag" result (car entry) (cdr entry))))
              alist)
    result))
