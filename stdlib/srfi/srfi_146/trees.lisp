;; trees.lisp - the weight-balanced trees of (import (srfi 146)).
;;
;; A tree is #f or a node.  No tree changes; a new one shares most nodes with
;; the one that it is made from.  One subtree is at most %most-weight times as large
;; as the other, so a tree of n keys is O(log n) deep.  before? is the order.

(define-record-type <mapping-node>
  (%new-node key value left right size)
  %node?
  (key %key)
  (value %value)
  (left %left)
  (right %right)
  (size %node-size))

(define %most-weight 3)
(define %most-inner-weight 2)   ; from which on a rotation is a double one

(define (%size tree)
  "How many keys there are."
  (if tree (%node-size tree) 0))

(define (%node key value left right)
  "A node of subtrees that are balanced."
  (%new-node key value left right (+ (%size left) (%size right) 1)))

(define (%balanced key value left right)
  "A node of subtrees, one of which has one key too many or too few at most."
  (let* ((n (%size left)) (m (%size right)) (others (+ n m)))
    (cond ((or (< others 2)
               (not (or (> m (* %most-weight n)) (> n (* %most-weight m)))))
           (%new-node key value left right (+ others 1)))
          ((> m n) (%rotated-left key value left right))
          (else (%rotated-right key value left right)))))

(define (%rotated-left key value left right)
  "A node whose right subtree is too large."
  (let ((inner (%left right)) (outer (%right right)))
    (if (< (%size inner) (* %most-inner-weight (%size outer)))
        (%node (%key right) (%value right)
               (%node key value left inner) outer)
        (%node (%key inner) (%value inner)
               (%node key value left (%left inner))
               (%node (%key right) (%value right) (%right inner) outer)))))

(define (%rotated-right key value left right)
  "A node whose left subtree is too large."
  (let ((inner (%right left)) (outer (%left left)))
    (if (< (%size inner) (* %most-inner-weight (%size outer)))
        (%node (%key left) (%value left)
               outer (%node key value inner right))
        (%node (%key inner) (%value inner)
               (%node (%key left) (%value left) outer (%left inner))
               (%node key value (%right inner) right)))))

(define (%found tree key before?)
  "The node of a key, or #f."
  (if (eq? before? %default-before?)
      (%found-by-default tree key)
      (%found-by tree key before?)))

(define (%inserted tree key value before?)
  "The tree with a key and its value, which replace those that are there."
  (if (eq? before? %default-before?)
      (%inserted-by-default tree key value)
      (%inserted-by tree key value before?)))

(define (%removed tree key before?)
  "The tree without a key."
  (if (eq? before? %default-before?)
      (%removed-by-default tree key)
      (%removed-by tree key before?)))

