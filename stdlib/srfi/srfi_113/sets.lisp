;; sets.lisp - the sets of (import (srfi 113)).
;;
;; A set has each element once.
;; A procedure whose name ends in ! changes its first set and returns it.

;; Constructors.

(define (set comparator . elements)
  "A new set of the elements: (set->list (set (make-eqv-comparator) 1 2 1))
  is (1 2)."
  (%set-of "set" comparator elements))

(define (%set-of who comparator elements)
  "A new set of a list of elements."
  (let ((x (%new-set comparator (%element-table who comparator))))
    (%add-all! who x elements)
    x))

(define (set-unfold stop? mapper successor seed comparator)
  "A new set of (mapper seed), (mapper (successor seed)) ..., until
  (stop? seed) is true.  The comparator may also be the first argument."
  (if (comparator? stop?)
      (set-unfold mapper successor seed comparator stop?)
      (let ((x (%set-of "set-unfold" comparator '())))
        (let loop ((seed seed))
          (if (stop? seed)
              x
              (begin
                (%add! "set-unfold" x (mapper seed) 1)
                (loop (successor seed))))))))

(define (list->set comparator elements)
  "A new set of the elements of a list."
  (%check-list "list->set" elements)
  (%set-of "list->set" comparator elements))

(define (list->set! s elements)
  "Add the elements of a list."
  (%check-set "list->set!" s)
  (%check-list "list->set!" elements)
  (%add-all! "list->set!" s elements)
  s)

(define (set-copy s)
  "A copy of a set."
  (%check-set "set-copy" s)
  (%copied s))

;; Predicates and accessors.

(define (set-contains? s element)
  "Whether an element is there."
  (%check-set "set-contains?" s)
  (%table-has? "set-contains?" (%set-table s) element))

(define (set-empty? s)
  "Whether there are no elements."
  (%check-set "set-empty?" s)
  (= (hash-size (%set-table s)) 0))

(define (set-disjoint? s other)
  "Whether two sets have no element in common."
  (%check-set "set-disjoint?" s)
  (%check-same "set-disjoint?" s (list other))
  (not (any (lambda (element)
              (%table-has? "set-disjoint?" (%set-table other) element))
            (hash-keys (%set-table s)))))

(define (set-member s element default)
  "The element that is there and equal to an element; the default if there is
  none."
  (%check-set "set-member" s)
  (if (%table-has? "set-member" (%set-table s) element)
      (find (lambda (key) (=? (%set-comparator s) key element))
            (hash-keys (%set-table s)))
      default))

(define (set-element-comparator s)
  "The comparator of the elements."
  (%check-set "set-element-comparator" s)
  (%set-comparator s))

;; Changes.

(define (set-adjoin s . elements)
  "A new set with the elements, too.  An element that is equal
  to one that is there is left out."
  (%check-set "set-adjoin" s)
  (apply set-adjoin! (%copied s) elements))

(define (set-adjoin! s . elements)
  "Add elements.  An element that is equal
  to one that is there is left out."
  (%check-set "set-adjoin!" s)
  (%add-all! "set-adjoin!" s elements)
  s)

(define (set-replace s element)
  "A new set with the element instead of the one that is equal to it, if there
  is one."
  (%check-set "set-replace" s)
  (set-replace! (%copied s) element))

(define (set-replace! s element)
  "Put the element in the place of the one that is equal to it, if there is one."
  (%check-set "set-replace!" s)
  (let* ((table (%set-table s))
         (count (%count-of "set-replace!" table element)))
    (when (> count 0)
      (%table-delete! "set-replace!" table element)
      (%table-set! "set-replace!" table element count))
    s))

(define (set-delete s . elements)
  "A new set without the elements."
  (%check-set "set-delete" s)
  (set-delete-all! (%copied s) elements))

(define (set-delete! s . elements)
  "Remove elements."
  (%check-set "set-delete!" s)
  (set-delete-all! s elements))

(define (set-delete-all s elements)
  "A new set without the elements of a list."
  (%check-set "set-delete-all" s)
  (set-delete-all! (%copied s) elements))

(define (set-delete-all! s elements)
  "Remove the elements of a list."
  (%check-set "set-delete-all!" s)
  (%check-list "set-delete-all!" elements)
  (let ((table (%set-table s)))
    (for-each
     (lambda (element)
       (%remove-one! "set-delete-all!" table element
                     (%count-of "set-delete-all!" table element)))
     elements)
    s))

(define (set-search! s element failure success)
  "Two values: the set, and a result.  If the element is not there, it is what
  (failure insert ignore) returns, which calls (insert result) or
  (ignore result); otherwise what (success found update remove) returns, which
  calls (update new-element result) or (remove result)."
  (%check-set "set-search!" s)
  (%search! "set-search!" s element failure success))

;; All elements.

(define (set-size s)
  "How many elements there are."
  (%check-set "set-size" s)
  (%size s))

(define (set-find found? s failure)
  "An element of which found? is true; (failure) if there is none."
  (%check-set "set-find" s)
  (let loop ((elements (hash-keys (%set-table s))))
    (cond ((null? elements) (failure))
          ((found? (car elements)) (car elements))
          (else (loop (cdr elements))))))

(define (set-count counted? s)
  "How many elements there are of which counted? is true."
  (%check-set "set-count" s)
  (count counted? (%elements s)))

(define (set-any? holds? s)
  "Whether holds? is true of any element."
  (%check-set "set-any?" s)
  (if (any holds? (%elements s)) #t #f))

(define (set-every? holds? s)
  "Whether holds? is true of every element."
  (%check-set "set-every?" s)
  (if (every holds? (%elements s)) #t #f))

(define (set-map comparator f s)
  "A new set of a comparator, of the results of f on the elements."
  (%check-set "set-map" s)
  (%set-of "set-map" comparator (map f (%elements s))))

(define (set-for-each f s)
  "Call f on each element."
  (%check-set "set-for-each" s)
  (%each s f))

(define (set-fold f seed s)
  "(f element result) for each element; the result at first is the seed."
  (%check-set "set-fold" s)
  (fold f seed (%elements s)))

(define (set-filter kept? s)
  "A new set of the elements of which kept? is true."
  (%check-set "set-filter" s)
  (%with-table s (%kept "set-filter" s kept?)))

(define (set-filter! kept? s)
  "Keep the elements of which kept? is true."
  (%check-set "set-filter!" s)
  (%put-table! s (%kept "set-filter!" s kept?)))

(define (set-remove removed? s)
  "A new set of the elements of which removed? is not true."
  (%check-set "set-remove" s)
  (set-filter (lambda (element) (not (removed? element))) s))

(define (set-remove! removed? s)
  "Remove the elements of which removed? is true."
  (%check-set "set-remove!" s)
  (set-filter! (lambda (element) (not (removed? element))) s))

(define (set-partition in-first? s)
  "Two new sets: of the elements of which in-first? is true, and of the
  others."
  (%check-set "set-partition" s)
  (let ((parts (%split "set-partition" s in-first?)))
    (values (%with-table s (car parts)) (%with-table s (cdr parts)))))

(define (set-partition! in-first? s)
  "Two values: the set with only the elements of which in-first? is true, and a
  new set of the others."
  (%check-set "set-partition!" s)
  (let ((parts (%split "set-partition!" s in-first?)))
    (%put-table! s (car parts))
    (values s (%with-table s (cdr parts)))))

(define (set->list s)
  "The list of the elements."
  (%check-set "set->list" s)
  (%elements s))

;; Several sets.

(define (set=? s . others)
  "Whether all sets have the same elements."
  (%check-set "set=?" s)
  (%related? "set=?" %equal? s others))

(define (set<? s . others)
  "Whether the elements of each set are among those of the next, which has
  more."
  (%check-set "set<?" s)
  (%related? "set<?" %smaller? s others))

(define (set>? s . others)
  "Whether the elements of each set are among those of the one before, which has
  more."
  (%check-set "set>?" s)
  (%related? "set>?" %greater? s others))

(define (set<=? s . others)
  "Whether the elements of each set are among those of the next."
  (%check-set "set<=?" s)
  (%related? "set<=?" %inside? s others))

(define (set>=? s . others)
  "Whether the elements of each set are among those of the one before."
  (%check-set "set>=?" s)
  (%related? "set>=?" %around? s others))

(define (set-union s . others)
  "A new set of the elements of all sets."
  (%check-set "set-union" s)
  (%check-same "set-union" s others)
  (%united! "set-union" (%copied s) others))

(define (set-union! s . others)
  "Let the first set have the elements of all sets."
  (%check-set "set-union!" s)
  (%check-same "set-union!" s others)
  (%united! "set-union!" s others))

(define (set-intersection s . others)
  "A new set of the elements that are in all sets."
  (%check-set "set-intersection" s)
  (%check-same "set-intersection" s others)
  (%limited-set "set-intersection" s others #t))

(define (set-intersection! s . others)
  "Let the first set have the elements that are in all sets."
  (%check-set "set-intersection!" s)
  (%check-same "set-intersection!" s others)
  (%put-table! s (%limited "set-intersection!" s others #t)))

(define (set-difference s . others)
  "A new set of the elements of the first set that are in none of the others."
  (%check-set "set-difference" s)
  (%check-same "set-difference" s others)
  (%limited-set "set-difference" s others #f))

(define (set-difference! s . others)
  "Let the first set have the elements of the first set that are in none of the
  others."
  (%check-set "set-difference!" s)
  (%check-same "set-difference!" s others)
  (%put-table! s (%limited "set-difference!" s others #f)))

(define (set-xor s other)
  "A new set of the elements that are in one of two sets only."
  (%check-set "set-xor" s)
  (%check-same "set-xor" s (list other))
  (%combined! "set-xor" (%copied s) (list other) %xor-count))

(define (set-xor! s other)
  "Let the first set have the elements that are in one of two sets only."
  (%check-set "set-xor!" s)
  (%check-same "set-xor!" s (list other))
  (%combined! "set-xor!" s (list other) %xor-count))
