;; grammar-nodes.lisp - grammars as rules, compiled to numbered nodes over
;; bytes.
;;
;; Tokens are sequences of bytes and may end inside a character, so a grammar
;; of characters becomes one of the bytes of UTF-8:
;;
;;     ((answer (or "yes" "no")))
;;     =>  0 (seq 1)  1 (or 2 6)  2 (seq 3 4 5)  3 (byte y)  ...
;;
;; A node is a vector: #(byte set), with a bytevector of 256 flags;
;; #(seq nodes); #(or nodes).  Nodes refer to each other by number, so rules
;; may be recursive without a cycle of objects.

(define-record-type %node-table
  (%make-node-table count nodes rules)
  %node-table?
  (count %node-table-count %set-node-table-count!)
  (nodes %node-table-nodes)      ; hash table: number -> node
  (rules %node-table-rules))     ; hash table: name -> number

(define (%grammar-nodes rules)
  "The nodes of a list of rules as a vector; the first is the first rule's."
  (let ((table (%make-node-table 0 (make-hash-table) (make-hash-table))))
    (for-each (lambda (rule) (%declare-rule! table rule)) rules)
    (for-each (lambda (rule)
                (hash-set! (%node-table-nodes table)
                           (hash-ref (%node-table-rules table) (car rule))
                           (vector 'seq (%nodes-of table (cdr rule)))))
              rules)
    (let ((nodes (%node-table-nodes table)))
      (vector-map (lambda (k) (hash-ref nodes k))
                  (list->vector (iota (%node-table-count table)))))))

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
    (hash-set! (%node-table-nodes table) k node)
    (%set-node-table-count! table (+ k 1))
    k))

(define (%nodes-of table expressions)
  "The numbers of the expressions' nodes."
  (map (lambda (e) (%node-of table e)) expressions))

(define (%node-of table expression)
  "The number of the node of an expression."
  (define (new kind parts) (%new-node! table (vector kind parts)))
  (define (wrong)
    (wrong-type "make-grammar"
                (string "a string, a character, a rule's name, or one of seq, "
                        "or, ?, *, +, repeat, one-of, none-of with arguments")
                expression))
  (cond ((string? expression)
         (new 'seq (%byte-nodes table (string->utf8 expression))))
        ((char? expression) (%node-of table (string expression)))
        ((symbol? expression) (%rule-node table expression))
        ((not (and (list? expression) (pair? expression))) (wrong))
        (else
         (let ((parts (cdr expression)))
           (case (car expression)
             ((seq) (new 'seq (%nodes-of table parts)))
             ((or) (new 'or (%nodes-of table parts)))
             ((?) (%optional-node table (%sequence-node table parts)))
             ((*) (%star-node table (%sequence-node table parts)))
             ((+) (let ((part (%sequence-node table parts)))
                    (new 'seq (list part (%star-node table part)))))
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
  (let ((set (make-bytevector 256 0)))
    (do ((byte low (+ byte 1)))
        ((> byte high) (%new-node! table (vector 'byte set)))
      (bytevector-u8-set! set byte 1))))

(define (%sequence-node table parts)
  "The node of expressions one after the other."
  (let ((nodes (%nodes-of table parts)))
    (if (and (pair? nodes) (null? (cdr nodes)))
        (car nodes)
        (%new-node! table (vector 'seq nodes)))))

(define (%optional-node table part)
  "The node of a node or nothing."
  (%new-node! table (vector 'or (list part (%empty-node table)))))

(define (%empty-node table)
  (%new-node! table (vector 'seq '())))

(define (%star-node table part)
  "The node of a node any number of times."
  (let* ((star (%new-node! table #f))
         (again (%new-node! table (vector 'seq (list part star)))))
    (hash-set! (%node-table-nodes table) star
               (vector 'or (list again (%empty-node table))))
    star))

(define %most-repeats 10000)   ; each is a node

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
    (let* ((node (%node-of table part))
           (more (if most
                     (%at-most-node table node (- most least))
                     (%star-node table node))))
      (%new-node! table
                  (vector 'seq (append (make-list least node) (list more)))))))

(define (%at-most-node table part count)
  "The node of a node up to count times: (part (part ...)?)?"
  (let loop ((k 0) (rest (%empty-node table)))
    (if (= k count)
        rest
        (loop (+ k 1)
              (%optional-node
               table (%new-node! table (vector 'seq (list part rest))))))))
