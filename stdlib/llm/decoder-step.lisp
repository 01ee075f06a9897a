;; decoder-step.lisp - what one call of a language model tells all its layers:
;; where its tokens stand, by which angles they are rotated, and what they see.

(define-record-type %step
  (%make-step cache start count device padding positions angles masks watched
              weights)
  %step?
  (cache %step-cache)
  (start %step-start)                            ; tokens before these
  (count %step-count)                            ; tokens of a row
  (device %step-device)
  (padding %step-padding)                        ; int64 [n], or #f
  (positions %step-positions)                    ; int64 [t] or [n, t]
  (angles %step-angles)                          ; of %angles, or #f
  (masks %step-masks %set-step-masks!)           ; alist, see %step-mask
  (watched %step-watched %set-step-watched!)     ; a layer whose weights to show
  (weights %step-weights %set-step-weights!))

(define (%new-step model ids cache padding)
  "The step of a call, after its arguments have been checked."
  (%check-ids ids)
  (let ((rows (tensor-size ids 0)) (count (tensor-size ids 1)))
    (when padding (%check-padding padding rows count))
    (when cache (%check-cache-fits cache rows count padding))
    (let* ((start (if cache (%cache-length cache) 0))
           (padding (%begin-padding! cache padding))
           (positions (and (or padding (decoder-positions model))
                           (%token-positions start count padding
                                             (tensor-device ids))))
           (rotation (decoder-rotation model)))
      (%make-step cache start count (tensor-device ids) padding positions
                  (and rotation
                       (%angles rotation start count (and padding positions)
                                (model-dtype model) (tensor-device ids)))
                  '() #f #f))))

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

(define (%begin-padding! cache padding)
  "The padding of a call, which a cache remembers; #f for none."
  (let ((padding (and padding
                      (> (tensor-item (tensor-max padding)) 0)
                      padding)))
    (cond ((not cache) padding)
          ((= (%cache-length cache) 0)
           (%set-cache-padding! cache padding)
           padding)
          (else (%cache-padding cache)))))

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
    (when cache
      (%set-cache-length! cache (+ (%step-start step) (%step-count step))))))

(define (%watch-layer! step layer)
  (%set-step-watched! step layer))

;; Masks.

(define (%step-mask step window first keys)
  "What the tokens of a step see of keys from position `first`: #f for all,
  causal, or a mask [t, s] or [n, 1, t, s].  Layers with the same window share
  it."
  (let ((start (%step-start step)) (count (%step-count step)))
    (cond ((%step-padding step) (%kept-mask step window first keys))
          ((= count 1) #f)                       ; see %seen-keys
          ((and (= start 0) (or (not window) (<= count window))) 'causal)
          (else (%kept-mask step window first keys)))))

(define (%kept-mask step window first keys)
  "The mask of a window, which is computed once a step."
  (let* ((id (list window first keys))
         (found (assoc id (%step-masks step))))
    (if found
        (cdr found)
        (let ((mask (%new-mask step window first keys)))
          (%set-step-masks! step (cons (cons id mask) (%step-masks step)))
          mask))))

(define (%new-mask step window first keys)
  (let* ((padding (%step-padding step))
         (start (- (%step-start step) first))    ; the slot of the first query
         (seen (%position-mask start (%step-count step) keys window
                               (%step-device step))))
    (if padding
        (%without-padding seen start first padding)
        seen)))

(define (%without-padding seen start first padding)
  "A mask [n, 1, t, s] in which padding is seen by itself only, so that no row
  is empty.  seen [t, s]; padding [n]."
  (let* ((t (tensor-size seen 0))
         (slots (tensor-arange (tensor-size seen 1)
                               :device (tensor-device padding)))
         (real (tensor-ge (+ slots first) (tensor-unsqueeze padding 1)))
         (itself (tensor-eq slots
                            (tensor-unsqueeze
                             (tensor-arange start (+ start t)
                                            :device (tensor-device padding))
                             1))))
    (tensor-unsqueeze
     (tensor-logical-or (tensor-logical-and seen (tensor-unsqueeze real 1))
                        itself)
     1)))
