;; template-loops.lisp - the loops of chat templates, and the variable loop.

(define %loop-type
  (%record-type 'loop #(index count before rest depth changed recurse)))

(define (%loop? x) (%record? x %loop-type))
(define (%loop-part x k) (%record-ref x %loop-type k "loop"))

(define (%execute-for env run out line depth targets items test body otherwise
                      recursive)
  "Run a loop, which is so deep in calls of itself."
  (%run-loop env run out line depth (%evaluate items env run) targets test body
             otherwise recursive))

(define (%run-loop env run out line depth value targets test body otherwise
                   recursive)
  "Run a loop over the items of a value."
  (let* ((all (%template-items line value))
         (kept (if test
                   (filter (lambda (item)
                             (let ((scope (make-hash-table)))
                               (%assign! scope line targets item)
                               (%template-true?
                                (%evaluate test (cons scope env) run))))
                           all)
                   all))
         (count (length kept))
         (changed (vector #f))
         (recurse (and recursive
                       (lambda (line value)
                         (%deeper-text run line
                           (lambda (out)
                             (%run-loop env run out line (+ depth 1) value
                                        targets test body otherwise #t)))))))
    (if (null? kept)
        (%execute otherwise env run out)
        (let loop ((rest kept) (index 0) (before #f))
          (unless (null? rest)
            (let ((scope (make-hash-table)))
              (%count-step! run line)
              (hash-set! scope "loop"
                         (%record %loop-type index count before rest depth
                                  changed recurse))
              (%assign! scope line targets (car rest))
              (unless (eq? (%execute body (cons scope env) run out) 'break)
                (loop (cdr rest) (+ index 1) (list (car rest))))))))))

(define (%deeper-text run line write)
  "What a procedure writes to the output that it is given, one macro or loop
  deeper."
  (when (>= (%run-depth run) %deepest-macro)
    (%template-error line (string "macros and loops call each other more than "
                                  %deepest-macro " deep")))
  (let ((out (vector '())))
    (%set-run-depth! run (+ (%run-depth run) 1))
    (write out)
    (%set-run-depth! run (- (%run-depth run) 1))
    (%output-text out)))

(define (%loop-field x name)
  "A fact of a loop; before is a list of the item before, or #f."
  (let ((index (%loop-part x 0)) (count (%loop-part x 1))
        (before (%loop-part x 2)) (rest (%loop-part x 3))
        (depth (%loop-part x 4)))
    (case (string->symbol name)
      ((index) (+ index 1))
      ((index0) index)
      ((revindex) (- count index))
      ((revindex0) (- count index 1))
      ((first) (= index 0))
      ((last) (= (+ index 1) count))
      ((length) count)
      ((depth) depth)
      ((depth0) (- depth 1))
      ((previtem) (if before (car before) (%undefined "loop.previtem")))
      ((nextitem)
       (if (pair? (cdr rest)) (cadr rest) (%undefined "loop.nextitem")))
      ((cycle)
       (%callable 'function (%callee "loop.cycle" 'any (%cycle-at index))))
      ((changed)
       (%callable 'function
                  (%callee "loop.changed" 'any
                          (%change-noted (%loop-part x 5)))))
      (else (%undefined name)))))

(define (%cycle-at index)
  "The procedure that picks the argument of an iteration."
  (lambda (run line items named)
    (when (or (null? items) (pair? named))
      (%template-error line "loop.cycle needs items"))
    (list-ref items (modulo index (length items)))))

(define (%change-noted last)
  "The procedure whether its arguments differ from those of the last call."
  (lambda (run line items named)
    (let ((same (and (vector-ref last 0)
                     (%template-equal? (vector-ref last 0) items))))
      (vector-set! last 0 items)
      (not same))))

(define (%template-items line x)
  "The items of a value, as a list."
  (let ((x (%plain x)))
    (cond ((or (pair? x) (null? x)) (%count-work! (length x)) x)
          ((vector? x) (%count-work! (vector-length x)) (vector->list x))
          ((hash-table? x) (%count-work! (hash-size x)) (hash-keys x))
          ((string? x)
           (%count-work! (* 10 (string-length x)))
           (map string (string->list x)))
          ((%undefined? x) '())
          ((%view? x)
           (let ((items (%view-items x)))
             (%count-work! (length items))
             items))
          (else
           (%template-error line (string "cannot loop over "
                                         (%template-kind x)))))))
