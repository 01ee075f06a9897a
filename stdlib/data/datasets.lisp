;; datasets.lisp - datasets: what a data-loader takes its examples from.
;;
;; A dataset is a tensor, whose rows are the examples, a list or a vector of
;; examples, or one that the procedures here and in the neighbouring files
;; create.  The parts of an example that is a list are passed as separate
;; arguments: (map-dataset (lambda (x y) ...) d).
;;
;; A dataset of tensors that was made smaller keeps the tensors, and has the
;; indices of its rows.  So a loader gathers a batch with one copy for each
;; tensor, on another thread if it shall, and files stay mapped.

(define %dataset-type
  (%record-type 'dataset #(source length #f #f #f #f)))

(define (%dataset source length tensors indices ref facts)
  "A dataset.  source names what made it.  Example i is the list of rows i of
  the tensors, or the bare row of one that is not in a list; if there are
  indices, an int64 tensor, the row that it has for i.  It is (ref i) if tensors
  is #f.  facts is an alist of what the accessors below return."
  (%record %dataset-type source length tensors indices ref facts))

(define (%dataset-field d k)
  "A field of a dataset that is a record."
  (%record-ref d %dataset-type k "dataset"))

(define (%dataset-record? x)
  "Whether it is a dataset that the library has created."
  (%record? x %dataset-type))

(define (dataset? x)
  "Whether examples can be taken from it: a tensor with a dimension, a list, a
  vector, or a dataset that the library has created."
  (or (%dataset-record? x)
      (vector? x)
      (list? x)
      (and (tensor? x) (> (tensor-rank x) 0))))

(define (%check-dataset who x)
  "Raise an error unless x is a dataset."
  (unless (dataset? x)
    (wrong-type who "a dataset" x)))

(define (dataset-length d)
  "The number of examples."
  (%check-dataset "dataset-length" d)
  (cond ((%dataset-record? d) (%dataset-field d 1))
        ((tensor? d) (car (tensor-shape d)))
        ((vector? d) (vector-length d))
        (else (length d))))

(define (dataset-ref d i)
  "The example at an index: a row of a tensor, the list of the rows of several,
  or the element of a list or vector."
  (%check-dataset "dataset-ref" d)
  (%check-index "dataset-ref" i)
  (when (>= i (dataset-length d))
    (%out-of-range "dataset-ref" i (dataset-length d)))
  (%example-at d i))

(define (%example-at d i)
  "The example at an index within range."
  (cond ((tensor? d) (tensor-ref d i))
        ((vector? d) (vector-ref d i))
        ((pair? d) (list-ref d i))
        ((%dataset-field d 2) (%row d (%dataset-field d 2) i))
        (else ((%dataset-field d 4) i))))

(define (%row d tensors i)
  "The row or the list of rows of a dataset's tensors that is its example i."
  (let* ((indices (%dataset-field d 3))
         (row (if indices (%index-at indices i) i)))
    (if (tensor? tensors)
        (tensor-ref tensors row)
        (map (lambda (x) (tensor-ref x row)) tensors))))

(define (%rows-of d)
  "The tensor or the list of tensors whose rows are the examples, or #f."
  (cond ((tensor? d) d)
        ((%dataset-record? d) (%dataset-field d 2))
        (else #f)))

;; What is known about a dataset.

(define (%dataset-fact d name)
  "A fact about a dataset, or #f."
  (let ((found (and (%dataset-record? d) (assq name (%dataset-field d 5)))))
    (and found (cdr found))))

(define (dataset-classes d)
  "The names of the classes, by number, of a dataset that was read from a
  folder, or from a table whose target is text; #f for others."
  (%check-dataset "dataset-classes" d)
  (%dataset-fact d 'classes))

(define (dataset-tensors d)
  "The parts of all examples as a list of tensors.  Those of a subset are
  copied; examples that are not rows of tensors are collated."
  (%check-dataset "dataset-tensors" d)
  (let ((rows (%rows-of d))
        (indices (and (%dataset-record? d) (%dataset-field d 3))))
    (cond ((and (not rows) (= (dataset-length d) 0))
           (error "dataset-tensors: the dataset is empty"))
          ((not rows)
           (%collated-parts (dataset->list d) (iota (dataset-length d))))
          ((not indices) (%parts-of rows))
          (else (map (lambda (x)
                       (tensor-index-select
                        x 0 (tensor-to indices (tensor-device x))))
                     (%parts-of rows))))))

(define (dataset->list d)
  "The examples, in order."
  (%check-dataset "dataset->list" d)
  (if (list? d)
      d
      (map (lambda (i) (%example-at d i)) (iota (dataset-length d)))))

(define (%parts-of x)
  "The parts of an example or a batch: those of a list, or it alone."
  (if (list? x) x (list x)))

;; Creating datasets.

(define (tensor-dataset . tensors)
  "The dataset of the rows of tensors, which have the same first size.  Example
  i is the list of their rows i.  No gradients flow to the tensors."
  (when (null? tensors)
    (error "tensor-dataset: expected at least one tensor"))
  (for-each %check-rows tensors)
  (let ((sizes (map (lambda (x) (car (tensor-shape x))) tensors)))
    (unless (every (lambda (n) (= n (car sizes))) sizes)
      (%error-with-hint
       (string "tensor-dataset: the tensors have different lengths: shapes "
               (string-join (map (lambda (x) (string (tensor-shape x)))
                                 tensors)
                            ", "))
       '() "the first dimension counts the examples"))
    (%dataset 'tensors (car sizes) (map detach tensors) #f #f '())))

(define (%check-rows x)
  "Raise an error unless x is a tensor with a first dimension."
  (unless (tensor? x)
    (wrong-type "tensor-dataset" "a tensor" x))
  (when (= (tensor-rank x) 0)
    (error (string "tensor-dataset: expected a tensor with a dimension of "
                   "examples, got shape " (tensor-shape x)))))

(define (make-dataset length ref)
  "The dataset of that many examples whose example i is (ref i), computed when
  it is asked for."
  (%check-index "make-dataset" length)
  (unless (procedure? ref)
    (wrong-type "make-dataset" "a procedure" ref))
  (%dataset 'procedure length #f #f ref '()))

(define (map-dataset f d)
  "The dataset of the results of f on each example of d, computed when they are
  asked for.  f gets the parts of an example as its arguments, and returns one
  value or a list of parts."
  (unless (procedure? f)
    (wrong-type "map-dataset" "a procedure" f))
  (%check-dataset "map-dataset" d)
  (let ((shard (%dataset-fact d 'shard)))
    (if shard
        (%shard (%mapped f (car shard)) (cdr shard))
        (%mapped f (%indexable d)))))

(define (%mapped f d)
  "The dataset of the results of f."
  (%dataset 'map (dataset-length d) #f #f
            (lambda (i) (apply f (%parts-of (%example-at d i))))
            (%facts d)))

(define (%indexable d)
  "The dataset; a list as a vector, whose elements are found at once."
  (if (list? d) (list->vector d) d))

(define (%facts d)
  "The facts about a dataset that also hold for what is made of it."
  (if (%dataset-record? d)
      (filter (lambda (entry) (not (eq? (car entry) 'shard)))
              (%dataset-field d 5))
      '()))

(define (subset-dataset d indices)
  "The dataset of the examples at the indices, a list or an int64 tensor, in
  that order."
  (%check-dataset "subset-dataset" d)
  (let ((indices (%index-tensor "subset-dataset" indices)))
    (%check-indices "subset-dataset" indices (dataset-length d))
    (%subset d 'subset indices)))

(define (%subset d source indices)
  "The dataset of the examples at the indices, which are within range."
  (let* ((d (%indexable d))
         (rows (%rows-of d))
         (within (and (%dataset-record? d) (%dataset-field d 3))))
    (%dataset source (car (tensor-shape indices)) rows
              (if within (tensor-index-select within 0 indices) indices)
              (if rows #f (lambda (i) (%example-at d (%index-at indices i))))
              (%facts d))))

(define (%index-at indices i)
  "Element i of a tensor of indices, as an integer."
  (tensor-item (tensor-ref indices i)))

(define (%index-tensor who indices)
  "A list or a tensor of integers as an int64 tensor [n]."
  (cond ((and (list? indices) (every exact-integer? indices))
         (tensor indices :dtype 'int64 :device "cpu"))
        ((and (tensor? indices) (= (tensor-rank indices) 1)
              (memq (tensor-dtype indices) '(int64 int32 int16 int8 uint8)))
         (tensor-to indices 'int64 "cpu"))
        (else (wrong-type who "a list or a tensor of indices" indices))))

(define (%check-indices who indices n)
  "Raise an error unless all indices are from 0 up to but without n."
  (let ((wrong (tensor-masked-select
                indices (tensor-logical-or (tensor-lt indices 0)
                                           (tensor-ge indices n)))))
    (when (> (tensor-numel wrong) 0)
      (%out-of-range who (%index-at wrong 0) n))))

(define (concat-datasets . datasets)
  "The dataset of the examples of the first, then those of the second, and so
  on.  Tensors are not copied, so batches of it are gathered one example at a
  time."
  (for-each (lambda (d) (%check-dataset "concat-datasets" d)) datasets)
  (let* ((parts (list->vector (map %indexable datasets)))
         (ends (list->vector (%running-sums (map dataset-length datasets))))
         (count (vector-length ends)))
    (%dataset 'concat (if (= count 0) 0 (vector-ref ends (- count 1))) #f #f
              (lambda (i)
                (let* ((k (%part-with i ends))
                       (start (if (= k 0) 0 (vector-ref ends (- k 1)))))
                  (%example-at (vector-ref parts k) (- i start))))
              (if (= count 0) '() (%facts (car datasets))))))

(define (%running-sums numbers)
  "The sums of the first, the first two, and so on."
  (let loop ((left numbers) (sum 0) (sums '()))
    (if (null? left)
        (reverse sums)
        (loop (cdr left) (+ sum (car left)) (cons (+ sum (car left)) sums)))))

(define (%part-with i ends)
  "The index of the first of the increasing ends that is above i."
  (let loop ((low 0) (high (- (vector-length ends) 1)))
    (if (= low high)
        low
        (let ((middle (quotient (+ low high) 2)))
          (if (< i (vector-ref ends middle))
              (loop low middle)
              (loop (+ middle 1) high))))))
