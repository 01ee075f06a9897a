;; state-files.lisp - nested data with tensors in one safetensors file.
;;
;;     (save-state "run.state" (list (cons "step" 3) (cons "w" [1.0 2.0])))
;;     (load-state "run.state")  => (("step" . 3) ("w" . [1.0 2.0]))
;;
;; The tensors are the file's entries, named by their path, so that other tools
;; read them; the rest is JSON in the file's metadata.  What JSON lacks is an
;; object with one key that begins with $:
;;
;;     tensor        {"$tensor": "model.0.weight"}   its name in the file
;;     1/3 +inf.0    {"$number": "1/3"}
;;     symbol        {"$symbol": "adam"}
;;     (a . b)       {"$pair": [a, b]}               not a list
;;     vector        {"$vector": [...]}
;;     hash table    {"$table": [[key, value], ...]}
;;
;; An alist with strings as keys is an object.

(define (save-state path state :metadata '())
  "Write nested data as one safetensors file, which load-state reads.

  The data may hold numbers, strings, booleans, symbols, characters, lists,
  vectors, hash tables and tensors, and comes back exactly: integers of any
  size, doubles, infinities and nan, dtypes, and tensors that occur more than
  once as one.  The file appears when it is complete; until then, an older one
  stays.  metadata: an alist of strings that tensors-metadata returns."
  (%check-repeats "save-state" state)
  (let* ((tensors (make-hash-table))             ; by name
         (text (json->string
                (%encode state '() (vector tensors (make-hash-table))))))
    (save-tensors path tensors
                  :metadata (append
                             metadata
                             (list (cons "lambent" "state 1")
                                   (cons "checksum"
                                         (%checksum "save-state" text tensors))
                                   (cons "state" text))))))

(define (load-state path :verify #t)
  "The data that save-state wrote to a file.

  The tensors are on the CPU, and read from the file when they are first used.
  A file that was damaged afterwards is an error; :verify #f skips the
  checksum, which reads all of the file."
  (let* ((tensors (load-tensors path))
         (text (%state-text path)))
    (when (and verify
               (not (equal? (%checksum "load-state" text tensors)
                            (hash-ref (tensors-metadata path) "checksum" ""))))
      (%error-with-hint
       (format "load-state: ~s is damaged: its checksum differs" path)
       '() "use an older file, or make this one again"))
    (%decode (string->json text) tensors path)))

(define (%checksum who text tensors)
  "The checksum of a state's JSON text and tensors, as metadata has it."
  (number->string (%procedure who text tensors)))

(define (%state-text path)
  "The JSON text in a file's metadata."
  (let ((metadata (tensors-metadata path)))
    (if (equal? (hash-ref metadata "lambent" #f) "state 1")
        (hash-ref metadata "state")
        (%error-with-hint
         (format "load-state: ~s holds tensors, but no state that save-state \
wrote" path)
         '() "read it with load-tensors; load-model! reads a model's"))))

;; Encoding.  path: the keys and indices that lead to a value, the innermost
;; first; files: #(tensors by name, names by tensor).

(define (%encode value path files)
  "What stands for a value in JSON: strings, numbers, booleans, lists, and
  hash tables for objects."
  (cond ((or (string? value) (boolean? value)) value)
        ((number? value) (%encode-number value))
        ((tensor? value) (%tag "tensor" (%entry-name value path files)))
        ((symbol? value) (%tag "symbol" (symbol->string value)))
        ((char? value) (%tag "char" (string value)))
        ((vector? value)
         (%tag "vector" (%encode-items (vector->list value) path files)))
        ((hash-table? value) (%tag "table" (%encode-table value path files)))
        ((%object? value) (%encode-object value path files))
        ((list? value) (%encode-items value path files))
        ((pair? value)
         (%tag "pair" (%encode-items (list (car value) (cdr value))
                                     path files)))
        (else (%cannot-save value path))))

(define (%tag name value)
  "The object of one key."
  (let ((object (make-hash-table)))
    (hash-set! object (string "$" name) value)
    object))

(define (%encode-number value)
  (if (or (exact-integer? value)
          (and (inexact? value) (finite? value)))
      value
      (%tag "number" (number->string value))))

(define (%encode-items items path files)
  (map (lambda (item k) (%encode item (cons k path) files))
       items (iota (length items))))

(define (%encode-table table path files)
  (map (lambda (entry)
         (let ((key (car entry)))
           (list (%encode key path files)
                 (%encode (cdr entry)
                          (cons (if (tensor? key) "tensor" key) path)
                          files))))
       (hash->list table)))

(define (%object? value)
  "Whether it is an alist whose keys can be those of a JSON object."
  (and (pair? value)
       (list? value)
       (every (lambda (entry)
                (and (pair? entry)
                     (string? (car entry))
                     (not (string-prefix? "$" (car entry)))))
              value)
       (let ((keys (make-hash-table)))
         (for-each (lambda (entry) (hash-set! keys (car entry) #t)) value)
         (= (hash-size keys) (length value)))))

(define (%encode-object alist path files)
  (let ((object (make-hash-table)))
    (for-each (lambda (entry)
                (let ((key (car entry)))
                  (hash-set! object key
                             (%encode (cdr entry) (cons key path) files))))
              alist)
    object))

(define (%entry-name tensor path files)
  "The name of a tensor in the file; it is entered there the first time."
  (let ((names (vector-ref files 1)))
    (or (hash-ref names tensor #f)
        (let ((name (%free-name (%path-text path) (vector-ref files 0))))
          (hash-set! names tensor name)
          (hash-set! (vector-ref files 0) name tensor)
          name))))

(define (%free-name name tensors)
  "The name, with as many ' as make it one that no tensor has."
  (if (or (hash-has-key? tensors name) (equal? name "__metadata__"))
      (%free-name (string name "'") tensors)
      name))

(define (%path-text path)
  "The keys and indices of a path, joined by points."
  (if (null? path)
      "value"
      (string-join (map string (reverse path)) ".")))

(define (%cannot-save value path)
  "Raise the error for a value that a state cannot hold."
  (%error-with-hint
   (format "save-state: cannot save ~a, which is at ~s" (%brief value)
           (%path-text path))
   '()
   "a state holds numbers, strings, booleans, symbols, characters, lists, \
vectors, hash tables and tensors"))

;; Decoding.

(define (%decode value tensors path)
  "The value that JSON stands for."
  (cond ((list? value)
         (map (lambda (item) (%decode item tensors path)) value))
        ((not (hash-table? value)) value)
        ((%tag-of value)
         => (lambda (tag)
              (%decode-tagged tag (hash-ref value tag) tensors path)))
        (else
         (map (lambda (entry)
                (cons (car entry) (%decode (cdr entry) tensors path)))
              (hash->list value)))))

(define (%tag-of object)
  "The key of an object if it is a tag; otherwise #f."
  (and (= (hash-size object) 1)
       (let ((key (car (hash-keys object))))
         (and (string-prefix? "$" key) key))))

(define (%decode-tagged tag value tensors path)
  (define (decoded) (%decode value tensors path))
  (cond ((equal? tag "$tensor")
         (if (hash-has-key? tensors value)
             (hash-ref tensors value)
             (error (format "load-state: ~s has no tensor ~s" path value))))
        ((equal? tag "$number") (string->number value))
        ((equal? tag "$symbol") (string->symbol value))
        ((equal? tag "$char") (string-ref value 0))
        ((equal? tag "$vector") (list->vector (decoded)))
        ((equal? tag "$pair") (apply cons (decoded)))
        ((equal? tag "$table")
         (let ((table (make-hash-table)))
           (for-each (lambda (entry)
                       (hash-set! table (car entry) (cadr entry)))
                     (decoded))
           table))
        (else
         (%error-with-hint
          (format "load-state: ~s holds a ~s, which this version of Lambent \
does not know" path tag)
          '() "a newer version wrote it"))))
