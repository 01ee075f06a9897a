;; made-tokenizers.lisp - tokenizers made of lists, in a program.

(define (bpe-tokenizer vocabulary merges
                       :pattern 'gpt2 :special '() :prefix-space #f
                       :ignore-merges #f :bos #f :eos '() :pad #f
                       :add-bos #f :add-eos #f :template #f)
  "A byte-level BPE tokenizer: vocabulary is the list of its tokens by id, in
  GPT-2's alphabet, where Ġ is a space; merges is a list of strings \"a b\", the
  first merge first.

  pattern: how texts are split into words: gpt2, llama3, qwen2, gpt4o, cl100k, a
  regular expression as a string, or a list of these, each of which cuts the
  pieces of those before it.  special: tokens that are found in texts by their
  names, strings of the vocabulary.  prefix-space: whether a space is put before
  a text that has none.  ignore-merges: whether words that are tokens are taken
  whole.  bos, pad: ids; eos: an id or a list of them; add-bos, add-eos: whether
  encode adds them.  template: a chat template.

  Source: Sennrich et al. 2016; Radford et al. 2019 for the bytes."
  (%check-list "bpe-tokenizer" vocabulary)
  (%check-list "bpe-tokenizer" merges)
  (let* ((tokens (list->vector vocabulary))
         (ends (if (list? eos) eos (list eos)))
         (name (lambda (id)
                 (unless (and (exact-integer? id)
                              (< -1 id (vector-length tokens)))
                   (wrong-type "bpe-tokenizer" "an id of the vocabulary" id))
                 (vector-ref tokens id)))
         (added (map (lambda (text) (list text #f #t #f #f #f #f)) special)))
    (%make-tokenizer
     'bpe
     (%procedure "bpe-tokenizer"
                 (%byte-steps (%split-pattern "bpe-tokenizer" pattern)
                              prefix-space ignore-merges)
                 vocabulary merges added
                 (if add-bos (list (name bos)) '())
                 (if add-eos (list (name (car ends))) '()))
     `((bos . ,bos)
       (eos . ,(filter values ends))
       (pad . ,pad)
       (names . ,(append (if bos `(("bos_token" . ,(name bos))) '())
                         (if (and (pair? ends) (car ends))
                             `(("eos_token" . ,(name (car ends))))
                             '())))
       (template . ,template)))))

(define (word-tokenizer texts :most #f :lower #f :unknown "<unk>")
  "A tokenizer of words: of a text, or of a list of texts.  Its tokens are their
  words and marks, the most frequent first, after the unknown token, whose id
  is 0.

  most: how many words are kept, by default all.  lower: whether letters become
  small.  decode puts spaces between the words."
  (let ((counts (make-hash-table))
        (lower (if lower #t #f))
        (all (if (string? texts) (list texts) texts)))
    (%check-list "word-tokenizer" all)
    (unless (or (not most) (and (exact-integer? most) (>= most 0)))
      (wrong-type "word-tokenizer" "an exact integer from 0 up as most" most))
    (for-each
     (lambda (text)
       (for-each (lambda (word)
                   (hash-update! counts word (lambda (n) (+ n 1)) 0))
                 (%procedure "split-words"
                             (%text-for-tokens "word-tokenizer" text) lower)))
     all)
    (hash-delete! counts unknown)
    (let* ((sorted (map car (sort (hash->list counts) %more-frequent?)))
           (kept (if (and most (< most (length sorted)))
                     (take sorted most)
                     sorted)))
      (%make-tokenizer 'words
                       (%procedure "word-tokenizer"
                                   (%word-steps lower unknown)
                                   (cons unknown kept) '() '() '() '())
                       '()))))
