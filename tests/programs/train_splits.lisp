; Parts of datasets, scalers, and classes as columns.
(define (counts d) (sort (dataset->list d) <))
(define (lengths parts) (map dataset-length parts))

(define parts (split-dataset (iota 10) '(0.7 0.2 0.1) :seed 3))
(print (lengths parts) (sort (append-map dataset->list parts) <)) ; => (7 2 1) (0 1 2 3 4 5 6 7 8 9)
(print (equal? (map dataset->list parts)
               (map dataset->list (split-dataset (iota 10) '(7 2 1) :seed 3)))) ; => #t
(print (equal? (counts (car parts)) (counts (car (split-dataset (iota 10) '(7 3) :seed 4))))) ; => #f
(print (map dataset->list (split-dataset '(a b c d) '(1 3) :shuffle #f))) ; => ((a) (b c d))
(print (lengths (split-dataset (iota 10) '(1/3 1/3 1/3)))) ; => (4 3 3)
(print (lengths (split-dataset (iota 3) '(3 0)))) ; => (3 0)
(manual-seed 8)
(define drawn (map dataset->list (split-dataset (iota 9) '(4 5))))
(manual-seed 8)
(print (equal? drawn (map dataset->list (split-dataset (iota 9) '(4 5))))) ; => #t

; Every part has its share of each class.
(define classes (append (make-list 60 0) (make-list 30 1) (make-list 10 2)))
(define (shares d) (map (lambda (c) (count (lambda (x) (= x c)) (dataset->list d))) '(0 1 2)))
(print (map shares (split-dataset classes '(0.5 0.3 0.2) :stratify classes :seed 1)))
; => ((30 15 5) (18 9 3) (12 6 2))
(define d (tensor-dataset (tensor-arange 100) (tensor classes)))
(print (map (lambda (p) (shares (cadr (dataset-tensors p))))
            (split-dataset d '(50 50) :stratify #t :seed 2))) ; => ((30 15 5) (30 15 5))

; Folds.
(define folds (k-folds (iota 7) 3 :seed 1))
(print (map lengths folds))                     ; => ((4 3) (5 2) (5 2))
(print (counts (apply concat-datasets (map cadr folds)))) ; => (0 1 2 3 4 5 6)
(print (map (lambda (fold) (equal? (counts (apply concat-datasets fold)) (iota 7))) folds)) ; => (#t #t #t)
(print (map (lambda (fold) (shares (cadr fold))) (k-folds classes 5 :stratify classes)))
; => ((12 6 2) (12 6 2) (12 6 2) (12 6 2) (12 6 2))

; Shards are equally long.
(define (shards n world . options)
  (map (lambda (rank) (dataset->list (apply shard-dataset (iota n) rank world options)))
       (iota world)))
(print (shards 7 3))                            ; => ((0 3 6) (1 4 0) (2 5 1))
(print (shards 7 3 :drop-last #t))              ; => ((0 3) (1 4) (2 5))
(print (shards 1 3))                            ; => ((0) (0) (0))
(print (dataset->list (subset-dataset (shard-dataset (iota 7) 1 3) '(1)))) ; => (4)

; Scalers.
(define x [[1.0 2.0 5.0] [3.0 4.0 5.0]])
(define s (standardizer x))
(print s (scale s x) (scaler-offset s) (scaler-width s)) ; => #<scaler method: standard> [[-1.0 -1.0 0.0] [1.0 1.0 0.0]] [2.0 3.0 5.0] [1.0 1.0 1.0]
(print (equal? (unscale s (scale s x)) x))      ; => #t
(print (scale (min-max-scaler x) x) (scale (min-max-scaler x :low -1 :high 3) x)) ; => [[0.0 0.0 0.0] [1.0 1.0 0.0]] [[-1.0 -1.0 -1.0] [3.0 3.0 -1.0]]
(print (scale (standardizer [1 3]) 5))          ; => 3.0
(define same (load-scaler-state! (min-max-scaler [0 1]) (scaler-state s)))
(print same (equal? (scale same x) (scale s x))) ; => #<scaler method: standard> #t
(print (one-hot '(0 2)) (one-hot [[1] [0]] :count 2 :dtype 'int64)) ; => [[1.0 0.0 0.0] [0.0 0.0 1.0]] [[[0 1]] [[1 0]]]

; Samplers that prefer some examples.
(define rare (weighted-sampler '(0 1 0 3) 1000 :seed 1))
(define (share d epoch) (/ (count (lambda (i) (= i 3)) (tensor->list (rare epoch))) 1000))
(print (< 0.7 (share d 0) 0.8) (sort (delete-duplicates (tensor->list (rare 0))) <)) ; => #t (1 3)
(print (equal? (rare 0) ((weighted-sampler [0.0 1.0 0.0 3.0] 1000 :seed 1) 0)) (equal? (rare 0) (rare 1))) ; => #t #f
(define some (data-loader '(a b c d) :sampler (weighted-sampler '(1 1 0 1) 3 :replacement #f)))
(do-batches ((names) some)
  (print (sort (map symbol->string names) string<?))) ; => (a b d)
(print (loader-length some))                    ; => 1

; Wrong use.
(import "modules/wrong.lisp")
(wrong split-dataset (iota 10) '(0.5 0.4))      ; => split-dataset: expected lengths that add up to 10 or fractions that add up to 1, got (0.5 0.4)
(wrong split-dataset (iota 10) '(5 6))          ; => split-dataset: expected lengths that add up to 10 or fractions that add up to 1, got (5 6)
(wrong split-dataset (iota 10) '(11 -1))        ; => split-dataset: expected a list of lengths or fractions, got (11 -1)
(wrong split-dataset (iota 10) '(5 5) :stratify '(1 2)) ; => split-dataset: expected 10 classes, got (1 2)
(wrong split-dataset (iota 10) '(5 5) :seed "a") ; => split-dataset: expected an exact integer as seed, got "a"
(wrong k-folds (iota 3) 4)                      ; => k-folds: expected a number of folds from 2 to 3, got 4
(wrong shard-dataset (iota 3) 2 2)              ; => shard-dataset: expected a rank from 0 to 1, got 2
(wrong shard-dataset (iota 3) 0 0)              ; => shard-dataset: expected a number of processes from 1, got 0
(wrong standardizer 5)                          ; => standardizer: expected a tensor of examples, got 5
(wrong standardizer (tensor-ones 0 2))          ; => standardizer: expected at least one example, got shape (0 2)
(wrong min-max-scaler x :low 2)                 ; => min-max-scaler: expected low below high, got 2 and 1
(wrong scale x x)                               ; => scale: expected a scaler, got a tensor float32 (2 3)
(wrong load-scaler-state! s '())                ; => load-scaler-state!: expected an alist from scaler-state, got ()
(wrong weighted-sampler 5 5)                    ; => weighted-sampler: expected a list or a tensor of weights, got 5
(wrong weighted-sampler '(1 2) 3 :replacement #f) ; => weighted-sampler: cannot draw 3 of 2 examples without replacement
