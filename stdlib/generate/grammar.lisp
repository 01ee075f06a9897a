;; grammar.lisp - grammars that restrict what a model writes.
;;
;; A text is matched byte by byte.  What may follow is a set of stacks of
;; nodes, each of which must be matched from its top; a state is the number of
;; such a set.  States and their transitions are computed when they are first
;; needed, so that most steps are one look-up:
;;
;;     rows[state][byte]  =>  the next state, or none
;;
;; For each state the number of bytes is known that complete the text at
;; least, so that generation can end a text before its limit.

(define-record-type grammar
  (%make-grammar nodes least numbers sets rows needs count tables)
  grammar?
  (nodes %grammar-nodes-of)      ; vector of nodes
  (least %grammar-least)         ; vector: the fewest bytes of each node
  (numbers %grammar-numbers)     ; hash table: set of stacks -> state
  (sets %grammar-sets %set-grammar-sets!)       ; vector: state -> set
  (rows %grammar-rows %set-grammar-rows!)       ; vector: state -> transitions
  (needs %grammar-needs %set-grammar-needs!)    ; vector: state -> bytes
  (count %grammar-count %set-grammar-count!)    ; of states
  (tables %grammar-tables %set-grammar-tables!))  ; see token-masks.lisp

(define %no-state -1)
(define %unknown-state -2)
(define %endless 1000000000)   ; more bytes than any text

