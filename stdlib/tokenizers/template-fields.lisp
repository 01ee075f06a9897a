;; template-fields.lisp - fields, items and slices of values in chat templates.

(define (%field-of line x name)
  "The field of that name: a method, or an entry of a dictionary."
  (let ((x (%plain x)))
    (cond ((%undefined? x)
           (%template-error line (string "cannot take " name " of "
                                         (%template-kind x))))
          ((%namespace? x)
           (hash-ref (%namespace-table x) name (%undefined name)))
          ((%loop? x) (%loop-field x name))
          ((%template-method x name)
           => (lambda (method) (%method-value x name method)))
          ((hash-table? x) (hash-ref x name (%undefined name)))
          ((and (vector? x) (= (vector-length x) 2)      ; of groupby
                (member name '("grouper" "list")))
           (vector-ref x (if (string=? name "list") 1 0)))
          (else (%undefined name)))))

(define (%attribute-of line x name)
  "The field of that name, but never an entry of a dictionary."
  (if (and (hash-table? (%plain x)) (not (%template-method (%plain x) name)))
      (%undefined name)
      (%field-of line x name)))

(define (%method-value x name method)
  "A method as a value."
  (if (eq? method 'unsafe)
      (%undefined (string name ", which would change its value"))
      (%callable 'method (cons x method))))

(define (%item-of line x index)
  "The entry of a key, or the item at an index; for a name also a method;
  undefined if there is none."
  (let* ((x (%plain x))
         (index (let ((k (%plain index))) (if (hash-table? x) k (%number-of k))))
         (at (lambda (count)
               (let ((k (if (< index 0) (+ index count) index)))
                 (and (< -1 k count) k)))))
    (cond ((%undefined? x)
           (%template-error line (string "cannot take an item of "
                                         (%template-kind x))))
          ((and (hash-table? x) (%key? index) (hash-has-key? x index))
           (hash-ref x index))
          ((and (exact-integer? index) (or (%sequence? x) (string? x)))
           (let* ((count (%length-of line x)) (k (at count)))
             (cond ((not k) (%undefined (string "item " index)))
                   ((vector? x) (vector-ref x k))
                   ((string? x) (string (string-ref x k)))
                   (else (list-ref x k)))))
          ((string? index)
           (if (hash-table? x)
               (let ((method (%template-method x index)))
                 (if method
                     (%method-value x index method)
                     (%undefined index)))
               (%field-of line x index)))
          (else (%undefined (string "an item of " (%template-kind x)))))))

(define (%key? x)
  "Whether a value may be a key."
  (or (string? x) (number? x) (boolean? x) (eq? x 'null)))

(define (%slice-of run line x start end step)
  "The items from start to before end; undefined if there are none."
  (when (%undefined? x)
    (%template-error line (string "cannot slice " (%template-kind x))))
  (if (and (or (%sequence? x) (string? x))
           (every (lambda (k) (or (memq k '(#f null)) (exact-integer? k)))
                  (list start end step)))
      (let* ((items (cond ((string? x) (string->vector x))
                          ((vector? x) x)
                          (else (list->vector x))))
             (counted (%count-work! (vector-length items)))
             (made (%slice-items line items
                                 (if (eq? start 'null) #f start)
                                 (if (eq? end 'null) #f end)
                                 (if (memv step '(#f null)) 1 step))))
        (cond ((string? x) (list->string made))
              ((vector? x) (list->vector made))
              (else made)))
      (%undefined (string "a slice of " (%template-kind x)))))

(define (%slice-items line items start end step)
  "The items of a vector from start to before end, as a list."
  (when (= step 0)
    (%template-error line "the step of a slice is 0"))
  (let* ((n (vector-length items))
         (up (> step 0))
         (clip (lambda (k otherwise)
                 (let ((k (cond ((not k) otherwise)
                                ((< k 0) (+ k n))
                                (else k))))
                   (if up (max 0 (min k n)) (max -1 (min k (- n 1)))))))
         (end (if (or end up) (clip end n) -1)))
    (let loop ((k (clip start (if up 0 (- n 1)))) (made '()))
      (if (if up (< k end) (> k end))
          (loop (+ k step) (cons (vector-ref items k) made))
          (reverse made)))))