;; The procedures for one order: a call of the default one costs more than the
;; rest of the work.
(define-syntax %define-by-order
  (syntax-rules ()
    ((_ found inserted removed (a b before? ...) holds?)
     (begin
       (define (found tree key before? ...)
         (let loop ((tree tree))
           (cond ((not tree) #f)
                 ((let ((a key) (b (%key tree))) holds?) (loop (%left tree)))
                 ((let ((a (%key tree)) (b key)) holds?) (loop (%right tree)))
                 (else tree))))
       (define (inserted tree key value before? ...)
         (let loop ((tree tree))
           (cond ((not tree) (%new-node key value #f #f 1))
                 ((let ((a key) (b (%key tree))) holds?)
                  (%balanced (%key tree) (%value tree)
                             (loop (%left tree)) (%right tree)))
                 ((let ((a (%key tree)) (b key)) holds?)
                  (%balanced (%key tree) (%value tree)
                             (%left tree) (loop (%right tree))))
                 (else (%new-node key value (%left tree) (%right tree)
                                  (%node-size tree))))))
       (define (removed tree key before? ...)
         (let loop ((tree tree))
           (cond ((not tree) #f)
                 ((let ((a key) (b (%key tree))) holds?)
                  (%balanced (%key tree) (%value tree)
                             (loop (%left tree)) (%right tree)))
                 ((let ((a (%key tree)) (b key)) holds?)
                  (%balanced (%key tree) (%value tree)
                             (%left tree) (loop (%right tree))))
                 (else (%glued (%left tree) (%right tree))))))))))

(%define-by-order %found-by %inserted-by %removed-by (a b before?) (before? a b))
(%define-by-order
 %found-by-default %inserted-by-default %removed-by-default (a b)
 (if (and (exact-integer? a) (exact-integer? b)) (< a b) (%default-before? a b)))

(define (%first-node tree)
  "The node of the least key."
  (if (%left tree) (%first-node (%left tree)) tree))

(define (%last-node tree)
  "The node of the greatest key."
  (if (%right tree) (%last-node (%right tree)) tree))

(define (%without-first tree)
  "The tree without its least key."
  (if (%left tree)
      (%balanced (%key tree) (%value tree)
                 (%without-first (%left tree)) (%right tree))
      (%right tree)))

(define (%without-last tree)
  "The tree without its greatest key."
  (if (%right tree)
      (%balanced (%key tree) (%value tree)
                 (%left tree) (%without-last (%right tree)))
      (%left tree)))

(define (%glued left right)
  "The subtrees of one node as a tree."
  (cond ((not left) right)
        ((not right) left)
        ((> (%size left) (%size right))
         (let ((node (%last-node left)))
           (%balanced (%key node) (%value node)
                      (%without-last left) right)))
        (else
         (let ((node (%first-node right)))
           (%balanced (%key node) (%value node)
                      left (%without-first right))))))

(define (%linked key value left right)
  "A tree of a key and of trees before and after it, of any sizes."
  (cond ((not left) (%with-first right key value))
        ((not right) (%with-last left key value))
        ((> (%size right) (* %most-weight (%size left)))
         (%balanced (%key right) (%value right)
                    (%linked key value left (%left right)) (%right right)))
        ((> (%size left) (* %most-weight (%size right)))
         (%balanced (%key left) (%value left)
                    (%left left) (%linked key value (%right left) right)))
        (else (%node key value left right))))

(define (%with-first tree key value)
  "The tree with a key before all others."
  (if tree
      (%balanced (%key tree) (%value tree)
                 (%with-first (%left tree) key value) (%right tree))
      (%node key value #f #f)))

(define (%with-last tree key value)
  "The tree with a key after all others."
  (if tree
      (%balanced (%key tree) (%value tree)
                 (%left tree) (%with-last (%right tree) key value))
      (%node key value #f #f)))

(define (%merged left right)
  "A tree of two trees of any sizes; the keys of the first are before the
  others."
  (if (and left right)
      (let ((node (%first-node right)))
        (%linked (%key node) (%value node) left (%without-first right)))
      (or left right)))

(define (%part-before tree key before?)
  "The tree of the keys that are before a key."
  (cond ((not tree) #f)
        ((before? (%key tree) key)
         (%linked (%key tree) (%value tree) (%left tree)
                  (%part-before (%right tree) key before?)))
        (else (%part-before (%left tree) key before?))))

(define (%part-after tree key before?)
  "The tree of the keys that are after a key."
  (cond ((not tree) #f)
        ((before? key (%key tree))
         (%linked (%key tree) (%value tree)
                  (%part-after (%left tree) key before?) (%right tree)))
        (else (%part-after (%right tree) key before?))))

(define (%kept tree kept?)
  "The tree of the nodes of which (kept? key value) is true, in order."
  (and tree
       (let* ((left (%kept (%left tree) kept?))
              (keep (kept? (%key tree) (%value tree)))
              (right (%kept (%right tree) kept?)))
         (if keep
             (%linked (%key tree) (%value tree) left right)
             (%merged left right)))))

(define (%folded f seed tree)
  "(f key value result) for each node, from the least key on."
  (if tree
      (%folded f
               (f (%key tree) (%value tree) (%folded f seed (%left tree)))
               (%right tree))
      seed))

(define (%folded-back f seed tree)
  "(f key value result) for each node, from the greatest key on."
  (if tree
      (%folded-back f
                    (f (%key tree) (%value tree)
                       (%folded-back f seed (%right tree)))
                    (%left tree))
      seed))

(define (%first-result f tree)
  "The first true value that (f key value) returns; #f if there is none."
  (and tree
       (or (%first-result f (%left tree))
           (f (%key tree) (%value tree))
           (%first-result f (%right tree)))))
