;; saved-names.lisp - how the tensors of a model correspond to those of a file
;; with other names: renamed, fused or split.
;;
;;     '((qkv :from (q_proj k_proj v_proj))     fused: one here, three there
;;       ((gate up) :from gate_up)              split: two here, one there
;;       (mlp :from feed_forward)               renamed
;;       (weight :from weight :transpose #t)    the other way round there
;;       ((a b c) :from abc :stack #t))         one there, with a dimension more
;;
;; A rule names components of paths, model's first; one with several is a
;; string: "attn.qkv".  Rules apply in order, each to the names that those
;; before it have made, and to the first match in a name.  A procedure from a
;; name to the saved one is a rule, too.
;;
;; What corresponds is a link: the tensors of the model that have the names,
;; joined along dim, are the saved ones, joined.

(define-record-type %link
  (%make-link names saved dim transpose sizes stack)
  %link?
  (names %link-names)                            ; the model's
  (saved %link-saved)
  (dim %link-dim)
  (transpose %link-transpose)
  (sizes %link-sizes)                            ; the ratio of the saved ones
  (stack %link-stack))                           ; whether it is a stack

(define-record-type %rule
  (%make-rule to from dim transpose sizes stack)
  %rule?
  (to %rule-to)                                  ; names, each a list of its
  (from %rule-from)                              ; components
  (dim %rule-dim)
  (transpose %rule-transpose)
  (sizes %rule-sizes)
  (stack %rule-stack))

(define (%links who names rules prefix)
  "The links for the names of a model's tensors, in order; prefix stands before
  the saved names."
  (let ((covered (make-hash-table))
        (rules (map (lambda (rule) (%parsed-rule who rule)) rules)))
    (define (link name)
      (let ((found (fold %apply-rule
                         (%make-link (list name) (list name) 0 #f #f #f)
                         rules)))
        (for-each (lambda (each) (hash-set! covered each #t))
                  (%link-names found))
        (%with-saved found (map (lambda (saved) (string prefix saved))
                                (%link-saved found)))))
    (let loop ((left names) (links '()))
      (cond ((null? left) (reverse links))
            ((hash-has-key? covered (car left)) (loop (cdr left) links))
            (else (loop (cdr left) (cons (link (car left)) links)))))))

;; Rules.

(define (%parsed-rule who rule)
  "The rule as a record or a procedure, or an error."
  (cond ((procedure? rule) rule)
        ((and (list? rule)
              (>= (length rule) 3)
              (eq? (cadr rule) :from)
              (even? (length (cdr rule)))
              (%rule-options? (cdddr rule)))
         (%make-rule (%rule-names who rule (car rule))
                     (%rule-names who rule (caddr rule))
                     (%rule-option (cdddr rule) :dim 0)
                     (%rule-option (cdddr rule) :transpose #f)
                     (%rule-option (cdddr rule) :sizes #f)
                     (%rule-option (cdddr rule) :stack #f)))
        (else (%wrong-rule who rule))))

(define (%rule-options? options)
  (or (null? options)
      (and (memq (car options) '(:dim :transpose :sizes :stack))
           (%rule-options? (cddr options)))))

(define (%rule-option options key default)
  (let ((found (memq key options)))
    (if found (cadr found) default)))

(define (%rule-names who rule names)
  "Names in a rule, a list or a single one, each as its components."
  (let ((all (if (list? names) names (list names))))
    (unless (and (pair? all)
                 (every (lambda (x) (or (string? x) (symbol? x))) all))
      (%wrong-rule who rule))
    (map (lambda (name) (string-split (string name) ".")) all)))

(define (%wrong-rule who rule)
  (%error-with-hint
   (string who ": expected a rule, got") (list rule)
   "a rule is (name :from saved-name) or (name :from (saved-name ...)), with \
:dim, :transpose, :sizes or :stack after that"))

(define (%apply-rule rule link)
  "The link after a rule."
  (if (procedure? rule)
      (%with-saved link (map rule (%link-saved link)))
      (let* ((saved (%link-saved link))
             (pattern (%matching (%rule-to rule) (car saved))))
        (cond ((and pattern (null? (cdr saved))) (%linked rule link pattern))
              ((and pattern (%renames? rule)) (%all-renamed rule link))
              (else link)))))

(define (%renames? rule)
  "Whether a rule has one name on each side."
  (and (null? (cdr (%rule-to rule)))
       (null? (cdr (%rule-from rule)))))

(define (%all-renamed rule link)
  "The link of several saved names after a rule that renames."
  (%make-link (%link-names link)
              (map (lambda (name)
                     (%renamed name (car (%rule-to rule))
                               (car (%rule-from rule))))
                   (%link-saved link))
              (%link-dim link)
              (or (%rule-transpose rule) (%link-transpose link))
              (%link-sizes link)
              (%link-stack link)))

(define (%with-saved link saved)
  "The link with other saved names."
  (%make-link (%link-names link) saved (%link-dim link) (%link-transpose link)
              (%link-sizes link) (%link-stack link)))

(define (%matching patterns name)
  "The first pattern that occurs in a name, or #f."
  (find (lambda (pattern) (%position pattern (string-split name ".")))
        patterns))

(define (%linked rule link pattern)
  "The link of one saved name, which has the pattern, after a rule."
  (let ((name (car (%link-names link)))
        (saved (car (%link-saved link)))
        (to (%rule-to rule)))
    (%make-link (if (null? (cdr to))
                    (%link-names link)
                    (map (lambda (other) (%renamed name pattern other)) to))
                (map (lambda (from) (%renamed saved pattern from))
                     (%rule-from rule))
                (%rule-dim rule)
                (or (%rule-transpose rule) (%link-transpose link))
                (or (%rule-sizes rule) (%link-sizes link))
                (or (%rule-stack rule) (%link-stack link)))))

(define (%renamed name pattern new)
  "The name with new components for the first match of the pattern."
  (let* ((parts (string-split name "."))
         (start (%position pattern parts)))
    (if start
        (string-join (append (take parts start)
                             new
                             (drop parts (+ start (length pattern))))
                     ".")
        name)))

(define (%position pattern parts)
  "Where the components of a pattern begin in those of a name, or #f."
  (let loop ((rest parts) (k 0))
    (cond ((< (length rest) (length pattern)) #f)
          ((equal? (take rest (length pattern)) pattern) k)
          (else (loop (cdr rest) (+ k 1))))))

;; Tensors for saving.

(define (%saved-tensors model rules prefix)
  "The tensors of a model as a file has them: an alist of saved names."
  (%saved-state (state-dict model) rules prefix))

(define (%saved-state own rules prefix)
  "The same for an alist of a model's names and tensors."
  (let ((table (%table-of own)))
    (append-map (lambda (link) (%saved-parts link table))
                (%links "save-model" (map car own) rules prefix))))

(define (%table-of alist)
  "The hash table of an alist."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) alist)
    table))

(define (%saved-parts link table)
  "The entries of a file for a link.  table: the model's tensors by name."
  (let* ((own (map (lambda (name) (%own-tensor name table))
                   (%link-names link)))
         (dim (%link-dim link))
         (saved (%link-saved link))
         (whole (if (null? (cdr own)) (car own) (tensor-cat own dim)))
         (parts (if (null? (cdr saved))
                    (list whole)
                    (tensor-split whole (%part-sizes link (tensor-shape whole))
                                  dim))))
    (map (lambda (name part)
           (let ((part (if (%link-stack link)
                           (tensor-unflatten part 0 (list (length own) -1))
                           part)))
             (cons name (if (%link-transpose link) (%transposed part) part))))
         saved parts)))

(define (%own-tensor name table)
  "The model's tensor that a rule has named."
  (or (hash-ref table name #f)
      (error (format "save-model: a rule names ~s, which the model does not \
have" name))))

(define (%transposed x)
  "A matrix the other way round; anything else as it is."
  (if (= (tensor-rank x) 2) (tensor-t x) x))

(define (%part-sizes link shape)
  "The sizes along its dimension into which a tensor of a shape is split for a
  file."
  (let* ((saved (%link-saved link))
         (size (list-ref shape (%link-dim link)))
         (shares (or (%link-sizes link) (map (lambda (name) 1) saved)))
         (unit (/ size (apply + shares))))
    (unless (and (= (length shares) (length saved)) (exact-integer? unit))
      (%error-with-hint
       (format "save-model: ~s of ~s cannot be split into ~a parts as ~a"
               (car (%link-names link)) shape (length saved)
               shares)
       '() "give the rule the ratio of the parts: :sizes (4 1 1)"))
    (map (lambda (share) (* share unit)) shares)))
