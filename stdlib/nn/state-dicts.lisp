;; state-dicts.lisp - loading a model's tensors by name.
;;
;; All of a load is checked before any element changes, and what does not fit
;; is said at once: names that are missing, names that are unexpected, shapes
;; and dtypes, each with what is near.

(define (load-state-dict! model table :prefix "" :rules '() :strict #t
                                      :convert #t)
  "Copy tensors into the parameters and buffers of a model, by name.

  table is a hash table or an alist from name to tensor, such as load-tensors
  or load-state-dict return; names are PyTorch's.  prefix: only the names that
  begin with it belong to the model, without it.  rules: how names in the table
  differ, and which tensors are fused or split there:

      '((qkv :from (q_proj k_proj v_proj))  qkv is theirs joined along :dim 0
        ((gate up) :from gate_up)           both are parts of gate_up
        (mlp :from feed_forward)            renamed
        (weight :from weight :transpose #t)
        ((a b) :from ab :stack #t))         ab has a dimension more, and each of
                                            both at an index of the first

  A parameter that the model has under several names may be in the table under
  any of them.  Elements are converted to the model's dtype; :convert #f
  makes another dtype an error, as float to integer and complex to real always
  are.  With :strict #f, names that only one side has are left out.

  The result is the alist ((\"missing\" name ...) (\"unexpected\" name ...)).
  If anything does not fit, the error says all that does not, and the model is
  unchanged."
  (let ((plan (%plan-loading "load-state-dict!" "the table" model table
                             prefix rules strict convert)))
    (%load-planned! plan)
    (list (cons "missing" (%plan-missing plan))
          (cons "unexpected" (%plan-unexpected plan)))))

(define-record-type %plan
  (%make-plan steps missing unexpected)
  %plan?
  (steps %plan-steps)                ; pairs of names and what fills those tensors
  (missing %plan-missing)            ; names
  (unexpected %plan-unexpected))

;; What is loaded: own and given are tables of tensors by name, the model's and
;; those to load; what is how messages call the latter.

(define-record-type %loading
  (%make-loading who what own given prefix strict convert)
  %loading?
  (who %loading-who)
  (what %loading-what)
  (own %loading-own)
  (given %loading-given)
  (prefix %loading-prefix)
  (strict %loading-strict)
  (convert %loading-convert))

(define (%load-planned! plan)
  "Copy what a plan says."
  (no-grad
    (for-each (lambda (copy) (tensor-copy! (car copy) (cdr copy)))
              (append-map cdr (%plan-steps plan)))))

(define (%plan-loading who what model table prefix rules strict convert)
  "The plan for a load, or the error that says what does not fit."
  (let* ((own (state-dict model))
         (given (%checked-table who table))
         (loading (%make-loading who what (%table-of own) given prefix
                                 strict convert))
         (links (%links who (map car own) rules prefix))
         (complete (filter (lambda (link) (%complete? link given)) links))
         (filled (%filled-tensors complete (%loading-own loading)))
         (missing (%missing-names links filled loading))
         (unexpected (%unexpected-names links given prefix))
         (wrong (append (append-map (lambda (link) (%mismatches link loading))
                                    complete)
                        (%differing-ties filled loading))))
    (when (or (pair? wrong)
              (and strict (or (pair? missing) (pair? unexpected))))
      (%refuse-load loading missing unexpected wrong))
    (%make-plan (map (lambda (link)
                       (cons (%link-names link) (%copies link loading)))
                     complete)
                missing unexpected)))

(define (%checked-table who table)
  "The table as a hash table."
  (cond ((hash-table? table) table)
        ((and (list? table) (every pair? table)) (%table-of table))
        (else (wrong-type who "a hash table or an alist of tensors" table))))

(define (%complete? link given)
  "Whether all saved tensors of a link are given."
  (every (lambda (name) (tensor? (hash-ref given name #f)))
         (%link-saved link)))

(define (%filled-tensors links own)
  "The tensors of the model that the links fill: a table from tensor to links."
  (let ((filled (%make-identity-table)))
    (for-each
     (lambda (link)
       (for-each
        (lambda (name)
          (let ((x (hash-ref own name #f)))
            (when x
              (hash-set! filled x (cons link (hash-ref filled x '()))))))
        (%link-names link)))
     links)
    filled))

(define (%missing-names links filled loading)
  "The saved names that are not given, and whose tensors no other name fills."
  (define (needed? link)
    (any (lambda (name)
           (not (hash-has-key? filled (hash-ref (%loading-own loading) name #f))))
         (%link-names link)))
  (append-map
   (lambda (link)
     (if (needed? link)
         (remove (lambda (name)
                   (tensor? (hash-ref (%loading-given loading) name #f)))
                 (%link-saved link))
         '()))
   links))

(define (%unexpected-names links given prefix)
  "The given names with the prefix that no link mentions."
  (let ((known (make-hash-table)))
    (for-each (lambda (link)
                (for-each (lambda (name) (hash-set! known name #t))
                          (%link-saved link)))
              links)
    (filter (lambda (name)
              (and (string-prefix? prefix name)
                   (not (hash-has-key? known name))))
            (map string (hash-keys given)))))

;; Copies.  Both sides of a link are joined along its dimension; the joints of
;; either side cut it into the pieces that are copied.

(define (%copies link loading)
  "The pairs of a tensor of the model and what is copied into it."
  (let ((dim (%link-dim link)))
    (let loop ((to (%link-own link loading))
               (from (%with-neighbours-joined (%link-given link loading) dim))
               (copies '()))
      (if (or (null? to) (null? from))
          copies
          (%copy-piece to from dim
                       (lambda (to from copy)
                         (loop to from (cons copy copies))))))))

(define (%with-neighbours-joined tensors dim)
  "The tensors, of which those that follow each other in a file are one: it
  needs no copy."
  (if (or (> dim 0) (null? tensors) (null? (cdr tensors)))
      tensors
      (let ((joined (%procedure "join-neighbours" (car tensors)
                                (cadr tensors))))
        (if joined
            (%with-neighbours-joined (cons joined (cddr tensors)) dim)
            (cons (car tensors)
                  (%with-neighbours-joined (cdr tensors) dim))))))

(define (%copy-piece to from dim continue)
  "Continue with what is left on both sides after their first piece."
  (if (equal? (tensor-shape (car to)) (tensor-shape (car from)))
      (continue (cdr to) (cdr from) (cons (car to) (car from)))
      (let ((length (min (tensor-size (car to) dim)
                         (tensor-size (car from) dim))))
        (continue (%after to dim length)
                  (%after from dim length)
                  (cons (if (= length (tensor-size (car to) dim))
                            (car to)
                            (tensor-narrow (detach (car to)) dim 0 length))
                        (tensor-narrow (car from) dim 0 length))))))

(define (%after tensors dim length)
  "The tensors without that length of the first one."
  (let* ((first (detach (car tensors)))
         (left (- (tensor-size first dim) length)))
    (if (= left 0)
        (cdr tensors)
        (cons (tensor-narrow first dim length left) (cdr tensors)))))

(define (%link-own link loading)
  "The model's tensors of a link."
  (map (lambda (name)
         (or (hash-ref (%loading-own loading) name #f)
             (error (format "~a: a rule names ~s, which the model does not \
have" (%loading-who loading) name))))
       (%link-names link)))

(define (%link-given link loading)
  "The given tensors of a link, in the model's orientation."
  (map (lambda (name)
         (let* ((x (detach (hash-ref (%loading-given loading) name)))
                (x (if (%link-transpose link) (%transposed x) x)))
           (if (and (%link-stack link) (> (tensor-rank x) 1))
               (tensor-flatten x 0 1)
               x)))
       (%link-saved link)))

;; What does not fit: a list of lines.

(define (%mismatches link loading)
  "What is wrong about the shapes and dtypes of a link."
  (let ((own (%link-own link loading))
        (given (%link-given link loading))
        (names (%quoted (%link-names link)))
        (saved (%quoted (%link-saved link))))
    (cond ((not (%shapes-fit? own given (%link-dim link)))
           (list (format "shape: ~a is ~a, in the model ~a" saved
                         (%shapes given)
                         (if (equal? names saved)
                             (%shapes own)
                             (string names " is " (%shapes own))))))
          ((%dtype-mismatch own given (%loading-convert loading))
           => (lambda (x)
                (list (format "dtype: ~a is ~a, in the model ~a" saved
                              (tensor-dtype x) (tensor-dtype (car own))))))
          (else '()))))

(define (%quoted names)
  (string-join (map (lambda (name) (format "~s" name)) names) " + "))

(define (%shapes tensors)
  (string-join (map (lambda (x) (string (tensor-shape x))) tensors) " + "))

(define (%shapes-fit? own given dim)
  "Whether the tensors of both sides, joined along dim, have one shape."
  (if (and (null? (cdr own)) (null? (cdr given)))
      (equal? (tensor-shape (car own)) (tensor-shape (car given)))
      (let ((outside (map (lambda (x) (%shape-without x dim))
                          (append own given))))
        (and (car outside)
             (every (lambda (shape) (equal? shape (car outside)))
                    (cdr outside))
             (= (%joined-size own dim) (%joined-size given dim))))))

(define (%shape-without x dim)
  "The shape of a tensor without one dimension; #f if it has no such."
  (let ((shape (tensor-shape x)))
    (and (< dim (length shape))
         (append (take shape dim) (drop shape (+ dim 1))))))

(define (%joined-size tensors dim)
  (apply + (map (lambda (x) (tensor-size x dim)) tensors)))

(define (%dtype-mismatch own given convert)
  "A given tensor whose dtype does not become the model's, or #f."
  (find (lambda (x)
          (and (not (eq? (tensor-dtype x) (tensor-dtype (car own))))
               (or (not convert)
                   (< (%dtype-rank (car own)) (%dtype-rank x)))))
        given))

(define (%dtype-rank x)
  "Which numbers a dtype holds: integers 0, floats 1, complex ones 2."
  (cond ((tensor-is-complex x) 2)
        ((tensor-is-floating-point x) 1)
        (else 0)))

(define (%differing-ties filled loading)
  "What is wrong about tensors that are given under several names."
  (append-map
   (lambda (entry)
     (let ((links (reverse (cdr entry))))
       (append-map
        (lambda (link)
          (if (every tensor-equal (%link-given (car links) loading)
                     (%link-given link loading))
              '()
              (list (format "tied: ~a and ~a differ, in the model they are \
one tensor"
                            (%quoted (%link-saved (car links)))
                            (%quoted (%link-saved link))))))
        (cdr links))))
   (hash->list filled)))
