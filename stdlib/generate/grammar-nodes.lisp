;; grammar-nodes.lisp - grammars as rules, compiled to numbered nodes over
;; bytes.
;;
;; Tokens are sequences of bytes and may end inside a character, so a grammar
;; of characters becomes one of the bytes of UTF-8:
;;
;;     ((answer (or "yes" "no")))
;;     =>  0 (1 1)  1 (2 5 7)  2 (0 121 121)  ...
;;
;; A node is a list of its kind and its parts: (0 low high), a byte between
;; two; (1 node ...), one after the other; (2 node ...), one of them;
;; (3 least most node), from least to most times.  Nodes refer to each other by
;; number, so rules may be recursive without a cycle of objects.

(define %byte-kind 0)
(define %sequence-kind 1)
(define %choice-kind 2)
(define %repeat-kind 3)
(define %without-end -1)                 ; as the most times

(define %most-nodes 1000000)

(define-record-type %node-table
  (%make-node-table count nodes rules bytes)
  %node-table?
  (count %node-table-count %set-node-table-count!)
  (nodes %node-table-nodes)      ; hash table: number -> node
  (rules %node-table-rules)      ; hash table: name -> number
  (bytes %node-table-bytes))     ; hash table: low * 256 + high -> number

(define (%grammar-nodes rules)
  "The nodes of a list of rules as a list; the first are the rules."
  (let ((table (%make-node-table 0 (make-hash-table) (make-hash-table)
                                 (make-hash-table))))
    (for-each (lambda (rule) (%declare-rule! table rule)) rules)
    (for-each (lambda (rule)
                (hash-set! (%node-table-nodes table)
                           (hash-ref (%node-table-rules table) (car rule))
                           (cons %sequence-kind
                                 (%nodes-of table (cdr rule)))))
              rules)
    (let ((nodes (%node-table-nodes table)))
      (map (lambda (k) (hash-ref nodes k))
           (iota (%node-table-count table))))))

(define (%declare-rule! table rule)
  "Give a rule its number."
  (unless (and (pair? rule) (symbol? (car rule)) (pair? (cdr rule)))
    (wrong-type "make-grammar" "rules of a name and expressions" rule))
  (when (hash-has-key? (%node-table-rules table) (car rule))
    (error (string "make-grammar: rule " (car rule) " is defined twice")))
  (hash-set! (%node-table-rules table) (car rule) (%new-node! table #f)))

(define (%new-node! table node)
  "The number of a new node."
  (let ((k (%node-table-count table)))
    (when (>= k %most-nodes)
      (error (string "make-grammar: the grammar has more than " %most-nodes
                     " parts")))
    (hash-set! (%node-table-nodes table) k node)
    (%set-node-table-count! table (+ k 1))
    k))

(define (%nodes-of table expressions)
  "The numbers of the expressions' nodes."
  (map (lambda (e) (%node-of table e)) expressions))

(define (%node-of table expression)
  "The number of the node of an expression."
  (define (new kind parts) (%new-node! table (cons kind parts)))
  (define (wrong)
    (wrong-type "make-grammar"
                (string "a string, a character, a rule's name, or one of seq, "
                        "or, ?, *, +, repeat, one-of, none-of with arguments")
                expression))
  (cond ((string? expression)
         (new %sequence-kind
              (%byte-nodes table (string->utf8 expression))))
        ((char? expression) (%node-of table (string expression)))
        ((symbol? expression) (%rule-node table expression))
        ((not (and (list? expression) (pair? expression))) (wrong))
        (else
         (let ((parts (cdr expression)))
           (case (car expression)
             ((seq) (new %sequence-kind (%nodes-of table parts)))
             ((or) (new %choice-kind (%nodes-of table parts)))
             ((?) (%repeated-node table (%sequence-node table parts) 0 1))
             ((*) (%repeated-node table (%sequence-node table parts) 0
                                  %without-end))
             ((+) (%repeated-node table (%sequence-node table parts) 1
                                  %without-end))
             ((repeat) (apply %repeat-node table parts))
             ((one-of) (%set-node table (%character-ranges parts)))
             ((none-of)
              (%set-node table (%other-ranges (%character-ranges parts))))
             (else (wrong)))))))

(define (%rule-node table name)
  "The number of the rule of that name."
  (let ((rules (%node-table-rules table)))
    (unless (hash-has-key? rules name)
      (error (string "make-grammar: no rule is called " name "; the rules are")
             (hash-keys rules)))
    (hash-ref rules name)))

(define (%byte-nodes table bytes)
  "Nodes for single bytes."
  (map (lambda (k)
         (let ((byte (bytevector-u8-ref bytes k)))
           (%byte-range-node table byte byte)))
       (iota (bytevector-length bytes))))

(define (%byte-range-node table low high)
  "The node of the bytes from low to high."
  (let ((known (%node-table-bytes table)) (key (+ (* 256 low) high)))
    (or (hash-ref known key #f)
        (let ((node (%new-node! table (list %byte-kind low high))))
          (hash-set! known key node)
          node))))

(define (%sequence-node table parts)
  "The node of expressions one after the other."
  (let ((nodes (%nodes-of table parts)))
    (if (and (pair? nodes) (null? (cdr nodes)))
        (car nodes)
        (%new-node! table (cons %sequence-kind nodes)))))

(define (%repeated-node table part least most)
  "The node of a node from least to most times, or without end."
  (%new-node! table (list %repeat-kind least most part)))

(define %most-repeats 1000000)

(define (%repeat-node table part . bounds)
  "The node of an expression from least to most times; #f: without bound."
  (unless (and (= (length bounds) 2) (%size? (car bounds) 0)
               (or (not (cadr bounds)) (%size? (cadr bounds) (car bounds))))
    (wrong-type "make-grammar"
                "(repeat expression least most), integers, or #f for most"
                (cons 'repeat (cons part bounds))))
  (let ((least (car bounds)) (most (cadr bounds)))
    (when (> (or most least) %most-repeats)
      (error (string "make-grammar: at most " %most-repeats
                     " repetitions are counted, got")
             (or most least)))
    (%repeated-node table (%node-of table part) least
                    (or most %without-end))))
