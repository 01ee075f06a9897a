;; loader.lisp - data loaders: the batches of a dataset, epoch after epoch.
;;
;; The order of an epoch depends on the loader's seed and the number of the
;; epoch, and on nothing else.  So a loader that is given the seed, the epoch
;; and the position of another continues with the same batches.
;;
;; A loader holds its settings, and a %pass: where it is.  Batches of tensors
;; are gathered by ctorch (ctorch/data/batches.cpp), ahead on another thread if
;; prefetch is not 0.  That thread ends with the pass, however it is left, and
;; with the loader.

(define %loader-type
  (%record-type 'data-loader #(examples batch-size shuffle #f #f)))

(define-record-type %loader-settings
  (%make-loader-settings dataset shard drop-last collate transform prefetch
                         sampler device)
  %loader-settings?
  (dataset %dataset-of)
  (shard %shard-of)
  (drop-last %drop-last?)
  (collate %collate-of)
  (transform %transform-of)
  (prefetch %prefetch-of)
  (sampler %sampler-of)
  (device %device-of))                           ; a string, or #f

;; position: how many batches of the epoch the program has been given.
;; order: the indices of the epoch's examples, #f before it has begun.
;; batches: ctorch's, #f if the examples are taken one by one.
;; resumed: whether the next pass continues at the position.
;; number: how many passes have begun.
(define-record-type %loader-pass
  (%make-loader-pass seed epoch position order batches resumed number)
  %loader-pass?
  (seed %pass-seed %set-pass-seed!)
  (epoch %pass-epoch %set-pass-epoch!)
  (position %pass-position %set-pass-position!)
  (order %pass-order %set-pass-order!)
  (batches %pass-batches %set-pass-batches!)
  (resumed %pass-resumed %set-pass-resumed!)
  (number %pass-number %set-pass-number!))

(define (data-loader dataset :batch-size 32 :shuffle #f :drop-last #f
                     :collate #f :prefetch 0 :seed #f :sampler #f
                     :transform #f :device #f)
  "A loader of a dataset's batches; do-batches and for-each-batch pass through
  them.

  shuffle: a new order in each epoch, which depends on the seed and the epoch
  only; without a seed, one is drawn from the default generator.

  sampler, instead of shuffle: the indices of an epoch's examples, a list or a
  tensor, or a procedure from the epoch to them, such as weighted-sampler's.

  drop-last: leave out a last batch that is not full.

  collate: a procedure from a list of examples to the batch, a list of its
  parts; the default is collate.  transform: a procedure of a batch's parts,
  whose result, a list of parts or one part, takes their place.

  prefetch: how many batches are gathered ahead, on another thread.  That needs
  a dataset of tensors on the CPU, also of those in files, which must not change
  meanwhile.  map-dataset, make-dataset, folder-dataset and a collate of your
  own are Lisp, which runs in the thread of the program, so their examples are
  loaded there.

  device: where the tensors of a batch go, before transform.  Batches that are
  gathered ahead are copied to a GPU while it computes."
  (%check-dataset "data-loader" dataset)
  (%check-loader batch-size prefetch (list collate transform)
                 (and sampler shuffle))
  (let* ((shard (%dataset-fact dataset 'shard))
         (base (%indexable (if shard (car shard) dataset)))
         (n (dataset-length dataset)))
    (when (= n 0)
      (error "data-loader: the dataset is empty"))
    (%record %loader-type n batch-size (if shuffle #t #f)
             (%make-loader-settings base (and shard (cdr shard)) drop-last
                                    collate transform prefetch
                                    (%checked-sampler sampler)
                                    (and device
                                         (%checked-device "data-loader"
                                                          device)))
             (%make-loader-pass (if (and shuffle (not seed))
                                    (%drawn-seed)
                                    (%checked-seed seed))
                                0 0 #f #f #f 0))))

(define (%check-loader batch-size prefetch procedures ordered-twice)
  "Check the arguments of data-loader."
  (unless (and (exact-integer? batch-size) (> batch-size 0))
    (wrong-type "data-loader" "a batch size from 1" batch-size))
  (unless (and (exact-integer? prefetch) (>= prefetch 0))
    (wrong-type "data-loader" "a number of batches as prefetch" prefetch))
  (for-each (lambda (f)
              (unless (or (not f) (procedure? f))
                (wrong-type "data-loader" "a procedure" f)))
            procedures)
  (when ordered-twice
    (error "data-loader: expected :shuffle or :sampler, got both")))

(define (%checked-sampler sampler)
  "The sampler; indices as a tensor."
  (if (or (not sampler) (procedure? sampler))
      sampler
      (%index-tensor "data-loader" sampler)))

(define (%checked-seed seed)
  "A seed that an order may depend on."
  (unless (or (not seed) (exact-integer? seed))
    (wrong-type "data-loader" "an exact integer as seed" seed))
  seed)

(define (%drawn-seed)
  "A seed from the default generator."
  (tensor-item (tensor-randint 0 2147483647 '() :device "cpu")))

(define (data-loader? x)
  "Whether it is a data loader."
  (%record? x %loader-type))

(define (%loader-settings-of who loader)
  "The settings of a loader."
  (unless (data-loader? loader)
    (wrong-type who "a data loader" loader))
  (%record-ref loader %loader-type 3 "data-loader"))

(define (%pass-of who loader)
  "Where a loader is."
  (unless (data-loader? loader)
    (wrong-type who "a data loader" loader))
  (%record-ref loader %loader-type 4 "data-loader"))

(define (%batch-size-of loader)
  "The number of examples in a full batch."
  (%record-ref loader %loader-type 1 "data-loader"))

(define (%shuffles? loader)
  "Whether each epoch has an order of its own."
  (%record-ref loader %loader-type 2 "data-loader"))

(define (loader-epoch loader)
  "The number of the epoch that the loader is in, or of the next one: 0 at
  first."
  (let ((pass (%pass-of "loader-epoch" loader)))
    (if (%left-early? pass)
        (+ (%pass-epoch pass) 1)
        (%pass-epoch pass))))

(define (%left-early? pass)
  "Whether an epoch was begun and then left."
  (and (not (%pass-order pass))
       (not (%pass-resumed pass))
       (> (%pass-position pass) 0)))

(define (loader-length loader)
  "The number of batches in an epoch."
  (let* ((settings (%loader-settings-of "loader-length" loader))
         (sampler (%sampler-of settings))
         (n (if sampler
                (car (tensor-shape
                      (%share-of (%sampled-indices sampler
                                                   (loader-epoch loader))
                                 (%shard-of settings))))
                (%record-ref loader %loader-type 0 "loader-length"))))
    (%batch-count n (%batch-size-of loader) (%drop-last? settings))))

(define (%batch-count n size drop-last)
  "How many batches n examples make."
  (quotient (if drop-last n (+ n size -1)) size))

;; A pass through an epoch.

(define (%begin-pass! loader)
  "Begin the next pass, or continue the one that load-loader-state! has set;
  its number."
  (let ((pass (%pass-of "data-loader" loader)))
    (%set-pass-batches! pass #f)
    (when (or (%pass-order pass) (%left-early? pass))
      (%next-epoch! pass))
    (%set-pass-resumed! pass #f)
    (%set-pass-number! pass (+ (%pass-number pass) 1))
    (%set-pass-order! pass (%whole-batches loader (%epoch-order loader)))
    (%set-pass-batches! pass (%start-gathering loader pass))
    (%pass-number pass)))

(define (%whole-batches loader order)
  "The order, without a last batch that is left out."
  (let ((n (car (tensor-shape order)))
        (size (%batch-size-of loader)))
    (if (%drop-last? (%loader-settings-of "data-loader" loader))
        (tensor-slice order 0 0 (* size (quotient n size)))
        order)))

(define (%start-gathering loader pass)
  "ctorch's batches from the pass's position on; #f if the examples are not
  rows of tensors, or are collated by the program."
  (let* ((settings (%loader-settings-of "data-loader" loader))
         (d (%dataset-of settings))
         (rows (and (not (%collate-of settings)) (%rows-of d)))
         (within (and (%dataset-record? d) (%dataset-field d 3)))
         (start (* (%pass-position pass) (%batch-size-of loader)))
         (order (and rows (%order-from (%pass-order pass) start))))
    (and rows
         (%procedure "start-batches" (%parts-of rows)
                     (if within (%rows-within within order) order)
                     (%batch-size-of loader) (%prefetch-of settings)
                     (%device-of settings)))))

(define (%sent-parts parts settings)
  "The tensors among the parts of a batch, on the loader's device."
  (let ((device (%device-of settings)))
    (if device
        (map (lambda (part) (if (tensor? part) (tensor-to part device) part))
             parts)
        parts)))

(define (%order-from order start)
  "What is left of the order."
  (tensor-slice order 0 (min start (car (tensor-shape order)))
                (car (tensor-shape order))))

(define (%rows-within within order)
  "The rows of a subset's tensors for the indices of its examples."
  (%check-indices "data-loader" order (car (tensor-shape within)))
  (tensor-index-select within 0 order))

(define (%next-parts! loader)
  "The parts of the next batch, or #f at the end of the epoch."
  (let* ((pass (%pass-of "data-loader" loader))
         (settings (%loader-settings-of "data-loader" loader))
         (batch (if (%pass-batches pass)
                    (%procedure "data-loader" (%pass-batches pass))
                    (%collected-parts loader pass settings)))
         (transform (%transform-of settings)))
    (and batch
         (begin
           (%set-pass-position! pass (+ (%pass-position pass) 1))
           (if transform (%parts-of (apply transform batch)) batch)))))

(define (%collected-parts loader pass settings)
  "The parts of the next batch, of examples that are taken one by one, or #f."
  (let* ((size (%batch-size-of loader))
         (order (%pass-order pass))
         (n (car (tensor-shape order)))
         (start (* (%pass-position pass) size)))
    (and (< start n)
         (let* ((d (%dataset-of settings))
                (indices (tensor->list
                          (tensor-slice order 0 start (min n (+ start size)))))
                (examples (map (lambda (i) (%checked-example d i)) indices))
                (own (%collate-of settings)))
           (%sent-parts (if own
                            (%parts-of (own examples))
                            (%collated-parts examples indices))
                        settings)))))

(define (%checked-example d i)
  "The example at an index that a sampler may have chosen."
  (unless (< -1 i (dataset-length d))
    (%out-of-range "data-loader" i (dataset-length d)))
  (%example-at d i))

(define (%next-epoch! pass)
  "Set a pass to the beginning of the next epoch."
  (%set-pass-epoch! pass (+ (%pass-epoch pass) 1))
  (%set-pass-position! pass 0)
  (%leave-pass! pass))

(define (%leave-pass! pass)
  "End the thread of a pass, and forget its order."
  (%set-pass-batches! pass #f)
  (%set-pass-order! pass #f))

;; What programs call.

(define (for-each-batch f loader)
  "Call f with the parts of each batch of one epoch.  If it is left early, the
  next pass begins the next epoch."
  (unless (procedure? f)
    (wrong-type "for-each-batch" "a procedure" f))
  (let ((pass (%pass-of "for-each-batch" loader))
        (number (%begin-pass! loader)))
    (dynamic-wind
     (lambda () #f)
     (lambda ()
       (let loop ()
         (unless (= (%pass-number pass) number)
           (error "for-each-batch: another pass over the loader has begun"))
         (let ((batch (%next-parts! loader)))
           (when batch
             (apply f batch)
             (loop))))
       (%next-epoch! pass))
     (lambda ()
       (when (= (%pass-number pass) number)
         (%leave-pass! pass))))))

(define-syntax do-batches
  "Run the body for each batch of one epoch: (do-batches ((x y) loader) ...)"
  (syntax-rules ()
    ((_ (names loader) body ...)
     (for-each-batch (lambda names body ...) loader))))

(define (next-batch loader)
  "The parts of the next batch, as a list.  After the last batch of an epoch
  comes the first one of the next."
  (let ((pass (%pass-of "next-batch" loader)))
    (unless (%pass-order pass)
      (%begin-pass! loader))
    (or (%next-parts! loader)
        (begin
          (%next-epoch! pass)
          (%begin-pass! loader)
          (%next-parts! loader))
        (error (string "next-batch: an epoch has no full batch of "
                       (%batch-size-of loader) " examples")))))

(define (loader->generator loader)
  "A generator, after SRFI 158, of the batches of one epoch, lists of their
  parts: each call returns the next one, or the end-of-file object after the
  last.  If it is left early, the next pass begins the next epoch."
  (let ((pass (%pass-of "loader->generator" loader))
        (number (%begin-pass! loader))
        (done? #f))
    (lambda ()
      (cond (done? (eof-object))
            ((not (= (%pass-number pass) number))
             (error "loader->generator: another pass over the loader has begun"))
            ((%next-parts! loader))
            (else
             (%next-epoch! pass)
             (set! done? #t)
             (eof-object))))))
