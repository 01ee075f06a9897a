;; tensor-files.lisp - tensors in files: safetensors, numpy's, PyTorch's.
;;
;; The work is ctorch's, for both back ends; here its procedures get their
;; names, and take alists where they take hash tables.

(define (load-tensors path)
  "The tensors of a safetensors file: a hash table of names, in the file's order.

  path may also be an index of several files, or the folder that holds a model.
  Elements are read from the file when they are first used."
  (%procedure "load-tensors" path))

(define (save-tensors path tensors :metadata '())
  "Write the tensors of an alist or a hash table of names as a safetensors file.

  The file appears when it is whole.  metadata is an alist or a hash table of
  strings."
  (%procedure "save-tensors" path
              (%names-and-values "save-tensors" tensors)
              (%names-and-values "save-tensors" metadata))
  (if #f #f))

(define (tensors-metadata path)
  "The metadata of a safetensors file: a hash table of strings."
  (%procedure "tensors-metadata" path))

;; numpy's files.

(define (load-npy path)
  "The array in one of numpy's .npy files, as a tensor."
  (%procedure "load-npy" path))

(define (save-npy path tensor)
  "Write a tensor as one of numpy's .npy files."
  (%procedure "save-npy" path tensor)
  (if #f #f))

(define (load-npz path)
  "The arrays in one of numpy's .npz files: a hash table of names and tensors."
  (%procedure "load-npz" path))

(define (save-npz path tensors)
  "Write the tensors of an alist or a hash table of names as a .npz file."
  (%procedure "save-npz" path (%names-and-values "save-npz" tensors))
  (if #f #f))

(define (%names-and-values who table)
  "What a table holds, names and values in turn; a hash table as it is."
  (cond ((hash-table? table) table)
        ((and (list? table) (every pair? table))
         (append-map (lambda (entry) (list (car entry) (cdr entry))) table))
        (else (wrong-type who "an alist or a hash table" table))))
