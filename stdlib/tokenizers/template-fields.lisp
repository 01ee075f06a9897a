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
          ((and (%range? x) (assoc name '(("start" . 0) ("stop" . 1) ("step" . 2))))
           => (lambda (found) (list-ref (%view-bounds x) (cdr found))))
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
          ((and (exact-integer? index)
                (or (%sequence? x) (string? x) (%range? x)))
           (let* ((count (%length-of line x)) (k (at count)))
             (cond ((not k) (%undefined (string "item " index)))
                   ((vector? x) (vector-ref x k))
                   ((string? x) (string (string-ref x k)))
                   (else (list-ref (%template-items line x) k)))))
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
  (when (or (%undefined? x) (and (%view? x) (not (%range? x))))
    (%template-error line (string "cannot slice " (%template-kind x))))
  (let ((bounds (map (lambda (k) (if (eq? k 'null) #f k))
                     (list start end step))))
    (if (and (or (%sequence? x) (string? x) (%range? x))
             (every (lambda (k) (or (not k) (exact-integer? k))) bounds))
        (apply %slice-of-items line x bounds)
        (%undefined (string "a slice of " (%template-kind x))))))

(define (%slice-of-items line x start end step)
  "The items from start to before end, as a value like x; #f stands for what is
  not given."
  (let* ((items (cond ((string? x) (string->vector x))
                      ((vector? x) x)
                      (else (list->vector (%template-items line x)))))
         (counted (%count-work! (vector-length items)))
         (bounds (%slice-bounds line (vector-length items) start end
                                (or step 1)))
         (made (apply %slice-items items bounds)))
    (cond ((string? x) (list->string made))
          ((vector? x) (list->vector made))
          ((%range? x)
           (%view "range" made
                  (apply %slice-of-bounds (%view-bounds x) bounds)))
          (else made))))

(define (%slice-of-bounds range start end step)
  "The bounds of a range's slice."
  (let ((at (lambda (k) (+ (car range) (* k (list-ref range 2))))))
    (list (at start) (at end) (* step (list-ref range 2)))))

(define (%slice-bounds line n start end step)
  "The indices in n items at which a slice begins and ends, and its step."
  (when (= step 0)
    (%template-error line "the step of a slice is 0"))
  (let* ((up (> step 0))
         (clip (lambda (k otherwise)
                 (let ((k (cond ((not k) otherwise)
                                ((< k 0) (+ k n))
                                (else k))))
                   (if up (max 0 (min k n)) (max -1 (min k (- n 1))))))))
    (list (clip start (if up 0 (- n 1)))
          (if (or end up) (clip end n) -1)
          step)))

(define (%slice-items items start end step)
  "The items of a vector from an index to before another, as a list."
  (let loop ((k start) (made '()))
    (if (if (> step 0) (< k end) (> k end))
        (loop (+ k step) (cons (vector-ref items k) made))
        (reverse made))))
