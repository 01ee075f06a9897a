;; encoder-names.lisp - how the names of an encoder's weights differ in files.
;;
;;     ("layers" . "encoder.layer")                the list of layers
;;     ("layer.attention.query" . "attention.self.query")    in each of them
;;     ("embeddings.norm" . "embeddings.LayerNorm")          elsewhere
;;
;; Ours "layers.0.attention.query.weight" is "encoder.layer.0.attention.self.
;; query.weight" then.

(define (encoder-names prefix names)
  "The rule of loading for an encoder: names is an alist of ours and theirs,
  without the last parts, such as weight.  Later entries come first, and what is
  in none is the same.  prefix stands before all names but those of heads."
  (let ((table (%table-of names)))
    (lambda (name)
      (let* ((parts (string-split name "."))
             (theirs (%their-name table parts)))
        (if (member (car parts) '("word_head" "task_head"))
            theirs
            (string-append prefix theirs))))))

(define (%their-name table parts)
  "The name in a file of the name with these parts."
  (cond ((not (string=? (car parts) "layers")) (%their-part table parts))
        ((hash-has-key? table (%all-but-last parts)) (%their-part table parts))
        (else
         (string-join (list (hash-ref table "layers" "layers") (cadr parts)
                            (%their-layer table (cons "layer" (cddr parts))))
                      "."))))

(define (%all-but-last parts)
  "The parts of a name but the last, as a name."
  (string-join (take parts (- (length parts) 1)) "."))

(define (%their-layer table parts)
  "The name of a part of a layer, which a file has without \"layer\"."
  (let ((theirs (%their-part table parts)))
    (if (string-prefix? "layer." theirs)
        (substring theirs 6 (string-length theirs))
        theirs)))

(define (%their-part table parts)
  "The name with its first parts as the table has them."
  (let* ((last (list-ref parts (- (length parts) 1)))
         (start (%all-but-last parts))
         (theirs (hash-ref table start #f)))
    (cond (theirs (string-append theirs "." last))
          ((hash-ref table (string-join parts ".") #f))
          ((string=? start "") last)
          (else (string-append start "." last)))))
