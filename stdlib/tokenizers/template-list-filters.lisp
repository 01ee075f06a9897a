;; template-list-filters.lisp - the filters of chat templates that order, group
;; and cut lists.

;; Order.

(define (%sort-key whole)
  "The procedure of what a value is sorted by: strings without their case,
  unless whole is true."
  (lambda (value)
    (let ((value (%plain value)))
      (if (and (string? value) (not (%template-true? whole)))
          (string-downcase value)
          value))))

(define (%attribute-getter line path whole)
  "The procedure of what an item is sorted by: itself, or an attribute."
  (let ((key (%sort-key whole)))
    (if (eq? path 'null)
        key
        (lambda (item) (key (%attribute line item path))))))

(define (%sorted-by line items key reverse)
  "Items in the order of their keys, stable."
  (let ((before? (lambda (a b) (%template-less? line (car a) (car b)))))
    (map cdr
         (sort (map (lambda (item) (cons (key item) item)) items)
               (if (%template-true? reverse)
                   (lambda (a b) (before? b a))
                   before?)))))

(define (%sort-filter run line x reverse whole path)
  "sort(reverse, case_sensitive, attribute): attribute may name several."
  (let* ((paths (if (string? path) (string-split path ",") (list path)))
         (getters (map (lambda (path) (%attribute-getter line path whole))
                       paths)))
    (%sorted-by line (%template-items line x)
                (if (null? (cdr getters))
                    (car getters)
                    (lambda (item) (map (lambda (f) (f item)) getters)))
                reverse)))

(define (%dictsort-filter run line x whole by reverse)
  "dictsort(case_sensitive, by, reverse)."
  (unless (hash-table? x)
    (%template-error line "dictsort needs a dictionary"))
  (unless (member by '("key" "value"))
    (%template-error line "dictsort sorts by key or by value"))
  (let ((key (%sort-key whole)) (k (if (string=? by "key") 0 1)))
    (%sorted-by line (%items-of-table x)
                (lambda (entry) (key (vector-ref entry k)))
                reverse)))

(define (%unique-filter run line x whole path)
  "unique(case_sensitive, attribute): the first item of each key."
  (let ((seen (make-hash-table)) (get (%attribute-getter line path whole)))
    (filter (lambda (item)
              (let* ((value (%number-of (get item)))
                     (key (%dictionary-key line (if (and (number? value)
                                                         (integer? value))
                                                    (exact value)
                                                    value))))
                (and (not (hash-has-key? seen key))
                     (begin (hash-set! seen key #t) #t))))
            (%template-items line x))))

(define (%groupby-filter run line x path default whole)
  "groupby(attribute, default, case_sensitive): tuples of a value and the list of
  the items that have it."
  (let* ((key (%sort-key whole))
         (value (lambda (item)
                  (let ((found (%attribute line item path)))
                    (if (and (%undefined? found) (not (eq? default 'null)))
                        default
                        found))))
         (sorted (%sorted-by line (%template-items line x)
                             (lambda (item) (key (value item))) #f)))
    (let loop ((left sorted) (made '()))
      (if (null? left)
          (reverse made)
          (let-values (((same others)
                        (span (lambda (item)
                                (%template-equal? (key (value item))
                                                  (key (value (car left)))))
                              left)))
            (loop others
                  (cons (%item-group (value (car left)) same) made)))))))

(define (%item-group key items)
  "A group, which has the fields grouper and list, and is a tuple of both."
  (vector key items))

(define (%extreme better?)
  "The filters min and max."
  (lambda (run line x whole path)
    (let ((all (%template-items line x))
          (key (%attribute-getter line path whole)))
      (if (null? all)
          (%undefined "an item of an empty list")
          (fold (lambda (item best)
                  (if (better? line (key item) (key best)) item best))
                (car all) (cdr all))))))

;; Parts.

(define (%batch-filter run line x size fill)
  "batch(linecount, fill_with): lists of so many items."
  (let ((size (%check-integer line size)))
    (when (< size 1) (%template-error line "batch needs a positive number"))
    (let loop ((left (%template-items line x)) (made '()))
      (cond ((null? left) (reverse made))
            ((>= (length (take left (min size (length left)))) size)
             (loop (drop left size) (cons (take left size) made)))
            (else
             (let ((missing (- size (length left))))
               (unless (eq? fill 'null) (%count-text! run line missing))
               (loop '() (cons (if (eq? fill 'null)
                                   left
                                   (append left (make-list missing fill)))
                               made))))))))

(define (%slice-filter run line x slices fill)
  "slice(slices, fill_with): so many lists of about equal length."
  (let* ((n (%check-integer line slices))
         (all (%template-items line x))
         (size (length all)))
    (when (< n 1) (%template-error line "slice needs a positive number"))
    (%count-text! run line n)
    (let* ((each (quotient size n)) (longer (modulo size n)))
      (let loop ((k 0) (left all) (made '()))
        (if (= k n)
            (reverse made)
            (let* ((count (+ each (if (< k longer) 1 0)))
                   (part (take left count))
                   (part (if (and (not (eq? fill 'null)) (>= k longer))
                             (append part (list fill))
                             part)))
              (loop (+ k 1) (drop left count) (cons part made))))))))
