;; decoder-step.lisp - what one call of a language model tells all its layers:
;; where its tokens stand, by which angles they are rotated, what is padding.

(define-record-type %step
  (%make-step cache start count padding positions angles find others watched
              weights memory)
  %step?
  (cache %step-cache)
  (start %step-start)                            ; tokens before these
  (count %step-count)                            ; tokens of a row
  (padding %step-padding)                        ; int64 [n], or #f
  (positions %step-positions)                    ; int64 [t] or [n, t], or #f
  (angles %step-angles)                          ; of the model's rotation
  (find %step-find)                              ; angles of another rotation
  (others %step-others %set-step-others!)        ; those found so far, an alist
  (watched %step-watched %set-step-watched!)     ; a layer whose weights to show
  (weights %step-weights %set-step-weights!)
  (memory %step-memory %set-step-memory!))       ; of an encoder, or #f

(define (%new-step model ids cache padding)
  "The step of a call, after its arguments have been checked."
  (%check-ids ids)
  (let ((rows (tensor-size ids 0)) (count (tensor-size ids 1))
        (padding (and padding
                      (if (tensor? padding)
                          (tensor-to padding (tensor-device ids))
                          padding))))
    (when padding (%check-padding padding rows count))
    (cond ((not cache)
           (%step-at model ids #f 0 count (%real-padding padding)))
          ((kv-cache? cache)
           (%check-cache-fits cache rows count padding)
           (%step-at model ids cache (%cache-length cache) count
                     (%begin-padding! cache padding)))
          ((%paged-batch? cache)
           (%paged-step model ids cache count padding))
          (else
           (wrong-type "language model" "a cache of kv-cache"
                       cache)))))

(define (%step-at model ids cache start count padding)
  "The step of tokens that all stand after `start` others."
  (let* ((streaming (%streaming cache))
         (positions (and (or padding streaming (decoder-positions model))
                         (%token-positions start count padding
                                           (tensor-device ids))))
         (positions (if streaming
                        (%streamed-places streaming positions)
                        positions)))
    (%step-with model ids cache start count padding positions
                (and padding positions)
                (and padding
                     (map (lambda (padded) (- (+ start count) padded))
                          (tensor->list padding))))))

(define (%step-with model ids cache start count padding positions rotated
                    lengths)
  "The step with its angles: of the positions `rotated`, or those from start;
  lengths: see %angles.  A cache with sinks rotates by itself."
  (let* ((device (tensor-device ids))
         (streaming (%streaming cache))
         (find (lambda (rotation)
                 (if (and rotation (not streaming))
                     (%tables-of rotation
                                 (%angles rotation start count rotated lengths
                                          device))
                     (%no-tables count device rotation)))))
    (when (decoder-positions model)
      (%check-context model (+ start count)))
    (%make-step cache start count padding positions
                (find (decoder-rotation model)) find '() #f #f #f)))

(define (%layer-angles step rotation)
  "The angles of a step for a layer: those of the model's rotation, where its
  own is the symbol model, or of another rotation, or #f for none."
  (if (eq? rotation 'model)
      (%step-angles step)
      (let ((found (assq rotation (%step-others step))))
        (if found
            (cdr found)
            (let ((angles ((%step-find step) rotation)))
              (%set-step-others! step
                                 (cons (cons rotation angles)
                                       (%step-others step)))
              angles)))))

(define (%check-context model needed)
  "Raise an error if learned positions do not reach that far."
  (when (> needed (model-context model))
    (error (format "language model: the model has learned ~a positions, this \
call needs" (model-context model))
           needed)))

(define (%check-ids ids)
  (unless (and (tensor? ids) (= (tensor-rank ids) 2)
               (memq (tensor-dtype ids) '(int64 int32))
               (> (tensor-numel ids) 0))
    (%error-with-hint
     "language model: expected token ids [n, t] of dtype int64, got"
     (if (tensor? ids)
         (list (tensor-shape ids) (tensor-dtype ids))
         (list ids))
     "one row of ids: (tensor (list ids))")))

(define (%check-padding padding rows count)
  (unless (and (tensor? padding)
               (eq? (tensor-dtype padding) 'int64)
               (equal? (tensor-shape padding) (list rows))
               (>= (tensor-item (tensor-min padding)) 0)
               (< (tensor-item (tensor-max padding)) count))
    (error (format "language model: expected :padding as int64 [~a] from 0 to \
~a, got" rows (- count 1))
           padding)))

(define (%real-padding padding)
  "The padding, or #f if there is none in any row."
  (and padding (> (tensor-item (tensor-max padding)) 0) padding))

(define (%begin-padding! cache padding)
  "The padding of a call, which a cache remembers."
  (when (= (%cache-length cache) 0)
    (%set-cache-padding! cache (%real-padding padding)))
  (%cache-padding cache))

(define (%token-positions start count padding device)
  "The positions of tokens: [t], or with padding [n, t], from the first token
  that is not padding."
  (let ((places (tensor-arange start (+ start count) :device device)))
    (if padding
        (tensor-clamp-min (- places (tensor-unsqueeze padding 1)) 0)
        places)))

(define (%finish-step! step)
  "Let the cache have the tokens of a step."
  (let ((cache (%step-cache step)))
    (cond ((not cache) #f)
          ((kv-cache? cache)
           (vector-for-each %finish-store! (%cache-stores cache))
           (%set-cache-length! cache (+ (%step-start step) (%step-count step))))
          (else (%finish-paged! cache (%step-count step))))))

(define (%watch-layer! step layer)
  (%set-step-watched! step layer))
