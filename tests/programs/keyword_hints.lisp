;; An unknown keyword: the hint is the one that was meant, if one is near, and
;; else the usage.  Also through apply, and for records that are called.

(define (hint-of thunk)
  (guard (e ((error-object? e)
             (string (error-object-message e) "; " (error-object-hint e))))
    (thunk)
    "no error"))
(define-syntax try
  (syntax-rules () ((_ form) (print (hint-of (lambda () form))))))

(define (pick items :max-size 3 :seed 1 :seeds 2) items)

(try (pick '() :max_size 1))    ; => pick: unknown keyword :max_size; did you mean :max-size?
(try (pick '() :maxsize 1))     ; => pick: unknown keyword :maxsize; did you mean :max-size?
(try (pick '() :max-site 1))    ; => pick: unknown keyword :max-site; did you mean :max-size?
(try (pick '() :max-size=1))    ; => pick: unknown keyword :max-size=1; write :max-size 1
(try (pick '() :max_size= 1))   ; => pick: unknown keyword :max_size=; write :max-size
(try (pick '() :see 1))         ; => pick: unknown keyword :see; usage: (pick items [:max-size] [:seed] [:seeds])
(try (pick '() :seedy 1))       ; => pick: unknown keyword :seedy; did you mean :seed?
(try (pick '() :xseeds 1))      ; => pick: unknown keyword :xseeds; did you mean :seeds?
(try (pick '() :größe 1))       ; => pick: unknown keyword :größe; usage: (pick items [:max-size] [:seed] [:seeds])
(try (pick '() := 1))           ; => pick: unknown keyword :=; usage: (pick items [:max-size] [:seed] [:seeds])
(try (apply pick '() (list :max_size 1)))  ; => pick: unknown keyword :max_size; did you mean :max-size?
(try (pick '() :seed 1 :seed 2))
; => pick: keyword :seed is given twice; usage: (pick items [:max-size] [:seed] [:seeds])

(define-record-type counter (make-counter n) counter? (n counter-n)
  :call (lambda (self :step-size 1) (+ (counter-n self) step-size)))
(try ((make-counter 1) :step_size 2))  ; => counter: unknown keyword :step_size; did you mean :step-size?
(try ((make-counter 1) :other 2))      ; => counter: unknown keyword :other; usage: (counter [:step-size])
