;; splits.lisp - parts of datasets: for training and validation, for k-fold
;; cross-validation, and for the processes of distributed training.

(define (split-dataset d sizes :seed #f :shuffle #t :stratify #f)
  "Datasets that share out the examples of d, as a list.

  sizes: a list of lengths, which must add up to the length of d, or of
  fractions, which must add up to 1.  shuffle: choose at random, by the seed or,
  without one, by one from the default generator.  stratify: a list or a tensor
  of the examples' classes, or #t for the last tensor of d; each part then has
  of each class the share that it has of all, to within one example a part."
  (%check-dataset "split-dataset" d)
  (let* ((n (dataset-length d))
         (lengths (%split-lengths sizes n))
         (order (%order-to-split "split-dataset" d shuffle seed)))
    (if stratify
        (%stratified-parts d lengths
                           (%by-class "split-dataset" d order stratify))
        (%consecutive-parts d lengths order))))

(define (%split-lengths sizes n)
  "The lengths of the parts of n examples."
  (unless (and (pair? sizes) (list? sizes)
               (every (lambda (x) (and (real? x) (>= x 0))) sizes))
    (wrong-type "split-dataset" "a list of lengths or fractions" sizes))
  (let ((sum (apply + sizes)))
    (cond ((and (every exact-integer? sizes) (= sum n)) sizes)
          ((< 0.999999 sum 1.000001) (%fraction-lengths sizes n))
          (else
           (error (string "split-dataset: expected lengths that add up to " n
                          " or fractions that add up to 1, got " sizes))))))

(define (%fraction-lengths fractions n)
  "Fractions of n, rounded down; the first parts get one more of the rest."
  (let* ((lengths (map (lambda (x) (exact (floor (+ (* x n) 1e-9)))) fractions))
         (left (- n (apply + lengths))))
    (map (lambda (length k) (if (< k left) (+ length 1) length))
         lengths (iota (length lengths)))))

(define (%order-to-split who d shuffle seed)
  "The indices of the examples in the order in which they are shared out."
  (unless (or (not seed) (exact-integer? seed))
    (wrong-type who "an exact integer as seed" seed))
  (if shuffle
      (%permutation (dataset-length d) (or seed (%drawn-seed)) 0)
      (%indices-below (dataset-length d))))

(define (%consecutive-parts d lengths order)
  "The datasets of the first of the order, those that follow, and so on."
  (let loop ((left lengths) (start 0) (parts '()))
    (if (null? left)
        (reverse parts)
        (let ((end (+ start (car left))))
          (loop (cdr left) end
                (cons (%subset d 'subset (tensor-slice order 0 start end))
                      parts))))))

;; Strata.  In an order that is sorted by class, every part takes its share at
;; equal distances, so it gets its share of each class.

(define (%by-class who d order classes)
  "The order, sorted by class."
  (let* ((given (if (eq? classes #t) (last (dataset-tensors d)) classes))
         (labels (if (list? given) (tensor given :device "cpu") given)))
    (unless (and (tensor? labels)
                 (equal? (tensor-shape labels) (list (dataset-length d))))
      (wrong-type who (string (dataset-length d) " classes") given))
    (tensor-index-select
     order 0
     (tensor-argsort (tensor-index-select (tensor-to labels "cpu") 0 order)
                     :stable #t))))

(define (%stratified-parts d lengths order)
  "Datasets that take examples of the order at equal distances."
  (let loop ((left lengths) (order order) (parts '()))
    (if (null? left)
        (reverse parts)
        (let ((taken (%spread-mask (car left) (car (tensor-shape order)))))
          (loop (cdr left)
                (tensor-masked-select order (tensor-logical-not taken))
                (cons (%subset d 'subset
                               (tensor-masked-select order taken))
                      parts))))))

(define (%spread-mask m n)
  "A mask of n booleans, m of which are true, at equal distances."
  (let ((steps (tensor-mul (%indices-below (+ n 1)) m)))
    (if (= n 0)
        (tensor-zeros 0 :dtype 'bool :device "cpu")
        (let ((levels (tensor-floor-divide steps n)))
          (tensor-gt (tensor-slice levels 0 1 (+ n 1))
                     (tensor-slice levels 0 0 n))))))

(define (k-folds d k :seed #f :shuffle #t :stratify #f)
  "The k pairs of datasets of k-fold cross-validation: a list of lists of the
  training examples and the validation examples.  Every example is in one
  validation set.  shuffle, seed and stratify are those of split-dataset."
  (%check-dataset "k-folds" d)
  (unless (and (exact-integer? k) (<= 2 k (dataset-length d)))
    (wrong-type "k-folds"
                (string "a number of folds from 2 to " (dataset-length d)) k))
  (let* ((order (%order-to-split "k-folds" d shuffle seed))
         (order (if stratify (%by-class "k-folds" d order stratify) order))
         (folds (tensor-remainder (%indices-below (dataset-length d)) k)))
    (map (lambda (fold)
           (let ((held (tensor-eq folds fold)))
             (list (%subset d 'subset
                            (tensor-masked-select
                             order (tensor-logical-not held)))
                   (%subset d 'subset (tensor-masked-select order held)))))
         (iota k))))

;; Shards.

(define (shard-dataset d rank world :drop-last #f)
  "The examples of one of several processes: rank, rank + world, and so on.

  All shards have equally many: the first examples come again at the end or,
  with drop-last, the last ones are left out.  A loader that shuffles a shard
  shuffles all of d and then takes the shard, so that processes with the same
  seed share out each epoch, and batch k of all of them together is batch k of
  one process with the batch size times world."
  (%check-dataset "shard-dataset" d)
  (unless (and (exact-integer? world) (> world 0))
    (wrong-type "shard-dataset" "a number of processes from 1" world))
  (unless (and (exact-integer? rank) (< -1 rank world))
    (wrong-type "shard-dataset" (string "a rank from 0 to " (- world 1)) rank))
  (%shard (%indexable d) (list rank world (if drop-last #t #f))))

(define (%shard d shard)
  "The dataset of a process's examples; shard is (rank world drop-last)."
  (let ((part (%subset d 'shard
                       (%share-of (%indices-below (dataset-length d)) shard))))
    (%dataset 'shard (dataset-length part) (%rows-of part)
              (%dataset-field part 3) (%dataset-field part 4)
              (cons (cons 'shard (cons d shard)) (%facts d)))))
