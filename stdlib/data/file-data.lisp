;; file-data.lisp - datasets of files: numpy's arrays, safetensors, and folders
;; with one sub-folder for each class.

(define (npy-dataset . paths)
  "The dataset of the rows of the arrays in numpy's .npy files, one part for
  each file.  The files are mapped: what a batch needs is read when it is
  gathered, with prefetch on another thread."
  (apply tensor-dataset (map load-npy paths)))

(define (safetensors-dataset path . names)
  "The dataset of the rows of tensors in a safetensors file, one part for each
  name; without names, of all its tensors, in the file's order.  The file is
  mapped, as by npy-dataset."
  (let ((tensors (load-tensors path)))
    (apply tensor-dataset
           (map (lambda (name)
                  (unless (hash-has-key? tensors name)
                    (%error-with-hint
                     (format "safetensors-dataset: ~s has no tensor ~s"
                             path name)
                     '()
                     (string-append "its tensors: "
                                    (string-join (hash-keys tensors) ", "))))
                  (hash-ref tensors name))
                (if (null? names) (hash-keys tensors) names)))))

(define (%visible-entries path)
  "An alist of the names in a folder, sorted, and whether each is a folder,
  without names that begin with a point."
  (map (lambda (name)
         (cons name (folder? (string-append path "/" name))))
       (filter (lambda (name) (not (string-prefix? "." name)))
               (%names-in-order "folder-dataset" path))))

(define (folder-dataset path load :suffixes #f)
  "The dataset of the files in a folder that has one sub-folder for each class:
  examples ((load file) class), in the order of classes and then names, both
  sorted.

  load: a procedure from the path of a file to a tensor, such as load-image; it
  is called when an example is asked for.  Folders within a class belong to it.
  suffixes: a list of the ends of the names that are taken, such as \".png\",
  in upper or lower case; #f takes all.  dataset-classes returns the names of
  the classes, dataset-files the paths."
  (unless (procedure? load)
    (wrong-type "folder-dataset" "a procedure" load))
  (let* ((classes (map car (filter cdr (%visible-entries path))))
         (groups (map (lambda (name)
                        (%class-files (string-append path "/" name) suffixes))
                      classes)))
    (when (null? classes)
      (%error-with-hint
       (format "folder-dataset: ~s has no sub-folder" path) '()
       "each class is a sub-folder that holds its files"))
    (%files-dataset load classes groups)))

(define (%files-dataset load classes groups)
  "The dataset of the files of each class."
  (let ((files (list->vector (apply append groups)))
        (labels (list->vector
                 (append-map (lambda (files k) (map (lambda (file) k) files))
                             groups (iota (length groups))))))
    (%dataset 'folder (vector-length files) #f #f
              (lambda (i)
                (list (load (vector-ref files i)) (vector-ref labels i)))
              (list (cons 'classes classes)
                    (cons 'files files)))))

(define (%class-files path suffixes)
  "The paths of the files of a class, sorted; an error if there is none."
  (let ((files (%files-below path suffixes)))
    (when (null? files)
      (error (format "folder-dataset: the class folder ~s has no file~a" path
                     (if suffixes
                         (string-append " that ends with "
                                        (string-join suffixes " or "))
                         ""))))
    files))

(define (%files-below path suffixes)
  "The paths of the files in a folder and the folders in it, sorted."
  (append-map
   (lambda (entry)
     (let ((file (string-append path "/" (car entry))))
       (cond ((cdr entry) (%files-below file suffixes))
             ((%has-suffix? (car entry) suffixes) (list file))
             (else '()))))
   (%visible-entries path)))

(define (%has-suffix? name suffixes)
  "Whether a name ends with one of the suffixes."
  (or (not suffixes)
      (any (lambda (suffix)
             (string-suffix? (string-downcase suffix) (string-downcase name)))
           suffixes)))

(define (dataset-files d)
  "The paths of the files of a dataset from folder-dataset, by index, as a
  list; #f for other datasets."
  (%check-dataset "dataset-files" d)
  (let ((files (%dataset-fact d 'files)))
    (and files (vector->list files))))
