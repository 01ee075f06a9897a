;; token-masks.lisp - which tokens a grammar allows next.
;;
;; For a state of a grammar, each token's bytes are matched, those first bytes
;; that lead nowhere not at all.  The result is a tensor over the vocabulary:
;; how many bytes the text needs to be complete after the token.  A token is
;; allowed if that is no more than the tokens that may still come, since a
;; vocabulary has a token for each byte; so a text is complete when its limit
;; comes.  The tensors are kept, because the same states come again and again.

(define-record-type %token-table
  (%make-token-table tokenizer vocabulary bytes starts ends masks)
  %token-table?
  (tokenizer %token-table-tokenizer)
  (vocabulary %token-table-vocabulary)  ; of the model's logits
  (bytes %token-table-bytes)            ; vector: token -> bytevector
  (starts %token-table-starts)          ; vector: first byte -> tokens
  (ends %token-table-ends)              ; tokens that end the text
  (masks %token-table-masks))           ; hash table: state -> tensor

(define %most-masks 512)   ; of one table; each takes 4 bytes a token

(define (%token-table-for grammar tokenizer vocabulary)
  "The table of a tokenizer for a grammar, which keeps it."
  (or (find (lambda (table)
              (and (eq? (%token-table-tokenizer table) tokenizer)
                   (= (%token-table-vocabulary table) vocabulary)))
            (%grammar-tables grammar))
      (let ((table (%new-token-table tokenizer vocabulary)))
        (%set-grammar-tables! grammar (cons table (%grammar-tables grammar)))
        table)))

(define (%new-token-table tokenizer vocabulary)
  "The table of a tokenizer: what it calls special matches nothing."
  (let* ((bytes (all-token-bytes tokenizer))
         (starts (make-vector 256 '()))
         (special (make-hash-table)))
    (for-each (lambda (id) (hash-set! special id #t)) (special-ids tokenizer))
    (let loop ((id (- (min (vector-length bytes) vocabulary) 1)))
      (when (>= id 0)
        (let ((text (vector-ref bytes id)))
          (unless (or (hash-has-key? special id) (= (bytevector-length text) 0))
            (let ((first (bytevector-u8-ref text 0)))
              (vector-set! starts first (cons id (vector-ref starts first))))))
        (loop (- id 1))))
    (%make-token-table tokenizer vocabulary bytes starts (eos-ids tokenizer)
                       (make-hash-table))))

(define (%allowed-tokens grammar table state remaining)
  "Which tokens may come in a state, if so many may come after them: bool
  [vocabulary]."
  (tensor-le (%token-needs grammar table state) remaining))

(define (%token-needs grammar table state)
  "The bytes that are needed after each token: int32 [vocabulary]."
  (let ((masks (%token-table-masks table)))
    (or (hash-ref masks state #f)
        (let ((needs (%compute-needs grammar table state)))
          (when (>= (hash-size masks) %most-masks) (hash-clear! masks))
          (hash-set! masks state needs)
          needs))))

(define (%compute-needs grammar table state)
  "The bytes that are needed after each token, matched anew."
  (let ((found (%matching-tokens grammar table state))
        (needs (tensor-full (list (%token-table-vocabulary table)) %endless
                            :dtype 'int32)))
    (unless (null? (car found))
      (tensor-index-copy! needs 0 (tensor (car found) :dtype 'int64)
                          (tensor (cdr found) :dtype 'int32)))
    (when (%complete-state? grammar state)
      (for-each (lambda (id) (tensor-fill! (tensor-select needs 0 id) 0))
                (%token-table-ends table)))
    needs))

(define (%matching-tokens grammar table state)
  "The pair of the tokens that match, and of the bytes needed after each."
  (let ((bytes (%token-table-bytes table)))
    (let each-start ((byte 255) (ids '()) (needs '()))
      (if (< byte 0)
          (cons ids needs)
          (let ((next (%next-state grammar state byte)))
            (if (< next 0)
                (each-start (- byte 1) ids needs)
                (let each-token ((left (vector-ref (%token-table-starts table)
                                                   byte))
                                 (ids ids) (needs needs))
                  (if (null? left)
                      (each-start (- byte 1) ids needs)
                      (let ((end (%state-after grammar next
                                               (vector-ref bytes (car left))
                                               1)))
                        (if (< end 0)
                            (each-token (cdr left) ids needs)
                            (each-token (cdr left) (cons (car left) ids)
                                        (cons (%needed-bytes grammar end)
                                              needs))))))))))))

(define (%state-after-token grammar table state id)
  "The state after a token, or %no-state."
  (%state-after grammar state (vector-ref (%token-table-bytes table) id) 0))