(define (make-grammar rules)
  "A grammar for the :grammar of generate: what the text may be.

  rules: lists of a name and expressions, which follow each other; the text is
  the first rule.  An expression is a string; a character; a rule's name;
  (seq e ...), one after the other; (or e ...), one of them; (? e ...), (* e
  ...), (+ e ...), optional, any number, at least one; (repeat e least most);
  (one-of part ...) and (none-of part ...), a character, where a part is a
  string of characters or a list of a first and a last one.

  (make-grammar '((list item (* \", \" item)) (item (+ (one-of (#\\a #\\z))))))"
  (unless (and (list? rules) (pair? rules))
    (wrong-type "make-grammar" "a list of rules" rules))
  (let* ((nodes (%grammar-nodes rules))
         (least (%least-bytes nodes))
         (grammar (%make-grammar nodes least (make-hash-table)
                                 (make-vector 64 #f) (make-vector 64 #f)
                                 (make-vector 64 0) 0 '())))
    (%check-rules-end rules least)
    (%check-left-recursion nodes least rules)
    (%state-of! grammar (%closure grammar '((0))))
    grammar))

(define %first-state 0)

(define (grammar-matches? grammar text)
  "Whether a text is complete: the grammar matches all of it."
  (let ((state (%state-after-text "grammar-matches?" grammar text)))
    (and (>= state 0) (%complete-state? grammar state))))

(define (grammar-begins? grammar text)
  "Whether a text is the beginning of one that the grammar matches."
  (>= (%state-after-text "grammar-begins?" grammar text) 0))

(define (%state-after-text who grammar text)
  "The state after a text, or %no-state."
  (unless (grammar? grammar) (wrong-type who "a grammar" grammar))
  (unless (string? text) (wrong-type who "a string" text))
  (%state-after grammar %first-state (string->utf8 text) 0))

;; States.

(define (%state-after grammar state bytes start)
  "The state after the bytes from start on, or %no-state."
  (let ((n (bytevector-length bytes)))
    (let loop ((k start) (state state))
      (if (or (= k n) (< state 0))
          state
          (loop (+ k 1)
                (%next-state grammar state (bytevector-u8-ref bytes k)))))))

(define (%next-state grammar state byte)
  "The state after a byte, or %no-state."
  (let ((next (vector-ref (vector-ref (%grammar-rows grammar) state) byte)))
    (if (= next %unknown-state)
        (%find-next-state! grammar state byte)
        next)))

(define (%find-next-state! grammar state byte)
  "The state after a byte, which is noted in the row of the state."
  (let* ((nodes (%grammar-nodes-of grammar))
         (left (filter-map
                (lambda (stack)
                  (and (pair? stack)
                       (= 1 (bytevector-u8-ref
                             (vector-ref (vector-ref nodes (car stack)) 1)
                             byte))
                       (cdr stack)))
                (vector-ref (%grammar-sets grammar) state)))
         (next (if (null? left)
                   %no-state
                   (%state-of! grammar (%closure grammar left)))))
    (vector-set! (vector-ref (%grammar-rows grammar) state) byte next)
    next))

(define (%state-of! grammar set)
  "The number of a set of stacks, which may be new."
  (let ((numbers (%grammar-numbers grammar)))
    (or (hash-ref numbers set #f)
        (let ((k (%grammar-count grammar)))
          (when (= k (vector-length (%grammar-sets grammar)))
            (%grow-grammar! grammar (* 2 k)))
          (hash-set! numbers set k)
          (vector-set! (%grammar-sets grammar) k set)
          (vector-set! (%grammar-rows grammar) k
                       (make-vector 256 %unknown-state))
          (vector-set! (%grammar-needs grammar) k
                       (%fewest-bytes (%grammar-least grammar) set))
          (%set-grammar-count! grammar (+ k 1))
          k))))

(define (%grow-grammar! grammar size)
  "Make room for that many states."
  (define (grown vector)
    (let ((new (make-vector size #f)))
      (vector-copy! new 0 vector)
      new))
  (%set-grammar-sets! grammar (grown (%grammar-sets grammar)))
  (%set-grammar-rows! grammar (grown (%grammar-rows grammar)))
  (%set-grammar-needs! grammar (grown (%grammar-needs grammar))))

(define (%needed-bytes grammar state)
  "How many bytes complete the text at least."
  (vector-ref (%grammar-needs grammar) state))

(define (%complete-state? grammar state)
  "Whether the text may end here."
  (= 0 (%needed-bytes grammar state)))

(define (%final-state? grammar state)
  "Whether the text must end here."
  (equal? '(()) (vector-ref (%grammar-sets grammar) state)))

;; Stacks.

(define (%closure grammar stacks)
  "The stacks with a byte node on top, or empty, that stacks amount to."
  (let ((nodes (%grammar-nodes-of grammar))
        (seen (make-hash-table)))
    (let visit ((stacks stacks) (done '()))
      (if (null? stacks)
          done
          (let ((stack (car stacks)) (others (cdr stacks)))
            (if (hash-has-key? seen stack)
                (visit others done)
                (begin
                  (hash-set! seen stack #t)
                  (if (null? stack)
                      (visit others (cons stack done))
                      (let* ((node (vector-ref nodes (car stack)))
                             (parts (vector-ref node 1))
                             (rest (cdr stack)))
                        (case (vector-ref node 0)
                          ((byte) (visit others (cons stack done)))
                          ((seq)
                           (visit (cons (append parts rest) others) done))
                          (else
                           (visit (append (map (lambda (k) (cons k rest)) parts)
                                          others)
                                  done))))))))))))

;; Left recursion.

(define (%check-left-recursion nodes least rules)
  "Raise an error if a rule begins with itself: its stacks would never end."
  (for-each (lambda (rule k)
              (when (%begins-with-itself? nodes least k)
                (%error-with-hint
                 (string "make-grammar: rule " (car rule)
                         " begins with itself")
                 '()
                 "(* ...) repeats: (sum item (* \"+\" item))")))
            rules (iota (length rules))))

(define (%begins-with-itself? nodes least rule)
  "Whether a rule may begin with itself and more, so that its stacks grow."
  (let ((seen (make-hash-table)))
    (let visit ((places (%first-parts nodes least rule #f)))
      (cond ((null? places) #f)
            ((hash-has-key? seen (car places)) (visit (cdr places)))
            ((equal? (car places) (cons rule #t)) #t)
            (else
             (hash-set! seen (car places) #t)
             (visit (append (%first-parts nodes least
                                          (caar places) (cdar places))
                            (cdr places))))))))

(define (%first-parts nodes least k followed?)
  "The parts that node k may begin with, each with whether more follows it.

  followed?: whether more follows the node."
  (let* ((node (vector-ref nodes k)) (parts (vector-ref node 1)))
    (case (vector-ref node 0)
      ((byte) '())
      ((seq)
       (let loop ((parts parts))
         (if (null? parts)
             '()
             (let ((first (cons (car parts)
                                (or followed? (pair? (cdr parts))))))
               (if (= 0 (vector-ref least (car parts)))
                   (cons first (loop (cdr parts)))
                   (list first))))))
      (else (map (lambda (part) (cons part followed?)) parts)))))

;; The fewest bytes.

(define (%least-bytes nodes)
  "The fewest bytes that each node matches."
  (let ((least (make-vector (vector-length nodes) %endless)))
    (let pass ()
      (if (%shorten! nodes least) (pass) least))))

(define (%shorten! nodes least)
  "Compute each node's fewest bytes from those of its parts, the last node
  first, because most nodes come after their parts' use; whether one changed."
  (let loop ((k (- (vector-length nodes) 1)) (changed #f))
    (if (< k 0)
        changed
        (let ((bytes (%least-of-node (vector-ref nodes k) least)))
          (if (< bytes (vector-ref least k))
              (begin (vector-set! least k bytes) (loop (- k 1) #t))
              (loop (- k 1) changed))))))

(define (%least-of-node node least)
  "A node's fewest bytes, from those of its parts."
  (let ((parts (vector-ref node 1)))
    (case (vector-ref node 0)
      ((byte) 1)
      ((seq) (%fewest-of-stack least parts))
      (else (fold (lambda (k sum) (min sum (vector-ref least k)))
                  %endless parts)))))

(define (%fewest-of-stack least stack)
  "The sum of the fewest bytes of the nodes."
  (let loop ((left stack) (sum 0))
    (cond ((null? left) sum)
          ((>= sum %endless) %endless)
          (else (loop (cdr left) (+ sum (vector-ref least (car left))))))))

(define (%fewest-bytes least stacks)
  "The fewest bytes that complete one of the stacks."
  (fold (lambda (stack fewest) (min fewest (%fewest-of-stack least stack)))
        %endless stacks))

(define (%check-rules-end rules least)
  "Raise an error if a rule has no text that ends."
  (for-each (lambda (rule k)
              (when (>= (vector-ref least k) %endless)
                (error (string "make-grammar: rule " (car rule)
                               " has no text that ends"))))
            rules (iota (length rules))))
