;; paged-states.lisp - the states of sequences that share calls: each sequence has
;; its own, and a call joins those of its batch.

(define (%batch-state batch layer)
  "The state of a layer before a call, a row for each sequence of the batch; #f if
  all of them begin."
  (let* ((states (map (lambda (each) (%sequence-state each layer))
                      (%batch-sequences batch)))
         (like (find (lambda (state) state) states)))
    (cond ((not like) #f)
          ((null? (cdr states)) like)
          (else                    ; a sequence that begins has zeros before it
           (apply map (lambda parts (tensor-cat parts 0))
                  (map (lambda (state) (or state (map tensor-zeros-like like)))
                       states))))))

(define (%sequence-state sequence layer)
  "The state of a layer after the tokens of a sequence, a list of tensors, or #f."
  (let ((states (%sequence-states sequence)))
    (and states (vector-ref states layer))))

(define (%set-batch-state! batch layer parts)
  "Let a list of tensors be the state of a layer when the call has succeeded."
  (unless (%batch-states batch)
    (%set-batch-states! batch
                        (make-vector (vector-length
                                      (%pool-layers (%batch-pool batch)))
                                     #f)))
  (vector-set! (%batch-states batch) layer parts))

(define (%finish-states! batch)
  "Let each sequence of a batch have its rows of the states."
  (let ((states (%batch-states batch)) (sequences (%batch-sequences batch)))
    (when states
      (for-each
       (lambda (sequence row)
         (%set-sequence-states!
          sequence
          (vector-map (lambda (parts)
                        (and parts
                             (map (lambda (part) (tensor-narrow part 0 row 1))
                                  parts)))
                      states)))
       sequences (iota (length sequences))))))

(define (%check-states-of sequence n)
  "Raise an error if a sequence has states of more than n tokens; for n = 0, let
  it have none."
  (cond ((= n 0) (%set-sequence-states! sequence #f))
        ((and (%sequence-states sequence)
              (< n (%sequence-length sequence)))
         (%error-with-hint
          (format "sequence-truncate!: cannot go back to ~a of ~a tokens: the \
layers of the model have states, not keys" n (%sequence-length sequence))
          '() "run the tokens again, in a new sequence"))))
