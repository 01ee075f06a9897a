;; tables.lisp - what sets and bags of (import (srfi 113)) have in common.
;;
;; Both hold a comparator and a hash table from elements to how often they are
;; there: in a set, once.  Elements stay in the order in which they came.

(define-record-type <set>
  (%new-set comparator table)
  set?
  (comparator %set-comparator)
  (table %set-table %put-set-table!))

(define-record-type <bag>
  (%new-bag comparator table)
  bag?
  (comparator %bag-comparator)
  (table %bag-table %put-bag-table!))

(define (%check-set who x)
  "Raise an error unless x is a set."
  (unless (set? x) (wrong-type who "a set" x)))

(define (%check-bag who x)
  "Raise an error unless x is a bag."
  (unless (bag? x) (wrong-type who "a bag" x)))

(define (%comparator-of x)
  "The comparator of a set or bag."
  (if (set? x) (%set-comparator x) (%bag-comparator x)))

(define (%table-of-elements x)
  "The table of a set or bag."
  (if (set? x) (%set-table x) (%bag-table x)))

(define (%put-table! x table)
  "Let a set or bag hold a table, and return it."
  (if (set? x) (%put-set-table! x table) (%put-bag-table! x table))
  x)

(define (%with-table x table)
  "A new set or bag of the kind and the comparator of x."
  (if (set? x)
      (%new-set (%set-comparator x) table)
      (%new-bag (%bag-comparator x) table)))

(define (%element-table who comparator)
  "A new table of elements."
  (unless (comparator? comparator)
    (wrong-type who "a comparator" comparator))
  (%register-sets!)
  (%table-by (comparator-equality-predicate comparator)
             (comparator-hash-function comparator)))

