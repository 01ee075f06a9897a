;; quantize-command.lisp - the command quantize: a model's weights in fewer
;; bits, as a folder or a GGUF file that later starts map as it is.
;;
;;     lambent quantize FOLDER NEW --bits 4
;;     lambent quantize FOLDER NEW --kind Q4_K_M
;;     lambent quantize FOLDER NEW.gguf --kind Q4_K_M

(define %quantize-options
  (%command-options
   '("--bits" :bits bits "bits of a weight, 8 unless given")
   '("--kind" :kind name "how files have them: Q4_K_M ...; of GGUF also Q8_0, F16 ...")))

(define (%run-quantize command plain found)
  "The command quantize: write the model of a folder or file, and say how large
  it is."
  (let* ((from (car plain))
         (to (if (pair? (cdr plain))
                 (cadr plain)
                 (%usage-error command "no new folder or file is given")))
         (bits (%option-ref found :bits #f))
         (kind (%option-ref found :kind #f))
         (gguf? (string-suffix? ".gguf" to))
         (progress (terminal-port? (current-error-port)))
         (tokenizer (and (%has-tokenizer? from) (load-tokenizer from))))
    (when (equal? from to)
      (%usage-error command "the new folder or file is the one that is read"))
    (when (and bits kind)
      (%usage-error command "--kind says the bits; leave --bits out"))
    (when (and (not gguf?) kind (not (assq kind %k-kinds)))
      (%usage-error command (format "--kind ~a is for a new file that ends with \
.gguf; folders have kinds such as Q4_K_M" kind)))
    (if gguf?
        (save-gguf (load-llm from :expand #t :progress progress) to
                   :kind (or kind (if (eqv? bits 4) 'Q4_K_M 'Q8_0))
                   :tokenizer tokenizer)
        (save-llm (load-llm from :bits (or kind bits 8) :progress progress) to
                  :tokenizer (and (folder? from) tokenizer)))
    (print (format "~a: ~a, was ~a" to (%megabytes (%bytes-of-files to))
                   (%megabytes (%bytes-of-files from))))
    (when (and tokenizer (not gguf?) (not (folder? from)))
      (print (format "the tokenizer stays in ~a" from)))))

(define (%has-tokenizer? path)
  "Whether a folder or a GGUF file has a tokenizer."
  (if (folder? path)
      (any (lambda (name) (file-exists? (%beside path name)))
           %tokenizer-names)
      (not (equal? (hash-ref (gguf-metadata path) "tokenizer.ggml.model"
                             "no_vocab")
                   "no_vocab"))))

(define (%bytes-of-files path)
  "How many bytes a file takes, or the safetensors files of a folder."
  (if (folder? path)
      (fold (lambda (name sum)
              (if (string-suffix? ".safetensors" name)
                  (+ sum (file-info:size (file-info (%beside path name))))
                  sum))
            0 (list-folder path))
      (file-info:size (file-info path))))
