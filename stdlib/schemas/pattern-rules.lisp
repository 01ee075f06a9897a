;; pattern-rules.lisp - rules of a grammar for an expression of text-patterns.lisp.
;;
;; Without intersections an expression is a grammar already.  Others become an
;; automaton whose states are derivatives, a rule for each:
;;
;;     state 3  =>  (or (seq (one-of (#\a #\z)) |state 4|) "\"")

(define %most-states 3000)

(define (%string-pattern-expression rules p k path)
  "The expression of JSON strings whose text an expression matches."
  (if (%plain-pattern? p k (make-hash-table))
      (list 'seq "\"" (%direct-expression p k path) "\"")
      (list 'seq "\""
            (%automaton-rule! rules path k
                              (lambda (k code) (%live-derivative p k code))
                              (lambda (k) (%nullable? p k))
                              (%code-classes p) %string-class-expression "\""))))

(define (%live-derivative p k code)
  (let ((next (%derivative p k code)))
    (and (not (= next (%p-none p))) next)))

(define (%plain-pattern? p k seen)
  "Whether an expression has no intersection and no complement."
  (or (hash-ref seen k #f)
      (let ((form (%pattern-form p k)))
        (hash-set! seen k #t)
        (case (car form)
          ((and not) #f)
          ((empty set) #t)
          ((star repeat) (%plain-pattern? p (cadr form) seen))
          (else (every (lambda (part) (%plain-pattern? p part seen))
                       (cdr form)))))))

(define (%direct-expression p k path)
  "The expression of a grammar for one without intersections."
  (let ((form (%pattern-form p k)))
    (define (of k) (%direct-expression p k path))
    (case (car form)
      ((empty) '(seq))
      ((set)
       (or (%string-class-expression (cdr form))
           (%schema-error path (string "a pattern needs control characters, "
                                       "which are not supported"))))
      ((cat) (let loop ((k k) (parts '()))
               (let ((form (%pattern-form p k)))
                 (if (eq? (car form) 'cat)
                     (loop (caddr form) (cons (of (cadr form)) parts))
                     (cons 'seq (reverse (cons (of k) parts)))))))
      ((or)
       (when (null? (cdr form))
         (%schema-error path "a pattern matches no text"))
       (cons 'or (map of (cdr form))))
      ((star) (list '* (of (cadr form))))
      (else (list 'repeat (of (cadr form)) (caddr form) (cadddr form))))))

;; Characters in JSON strings: themselves, or the shortest escapes.

(define (%string-class-expression ranges)
  "The expression of a character in ranges; #f if none can be written."
  (let* ((plain (append-map %plain-ranges ranges))
         (escaped (filter (lambda (entry)
                            (%code-in? (char->integer (car entry)) ranges))
                          %short-escapes))
         (parts (append
                 (if (null? plain)
                     '()
                     (list (cons 'one-of
                                 (map (lambda (range)
                                        (list (integer->char (car range))
                                              (integer->char (cdr range))))
                                      plain))))
                 (map (lambda (entry) (string "\\" (cdr entry))) escaped))))
    (cond ((null? parts) #f)
          ((null? (cdr parts)) (car parts))
          (else (cons 'or parts)))))

(define %plain-codes
  '((32 . 33) (35 . 91) (93 . 126) (#x80 . #xd7ff) (#xe000 . #x10ffff)))

(define (%plain-ranges range)
  "The parts of a range that stand for themselves."
  (filter-map (lambda (allowed)
                (let ((low (max (car range) (car allowed)))
                      (high (min (cdr range) (cdr allowed))))
                  (and (<= low high) (cons low high))))
              %plain-codes))

(define (%code-in? code ranges)
  (any (lambda (range) (<= (car range) code (cdr range))) ranges))

;; Automata.

(define (%automaton-rule! rules path start step accepts? classes express end)
  "Add the rules of an automaton, and return the name of that of its start.
  step: a procedure of state and code that returns a state or #f.  express: the
  expression of ranges of codes, or #f.  end: what follows an accepted text."
  (let* ((classes (filter (lambda (range) (express (list range))) classes))
         (states (%automaton-states path start step classes))
         (live (%live-states states accepts?)))
    (unless (hash-ref live start #f)
      (%schema-error path "no value is allowed"))
    (let ((names (make-hash-table)))
      (for-each (lambda (state k)
                  (hash-set! names state
                             (string->symbol (string path " state " k))))
                (hash-keys live) (iota (hash-size live)))
      (for-each
       (lambda (state)
         (%add-schema-rule!
          rules (hash-ref names state)
          (cons 'or
                (append
                 (if (accepts? state) (list (list 'seq end)) '())
                 (%state-moves (hash-ref states state) live names express)))))
       (hash-keys live))
      (list 'seq (hash-ref names start)))))

(define (%automaton-states path start step classes)
  "A hash table: state -> an alist of the states that follow, and the ranges that
  lead there."
  (let ((states (make-hash-table)))
    (let loop ((left (list start)))
      (cond ((null? left) states)
            ((hash-has-key? states (car left)) (loop (cdr left)))
            (else
             (when (>= (hash-size states) %most-states)
               (%schema-error path (string "a pattern, its lengths or bounds "
                                           "need more than " %most-states
                                           " states; make them smaller")))
             (let ((moves (%moves-of (car left) step classes)))
               (hash-set! states (car left) moves)
               (loop (append (map car moves) (cdr left)))))))))

(define (%moves-of state step classes)
  "The states that follow, each with the ranges that lead there."
  (let ((found (make-hash-table)))
    (for-each (lambda (range)
                (let ((next (step state (car range))))
                  (when next
                    (hash-update! found next
                                  (lambda (ranges) (cons range ranges)) '()))))
              classes)
    (map (lambda (entry) (cons (car entry) (%joined-codes (cdr entry))))
         (hash->list found))))

(define (%live-states states accepts?)
  "The states from which a text can end, a hash table."
  (let ((live (make-hash-table)) (before (make-hash-table)))
    (for-each (lambda (entry)
                (for-each (lambda (move)
                            (hash-update! before (car move)
                                          (lambda (all) (cons (car entry) all))
                                          '()))
                          (cdr entry)))
              (hash->list states))
    (let loop ((left (filter accepts? (hash-keys states))))
      (cond ((null? left) live)
            ((hash-ref live (car left) #f) (loop (cdr left)))
            (else
             (hash-set! live (car left) #t)
             (loop (append (hash-ref before (car left) '()) (cdr left))))))))

(define (%state-moves moves live names express)
  "The expressions of the ways on from a state."
  (filter-map (lambda (move)
                (let ((text (and (hash-ref live (car move) #f)
                                 (express (cdr move)))))
                  (and text (list 'seq text (hash-ref names (car move))))))
              moves))
