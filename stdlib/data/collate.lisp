;; collate.lisp - how a list of examples becomes a batch.
;;
;;     (((tensor 2) 0) ((tensor 2) 1))  =>  ((tensor 2 2) (tensor 2))
;;
;; Each part of the examples becomes one part of the batch.

(define (collate examples)
  "The batch of a list of examples: tensors of one shape are stacked, numbers
  and booleans become a tensor, lists, vectors and hash tables become one of
  what their elements become, and anything else a list of the values."
  (%check-list "collate" examples)
  (when (null? examples)
    (error "collate: expected at least one example"))
  (%collate examples (iota (length examples))))

(define (%collated-parts examples indices)
  "The parts of the batch: one unless the examples are lists of parts."
  (let ((batch (%collate examples indices)))
    (if (list? (car examples)) batch (list batch))))

(define (%collate values indices)
  "What the values of one part become.  indices name the examples in errors."
  (let ((x (car values)))
    (cond ((tensor? x) (%stack-examples values indices))
          ((boolean? x)
           (%check-one-type boolean? values indices)
           (tensor values))
          ((number? x)
           (%check-one-type number? values indices)
           (tensor values))
          ((list? x)
           (%check-one-length list? length values indices)
           (%collate-positions values indices))
          ((vector? x)
           (%check-one-length vector? vector-length values indices)
           (list->vector
            (%collate-positions (map vector->list values) indices)))
          ((hash-table? x) (%collate-tables values indices))
          (else values))))

(define (%stack-examples tensors indices)
  "The tensors, which must have one shape, along a new first dimension."
  (%check-one-type tensor? tensors indices)
  (let ((shape (tensor-shape (car tensors))))
    (for-each
     (lambda (x i)
       (unless (equal? (tensor-shape x) shape)
         (%cannot-collate (string "a tensor of shape " shape) (car indices)
                          (string "one of shape " (tensor-shape x)) i)))
     tensors indices)
    (tensor-stack tensors)))

(define (%collate-positions lists indices)
  "What the first elements of the lists become, the second ones, and so on."
  (if (null? (car lists))
      '()
      (apply map (lambda values (%collate values indices)) lists)))

(define (%collate-tables tables indices)
  "The table that has for each key what the tables' values become."
  (%check-one-length hash-table? hash-size tables indices)
  (let ((batch (make-hash-table)))
    (for-each
     (lambda (key)
       (for-each
        (lambda (table i)
          (unless (hash-has-key? table key)
            (%cannot-collate (format "a table with the key ~s" key)
                             (car indices) "one without it" i)))
        tables indices)
       (hash-set! batch key
                  (%collate (map (lambda (table) (hash-ref table key)) tables)
                            indices)))
     (hash-keys (car tables)))
    batch))

(define (%check-one-type test values indices)
  "Raise an error unless all values pass the test that the first one passes."
  (for-each
   (lambda (x i)
     (unless (test x)
       (%cannot-collate (%example-noun (car values)) (car indices)
                        (%example-noun x) i)))
   values indices))

(define (%check-one-length test size values indices)
  "Raise an error unless all values are of one type and one length."
  (%check-one-type test values indices)
  (let ((n (size (car values))))
    (for-each
     (lambda (x i)
       (unless (= (size x) n)
         (%cannot-collate (string (%example-noun (car values)) " of length " n)
                          (car indices)
                          (string "one of length " (size x)) i)))
     values indices)))

(define (%example-noun x)
  "What messages call a part of an example."
  (cond ((tensor? x) "a tensor")
        ((boolean? x) "a boolean")
        ((number? x) "a number")
        ((list? x) "a list")
        ((vector? x) "a vector")
        ((hash-table? x) "a hash table")
        (else (format "~s" x))))

(define (%cannot-collate first-one i other k)
  "Raise the error for two examples that do not fit into one batch."
  (%error-with-hint
   (string "collate: the examples of a batch differ: example " i " has "
           first-one ", example " k " has " other)
   '() "give them one shape with map-dataset, or the loader a :collate"))
