;; tiktoken.lisp - the plugin lispe_tiktoken: byte-level BPE of a vocabulary that
;; the program has read.
;;
;; Its files do not say which pairs merge first, only the tokens: as in tiktoken,
;; the pair whose token has the least id merges first.

(define-record-type %bpe-type (%make-bpe tokenizer vocabulary metas) %bpe?
  (tokenizer %bpe-tokenizer)
  (vocabulary %bpe-vocabulary)   ; a dictionary from tokens to ids
  (metas %bpe-metas))            ; a dictionary: what decoding replaces

(define (%checked-bpe x)
  (if (%bpe? x) x (%fail "expecting a 'tiktoken_' type")))

(define (tiktoken_create vocabulary special pattern)
  "A tokenizer of a dictionary from tokens to ids, a list of dictionaries with
  the content and id of special tokens, and a regular expression."
  (unless (hash-table? vocabulary) (%fail "Wrong vocabulary format for tiktoken"))
  (unless (%list? special) (%fail "Wrong special tokens format for tiktoken"))
  (let ((names (map (lambda (entry) (%item entry "content")) (%elements special))))
    (%make-bpe (bpe-tokenizer (%tokens-by-id vocabulary (%elements special))
                              (%merges-of vocabulary)
                              :pattern (or pattern 'gpt2) :special names
                              :ignore-merges #t)
               vocabulary
               (%dictionary "Ġ" " " "Ċ" "\n" "ĉ" "\t"))))

(define (%tokens-by-id vocabulary special)
  "The list of all tokens in the order of their ids; ids without one get names
  that no text has."
  (let* ((pairs (append (hash->list vocabulary)
                        (map (lambda (entry)
                               (cons (%item entry "content") (%item entry "id")))
                             special)))
         (tokens (make-vector (+ 1 (fold (lambda (pair n) (max n (cdr pair))) -1 pairs))
                              #f)))
    (for-each (lambda (pair) (vector-set! tokens (cdr pair) (car pair))) pairs)
    (map (lambda (k)
           (or (vector-ref tokens k) (string "<|unused " k "|>")))
         (iota (vector-length tokens)))))

(define (%merges-of vocabulary)
  "The pairs of tokens that make tokens, by the ids of what they make."
  (append-map
   (lambda (token) (%pairs-of token vocabulary))
   (sort (filter (lambda (token) (> (string-length token) 1))
                 (hash-keys vocabulary))
         (lambda (a b) (< (hash-ref vocabulary a 0) (hash-ref vocabulary b 0))))))

(define (%pairs-of token vocabulary)
  "The ways to cut a token into two tokens, each as \"left right\"."
  (filter-map
   (lambda (k)
     (let ((left (substring token 0 k))
           (right (substring token k (string-length token))))
       (and (hash-has-key? vocabulary left) (hash-has-key? vocabulary right)
            (string-append left " " right))))
   (iota (- (string-length token) 1) 1)))

(define (tiktoken_encode bpe text)
  "The ids of a text, as integers."
  (%new-list 'integers (encode (%bpe-tokenizer (%checked-bpe bpe)) text
                               :special #f)))

(define (tiktoken_decode bpe ids)
  "The text of ids."
  (let ((metas (%bpe-metas (%checked-bpe bpe))))
    (fold (lambda (mark text)
            (if (string-contains text mark)
                (replace text mark (hash-ref metas mark ""))
                text))
          (decode (%bpe-tokenizer bpe) (%flat (list ids)) :skip-special #f)
          (hash-keys metas))))

(define (tiktoken_special_encode bpe text)
  "The id of a special token, -1 if there is none."
  (or (token->id (%bpe-tokenizer (%checked-bpe bpe)) text) -1))

(define (tiktoken_vocab_size bpe)
  "How many tokens there are."
  (vocabulary-size (%bpe-tokenizer (%checked-bpe bpe))))

(define (tiktoken_set_space bpe text)
  "The mark that stands for a space."
  (tiktoken_add_meta bpe text " "))

(define (tiktoken_add_meta bpe mark replacement)
  "Have decoding replace a mark."
  (hash-set! (%bpe-metas (%checked-bpe bpe)) mark replacement)
  #t)

(define (tiktoken_remove_meta bpe mark)
  "Have decoding leave a mark."
  (hash-delete! (%bpe-metas (%checked-bpe bpe)) mark)
  #t)

(define (tiktoken_list_meta bpe . metas)
  "The dictionary of marks and what replaces them; with one, set them."
  (if (null? metas)
      (hash-copy (%bpe-metas (%checked-bpe bpe)))
      (let ((own (%bpe-metas (%checked-bpe bpe))))
        (hash-clear! own)
        (for-each (lambda (key) (hash-set! own key (hash-ref (car metas) key "")))
                  (hash-keys (car metas)))
        #t)))

(define (%token-bytes bpe id)
  "The bytes of a token, as a Scheme list."
  (let ((bytes (vector-ref (all-token-bytes (%bpe-tokenizer (%checked-bpe bpe))) id)))
    (map (lambda (k) (bytevector-u8-ref bytes k)) (iota (bytevector-length bytes)))))

(define (tiktoken_decode_single_token_bytes bpe id)
  "The bytes of a token."
  (%new-list 'integers (%token-bytes bpe id)))

(define (tiktoken_decode_bytes bpe ids)
  "The bytes of tokens."
  (%new-list 'integers (append-map (lambda (id) (%token-bytes bpe id))
                                   (%flat (list ids)))))

(define (tiktoken_token_byte_values bpe)
  "The bytes of all tokens, sorted, each as a list."
  (let ((all (filter (lambda (bytes) (> (bytevector-length bytes) 0))
                     (vector->list (all-token-bytes (%bpe-tokenizer (%checked-bpe bpe)))))))
    (%new-list 'list
               (map (lambda (numbers) (%new-list 'integers numbers))
                    (sort (map (lambda (bytes)
                                 (map (lambda (k) (bytevector-u8-ref bytes k))
                                      (iota (bytevector-length bytes))))
                               all)
                          %less-bytes?)))))

(define (%less-bytes? a b)
  (cond ((null? a) (pair? b))
        ((null? b) #f)
        ((= (car a) (car b)) (%less-bytes? (cdr a) (cdr b)))
        (else (< (car a) (car b)))))
