;; text-patterns.lisp - regular expressions of JSON schemas as expressions that
;; can be intersected.
;;
;;     ^(?=.*\d)[a-z\d]{2,}$  =>  (and (cat any* (cat digit any*)) ...)
;;
;; JSON schemas have ECMAScript's expressions.  Each expression here has a
;; number, and equal ones have the same, so that derivatives (Brzozowski 1964)
;; are compared by their numbers: the derivative of an expression by a character
;; is what may follow it.

(define-record-type %patterns
  (%make-patterns numbers forms nullable derivatives bounds combined)
  %patterns?
  (numbers %pattern-numbers)           ; hash table: form -> number
  (forms %pattern-forms)               ; hash table: number -> form
  (nullable %pattern-nullables)        ; hash table: number -> boolean
  (derivatives %pattern-derivatives)   ; hash table: (number . code) -> number
  (bounds %pattern-bounds)             ; hash table: where sets begin or end
  (combined %pattern-combined %set-pattern-combined!)) ; parts of derivatives

(define %most-expressions 60000)          ; expressions of one schema's string
(define %most-combined 150000)            ; parts of derivatives
(define %most-pattern-repeats 100000)
(define %deepest-pattern 60)
(define %last-code #x10ffff)

(define (%new-patterns)
  (%make-patterns (make-hash-table) (make-hash-table) (make-hash-table)
                  (make-hash-table) (make-hash-table) 0))

(define (%pattern p form)
  "The number of a form whose parts are numbers, or ranges of a set."
  (or (hash-ref (%pattern-numbers p) form #f)
      (let ((k (hash-size (%pattern-numbers p))))
        (when (>= k %most-expressions)
          (%pattern-too-large "make its repetitions or lengths smaller"))
        (hash-set! (%pattern-numbers p) form k)
        (hash-set! (%pattern-forms p) k form)
        (hash-set! (%pattern-nullables p) k (%form-nullable? p form))
        k)))

(define (%pattern-too-large what-to-do)
  (error (string "json-schema-grammar: a pattern is too complicated; "
                 what-to-do)))

(define (%pattern-form p k) (hash-ref (%pattern-forms p) k))
(define (%nullable? p k) (hash-ref (%pattern-nullables p) k))

(define (%form-nullable? p form)
  "Whether a form matches the empty text."
  (define (part k) (%nullable? p (list-ref form k)))
  (case (car form)
    ((empty star) #t)
    ((set) #f)
    ((cat) (and (part 1) (part 2)))
    ((or) (any (lambda (k) (%nullable? p k)) (cdr form)))
    ((and) (every (lambda (k) (%nullable? p k)) (cdr form)))
    ((not) (not (part 1)))
    (else (or (eqv? (list-ref form 2) 0) (part 1)))))      ; repeat

;; Expressions.

(define (%p-none p) (%pattern p '(or)))
(define (%p-empty p) (%pattern p '(empty)))

(define (%p-set p ranges)
  "A character in ranges, a list of pairs of codes."
  (let ((ranges (%joined-codes ranges)))
    (if (null? ranges)
        (%p-none p)
        (begin
          (for-each (lambda (range)
                      (hash-set! (%pattern-bounds p) (car range) #t)
                      (hash-set! (%pattern-bounds p) (+ 1 (cdr range)) #t))
                    ranges)
          (%pattern p (cons 'set ranges))))))

(define (%joined-codes ranges)
  "Ranges in order, those that touch as one."
  (%joined-ranges (sort ranges (lambda (a b) (< (car a) (car b))))))

(define (%ranges-except ranges)
  "The characters that are not in ranges."
  (%other-ranges (%joined-codes ranges)))

(define (%p-any p) (%p-set p (list (cons 0 %last-code))))
(define (%p-all p) (%p-star p (%p-any p)))
(define (%p-text p text)
  "One text."
  (fold-right (lambda (c rest)
                (let ((code (char->integer c)))
                  (%p-cat p (%p-set p (list (cons code code))) rest)))
              (%p-empty p) (string->list text)))

(define (%p-cat p a b)
  "One expression after the other."
  (let ((none (%p-none p)) (empty (%p-empty p)) (form (%pattern-form p a)))
    (cond ((or (= a none) (= b none)) none)
          ((= a empty) b)
          ((= b empty) a)
          ((eq? (car form) 'cat)
           (%p-cat p (cadr form) (%p-cat p (caddr form) b)))
          (else (%pattern p (list 'cat a b))))))

(define (%p-sequence p . parts)
  (fold-right (lambda (part rest) (%p-cat p part rest)) (%p-empty p) parts))

(define (%flat-parts p op parts)
  "The parts of an or or an and, those of parts of the same kind included, each
  once and in order."
  (let ((all (append-map (lambda (k)
                           (let ((form (%pattern-form p k)))
                             (if (eq? (car form) op) (cdr form) (list k))))
                         parts)))
    (let loop ((left (sort all <)) (done '()))
      (cond ((null? left) (reverse done))
            ((and (pair? done) (= (car left) (car done))) (loop (cdr left) done))
            (else (loop (cdr left) (cons (car left) done)))))))

(define (%p-or p . parts)
  "One of the expressions."
  (let* ((all (%flat-parts p 'or parts))
         (sets (filter (lambda (k) (eq? (car (%pattern-form p k)) 'set)) all)))
    (cond ((memv (%p-all p) all) (%p-all p))
          ((and (pair? sets) (pair? (cdr sets)))
           (apply %p-or p
                  (%p-set p (append-map (lambda (k) (cdr (%pattern-form p k)))
                                        sets))
                  (remove (lambda (k) (memv k sets)) all)))
          ((and (pair? all) (null? (cdr all))) (car all))
          (else (%pattern p (cons 'or all))))))

(define (%p-and p . parts)
  "What all of the expressions match."
  (let ((all (delete (%p-all p) (%flat-parts p 'and parts))))
    (cond ((memv (%p-none p) all) (%p-none p))
          ((null? all) (%p-all p))
          ((null? (cdr all)) (car all))
          (else (%pattern p (cons 'and all))))))

(define (%p-not p a)
  (let ((form (%pattern-form p a)))
    (cond ((eq? (car form) 'not) (cadr form))
          ((= a (%p-none p)) (%p-all p))
          (else (%pattern p (list 'not a))))))

(define (%p-star p a)
  (let ((form (%pattern-form p a)))
    (cond ((or (= a (%p-none p)) (= a (%p-empty p))) (%p-empty p))
          ((eq? (car form) 'star) a)
          (else (%pattern p (list 'star a))))))

(define (%p-repeat p a least most)
  "From least to most times; most #f: without end."
  (cond ((and most (= most 0)) (%p-empty p))
        ((= a (%p-none p)) (if (= least 0) (%p-empty p) a))
        ((= a (%p-empty p)) a)
        ((and (eqv? most 1) (= least 1)) a)
        ((and (= least 0) (not most)) (%p-star p a))
        (else (%pattern p (list 'repeat a least most)))))

;; Derivatives.

(define (%derivative p k code)
  "What may follow a character, by its code."
  (let ((key (cons k code)))
    (or (hash-ref (%pattern-derivatives p) key #f)
        (let ((found (%form-derivative p (%pattern-form p k) code)))
          (hash-set! (%pattern-derivatives p) key found)
          found))))

(define (%form-derivative p form code)
  (define (of k) (%derivative p k code))
  (case (car form)
    ((empty) (%p-none p))
    ((set) (if (any (lambda (range) (<= (car range) code (cdr range)))
                    (cdr form))
               (%p-empty p)
               (%p-none p)))
    ((cat)
     (let ((first (%p-cat p (of (cadr form)) (caddr form))))
       (if (%nullable? p (cadr form))
           (%p-or p first (of (caddr form)))
           first)))
    ((or)
     (%count-combined! p (cdr form))
     (apply %p-or p (map of (cdr form))))
    ((and)
     (%count-combined! p (cdr form))
     (apply %p-and p (map of (cdr form))))
    ((not) (%p-not p (of (cadr form))))
    ((star) (%p-cat p (of (cadr form)) (%p-star p (cadr form))))
    (else                                                   ; repeat
     (let ((a (cadr form)) (least (caddr form)) (most (cadddr form)))
       (%p-cat p (of a) (%p-repeat p a (max 0 (- least 1))
                                   (and most (- most 1))))))))

(define (%count-combined! p parts)
  "Bound the work of assertions, each of which may double the states."
  (%set-pattern-combined! p (+ (length parts) (%pattern-combined p)))
  (when (> (%pattern-combined p) %most-combined)
    (%pattern-too-large "use fewer assertions and alternatives")))

(define (%text-matches? p k text)
  "Whether an expression matches a whole text."
  (%nullable? p (string-fold (lambda (c k) (%derivative p k (char->integer c)))
                             k text)))

(define (%code-classes p)
  "Ranges of codes that no set of the expressions separates."
  (let ((starts (sort (filter (lambda (code) (<= 0 code %last-code))
                              (cons 0 (remove (lambda (code) (= code 0))
                                              (hash-keys (%pattern-bounds p)))))
                      <)))
    (map (lambda (from to) (cons from (- to 1)))
         starts (append (cdr starts) (list (+ 1 %last-code))))))
