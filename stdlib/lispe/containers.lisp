;; containers.lisp - how LispE reads and changes lists, dictionaries, texts and
;; tensors.

(define (lispe:@ x . keys)
  "The element of a container: (@ matrix i j), (@ table \"key\"), (@ object 'field).
  An index below 0 counts from the end."
  (fold (lambda (key value) (%item value key)) x keys))

(define (at x . keys)
  "The element of a container, as @."
  (apply lispe:@ x keys))

(define (nth x key) "The element of a container, as @." (%item x key))

(define (%item x key)
  "The element of any container."
  (cond ((%list? x) (vector-ref (%list-items x) (%index "@" x key (%list-count x))))
        ((hash-table? x)
         (if (hash-has-key? x key)
             (hash-ref x key #f)
             (%fail "@: no key " (%written key))))
        ((string? x)
         (string (string-ref x (%index "@" x key (string-length x)))))
        ((tensor? x) (%tensor-at x key))
        ((and (number? x) (eqv? key 0)) x)   ; what a reduction returned
        ((%state-dict? x) (%state-dict-ref x key))
        ((%object? x)
         (%field x (if (symbol? key) key (%field-at x key))))
        (else (%fail "@: expected a container, got " (%text x)))))

(define (%index who x key count)
  "The index in a container of that many elements."
  (unless (exact-integer? key)
    (%fail who ": expected an index, got " (%written key)))
  (let ((k (if (< key 0) (+ count key) key)))
    (unless (< -1 k count)
      (%fail who ": index " key " out of bounds for " count " elements"))
    k))

(define (set@ x . arguments)
  "Replace an element: (set@ list 0 value), (set@ table \"key\" value),
  (set@ matrix i j value).  Returns the value."
  (let* ((value (last arguments))
         (keys (drop-right arguments 1))
         (inner (apply lispe:@ x (drop-right keys 1)))
         (key (last keys)))
    (cond ((%list? inner)
           (vector-set! (%list-items inner)
                        (%index "set@" inner key (%list-count inner))
                        (%converted (%list-kind inner) value)))
          ((hash-table? inner) (hash-set! inner key value))
          ((%object? inner) (%set-field! inner key value))
          (else (%fail "set@: expected a container, got " (%text inner))))
    value))

(define (@@ x . bounds)
  "The part from one index up to another, without it: (@@ list 2 5).  An end of
  0 means to the end, one below 0 counts from the end."
  (extract-part x (car bounds) (if (pair? (cdr bounds)) (cadr bounds) 0)))

(define (extract-part x from to)
  "The part of a list or a text between two indices."
  (let* ((count (size x))
         (start (max 0 (if (< from 0) (+ count from) from)))
         (end (min count (if (<= to 0) (+ count to) to))))
    (cond ((string? x) (substring x (min start end) (max start end)))
          ((>= start end) (%new-list (%list-kind x) '()))
          (else (%new-list (%list-kind x)
                           (vector->list
                            (subvector (%list-items x) start end)))))))

(define (extract x from to)
  "The part of a list or a text between two indices."
  (extract-part x from to))

(define (size x)
  "How many elements a container has."
  (cond ((%list? x) (%list-count x))
        ((string? x) (string-length x))
        ((hash-table? x) (hash-size x))
        ((tensor? x) (tensor-numel x))
        ((%state-dict? x) (length (%state-dict-entries x)))
        ((or (not x) (null? x)) 0)
        ((list? x) (length x))
        (else (%fail "size: expected a container, got " (%text x)))))

(define (in x value)
  "Whether a container has a value, a dictionary a key, a text a part."
  (cond ((%list? x) (any (lambda (y) (%same? y value)) (%elements x)))
        ((hash-table? x) (hash-has-key? x value))
        ((string? x) (and (string-contains x (%text value)) #t))
        ((number? x) (%same? x value))
        (else #f)))

;; Changing lists.

(define (push x . values)
  "Put values at the end of a list (of an llist at its front), or a key and a
  value into a dictionary; returns it."
  (cond ((hash-table? x) (hash-set! x (car values) (cadr values)) x)
        ((not (%list? x)) (%fail "push: expected a list, got " (%text x)))
        ((eq? (%list-kind x) 'llist) (pushfirst x (car values)))
        (else (for-each (lambda (value) (%add-last! x value)) values) x)))

(define (pushlast x value)
  "Put a value at the end of a list."
  (%add-last! x value))

(define (pushfirst x value)
  "Put a value at the front of a list; returns it."
  (%set-elements! x (cons value (%elements x))))

(define (pop x . key)
  "Remove the first element of a list, or that of an index or key; returns it."
  (if (hash-table? x)
      (let ((value (%item x (car key))))
        (hash-delete! x (car key))
        value)
      (let* ((k (%index "pop" x (if (pair? key) (car key) 0) (%list-count x)))
             (items (%elements x))
             (value (list-ref items k)))
        (%set-elements! x (append (take items k) (drop items (+ k 1))))
        value)))

(define (popfirst x) "Remove the first element of a list; returns it." (pop x))
(define (poplast x) "Remove the last element of a list; returns it." (pop x -1))

(define (extend x other)
  "Put the elements of another list at the end of a list; returns it."
  (for-each (lambda (value) (%add-last! x value)) (%elements other))
  x)

(define (insert x value k)
  "Put a value before the element of an index; returns the list."
  (let ((items (%elements x)))
    (%set-elements! x (append (take items k) (cons value (drop items k))))))

(define (lispe:remove x value)
  "Remove the elements that equal a value; returns the list."
  (%set-elements! x (remove (lambda (y) (%same? y value)) (%elements x))))

(define (clear x)
  "Remove all elements; returns the container."
  (if (hash-table? x) (hash-clear! x) (%set-elements! x '()))
  x)

(define (copy x) "A copy of a container." (%copied x))
(define (clone x) "A copy of a container or a tensor." (%copied x))

(define (%copied x)
  (cond ((%list? x) (%new-list (%list-kind x) (%elements x)))
        ((hash-table? x) (hash-copy x))
        ((tensor? x) (tensor-clone x))
        (else x)))

;; New lists.

(define (%like x items)
  "A list of the same kind."
  (%new-list (if (%list? x) (%list-kind x) 'list) items))

(define (lispe:car x) "The first element." (%item x 0))
(define (lispe:cadr x) "The second element." (%item x 1))
(define (lispe:caddr x) "The third element." (%item x 2))
(define (lispe:last x) "The last element." (%item x -1))

(define (lispe:cdr x)
  "The elements after the first, as a list."
  (when (zero? (size x)) (%fail "cdr: the list is empty"))
  (if (string? x)
      (substring x 1 (string-length x))
      (%like x (cdr (%elements x)))))

(define (lispe:cddr x)
  "The elements after the second."
  (lispe:cdr (lispe:cdr x)))

(define (lispe:cons value x)
  "A new list: the value, then the elements of a list."
  (%new-list 'list (cons value (%elements x))))

(define (lispe:append . lists)
  "The elements of lists one after the other."
  (%like (car lists) (append-map %elements lists)))

(define (lispe:reverse x)
  "The elements of a list or a text from the last to the first."
  (if (string? x)
      (list->string (reverse (string->list x)))
      (%like x (reverse (%elements x)))))

(define (flatten x)
  "The list without lists inside."
  (%new-list 'list (%flat (list x))))

(define (unique x)
  "The list without repetitions."
  (%like x (delete-duplicates (%elements x) %same?)))

(define (lispe:sort . arguments)
  "The list in ascending order, or in that of a procedure: (sort '> list)."
  (let ((x (last arguments)))
    (%like x (sort (%elements x)
                   (if (pair? (cdr arguments))
                       (lambda (a b) (%true? (%call (car arguments) a b)))
                       (lambda (a b) (lispe:< a b)))))))

(define (lispe:map . arguments)
  "The results of a function on the elements of lists; (map) is a dictionary."
  (if (null? arguments)
      (%dictionary)
      (%new-list 'list (apply map (%function (car arguments))
                              (map %elements (cdr arguments))))))

(define (lispe:filter f x)
  "The elements for which a function is true."
  (%like x (filter (lambda (y) (%true? (%call f y))) (%elements x))))

(define (foldl f x start)
  "The function applied from the left: (f (f start x0) x1)."
  (fold-left (%function f) start (%elements x)))

(define (zipwith f . lists)
  "The results of a function on the elements of lists."
  (apply lispe:map f lists))

(define (lispe:apply f x)
  "The function called with the elements of a list."
  (apply %call f (%elements x)))

(define (sum x)
  "The sum of a list or a tensor."
  (if (tensor? x) (%reduced tensor-sum x) (fold + 0 (%elements x))))

(define (product x) "The product of a list." (fold * 1 (%elements x)))
