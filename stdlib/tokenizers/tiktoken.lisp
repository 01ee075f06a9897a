;; tiktoken.lisp - files of tiktoken: a token in base64 and its rank on each line.
;;
;; Such a file says neither how texts are split nor which tokens are special.
;; Few vocabularies exist in this format, and the number of tokens tells which
;; one a file has.

(define (%known-ranks)
  "The vocabularies of known files: the number of tokens, how texts are split, and the special
  tokens that follow them: names, or pairs of a name and an id."
  (let ((reserved (lambda (k)
                    (string "<|reserved_special_token_" k "|>"))))
    `((50256 gpt2 ("<|endoftext|>"))
      (50257 gpt2 ("<|endoftext|>"))
      (50280 gpt2 (("<|endoftext|>" . 50256)))
      (100256 cl100k (("<|endoftext|>" . 100257) ("<|fim_prefix|>" . 100258)
                      ("<|fim_middle|>" . 100259) ("<|fim_suffix|>" . 100260)
                      ("<|endofprompt|>" . 100276)))
      (199998 gpt4o (("<|endoftext|>" . 199999) ("<|endofprompt|>" . 200018)))
      (151643 qwen2 ("<|endoftext|>" "<|im_start|>" "<|im_end|>"
                     ,@(map (lambda (k) (string "<|extra_" k "|>"))
                            (iota 205))))
      (128000 llama3
              ("<|begin_of_text|>" "<|end_of_text|>" ,(reserved 0) ,(reserved 1)
               "<|finetune_right_pad_id|>" "<|step_id|>" "<|start_header_id|>"
               "<|end_header_id|>" "<|eom_id|>" "<|eot_id|>" "<|python_tag|>"
               "<|image|>"
               ,@(map (lambda (k) (reserved (+ k 2))) (iota 244))))
      (200000 gpt4o
              ("<|begin_of_text|>" "<|end_of_text|>" "<|fim_prefix|>"
               "<|fim_middle|>" "<|fim_suffix|>" "<|header_start|>"
               "<|header_end|>" "<|eom|>" "<|eot|>" "<|step|>")))))

(define (load-tiktoken path :pattern #f :special #f)
  "The tokenizer in a file of tiktoken: byte-level BPE.

  pattern: how texts are split into words, as for bpe-tokenizer; special: an
  alist of texts and ids, or a list of texts whose ids follow the file's.  By
  default the number of tokens decides, for the files of GPT-2 to GPT-4o, Qwen,
  Llama 3 and Llama 4; an error for other files.  encode adds no tokens at the
  ends, but Llama's <|begin_of_text|>."
  (define who "load-tiktoken")
  (%check-string who path)
  (let* ((count (or (%procedure "count-ranks" path)
                    (error (format "load-tiktoken: ~s: expected a token in \
base64 and its rank in its first line" path))))
         (known (or (assv count (%known-ranks)) (list count #f '())))
         (added (%ranked-specials who (or special (caddr known)) count))
         (names (map car added))
         (bos (and (member "<|begin_of_text|>" names) "<|begin_of_text|>")))
    (unless (or pattern (cadr known))
      (error (format "load-tiktoken: ~s has ~a tokens, which is not a known \
vocabulary; say how it splits texts, such as :pattern 'gpt2" path count)))
    (let ((object (%procedure who
                              (%byte-steps (%split-pattern
                                            who (or pattern (cadr known)))
                                           #f #t)
                              path added (if bos (list bos) '()) '())))
      (%make-tokenizer 'bpe object (%ranked-settings object bos)))))

(define (%ranked-specials who special count)
  "Special tokens as ctorch takes added ones."
  (%check-list who special)
  (map (lambda (entry k)
         (list (if (pair? entry) (car entry) entry)
               (if (pair? entry) (cdr entry) (+ count k))
               #t #f #f #f #f))
       special (iota (length special))))

(define (%ranked-settings object bos)
  "The settings of a tokenizer: which of the usual names it has."
  (let* ((id (lambda (name) (%procedure "token->id" object name)))
         (ends (filter id '("<|end_of_text|>" "<|eot_id|>" "<|eot|>" "<|eom_id|>"
                            "<|endoftext|>" "<|im_end|>"))))
    `((bos . ,(and bos (id bos)))
      (eos . ,(map id ends))
      (pad . ,(id "<|finetune_right_pad_id|>"))
      (names . ,(append (if bos `(("bos_token" . ,bos)) '())
                        (if (pair? ends)
                            `(("eos_token" . ,(car ends)))
                            '()))))))
