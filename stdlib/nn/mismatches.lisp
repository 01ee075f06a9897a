;; mismatches.lisp - the error about tensors that do not fit a model.
;;
;;     load-model!: "net.safetensors" does not fit the model:
;;       missing: "1.weight" (4 3), near "2.weight" (4 3)
;;       unexpected: "2.weight" (4 3)
;;     hint: ...

(define %lines-of-mismatches 8)                  ; that an error shows of a kind

(define (%refuse-load loading missing unexpected wrong)
  "Raise the error for a load that does not fit; see %plan-loading."
  (let ((who (%loading-who loading)) (what (%loading-what loading))
        (shown (if (%loading-strict loading) missing '()))
        (extra (if (%loading-strict loading) unexpected '())))
    (%error-with-hint
     (string who ": " what " does not fit the model:"
             (%mismatch-lines
              (map (lambda (name) (%missing-line name unexpected loading))
                   (%at-most-lines shown))
              (length shown) "missing")
             (%mismatch-lines
              (map (lambda (name) (%unexpected-line name loading))
                   (%at-most-lines extra))
              (length extra) "unexpected")
             (%mismatch-lines (%at-most-lines wrong) (length wrong) "wrong"))
     '()
     (%load-hint missing unexpected wrong loading))))

(define (%at-most-lines items)
  (if (> (length items) %lines-of-mismatches)
      (take items %lines-of-mismatches)
      items))

(define (%mismatch-lines lines count noun)
  "The lines, indented, with how many more there are."
  (let ((left (- count (length lines))))
    (apply string
           (append (map (lambda (line) (string "\n  " line)) lines)
                   (if (> left 0)
                       (list "\n  ... and " left " more " noun)
                       '())))))

(define (%missing-line name unexpected loading)
  (let* ((own (%own-of-saved name loading))
         (near (%near-name name own unexpected loading)))
    (string "missing: " (%described name own)
            (if near
                (string ", near " (%described near
                                              (hash-ref (%loading-given loading)
                                                        near)))
                ""))))

(define (%own-of-saved name loading)
  "The model's tensor for a saved name, if it has that name there."
  (let ((prefix (%loading-prefix loading)))
    (and (string-prefix? prefix name)
         (hash-ref (%loading-own loading)
                   (substring name (string-length prefix)
                              (string-length name))
                   #f))))

(define (%unexpected-line name loading)
  (string "unexpected: " (%described name (hash-ref (%loading-given loading) name))))

(define (%described name x)
  "A name, with the shape of its tensor."
  (format "~s~a" name
          (cond ((tensor? x) (string " " (tensor-shape x)))
                (x (string " " (%brief x)))
                (else ""))))

;; Near names: those that share most components at the beginning and the end.

(define (%near-name name own candidates loading)
  "The candidate that is nearest to a name, or #f."
  (let ((parts (string-split name ".")))
    (let loop ((left candidates) (best #f) (best-score 1))
      (if (null? left)
          best
          (let ((score (%likeness parts own (car left) loading)))
            (if (> score best-score)
                (loop (cdr left) (car left) score)
                (loop (cdr left) best best-score)))))))

(define (%likeness parts own candidate loading)
  "How near a candidate is: 2 for each component in common, 1 for the shape."
  (let* ((others (string-split candidate "."))
         (x (hash-ref (%loading-given loading) candidate))
         (front (%common-length parts others)))
    (+ (* 2 front)
       (* 2 (%common-length (reverse (drop parts front))
                            (reverse (drop others front))))
       (if (and own (tensor? x) (equal? (tensor-shape x) (tensor-shape own)))
           1
           0))))

(define (%common-length a b)
  "How many elements two lists have in common at the beginning."
  (let loop ((a a) (b b) (n 0))
    (if (and (pair? a) (pair? b) (equal? (car a) (car b)))
        (loop (cdr a) (cdr b) (+ n 1))
        n)))

;; Hints.

(define (%load-hint missing unexpected wrong loading)
  "What to do about a load that does not fit."
  (cond ((and (pair? missing) (%nested-table (%loading-given loading)))
         => (lambda (key)
              (format "it holds other tables: pass (hash-ref table ~s), or \
:key ~s to load-model!" key key)))
        ((%prefix-without-point loading)
         => (lambda (prefix) (format "pass :prefix ~s" prefix)))
        ((%extra-prefix missing unexpected (%loading-prefix loading))
         => (lambda (prefix) (format "pass :prefix ~s" prefix)))
        ((%extra-prefix unexpected missing "")
         => (lambda (prefix)
              (let ((path (substring prefix 0 (- (string-length prefix) 1))))
                (format "the names are those of ~s: load into (module-at model \
~s)" path path))))
        ((pair? wrong)
         "create the model with the sizes and dtypes of the file")
        (else
         ":strict #f loads the names that both have; :rules renames, fuses and \
splits")))

(define (%nested-table table)
  "The name of a table in a table, or #f."
  (find (lambda (key) (hash-table? (hash-ref table key))) (hash-keys table)))

(define (%prefix-without-point loading)
  "The prefix with a point after it, if names begin with that, or #f."
  (let ((prefix (string (%loading-prefix loading) ".")))
    (and (not (member prefix '("." "..")))
         (not (string-suffix? ".." prefix))
         (any (lambda (name) (string-prefix? prefix (string name)))
              (hash-keys (%loading-given loading)))
         prefix)))

(define (%extra-prefix names longer-names prefix)
  "The prefix that all the names have in the other list, or #f."
  (and (pair? names)
       (let* ((end (string "." (car names)))
              (longer (find (lambda (other) (string-suffix? end other))
                            longer-names))
              (found (and longer
                          (substring longer 0
                                     (- (string-length longer)
                                        (string-length (car names)))))))
         (and found
              (every (lambda (name) (member (string found name) longer-names))
                     names)
              (if (equal? prefix "")
                  found
                  (string found prefix))))))
