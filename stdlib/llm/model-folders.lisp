;; model-folders.lisp - what a folder must have before a model is loaded from
;; it.
;;
;; A person in a hurry names the folder above, a file, or weights in a format
;; that can run code.  Each of these is an error that says what to do instead.

(define (%check-model-folder who path kind)
  "Raise an error unless a path is that of a folder with settings and weights.
  kind: what the class AutoModelFor... of transformers is called."
  (cond ((folder? path)
         (%check-folder-contents who path (list-folder path) kind))
        ((file-exists? path) (%refuse-model-file who path))
        (else
         (%error-with-hint
          (format "~a: there is no folder or file ~s" who path) '()
          %model-folder-hint))))

(define %model-folder-hint
  "a model is a folder with config.json and model.safetensors, or a GGUF file")

(define (%refuse-model-file who path)
  "Raise the error for a file that is not a model."
  (let ((folder (%folder-of path)))
    (%error-with-hint
     (cond ((%pointer-of-lfs? path)
            (format "~a: ~s is a pointer of Git LFS, not the file itself" who
                    path))
           (else (format "~a: ~s is a file, and not in GGUF" who path)))
     '()
     (cond ((%pointer-of-lfs? path) "\"git lfs pull\" fetches the file")
           ((file-exists? (%beside folder "config.json"))
            (format "give its folder: ~s" folder))
           (else %model-folder-hint)))))

(define (%pointer-of-lfs? path)
  "Whether a file only says where Git LFS has its contents."
  (let ((start "version https://git-lfs"))
    (equal? (call-with-port (open-binary-input-file path)
              (lambda (port) (read-bytevector (string-length start) port)))
            (string->utf8 start))))

(define (%check-folder-contents who folder names kind)
  "Raise an error if a folder has no settings, or no weights that can be read."
  (define (refuse what hint)
    (%error-with-hint (format "~a: ~s ~a" who folder what) '() hint))
  (cond ((null? names) (refuse "is an empty folder" %model-folder-hint))
        ((not (member "config.json" names))
         (refuse "has no config.json" (%near-model folder names)))
        ((any (lambda (name) (string-suffix? ".safetensors" name)) names) #t)
        ((member "model.safetensors.index.json" names) #t)
        ((find %pickled? names)
         => (lambda (name)
              (refuse (format "has its weights only in ~s; such files can run \
code when they are read, and are not" name)
                      (%conversion-hint folder kind))))
        (else (refuse "has no model.safetensors"
                      (%near-model folder names)))))

(define (%pickled? name)
  "Whether a file has weights as Python objects."
  (any (lambda (end) (string-suffix? end name)) '(".bin" ".pt" ".pth" ".ckpt")))

(define (%conversion-hint folder kind)
  "How weights become safetensors."
  (format "python -c 'from transformers import ~a as M; \
M.from_pretrained(~s).save_pretrained(~s)' converts them, if you trust them"
          (if (string=? kind "") "AutoModel" "AutoModelForCausalLM")
          folder folder))

(define (%near-model folder names)
  "A hint that names a model in a folder, if there is one."
  (let ((gguf (find (lambda (name) (string-suffix? ".gguf" name)) names))
        (inner (find (lambda (name)
                       (file-exists? (string folder "/" name "/config.json")))
                     names)))
    (cond (gguf (format "give the GGUF file: ~s" (%beside folder gguf)))
          (inner (format "give the folder in it: ~s" (%beside folder inner)))
          (else %model-folder-hint))))

(define (%settings-of-folder who folder)
  "How messages about the settings of a folder begin."
  (format "~a: ~s" who (%beside folder "config.json")))

(define (%read-config who folder)
  "The settings in config.json of a folder: a hash table."
  (let ((config (%read-settings (%beside folder "config.json"))))
    (unless (hash-table? config)
      (%error-with-hint
       (format "~a: expected an object, got ~a"
               (%settings-of-folder who folder) (%shown-setting config))
       '() %settings-hint))
    config))

;; Python writes numbers that JSON lacks, as transformers 4 does in the settings
;; of Mamba 2: they become what transformers 5 writes for them.
;;
;;     [0.0, Infinity]  =>  [0.0, {"__float__": "Infinity"}]

(define (%read-settings path)
  "The value of a JSON file, in which Infinity, -Infinity and NaN are objects that
  name them."
  (let ((text (call-with-input-file path port->string)))
    (if (any (lambda (word) (string-contains text word)) '("Infinity" "NaN"))
        (guard (e ((error-object? e) (read-json path)))   ; whose error has the place
          (string->json (%with-named-floats text)))
        (read-json path))))

(define (%with-named-floats text)
  "A JSON text whose words for numbers that JSON lacks are objects."
  (let loop ((parts (string-split text "\"")) (quoted #f) (done '()))
    (if (null? parts)
        (string-join (reverse done) "\"")
        (loop (cdr parts)
              (if quoted (%ends-with-escape? (car parts)) #t)
              (cons (if quoted (car parts) (%named-floats (car parts)))
                    done)))))

(define (%ends-with-escape? text)
  "Whether a backslash makes the quote after a text part of it."
  (odd? (- (string-length text)
           (string-length (string-trim-right text #\\)))))

(define (%named-floats text)
  "The part of a JSON text between two strings, with objects for such words."
  (let ((named (lambda (word) (string "{\"__float__\": \"" word "\"}"))))
    (string-replace (string-replace (string-replace text "NaN" (named "NaN"))
                                    "Infinity" (named "Infinity"))
                    (string "-" (named "Infinity")) (named "-Infinity"))))