(define %sets-registered #f)

(define (%register-sets!)
  "Let the default comparator compare sets and bags.  The first of them calls
  this, so that programs without any need not."
  (unless %sets-registered
    (set! %sets-registered #t)
    (comparator-register-default! set-comparator)
    (comparator-register-default! bag-comparator)))

(define (%entries x)
  "The list of pairs of an element and how often it is there."
  (hash->list (%table-of-elements x)))

(define (%count-of who table element)
  "How often an element is there."
  (%table-ref who table element 0))

(define (%set-count! who table element count)
  "Let an element be there that often."
  (if (> count 0)
      (%table-set! who table element count)
      (%table-delete! who table element)))

(define (%add! who x element count)
  "Add an element to a set, or as often to a bag."
  (unless (comparator-test-type (%comparator-of x) element)
    (error (string who ": the comparator cannot compare:") element))
  (let ((table (%table-of-elements x)))
    (if (set? x)
        (%table-set! who table element 1)
        (%set-count! who table element (+ (%count-of who table element) count)))))

(define (%add-all! who x elements)
  "Add the elements of a list, each once."
  (let ((table (%table-of-elements x)))
    (for-each (lambda (element) (%add! who x element 1))
              (if (and (set? x) (%takes-all? x))
                  (%add-keys! table elements 1)
                  elements))))

(define (%takes-all? x)
  "Whether the comparator of a set or bag compares all values."
  (eq? (comparator-type-test-predicate (%comparator-of x)) %any?))

(define (%copied x)
  "A copy of a set or bag."
  (%with-table x (hash-copy (%table-of-elements x))))

(define (%check-same who x others)
  "Raise an error unless the others are of the kind and comparator of x."
  (for-each
   (lambda (other)
     (if (set? x) (%check-set who other) (%check-bag who other))
     (unless (eq? (%comparator-of x) (%comparator-of other))
       (error (string who ": the comparators differ:") x other)))
   others))

;; All elements.

(define (%each x f)
  "Call f on each element, as often as it is there."
  (for-each (lambda (entry)
              (let loop ((n (cdr entry)))
                (when (> n 0)
                  (f (car entry))
                  (loop (- n 1)))))
            (%entries x)))

(define (%elements x)
  "The list of the elements, each as often as it is there."
  (if (set? x)
      (hash-keys (%set-table x))
      (append-map (lambda (entry) (make-list (cdr entry) (car entry)))
                  (%entries x))))

(define (%size x)
  "How many elements there are."
  (if (set? x)
      (hash-size (%set-table x))
      (fold + 0 (hash-values (%bag-table x)))))

(define (%kept who x kept?)
  "A table of the elements of which kept? is true."
  (let ((table (%element-table who (%comparator-of x))))
    (for-each (lambda (entry)
                (when (kept? (car entry))
                  (%table-set! who table (car entry) (cdr entry))))
              (%entries x))
    table))

(define (%split who x in-first?)
  "Two tables: of the elements of which in-first? is true, and of the others."
  (let ((inside (%element-table who (%comparator-of x)))
        (outside (%element-table who (%comparator-of x))))
    (for-each (lambda (entry)
                (%table-set! who (if (in-first? (car entry)) inside outside)
                             (car entry) (cdr entry)))
              (%entries x))
    (cons inside outside)))

(define (%combined! who x others f)
  "Let x hold each element as often as f says of how often it is in x and in
  another, for one other after the other."
  (for-each
   (lambda (other)
     (let ((table (%table-of-elements x))
           (result (%element-table who (%comparator-of x)))
           (second (%table-of-elements other)))
       (define (put! element)
         (%set-count! who result element
                      (f (%count-of who table element)
                         (%count-of who second element))))
       (for-each put! (hash-keys table))
       (for-each (lambda (element)
                   (unless (%table-has? who table element) (put! element)))
                 (hash-keys second))
       (%put-table! x result)))
   others)
  x)

(define (%united! who s others)
  "Let a set have the elements of others, too."
  (let ((table (%set-table s)))
    (for-each (lambda (other)
                (unless (%unite-tables! table (%set-table other))
                  (for-each (lambda (element)
                              (unless (%table-has? who table element)
                                (%table-set! who table element 1)))
                            (hash-keys (%set-table other)))))
              others)
    s))

(define (%limited who s others kept?)
  "A table of those elements of a set that are in each of the others, or, with
  kept? #f, in none of them; without others, the set's own table."
  (fold (lambda (other table)
          (or (%selected-keys table (%set-table other) kept?)
              (%limited-by-calls who (%set-comparator s) table
                                 (%set-table other) kept?)))
        (%set-table s) others))

(define (%limited-by-calls who comparator table other kept?)
  (let ((result (%element-table who comparator)))
    (for-each (lambda (element)
                (when (eq? (%table-has? who other element) kept?)
                  (%table-set! who result element 1)))
              (hash-keys table))
    result))

(define (%limited-set who s others kept?)
  "A new set of the same elements."
  (if (null? others)
      (%copied s)
      (%with-table s (%limited who s others kept?))))

(define (%union-count a b) (max a b))
(define (%intersection-count a b) (min a b))
(define (%difference-count a b) (- a b))
(define (%xor-count a b) (abs (- a b)))

(define (%related? who holds? x others)
  "Whether holds? is true of how often each element is in x and in the next of
  the others, and so on."
  (%check-same who x others)
  (let loop ((x x) (left others))
    (or (null? left)
        (and (holds? who x (car left))
             (loop (car left) (cdr left))))))

(define (%inside? who x other)
  "Whether no element is in x more often than in another."
  (every (lambda (entry)
           (<= (cdr entry)
               (%count-of who (%table-of-elements other) (car entry))))
         (%entries x)))

(define (%equal? who x other)
  (and (%inside? who x other) (%inside? who other x)))

(define (%smaller? who x other)
  (and (%inside? who x other) (not (%inside? who other x))))

(define (%greater? who x other)
  (%smaller? who other x))

(define (%around? who x other)
  (%inside? who other x))

(define (%search! who x element failure success)
  "What (failure insert ignore) or (success found update remove) returns, and the
  set or bag; the procedures return the values of the search."
  (let* ((table (%table-of-elements x))
         (there? (%table-has? who table element)))
    (if there?
        (let ((found (find (lambda (key)
                             (=? (%comparator-of x) key element))
                           (hash-keys table))))
          (success found
                   (lambda (new result)
                     (let ((count (%count-of who table found)))
                       (%remove-one! who table found count)
                       (%add! who x new 1))
                     (values x result))
                   (lambda (result)
                     (%remove-one! who table found (%count-of who table found))
                     (values x result))))
        (failure (lambda (result)
                   (%add! who x element 1)
                   (values x result))
                 (lambda (result) (values x result))))))

(define (%remove-one! who table element count)
  "Remove an element that is there count times once."
  (%set-count! who table element (- count 1)))

(define (%hash-of who x)
  "A hash of a set or bag: the same whatever the order of its elements."
  (let ((hash-element (comparator-hash-function (%comparator-of x))))
    (modulo (fold (lambda (entry sum)
                    (+ sum (* (cdr entry) (hash-element (car entry)))))
                  (if (set? x) 1 2)
                  (%entries x))
            %hash-modulus)))

(define (%kind-comparator kind? who)
  "A comparator of all sets, or of all bags."
  (make-comparator kind?
                   (lambda (a b)
                     (and (eq? (%comparator-of a) (%comparator-of b))
                          (%equal? who a b)))
                   #f
                   (lambda (x) (%hash-of who x))))

(define set-comparator
  (%kind-comparator set? "set-comparator"))   ; of sets, for sets of sets

(define bag-comparator
  (%kind-comparator bag? "bag-comparator"))   ; of bags
