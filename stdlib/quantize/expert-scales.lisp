;; expert-scales.lisp - scales of all experts of a layer in one tensor.
;;
;;     mlp.experts.gate_up_proj_scale_inv [experts, ...]
;;     mlp.experts.0.gate_proj.weight     =>  mlp.experts.0.gate_proj.weight_scale_inv
;;     mlp.input_linear.weight [experts, ...]    =>  floats
;;
;; transformers 5 has the matrices of all experts as one tensor of 8-bit floats,
;; and gates and ups joined.  It saves them under the names that the files of an
;; architecture have, but not their scales.

(define (%fp8-settings table settings folder)
  "The settings of 8-bit floats; each matrix of the table gets its own scales."
  (let ((block (%scale-block settings)))
    (for-each
     (lambda (name)
       (cond ((string-suffix? ".experts.gate_up_proj_scale_inv" name)
              (%share-scales! table name "gate_up_proj" "input_linear.weight"
                              '(("gate_proj" "up_proj") ("w1" "w3")) block))
             ((string-suffix? ".experts.down_proj_scale_inv" name)
              (%share-scales! table name "down_proj" "output_linear.weight"
                              '(("down_proj") ("w2")) block))))
     (hash-keys table))
    settings))

(define (%share-scales! table name own joined parts block)
  "Remove the scales of all experts from a table, after the matrices have got
  theirs.  own, joined: names of a tensor of all matrices.  parts: names of the
  matrices of an expert that are one for the scales."
  (let* ((scale (hash-ref table name))
         (experts (%without-ending name (string own "_scale_inv")))
         (whole (find (lambda (each) (hash-has-key? table each))
                      (list (string experts own)
                            (string (%without-ending experts "experts.")
                                    joined)))))
    (unless (= (tensor-rank scale) 3)
      (%stored-error (string experts own)
                     (format "expected scales of three dimensions, got ~a"
                             (tensor-shape scale))))
    (hash-delete! table name)
    (if whole
        (let ((x (hash-ref table whole)))
          (when (memq (tensor-dtype x) %float8s)
            (hash-set! table whole (%floats-of-experts whole x scale block))))
        (for-each
         (lambda (k)
           (%share-with-expert! table (string experts k ".") parts
                                (tensor-select scale 0 k) block))
         (range (tensor-size scale 0))))))

(define (%floats-of-experts name x scale block)
  "The floats of the matrices of all experts, [experts, rows, columns]."
  (unless (and (= (tensor-rank x) 3)
               (= (tensor-size x 0) (tensor-size scale 0)))
    (%stored-error name (format "scales of ~a do not fit a weight of ~a"
                                (tensor-shape scale) (tensor-shape x))))
  (let ((base (if (string-suffix? ".weight" name)
                  (%without-ending name ".weight")
                  name)))
    (tensor-stack
     (map (lambda (k)
            ((%stored-floats
              (%scaled-floats base (tensor-select x 0 k)
                              (tensor-select scale 0 k) block))))
          (range (tensor-size x 0))))))

(define (%share-with-expert! table base parts scale block)
  "Give the matrices of an expert their rows of the scales."
  (define (weight part) (hash-ref table (string base part ".weight") #f))
  (let ((names (find (lambda (names) (every weight names)) parts)))
    (unless names
      (%stored-error base "there are scales of it, but no matrices"))
    (let* ((sizes (map (lambda (part) (tensor-size (weight part) 0)) names))
           (all (apply + sizes))
           (whole (list 1 all (and (car block) (%parts all (car block))))))
      (unless (or (null? (cdr names)) (memv (tensor-size scale 0) whole))
        (%stored-error base (format "scales of ~a do not fit ~a rows in blocks \
of ~a" (tensor-shape scale) all block)))
      (let ((scale (if (null? (cdr names))
                       scale
                       (%spread-scales scale 0 all (car block)))))
        (let loop ((names names) (sizes sizes) (start 0))
          (unless (null? names)
            (hash-set! table (string base (car names) ".weight_scale_inv")
                       (if (= (tensor-size scale 0) all)
                           (tensor-narrow scale 0 start (car sizes))
                           scale))
            (loop (cdr names) (cdr sizes) (+ start (car sizes)))))))))
