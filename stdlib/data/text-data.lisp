;; text-data.lisp - texts as datasets: lines, vocabularies, and windows of
;; tokens with the tokens that follow, as language models learn them.

(define (read-text path :encoding #f :invalid #f)
  "The text of a file, as one string.  :encoding and :invalid are those of
  read-lines."
  (call-with-input-file path port->string :encoding encoding :invalid invalid))

(define (lines-dataset path :encoding #f :invalid #f)
  "The dataset of the lines of a text file that are not empty, as strings.
  :encoding and :invalid are those of read-lines."
  (list->vector
   (filter (lambda (line) (> (string-length line) 0))
           (read-lines path :encoding encoding :invalid invalid))))

;; Vocabularies.  That of characters keeps them as one string, which ctorch
;; takes (ctorch/data/characters.cpp).

(define %vocabulary-type
  (%record-type 'vocabulary #(size #f #f)))

(define (char-vocabulary text)
  "The vocabulary of the different characters of a text, sorted: token 0 is the
  first of them."
  (%check-string "char-vocabulary" text)
  (let ((seen (make-hash-table)))
    (string-for-each (lambda (c) (hash-set! seen c #t)) text)
    (let ((alphabet (list->string (sort (hash-keys seen) char<?))))
      (%record %vocabulary-type (string-length alphabet) alphabet #f))))

(define (word-vocabulary words :most #f)
  "The vocabulary of the different strings of a list: the most frequent first,
  those of one frequency sorted.  most: how many of them are kept."
  (%check-list "word-vocabulary" words)
  (let ((counts (make-hash-table)))
    (for-each (lambda (word)
                (%check-string "word-vocabulary" word)
                (hash-update! counts word (lambda (n) (+ n 1)) 0))
              words)
    (let* ((sorted (map car (sort (hash->list counts) %more-frequent?)))
           (kept (if (and most (< most (length sorted)))
                     (take sorted most)
                     sorted))
           (codes (make-hash-table)))
      (for-each (lambda (word k) (hash-set! codes word k))
                kept (iota (length kept)))
      (%record %vocabulary-type (length kept) (list->vector kept) codes))))

(define (%more-frequent? a b)
  "Whether the word and count a comes before b."
  (if (= (cdr a) (cdr b))
      (string<? (car a) (car b))
      (> (cdr a) (cdr b))))

(define (vocabulary? x)
  "Whether it is a vocabulary."
  (%record? x %vocabulary-type))

(define (%vocabulary-field who x k)
  "A field of a vocabulary."
  (unless (vocabulary? x)
    (wrong-type who "a vocabulary" x))
  (%record-ref x %vocabulary-type k "vocabulary"))

(define (vocabulary-size v)
  "The number of tokens of a vocabulary, or of the ids of a tokenizer."
  (if (tokenizer? v)
      (%tokenizer-field "vocabulary-size" v 1)
      (%vocabulary-field "vocabulary-size" v 0)))

(define (vocabulary-items v)
  "The characters or words, as a list of strings, by token."
  (let ((items (%vocabulary-field "vocabulary-items" v 1)))
    (if (string? items)
        (map string (string->list items))
        (vector->list items))))

(define (encode-text v text :unknown #f)
  "The tokens of a string or, for a vocabulary of words, of a list of strings:
  an int64 tensor [n].  unknown: the token for what the vocabulary does not
  have; without one, that is an error."
  (let ((codes (%vocabulary-field "encode-text" v 2)))
    (cond ((and (not codes) (string? text))
           (%procedure "encode-text" text
                       (%vocabulary-field "encode-text" v 1) unknown))
          ((and codes (list? text))
           (tensor (map (lambda (word)
                          (or (hash-ref codes word unknown)
                              (error
                               (format "encode-text: the vocabulary does not \
have ~s"
                                       word))))
                        text)
                   :dtype 'int64))
          (else
           (wrong-type "encode-text"
                       (if codes "a list of strings" "a string") text)))))

(define (decode-text v tokens)
  "The text of tokens, a list or a tensor: a string or, for a vocabulary of
  words, a list of strings."
  (let ((items (%vocabulary-field "decode-text" v 1))
        (tokens (if (list? tokens) (tensor tokens :dtype 'int64) tokens)))
    (unless (tensor? tokens)
      (wrong-type "decode-text" "a list or a tensor of tokens" tokens))
    (if (string? items)
        (%procedure "decode-text" tokens items)
        (map (lambda (k)
               (unless (< -1 k (vector-length items))
                 (error (string "decode-text: token " k " is out of range for "
                                "a vocabulary of " (vector-length items))))
               (vector-ref items k))
             (tensor->list (tensor-reshape tokens -1))))))

;; Windows.

(define (window-dataset tokens n :stride 1)
  "The dataset of the windows of n tokens, and for each of its tokens the one
  that follows: examples (x y), both [n].  tokens: a list, or a tensor [m] of
  any dtype, also one in a mapped file; m must be larger than n.  stride: the
  distance between the beginnings of windows.  No tokens are copied before a
  batch is gathered."
  (let* ((tokens (if (list? tokens) (tensor tokens) tokens)))
    (unless (and (tensor? tokens) (= (tensor-rank tokens) 1))
      (wrong-type "window-dataset" "a list or a tensor [m] of tokens" tokens))
    (for-each (lambda (x)
                (unless (and (exact-integer? x) (> x 0))
                  (wrong-type "window-dataset" "a positive exact integer" x)))
              (list n stride))
    (let ((m (car (tensor-shape tokens))))
      (when (<= m n)
        (error (string "window-dataset: windows of " n
                       " tokens and the one that follows need " (+ n 1)
                       " tokens, got " m)))
      (let* ((windows (tensor-unfold (detach tokens) 0 (+ n 1) stride))
             (count (car (tensor-shape windows))))
        (%dataset 'windows count
                  (list (tensor-slice windows 1 0 n)             ; [count, n]
                        (tensor-slice windows 1 1 (+ n 1)))
                  #f #f '())))))

(define (text-dataset path n :vocabulary #f :stride 1)
  "The window-dataset of the characters of a text file: examples of n tokens
  and the n that follow.  Its vocabulary is that of the file's characters unless
  one is given; dataset-vocabulary returns it."
  (let* ((text (read-text path))
         (v (or vocabulary (char-vocabulary text)))
         (d (window-dataset (encode-text v text) n :stride stride)))
    (%dataset 'text (dataset-length d) (%rows-of d) #f #f
              (list (cons 'vocabulary v)))))

(define (dataset-vocabulary d)
  "The vocabulary of a dataset from text-dataset; #f for other datasets."
  (%check-dataset "dataset-vocabulary" d)
  (%dataset-fact d 'vocabulary))
