;; model-files.lisp - models in files, with the names of PyTorch's state dicts.

(define (save-model path model :prefix "" :rules '() :dtype #f :metadata '())
  "Write the parameters and buffers of a model as a safetensors file.

  Names are those of PyTorch's state_dict, with the prefix before them; rules
  (see load-state-dict!) say how they differ there: a tensor that they fuse is
  split, into parts of the ratio :sizes if they are not equal.  dtype: a
  floating-point dtype for the floating-point tensors of the file.  A tensor
  that has several names is written under the first, and the metadata says
  which one the others are, as Python's safetensors.torch.save_model does."
  (unless (string? path) (wrong-type "save-model" "a path" path))
  (let* ((saved (%saved-tensors model rules prefix))
         (once (%once-each saved)))
    (save-tensors path
                  (map (lambda (entry)
                         (cons (car entry) (%in-dtype (cdr entry) dtype)))
                       (car once))
                  :metadata (append '(("format" . "pt"))
                                    (cdr once)
                                    metadata))))

(define (%once-each entries)
  "The entries whose tensor did not occur before; and for the others, pairs of
  their names and the names before."
  (let ((names (%make-identity-table)))
    (let loop ((left entries) (kept '()) (others '()))
      (if (null? left)
          (cons (reverse kept) (reverse others))
          (let* ((x (cdar left))
                 (before (hash-ref names x #f)))
            (unless before (hash-set! names x (caar left)))
            (if before
                (loop (cdr left) kept
                      (cons (cons (caar left) before) others))
                (loop (cdr left) (cons (car left) kept) others)))))))

(define (%in-dtype x dtype)
  "A floating-point tensor in the dtype, if one is given."
  (if (and dtype (tensor-is-floating-point x))
      (tensor-to (detach x) dtype)
      x))

(define (load-model! path model :prefix "" :rules '() :strict #t :convert #t
                                :key #f)
  "Read the parameters and buffers of a model from a file, and return the
  model.

  The file is one of safetensors, an index of several, a folder that holds a
  model, or a .pt or .pth file of a state dict that Python's torch.save wrote.
  key: the name of the state dict in a .pt file that holds more.  The other
  keywords are those of load-state-dict!.  If anything does not fit, the error
  says all that does not, and the model is unchanged."
  (unless (string? path) (wrong-type "load-model!" "a path" path))
  (%load-planned!
   (%plan-loading "load-model!" (format "~s" path) model
                  (%tensors-at-key path (%tensors-in-file path) key)
                  prefix rules strict convert))
  model)

(define (%tensors-in-file path)
  "The hash table that a file of either format holds."
  (if (or (%zip-file? path)
          (any (lambda (end) (string-suffix? end path)) '(".pt" ".pth")))
      (load-state-dict path)
      (let ((tensors (load-tensors path)))
        (when (= (hash-size tensors) 0) (%check-not-parted path))
        tensors)))

(define (%check-not-parted path)
  "Raise an error if a file is the index of a checkpoint that several ranks have
  written."
  (when (and (not (folder? path))
             (hash-has-key? (tensors-metadata path) "parts"))
    (%error-with-hint
     (format "load-model!: ~s is the index of a sharded checkpoint" path) '()
     (format "(load-checkpoint! ~s :model model :random #f)" path))))

(define (%zip-file? path)
  "Whether it is a file that begins as ZIP archives do."
  (and (file-exists? path)
       (not (folder? path))
       (equal? (call-with-port (open-binary-input-file path)
                 (lambda (port) (read-bytevector 4 port)))
               (bytevector 80 75 3 4))))

(define (%tensors-at-key path table key)
  "The table at a key of a table, or the table itself without one."
  (cond ((not key) table)
        ((hash-table? (hash-ref table key #f)) (hash-ref table key))
        (else
         (error (format "load-model!: ~s has no table ~s; it has" path key)
                (hash-keys table)))))
