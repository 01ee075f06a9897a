;; tensor-files.lisp - tensors in files: safetensors, numpy's, PyTorch's.
;;
;; ctorch does the work, for both back ends; here its procedures get their
;; names, and accept alists as well as hash tables.

(define (load-tensors path)
  "The tensors of a safetensors file: a hash table of names, in the file's order.

  path may also be an index of several files, or the folder that holds a model.
  Elements are read from the file when they are first used."
  (%procedure "load-tensors" path))

(define (save-tensors path tensors :metadata '())
  "Write the tensors of an alist or a hash table of names as a safetensors
  file.

  The file appears when it is complete.  metadata is an alist or a hash table
  of strings."
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

(define (save-npz path tensors :compress #f)
  "Write the tensors of an alist or a hash table of names as a .npz file.

  With :compress #t it is compressed: smaller, and slower to write and to
  read."
  (%procedure "save-npz" path
              (%names-and-values "save-npz" tensors)
              (if compress #t #f))
  (if #f #f))

;; PyTorch's files.

(define (load-state-dict path)
  "The state dict that Python's torch.save wrote: a hash table of tensors.

  Dictionaries in it are hash tables, tuples lists, None #f.  No code that the
  file names is run; objects that only Python can create are an error."
  (%procedure "load-state-dict" path))

(define (load-module path)
  "The module that Python's torch.jit.save or torch.export.save wrote.

  A TorchScript module is a program in a file.  An exported program, .pt2, is a
  package of graphs of operators, or of libraries that AOTInductor compiled:
  call-module calls its model, and call-module-method one of several by name.
  Load only files from people you trust."
  (%procedure "load-module" path))

(define (torchscript-module? x)
  "Whether it is a TorchScript module."
  (%procedure "module?" x))

(define (exported-program? x)
  "Whether it is a package of exported programs, which load-module has read."
  (%procedure "exported-program?" x))

(define (call-module module . arguments)
  "The result of a module's forward method for the arguments.

  Arguments may be passed by keyword after the positional ones.  Those that an
  exported program has as constants may be left out."
  (apply %procedure "call-module" module "forward" arguments))

(define (call-module-method module name . arguments)
  "The result of a module's method of that name for the arguments; of an exported
  program's model of that name."
  (apply %procedure "call-module-method" module name arguments))

(define (module-methods module)
  "The names of a module's methods, as a list of strings."
  (%procedure "module-methods" module))

(define (module-parameters module)
  "A module's parameters, as an alist of names and tensors."
  (hash->list (%procedure "module-parameters" module)))

(define (module-buffers module)
  "A module's buffers, as an alist of names and tensors."
  (hash->list (%procedure "module-buffers" module)))

(define (module-train! module)
  "Put a module into training mode, and return it."
  (%procedure "module-train!" module)
  module)

(define (module-eval! module)
  "Put a module into evaluation mode, and return it."
  (%procedure "module-eval!" module)
  module)

(define (%names-and-values who table)
  "A list of alternating names and values for an alist; a hash table unchanged."
  (cond ((hash-table? table) table)
        ((and (list? table) (every pair? table))
         (append-map (lambda (entry) (list (car entry) (cdr entry))) table))
        (else (wrong-type who "an alist or a hash table" table))))
