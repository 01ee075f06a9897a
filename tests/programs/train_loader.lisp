; Loaders: order, batches, state.
(define x (tensor-reshape (tensor-arange 20) 10 2))
(define y (tensor-arange 10))
(define d (tensor-dataset x y))
(define (classes loader)
  (let ((all '()))
    (do-batches ((x y) loader)
      (assert (equal? (tensor-select x 1 0) (* y 2)))
      (set! all (cons (tensor->list y) all)))
    (reverse all)))

(define plain (data-loader d :batch-size 4))
(print plain (loader-length plain) (data-loader? plain) (data-loader? d)) ; => #<data-loader examples: 10 batch-size: 4 shuffle: #f> 3 #t #f
(print (classes plain) (loader-epoch plain))    ; => ((0 1 2 3) (4 5 6 7) (8 9)) 1
(print (classes (data-loader d :batch-size 4 :drop-last #t))) ; => ((0 1 2 3) (4 5 6 7))
(print (loader-length (data-loader d :batch-size 4 :drop-last #t))) ; => 2
(print (loader-length (data-loader d :batch-size 20 :drop-last #t))) ; => 0

; Every epoch has each example once, in an order that seed and epoch determine.
(define (loader seed) (data-loader d :batch-size 3 :shuffle #t :seed seed))
(define a (loader 1))
(define first (classes a))
(define second (classes a))
(print (sort (apply append first) <))           ; => (0 1 2 3 4 5 6 7 8 9)
(print (sort (apply append second) <))          ; => (0 1 2 3 4 5 6 7 8 9)
(print (equal? first second))                   ; => #f
(manual-seed 99)
(tensor-rand 7)
(define again (loader 1))
(print (equal? first (classes again)) (equal? second (classes again))) ; => #t #t
(print (equal? first (classes (loader 2))))     ; => #f
(print (equal? second (classes (loader 2))))    ; => #f

; Without a seed, the default generator draws one.
(define (drawn) (classes (data-loader d :shuffle #t)))
(manual-seed 5)
(define one (drawn))
(manual-seed 5)
(print (equal? one (drawn)))                    ; => #t

; Ahead on another thread: the same.
(define ahead (data-loader d :batch-size 3 :shuffle #t :seed 1 :prefetch 2))
(print (equal? first (classes ahead)) (equal? second (classes ahead))) ; => #t #t

; A pass that is left early: the next one is the next epoch.
(define (leave-after k loader)
  (let ((n 0))
    (call/cc (lambda (out)
               (do-batches ((x y) loader)
                 (set! n (+ n 1))
                 (when (= n k) (out (loader-state loader))))))))
(define left (data-loader d :batch-size 3 :shuffle #t :seed 1 :prefetch 9))
(define state (leave-after 2 left))
(print (map cdr state))                         ; => (data-loader 10 3 #t #f 1 0 2)
(print (loader-epoch left) (equal? second (classes left)) (loader-epoch left)) ; => 1 #t 2

; A state leads to the rest of its epoch, and the next epoch.
(define (resumed state prefetch)
  (load-loader-state! (data-loader d :batch-size 3 :shuffle #t :seed 7 :prefetch prefetch)
                      state))
(define r (resumed state 0))
(print (loader-epoch r) (equal? (classes r) (cddr first)) (equal? (classes r) second)) ; => 0 #t #t
(define s (resumed state 2))
(print (equal? (classes s) (cddr first)) (equal? (classes s) second)) ; => #t #t
(define at-end (resumed (leave-after 4 (loader 1)) 1))
(print (classes at-end) (equal? (classes at-end) second)) ; => () #t
(define between (resumed (loader-state (let ((l (loader 1))) (classes l) l)) 0))
(print (loader-epoch between) (equal? (classes between) second)) ; => 1 #t

; An error in the body leaves the epoch, too.
(define broken (loader 1))
(print (guard (e (#t 'caught)) (do-batches ((x y) broken) (error "stop")))) ; => caught
(print (equal? (classes broken) second))        ; => #t

; Batch by batch, without an end.
(define steps (loader 1))
(define (step) (tensor->list (cadr (next-batch steps))))
(print (equal? (list (step) (step) (step) (step)) first)) ; => #t
(print (loader-epoch steps) (equal? (list (step) (step)) (take second 2)) (loader-epoch steps)) ; => 0 #t 1
(print (map cdr (list-tail (loader-state steps) 5))) ; => (1 1 2)

; Examples that are not rows of tensors are collated, also by a procedure.
(define pairs (map (lambda (i) (list i (string "n" i))) (iota 5)))
(do-batches ((n names) (data-loader pairs :batch-size 2)) (print n names))
; => [0 1] (n0 n1)
; => [2 3] (n2 n3)
; => [4] (n4)
(do-batches ((names) (data-loader '("a" "b" "c") :batch-size 2)) (print names))
; => (a b)
; => (c)
(do-batches ((names n) (data-loader pairs :batch-size 3 :prefetch 2
                                    :collate (lambda (l) (list (map cadr l) (length l)))))
  (print names n))
; => (n0 n1 n2) 3
; => (n3 n4) 2
(do-batches ((sum) (data-loader d :batch-size 6 :prefetch 1 :transform (lambda (x y) (tensor-sum y))))
  (print sum))
; => 15
; => 30
(do-batches ((rows) (data-loader (subset-dataset x '(9 0 4)) :batch-size 2)) (print rows))
; => [[18 19] [0 1]]
; => [[8 9]]
(do-batches (all (data-loader d :batch-size 10)) (print (length all))) ; => 2

; A sampler chooses.
(define chosen (data-loader d :batch-size 2 :sampler '(3 3 1)))
(print (classes chosen) (loader-length chosen)) ; => ((3 3) (1)) 2
(define by-epoch (data-loader d :batch-size 2 :sampler (lambda (epoch) (list epoch 9))))
(print (classes by-epoch) (classes by-epoch))   ; => ((0 9)) ((1 9))

; Batches are copies.
(define own (data-loader d :batch-size 2))
(do-batches ((x y) own) (tensor-zero! x))
(print (tensor-ref x 9))                        ; => [18 19]

; Shards share out an epoch; together they are batches of one loader.
(define (shard rank)
  (classes (data-loader (shard-dataset d rank 2) :batch-size 2 :shuffle #t :seed 1)))
(define whole (classes (data-loader d :batch-size 4 :shuffle #t :seed 1)))
(define (later rank)
  (let ((names '()))
    (do-batches ((y) (data-loader (map-dataset (lambda (x y) y) (shard-dataset d rank 2))
                                  :batch-size 2 :shuffle #t :seed 1))
      (set! names (cons (tensor->list y) names)))
    (reverse names)))
(print (equal? (later 1) (shard 1)) (classes (data-loader (subset-dataset (shard-dataset d 1 2) '(2 0))))) ; => #t ((5 1))
(define (together a b) (sort (append a b) <))
(print (equal? (map together (take (shard 0) 2) (take (shard 1) 2))
               (map (lambda (l) (sort l <)) (take whole 2)))) ; => #t

; Wrong use.
(import "modules/wrong.lisp")
(wrong data-loader 5)                           ; => data-loader: expected a dataset, got 5
(wrong data-loader '())                         ; => data-loader: the dataset is empty
(wrong data-loader d :batch-size 0)             ; => data-loader: expected a batch size from 1, got 0
(wrong data-loader d :batch-size 2.0)           ; => data-loader: expected a batch size from 1, got 2.0
(wrong data-loader d :prefetch -1)              ; => data-loader: expected a number of batches as prefetch, got -1
(wrong data-loader d :collate 'stack)           ; => data-loader: expected a procedure, got stack
(wrong data-loader d :shuffle #t :sampler '(1)) ; => data-loader: expected :shuffle or :sampler, got both
(wrong data-loader d :seed 1.5)                 ; => data-loader: expected an exact integer as seed, got 1.5
(wrong data-loader d :sampler 'all)             ; => data-loader: expected a list or a tensor of indices, got all
(wrong for-each-batch list d)                   ; => for-each-batch: expected a data loader, got #<dataset source: tensors length: 10>
(wrong for-each-batch 5 plain)                  ; => for-each-batch: expected a procedure, got 5
(wrong next-batch (data-loader d :batch-size 20 :drop-last #t)) ; => next-batch: an epoch has no full batch of 20 examples
(define (run loader) (do-batches (all loader) all))
(wrong run (data-loader d :sampler '(0 10)))    ; => data-loader: index 10 is out of range for length 10
(wrong run (data-loader d :sampler '(0 10) :prefetch 2 :batch-size 1)) ; => data-loader: index 10 is out of range for length 10
(wrong run (data-loader '(1 2) :sampler '(0 -1))) ; => data-loader: index -1 is out of range for length 2
(wrong run (data-loader (subset-dataset d '(0 1)) :sampler '(2))) ; => data-loader: index 2 is out of range for length 2
(define (nested) (do-batches (all plain) (run plain)))
(wrong nested)                                  ; => for-each-batch: another pass over the loader has begun
(wrong load-loader-state! (loader 1) 5)         ; => load-loader-state!: expected an alist from loader-state, got 5
(wrong load-loader-state! plain state)          ; => load-loader-state!: the state has batch-size 3, the loader 4
(wrong load-loader-state! (loader 1) '(("type" . "adam"))) ; => load-loader-state!: the state has type "adam", the loader "data-loader"
(wrong load-loader-state! (loader 1) '())       ; => load-loader-state!: the state has no entry "type"

;; A loader of another number of ranks: at a position, the batches together are as large.
(define (ranks-loader ranks size) (data-loader (shard-dataset (iota 96) 0 ranks) :batch-size size :shuffle #t :seed 2))
(define there (ranks-loader 3 4))
(define at-start (loader-state there))
(call/cc (lambda (leave) (do-batches ((y) there) (leave #f))))
(define at-one (loader-state there))
(print (cdr (assoc "position" at-start)) (cdr (assoc "position" at-one))) ; => 0 1
(print (data-loader? (load-loader-state! (ranks-loader 4 3) at-one))) ; => #t
(wrong load-loader-state! (ranks-loader 4 4) at-one) ; => load-loader-state!: the ranks' batches together were 12, here they are 16
(print (data-loader? (load-loader-state! (ranks-loader 4 4) at-start))) ; => #t
