;; embedding-search.lisp - which section of the documentation answers a question?
;;
;;     lambent examples/embedding-search.lisp "how do I resume a training"
;;
;; An encoder turns sections and questions into vectors of length 1, so the
;; product of two is the cosine of their angle.  The model is one that
;; lib/tiny-encoder.lisp writes; with the folder of a real one, such as a MiniLM
;; from Hugging Face, in ENCODER, sections are found by what they mean.

(import "lib/tiny-encoder.lisp")

(define files '("README.md" "docs/models.md" "docs/keeping.md" "docs/data.md"
                "docs/losses.md" "docs/tensors.md" "docs/optimizers.md"))

(define (root)
  "The folder of the project: above the program, or the current one or the one
above."
  (let ((folder (drop-right (string-split (car (command-line)) "/") 1)))
    (or (find (lambda (path) (file-exists? (string-append path "/README.md")))
              (list (string-join (append folder '("..")) "/") "." ".."))
        (error "the documentation is not near; run this in the project"))))

;; A section is a pair of its title and its text.

(define (sections file)
  "The sections of a file of the documentation."
  (call-with-input-file (string-append (root) "/" file)
    (lambda (port)
      (let loop ((title file) (lines '()) (found '()))
        (let ((line (read-line port)))
          (cond ((eof-object? line) (reverse (add-section title lines found)))
                ((string-prefix? "#" line)
                 (loop (string-append file ": " (without-marks line))
                       (list line)
                       (add-section title lines found)))
                (else (loop title (cons line lines) found))))))))

(define (without-marks line)
  "A heading without what marks it as one."
  (string-trim line (lambda (c) (memv c '(#\# #\space)))))

(define (add-section title lines found)
  "The sections with one more, if it has any text."
  (if (> (length lines) 2)
      (cons (cons title (string-join (reverse lines) " ")) found)
      found))

(define all (append-map sections files))

(define folder
  (or (getenv "ENCODER")
      (let ((new (string-append (or (getenv "TMPDIR") "/tmp")
                                "/lambent-tiny-encoder")))
        (write-tiny-encoder new (map cdr all))
        new)))

(define model (load-encoder folder))
(define tokenizer (load-tokenizer folder))
;; The first words of a section say what it is about.  [sections, width]
(define index (embed model tokenizer (map cdr all) :length 48))

(define (search question)
  "Print the three sections that are nearest to a question."
  (print question)
  (let-list (((scores rows)
              (tensor-topk (tensor-mv index (embed model tokenizer question))
                           3)))
    (for-each (lambda (score k)
                (print " " (/ (round (* 100 score)) 100)
                       (car (list-ref all k))))
              (tensor->list scores) (tensor->list rows))))

(print (length all) "sections of" (length files) "files")
(for-each search
          (if (pair? (cdr (command-line)))
              (cdr (command-line))
              '("how do I resume a training from a checkpoint"
                "read images from a folder of files"
                "change the learning rate"
                "write a record that can be called")))
