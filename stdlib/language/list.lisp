;; list.lisp - lists: the procedures of SRFI-1 that call procedures, and
;; similar ones.
;;
;; All of them loop, with an accumulator where they build a list, so a list of
;; a million elements is no different from one of three.  None holds a
;; reference to the list that it walks, so elements without other references
;; are freed on the way.  Therefore the error for an improper list shows only
;; its end: 3 for (1 2 . 3).

;; One list or several side by side, up to the end of the shortest.

(define (%ended? who lists)
  "Whether one of the lists is empty; an error if one is not a list."
  (let loop ((left lists))
    (cond ((null? left) #f)
          ((pair? (car left)) (loop (cdr left)))
          ((null? (car left)) #t)
          (else (wrong-type who "a list" (car left))))))

(define (map f items . more)
  "The list of the results of f on each element, or on elements side by side."
  (cond ((null? more) (%map-one f items))
        ((null? (cdr more)) (%map-two f items (car more)))
        (else
         (let loop ((lists (cons items more)) (done '()))
           (if (%ended? "map" lists)
               (reverse done)
               (loop (%map-one cdr lists)
                     (cons (apply f (%map-one car lists)) done)))))))

(define (%map-one f items)
  "map of one list."
  (let loop ((rest items) (done '()))
    (cond ((pair? rest) (loop (cdr rest) (cons (f (car rest)) done)))
          ((null? rest) (reverse done))
          (else (wrong-type "map" "a list" rest)))))

(define (%map-two f items others)
  "map of two lists."
  (let loop ((rest items) (other others) (done '()))
    (cond ((and (pair? rest) (pair? other))
           (loop (cdr rest) (cdr other) (cons (f (car rest) (car other)) done)))
          ((%ended? "map" (list rest other)) (reverse done)))))

(define (for-each f items . more)
  "Call f on each element in order, or on elements side by side."
  (cond ((null? more) (%for-each-one f items))
        ((null? (cdr more)) (%for-each-two f items (car more)))
        (else
         (let loop ((lists (cons items more)))
           (unless (%ended? "for-each" lists)
             (apply f (map car lists))
             (loop (map cdr lists)))))))

(define (%for-each-one f items)
  "for-each of one list."
  (let loop ((rest items))
    (cond ((pair? rest) (f (car rest)) (loop (cdr rest)))
          ((not (null? rest)) (wrong-type "for-each" "a list" rest)))))

(define (%for-each-two f items others)
  "for-each of two lists."
  (let loop ((rest items) (other others))
    (cond ((and (pair? rest) (pair? other))
           (f (car rest) (car other))
           (loop (cdr rest) (cdr other)))
          ((%ended? "for-each" (list rest other)) (if #f #f)))))

(define (fold f initial items . more)
  "(f x (f y initial)) for a list (y x): the element first, the result last."
  (if (null? more)
      (let loop ((rest items) (result initial))
        (cond ((pair? rest) (loop (cdr rest) (f (car rest) result)))
              ((null? rest) result)
              (else (wrong-type "fold" "a list" rest))))
      (let loop ((lists (cons items more)) (result initial))
        (if (%ended? "fold" lists)
            result
            (loop (map cdr lists)
                  (apply f (append (map car lists) (list result))))))))

(define (fold-left f initial items . more)
  "(f (f initial x) y) for a list (x y): the result first, the element last."
  (if (null? more)
      (let loop ((rest items) (result initial))
        (cond ((pair? rest) (loop (cdr rest) (f result (car rest))))
              ((null? rest) result)
              (else (wrong-type "fold-left" "a list" rest))))
      (let loop ((lists (cons items more)) (result initial))
        (if (%ended? "fold-left" lists)
            result
            (loop (map cdr lists) (apply f result (map car lists)))))))

(define (fold-right f initial items . more)
  "(f x (f y initial)) for a list (x y): from the right, the element first."
  (if (null? more)
      (let loop ((rest (%reversed "fold-right" items)) (result initial))
        (if (null? rest)
            result
            (loop (cdr rest) (f (car rest) result))))
      (let loop ((rows (reverse (apply map list items more))) (result initial))
        (if (null? rows)
            result
            (loop (cdr rows)
                  (apply f (append (car rows) (list result))))))))

(define (reduce f default items)
  "Fold a list onto its own first element; default for the empty list."
  (cond ((pair? items) (fold f (car items) (cdr items)))
        ((null? items) default)
        (else (wrong-type "reduce" "a list" items))))

(define (append-map f items . more)
  "The lists that f returns for each element, appended."
  (concatenate (apply map f items more)))

(define (filter-map f items . more)
  "The results of f that are not #f."
  (filter identity (apply map f items more)))

(define (any ok? items . more)
  "The first result of ok? on an element that is not #f, or #f."
  (if (null? more)
      (let loop ((rest items))
        (cond ((pair? rest) (or (ok? (car rest)) (loop (cdr rest))))
              ((null? rest) #f)
              (else (wrong-type "any" "a list" rest))))
      (let loop ((lists (cons items more)))
        (if (%ended? "any" lists)
            #f
            (or (apply ok? (map car lists)) (loop (map cdr lists)))))))

(define (every ok? items . more)
  "#f if ok? is #f on some element, otherwise its result on the last."
  (if (null? more)
      (let loop ((rest items) (result #t))
        (cond ((pair? rest)
               (let ((now (ok? (car rest))))
                 (if now (loop (cdr rest) now) #f)))
              ((null? rest) result)
              (else (wrong-type "every" "a list" rest))))
      (let loop ((lists (cons items more)) (result #t))
        (if (%ended? "every" lists)
            result
            (let ((now (apply ok? (map car lists))))
              (if now (loop (map cdr lists) now) #f))))))

(define (count ok? items . more)
  "How many elements ok? holds for."
  (let ((tally (lambda (n . elements) (if (apply ok? elements) (+ n 1) n))))
    (apply fold-left tally 0 items more)))

(define (list-index ok? items . more)
  "The index of the first element that ok? holds for, or #f."
  (if (null? more)
      (let loop ((rest items) (k 0))
        (cond ((pair? rest) (if (ok? (car rest)) k (loop (cdr rest) (+ k 1))))
              ((null? rest) #f)
              (else (wrong-type "list-index" "a list" rest))))
      (let loop ((lists (cons items more)) (k 0))
        (cond ((%ended? "list-index" lists) #f)
              ((apply ok? (map car lists)) k)
              (else (loop (map cdr lists) (+ k 1)))))))

;; Choosing elements.

(define (filter keep? items)
  "The elements that keep? holds for."
  (let loop ((rest items) (kept '()))
    (cond ((pair? rest)
           (loop (cdr rest)
                 (if (keep? (car rest)) (cons (car rest) kept) kept)))
          ((null? rest) (reverse kept))
          (else (wrong-type "filter" "a list" rest)))))

(define (remove drop? items)
  "The elements that drop? does not hold for."
  (let loop ((rest items) (kept '()))
    (cond ((pair? rest)
           (loop (cdr rest)
                 (if (drop? (car rest)) kept (cons (car rest) kept))))
          ((null? rest) (reverse kept))
          (else (wrong-type "remove" "a list" rest)))))

(define (find ok? items)
  "The first element that ok? holds for, or #f."
  (let loop ((rest items))
    (cond ((pair? rest)
           (if (ok? (car rest)) (car rest) (loop (cdr rest))))
          ((null? rest) #f)
          (else (wrong-type "find" "a list" rest)))))

(define (find-tail ok? items)
  "The list from the first element on that ok? holds for, or #f."
  (let loop ((rest items))
    (cond ((pair? rest) (if (ok? (car rest)) rest (loop (cdr rest))))
          ((null? rest) #f)
          (else (wrong-type "find-tail" "a list" rest)))))

(define (delete x items . same)
  "The elements that are not equal? to x, or by a third argument, an equality."
  (let ((same? (%optional "delete" 2 same equal?)))
    (let loop ((rest items) (kept '()))
      (cond ((pair? rest)
             (loop (cdr rest)
                   (if (same? x (car rest)) kept (cons (car rest) kept))))
            ((null? rest) (reverse kept))
            (else (wrong-type "delete" "a list" rest))))))

(define (delete-duplicates items . same)
  "The elements without those equal? to an earlier one."
  (let ((same? (%optional "delete-duplicates" 1 same equal?)))
    (let loop ((rest items) (kept '()))
      (cond ((pair? rest)
             (loop (cdr rest)
                   (if (any (lambda (old) (same? old (car rest))) kept)
                       kept
                       (cons (car rest) kept))))
            ((null? rest) (reverse kept))
            (else (wrong-type "delete-duplicates" "a list" rest))))))

(define (member x items . same)
  "The list from the first element on that is equal? to x, or by a third
  argument, an equality; #f if there is none."
  (if (null? same)
      (member x items)
      (let ((same? (%optional "member" 2 same equal?)))
        (let loop ((rest items))
          (cond ((pair? rest) (if (same? x (car rest)) rest (loop (cdr rest))))
                ((null? rest) #f)
                (else (wrong-type "member" "a list" rest)))))))

(define (assoc key alist . same)
  "The first pair whose car is equal? to key, or by a third argument, an
  equality; #f if there is none."
  (if (null? same)
      (assoc key alist)
      (let ((same? (%optional "assoc" 2 same equal?)))
        (let loop ((rest alist))
          (cond ((pair? rest)
                 (unless (pair? (car rest))
                   (wrong-type "assoc" "a pair" (car rest)))
                 (if (same? key (caar rest)) (car rest) (loop (cdr rest))))
                ((null? rest) #f)
                (else (wrong-type "assoc" "a list" rest)))))))

(define (partition ok? items)
  "Two lists, as two values: the elements that ok? holds for, and the others."
  (let loop ((rest items) (in '()) (out '()))
    (cond ((pair? rest)
           (if (ok? (car rest))
               (loop (cdr rest) (cons (car rest) in) out)
               (loop (cdr rest) in (cons (car rest) out))))
          ((null? rest) (values (reverse in) (reverse out)))
          (else (wrong-type "partition" "a list" rest)))))

;; Sublists by position.

(define (take items k)
  "The first k elements."
  (%check-index "take" k)
  (let loop ((rest items) (taken '()) (n 0))
    (cond ((= n k) (reverse taken))
          ((pair? rest) (loop (cdr rest) (cons (car rest) taken) (+ n 1)))
          ((null? rest) (%out-of-range "take" k n))
          (else (wrong-type "take" "a list" rest)))))

(define (drop items k)
  "The list without its first k elements."
  (%check-index "drop" k)
  (let loop ((rest items) (n 0))
    (cond ((= n k) rest)
          ((pair? rest) (loop (cdr rest) (+ n 1)))
          ((null? rest) (%out-of-range "drop" k n))
          (else (wrong-type "drop" "a list" rest)))))

(define (%count-from-end who items k)
  "How many elements are before the last k."
  (%check-index who k)
  (let ((n (%count-pairs who items)))
    (if (> k n) (%out-of-range who k n) (- n k))))

(define (%count-pairs who items)
  "How many elements a list has, which may be improper but not circular."
  (cond ((list? items) (length items))
        ((dotted-list? items)
         (let loop ((rest items) (n 0))
           (if (pair? rest) (loop (cdr rest) (+ n 1)) n)))
        (else (wrong-type who "a list that ends" items))))

(define (take-right items k)
  "The last k elements."
  (drop items (%count-from-end "take-right" items k)))

(define (drop-right items k)
  "The list without its last k elements."
  (take items (%count-from-end "drop-right" items k)))

(define (take-while ok? items)
  "The elements before the first that ok? does not hold for."
  (let loop ((rest items) (taken '()))
    (cond ((pair? rest)
           (if (ok? (car rest))
               (loop (cdr rest) (cons (car rest) taken))
               (reverse taken)))
          ((null? rest) (reverse taken))
          (else (wrong-type "take-while" "a list" rest)))))

(define (drop-while ok? items)
  "The list from the first element on that ok? does not hold for."
  (let loop ((rest items))
    (cond ((pair? rest) (if (ok? (car rest)) (loop (cdr rest)) rest))
          ((null? rest) '())
          (else (wrong-type "drop-while" "a list" rest)))))

(define (span ok? items)
  "Two values: the elements before the first that ok? does not hold for, and
  the list from that one on."
  (let loop ((rest items) (taken '()))
    (cond ((and (pair? rest) (ok? (car rest)))
           (loop (cdr rest) (cons (car rest) taken)))
          ((or (pair? rest) (null? rest)) (values (reverse taken) rest))
          (else (wrong-type "span" "a list" rest)))))

(define (break stop? items)
  "Two values: the elements before the first that stop? holds for, and the list
  from that one on."
  (span (lambda (x) (not (stop? x))) items))

(define (split-at items k)
  "Two values: the first k elements, and the list without them."
  (values (take items k) (drop items k)))

(define (last-pair items)
  "The last pair of a list that is not empty."
  (if (pair? items)
      (let loop ((rest items))
        (if (pair? (cdr rest)) (loop (cdr rest)) rest))
      (wrong-type "last-pair" "a pair" items)))

(define (last items)
  "The last element."
  (if (pair? items)
      (car (last-pair items))
      (wrong-type "last" "a pair" items)))

(define (second items)
  "The element at index 1."
  (list-ref items 1))

(define (third items)
  "The element at index 2."
  (list-ref items 2))

(define (fourth items)
  "The element at index 3."
  (list-ref items 3))

(define (fifth items)
  "The element at index 4."
  (list-ref items 4))

(define (sixth items)
  "The element at index 5."
  (list-ref items 5))

(define (seventh items)
  "The element at index 6."
  (list-ref items 6))

(define (eighth items)
  "The element at index 7."
  (list-ref items 7))

(define (ninth items)
  "The element at index 8."
  (list-ref items 8))

(define (tenth items)
  "The element at index 9."
  (list-ref items 9))

;; Making lists.

(define (list-tabulate k f)
  "The list of f on the indices from 0 up to but without k."
  (%check-room "list-tabulate" k)
  (let loop ((n 0) (done '()))
    (if (= n k)
        (reverse done)
        (loop (+ n 1) (cons (f n) done)))))

(define (make-list k . fill)
  "A list of k elements, each fill or #f."
  (%check-room "make-list" k)
  (let ((element (%optional "make-list" 1 fill #f)))
    (let loop ((n 0) (done '()))
      (if (= n k) done (loop (+ n 1) (cons element done))))))

(define (append-reverse items tail)
  "The elements in reverse order, then the tail."
  (let loop ((rest items) (done tail))
    (cond ((pair? rest) (loop (cdr rest) (cons (car rest) done)))
          ((null? rest) done)
          (else (wrong-type "append-reverse" "a list" rest)))))

(define (concatenate lists)
  "The lists of a list, appended; the last may be any value, which ends them."
  (if (null? lists)
      '()
      (let ((reversed (%reversed "concatenate" lists)))
        (fold append (car reversed) (cdr reversed)))))

(define (zip items . more)
  "The list of lists of elements side by side."
  (apply map list items more))

(define (%check-list who items)
  "Raise an error unless items is a list."
  (unless (list? items)
    (wrong-type who "a list" items)))

(define (%reversed who items)
  "The elements in reverse order."
  (%check-list who items)
  (reverse items))

;; Unfolding lists, and changing lists in place.

(define (cons* first . others)
  "The list of the arguments, the last of them its tail."
  (let loop ((reversed (reverse (cons first others))))
    (append-reverse (cdr reversed) (car reversed))))

(define (unfold stop? f next seed . tail)
  "The list of f on the seed, its successor by next ... until stop? holds."
  (let ((end (%optional "unfold" 4 tail (lambda (seed) '()))))
    (let loop ((seed seed) (done '()))
      (if (stop? seed)
          (append-reverse done (end seed))
          (loop (next seed) (cons (f seed) done))))))

(define (unfold-right stop? f next seed . tail)
  "The same from the right: the seed's element comes last."
  (let loop ((seed seed) (done (%optional "unfold-right" 4 tail '())))
    (if (stop? seed)
        done
        (loop (next seed) (cons (f seed) done)))))

(define (reduce-right f default items)
  "(f x (f y z)) for a list (x y z); default for the empty list."
  (let ((reversed (%reversed "reduce-right" items)))
    (if (null? reversed)
        default
        (fold f (car reversed) (cdr reversed)))))

(define (append! . lists)
  "The lists, appended; all but the last are changed in place."
  (let loop ((left (reverse lists)) (result '()) (first? #t))
    (cond ((null? left) result)
          (first? (loop (cdr left) (car left) #f))
          ((null? (car left)) (loop (cdr left) result #f))
          (else
           (%check-list "append!" (car left))
           (set-cdr! (last-pair (car left)) result)
           (loop (cdr left) (car left) #f)))))

(define (reverse! items)
  "The elements in reverse order, in the pairs of the list."
  (%check-list "reverse!" items)
  (let loop ((rest items) (done '()))
    (if (null? rest)
        done
        (let ((next (cdr rest)))
          (set-cdr! rest done)
          (loop next rest)))))

(define (unzip lists)
  "The list of the first elements, of the second ones and so on."
  (if (null? lists) '() (apply map list lists)))

;; Association lists.

(define (alist-copy alist)
  "A new list of new pairs; elements that are not pairs are shared."
  (map (lambda (entry)
         (if (pair? entry) (cons (car entry) (cdr entry)) entry))
       alist))

(define (alist-cons key value alist)
  "A list of a pair of key and value, and then the list."
  (cons (cons key value) alist))

(define (alist-delete key alist . same)
  "The pairs whose car is not equal? to key, or by a third argument, an
  equality."
  (let ((same? (%optional "alist-delete" 2 same equal?)))
    (remove (lambda (entry) (same? key (car entry))) alist)))

(define (assq-ref alist key . default)
  "The value of a key by eq?, or the default, or #f."
  (let ((entry (assq key alist)))
    (if entry (cdr entry) (%optional "assq-ref" 2 default #f))))

(define (assoc-ref alist key . default)
  "The value of a key by equal?, or the default, or #f."
  (let ((entry (assoc key alist)))
    (if entry (cdr entry) (%optional "assoc-ref" 2 default #f))))

;; Lists as sets, by an equality.

(define (%in? same? x items)
  "Whether x is the same as an element."
  (any (lambda (other) (same? other x)) items))

(define (lset-adjoin same? items . others)
  "The list with those of the others that are not in it."
  (fold (lambda (x result) (if (%in? same? x result) result (cons x result)))
        items
        others))

(define (lset-union same? . lists)
  "The elements of all lists, each once."
  (if (null? lists)
      '()
      (fold-left (lambda (result items) (apply lset-adjoin same? result items))
                 (car lists)
                 (cdr lists))))

(define (lset-intersection same? items . lists)
  "The elements of the first list that are in all others."
  (filter (lambda (x) (every (lambda (others) (%among? same? x others)) lists))
          items))

(define (lset-difference same? items . lists)
  "The elements of the first list that are in none of the others."
  (remove (lambda (x) (any (lambda (others) (%among? same? x others)) lists))
          items))

(define (%run-of-pairs x)
  "How many pairs follow each other by their cdr; -1 if they never end."
  (let loop ((slow x) (fast x) (count 0))
    (cond ((not (pair? fast)) count)
          ((not (pair? (cdr fast))) (+ count 1))
          (else
           (let ((slow (cdr slow)) (fast (cddr fast)))
             (if (eq? slow fast) -1 (loop slow fast (+ count 2))))))))
