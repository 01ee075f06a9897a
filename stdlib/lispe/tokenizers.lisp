;; tokenizers.lisp - LispETorch's tokenizers: words, and those of model files.

;; A tokenizer of words, which learns new ones while it encodes.  ids: a table
;; from words to numbers; words: a LispE list in their order.
(define-record-type %word-tokenizer-type (%make-word-tokenizer ids words)
  %word-tokenizer?
  (ids %word-ids)
  (words %word-list))

(define %special-words '("<PAD>" "<UNK>" "<START>" "<END>"))

(define (torch_simple_tokenizer)
  "A tokenizer of words and marks in lower case.  It gives each new word the next
  number; 0 to 3 are <PAD>, <UNK>, <START> and <END>."
  (let ((made (%make-word-tokenizer (make-hash-table) (%list))))
    (for-each (lambda (word) (%word-id! made word)) %special-words)
    made))

(define (%word-id! tokenizer word)
  "The number of a word, a new one if it has none."
  (let ((ids (%word-ids tokenizer)))
    (or (hash-ref ids word #f)
        (let ((id (%list-count (%word-list tokenizer))))
          (hash-set! ids word id)
          (%add-last! (%word-list tokenizer) word)
          id))))

(define (%words text)
  "The words and marks of a text, in lower case."
  (let loop ((chars (string->list (string-downcase text))) (word '()) (found '()))
    (let ((ended (lambda ()
                   (if (null? word) found
                       (cons (list->string (reverse word)) found)))))
      (cond ((null? chars) (reverse (ended)))
            ((char-whitespace? (car chars)) (loop (cdr chars) '() (ended)))
            ((or (char-alphabetic? (car chars)) (char-numeric? (car chars))
                 (memv (car chars) '(#\' #\_ #\-)))
             (loop (cdr chars) (cons (car chars) word) found))
            (else (loop (cdr chars) '()
                        (cons (string (car chars)) (ended))))))))

(define (torch_sentencepiece_tokenizer path)
  "The tokenizer of a SentencePiece model, or of a folder or file of any other
  kind."
  (load-tokenizer path))

(define (torch_train_sentencepiece input prefix size . kind)
  "Train a SentencePiece model of that many tokens on a file of text, \"bpe\" (the
  default) or \"unigram\"; it is written to prefix.model.  Returns a message."
  (let ((path (string prefix ".model")))
    (train-tokenizer (list input) :vocabulary-size size
                     :model (string->symbol (%option kind 0 "bpe"))
                     :path path)
    (string "Training completed successfully. Model saved as: " path)))

(define (torch_encode tokenizer text)
  "The tokens of a text, int64 [n]."
  (tensor (cond ((%word-tokenizer? tokenizer)
                 (append '(2)
                         (map (lambda (word) (%word-id! tokenizer word))
                              (%words text))
                         '(3)))
                ((tokenizer? tokenizer) (encode tokenizer text))
                (else (%fail "torch_encode: expected a tokenizer, got "
                             (%text tokenizer))))
          :dtype 'int64))

(define (torch_decode tokenizer ids)
  "The text of tokens, a tensor or a list."
  (let ((numbers (%flat (list ids))))
    (cond ((%word-tokenizer? tokenizer) (%sentence tokenizer numbers))
          ((tokenizer? tokenizer) (decode tokenizer numbers))
          (else (%fail "torch_decode: expected a tokenizer, got "
                       (%text tokenizer))))))

(define (%sentence tokenizer ids)
  "The words of ids with spaces between them, but before marks."
  (let ((words (%word-list tokenizer)))
    (fold (lambda (id text)
            (let ((word (if (< -1 id (%list-count words)) (%item words id) "<UNK>")))
              (cond ((memv id '(0 2 3)) text)
                    ((or (equal? text "") (member word '("." "," "!" "?" ";" ":" ")")))
                     (string-append text word))
                    (else (string-append text " " word)))))
          "" ids)))

(define (torch_vocab_size tokenizer)
  "How many tokens a tokenizer has."
  (if (%word-tokenizer? tokenizer)
      (%list-count (%word-list tokenizer))
      (vocabulary-size tokenizer)))

(define (%tokenizer-text x)
  (if (memq (tokenizer-kind x) '(unigram sentencepiece bpe-model))
      (string "SentencePiece Tokenizer (vocab size: " (vocabulary-size x) ")")
      (string "Tokenizer (" (tokenizer-kind x) ", vocab size: "
              (vocabulary-size x) ")")))

;; Batches.

(define (torch_pad_sequences sequences length . pad)
  "Token lists or tensors in rows of a length, int64 [n, length]: longer ones are
  cut, shorter ones filled with pad (0)."
  (tensor (map (lambda (x)
                 (let ((ids (%flat (list x))))
                   (if (>= (size x) length)
                       (take ids length)
                       (append ids (make-list (- length (size x))
                                              (%option pad 0 0))))))
               (%elements sequences))
          :dtype 'int64))

(define (torch_attention_mask sequences . pad)
  "1 where a token is not padding (0), 0 elsewhere, int64 in the same shape."
  (let ((x (if (tensor? sequences) sequences (tensor_create sequences))))
    (tensor-to (tensor-ne x (%option pad 0 0)) 'int64)))
