;; uncopied-tensors.lisp - a model that takes the tensors of a file as they are.
;;
;; load-state-dict! copies elements into a model's own memory.  Large models
;; are built with memory that nothing has touched, and then use the file's
;; mapped tensors: no element is read until it is used, and none is in memory
;; twice.  What must be converted, joined or transposed is copied, one tensor
;; after the other, and the file's pages are given back.

(define (%use-tensors! who what model table
                       :rules '() :prefix "" :dtype #f :strict #t
                       :progress #f :filled #f)
  "Let the parameters and buffers of a model be the tensors of a table, by name,
  and return the model.

  what: how messages call the table.  rules, prefix and strict are those of
  load-state-dict!.  dtype: that of floating-point tensors; #f for the table's
  own.  progress: a procedure of the tensors that are done and all, or #f.
  filled: a procedure of names that is called when their tensors are complete,
  or #f.  If anything does not fit, the error says all that does not; then the
  model's own elements are lost."
  (no-grad
    ;; The list in a list is taken apart, so that a layer may be freed before
    ;; the others are read.
    (%use-steps! (list (%steps-to-use who what model table prefix rules
                                      strict dtype))
                 progress filled)
    model))

(define (%steps-to-use who what model table prefix rules strict dtype)
  "A list of names and what fills their tensors: the model's, the given one,
  whether it is all of it, and the dtype that it is converted to, or #f."
  (let ((own (%make-identity-table)))
    (for-each (lambda (entry) (hash-set! own (cdr entry) #t))
              (state-dict model))
    (%keep-fixed! own model)
    (%empty-in-dtype! (filter (lambda (x) (hash-ref own x)) (hash-keys own))
                      (or dtype (%dtype-of-table table)))
    (map (lambda (step)
           (cons (car step)
                 (map (lambda (copy)
                        (list (car copy) (cdr copy)
                              (hash-has-key? own (car copy))
                              (and (hash-ref own (car copy) #t) dtype)))
                      (cdr step))))
         (%plan-steps (%plan-loading who what model table prefix rules strict
                                     #t)))))

(define (%use-steps! box progress filled)
  "Use the tensors of the steps; box is a list of their list."
  (let ((all (fold (lambda (step sum) (+ sum (length (cdr step))))
                   0 (car box))))
    (let loop ((done 0))
      (unless (null? (car box))
        (let ((done (%use-step! (cdr (caar box)) done all progress))
              (names (caaar box)))
          (set-car! box (cdr (car box)))
          (when filled (filled names))
          (loop done))))))

(define (%use-step! copies done all progress)
  "Use the tensors of one step; returns how many are done then."
  (fold (lambda (copy done)
          (apply %use-tensor! copy)
          (when progress (progress (+ done 1) all))
          (+ done 1))
        done copies))

(define (%keep-fixed! own model)
  "Mark with #f the tensors whose dtype a kernel needs."
  (for-each (lambda (entry)
              (for-each (lambda (x) (hash-set! own x #f))
                        (%fixed-tensors (cdr entry))))
            (named-modules model)))

(define (%dtype-of-table table)
  "The dtype of the first floating-point tensor of a table."
  (let ((x (find (lambda (x)
                   (and (tensor? x) (tensor-is-floating-point x)))
                 (hash-values table))))
    (and x (tensor-dtype x))))

(define (%empty-in-dtype! tensors dtype)
  "Give floating-point tensors new memory in another dtype: some will be joined
  from several."
  (for-each (lambda (x)
              (when (and dtype (tensor-is-floating-point x)
                         (not (eq? (tensor-dtype x) dtype)))
                (tensor-set-data x (tensor-empty (tensor-shape x)
                                                 :dtype dtype
                                                 :device (tensor-device x)))))
            tensors))

(define (%use-tensor! own given whole? dtype)
  "Let a tensor of the model be a given one, moved to its device; or copy the
  given one there, if it is only a part of it."
  (cond ((not (eq? (tensor-is-floating-point own)
                   (tensor-is-floating-point given)))
         (tensor-copy! (detach own) given))      ; integers for floats
        ((not whole?)
         (tensor-copy! own given)
         (%procedure "give-back" given))
        ((tensor-is-contiguous given)
         (tensor-set-data own (%usable given dtype (tensor-device own))))
        (else
         (tensor-set-data own (%usable (tensor-contiguous given) dtype
                                        (tensor-device own)))
         (%procedure "give-back" given))))

(define (%usable x dtype device)
  "x, or a new tensor on another device, or in another floating-point dtype,
  which frees the pages of a file."
  (let ((x (if (and dtype (tensor-is-floating-point x)
                    (not (eq? (tensor-dtype x) dtype)))
               (%procedure "converted" x (symbol->string dtype))
               (detach x))))
    (if (equal? device (tensor-device x))
        x
        (let ((moved (tensor-to x device)))
          (%procedure "give-back" x)
          moved))))
