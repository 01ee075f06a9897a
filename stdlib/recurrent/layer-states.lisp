;; layer-states.lisp - layers that carry a state of one size from token to
;; token, where attention keeps keys and values of all.
;;
;; A cache keeps the state of each such layer.  A call leaves new states beside
;; the old ones, which they replace when the whole call has succeeded.  Sequences
;; in pages have states of their own (paged-states.lisp).

(define (%step-state step layer)
  "The state of a layer before a step, a list of tensors, or #f at the start."
  (let ((cache (%step-cache step)))
    (cond ((not cache) #f)
          ((%paged-batch? cache) (%batch-state cache layer))
          (else
           (let ((parts (%store-parts (vector-ref (%cache-stores cache)
                                                  layer))))
             (and (pair? parts) parts))))))

(define (%set-step-state! step layer parts)
  "Let a list of tensors be the state of a layer after a step."
  (let ((cache (%step-cache step)))
    (cond ((not cache) #f)
          ((%paged-batch? cache) (%set-batch-state! cache layer parts))
          (else
           (%set-store-next! (vector-ref (%cache-stores cache) layer)
                             parts)))))

(define (%only-real step x)
  "x [n, t, width], with zeros for the tokens that are padding: none after the
  first call with a cache."
  (let ((padding (%step-padding step)))
    (if (and padding (= (%step-start step) 0))
        (let ((places (tensor-arange (%step-count step)
                                     :device (tensor-device x))))
          (* x (tensor-to (tensor-unsqueeze
                           (tensor-ge places (tensor-unsqueeze padding 1)) 2)
                          (tensor-dtype x))))
        x)))

(define-module (causal-conv channels kernel :bias #f)
  "The convolution of each channel with its last inputs: x [n, t, channels] and
  the inputs before, [n, channels, kernel - 1] or #f, -> a list of the result
  and the last inputs."
  ((kernel kernel)
   (weight (tensor-empty channels 1 kernel :dtype (%weight-dtype)) :parameter)
   (bias (and bias (tensor-zeros channels :dtype (%weight-dtype))) :parameter))
  (forward (x before)
    (let* ((x (tensor-transpose x 1 2))
           (channels (tensor-size x 1))
           (kept (- kernel 1))
           (joined (tensor-cat
                    (list (or before
                              (tensor-zeros (list (tensor-size x 0) channels
                                                  kept)
                                            :dtype (tensor-dtype x)
                                            :device (tensor-device x)))
                          x)
                    2))
           (y (tensor-conv1d joined weight bias :groups channels)))
      (list (tensor-transpose y 1 2)
            (tensor-contiguous
             (tensor-narrow joined 2 (- (tensor-size joined 2) kept) kept))))))

(define (%in-chunks step-over state tensors)
  "The results of a procedure over chunks of time, joined, and the last state.
  tensors: [n, t, ...] each.  step-over: a procedure of a state and a list of
  chunks that returns a list of the results [n, t, ...] and the next state."
  (let ((t (tensor-size (car tensors) 1)))
    (let loop ((start 0) (state state) (results '()))
      (if (>= start t)
          (list (if (null? (cdr results))
                    (car results)
                    (tensor-cat (reverse results) 1))
                state)
          (let* ((size (min %chunk-of-time (- t start)))
                 (pair (step-over state
                                  (map (lambda (x)
                                         (tensor-narrow x 1 start size))
                                       tensors))))
            (loop (+ start size) (cadr pair) (cons (car pair) results)))))))

(define %chunk-of-time 64)                       ; tokens

(define (%layers-of-type config type others otherwise?)
  "The layers to which the setting layer_types gives a type, where others are
  the types that it may also name; or those of which a predicate holds, without
  the setting."
  (let* ((count (%config-size config "num_hidden_layers"))
         (known (cons type others))
         (types (%config-list config "layer_types"
                              (lambda (x) (member x known))
                              (format "a list of ~a"
                                      (string-join (map %shown-setting known)
                                                   " and ")))))
    (unless (or (null? types) (= (length types) count))
      (%bad-setting "layer_types"
                    (format "a list of num_hidden_layers, ~a, types" count)
                    types))
    (filter (lambda (k)
              (if (pair? types)
                  (equal? (list-ref types k) type)
                  (otherwise? k)))
            (range count))))

(define (%layer-renamer layers from to)
  "The rule that some layers have another name for a part in files."
  (lambda (name)
    (let ((layer (find (lambda (k)
                         (string-prefix? (format "layers.~a.~a." k from) name))
                       layers)))
      (if layer
          (let ((start (string-length (format "layers.~a." layer))))
            (string (substring name 0 start) to
                    (substring name (+ start (string-length from))
                               (string-length name))))
          name))))
