;; summary.lisp - a model as a table: what each module holds and costs.

(define (summary model)
  "Print a table of a model's modules: path, type, number of parameters in it,
  memory of its parameters and buffers, shapes of its own parameters."
  (%check-module "summary" model)
  (%print-table
   (cons '("module" "type" "parameters" "memory" "own shapes")
         (map %summary-row (named-modules model))))
  (%print-totals model))

(define (%summary-row entry)
  "The texts of one module's row."
  (let ((path (car entry)) (module (cdr entry)))
    (list (if (equal? path "") "(model)" path)
          (symbol->string (record-type-name (record-type module)))
          (%with-commas (parameter-count module))
          (%size-text (%byte-count module))
          (string-join (map %shape-text (%own-parameters module)) " "))))

(define (%own-parameters module)
  "The parameters in the module's fields, without those of submodules."
  (let loop ((values (record-fields module))
             (roles (vector->list (%record-roles module)))
             (found '()))
    (cond ((null? values) (reverse found))
          ((eq? (car roles) 'parameter)
           (loop (cdr values) (cdr roles)
                 (append (reverse (%tensors-in (car values))) found)))
          ((eq? (car roles) 'parameters)
           (loop (cdr values) (cdr roles)
                 (append (reverse (map cdr (car values))) found)))
          (else (loop (cdr values) (cdr roles) found)))))

(define (%tensors-in value)
  "The tensors in a field's value."
  (cond ((tensor? value) (list value))
        ((vector? value) (append-map %tensors-in (vector->list value)))
        ((list? value) (append-map %tensors-in value))
        (else '())))

(define (%shape-text x)
  "The shape of a tensor: (4 3)."
  (format "~a" (tensor-shape x)))

(define (%byte-count module)
  "The bytes of a module's parameters and buffers, each tensor once."
  (fold (lambda (entry n) (+ n (%tensor-bytes (cdr entry))))
        0
        (append (named-parameters module) (named-buffers module))))

(define (%tensor-bytes x)
  "The bytes of a tensor's elements."
  (* (tensor-numel x) (tensor-element-size x)))

(define (%with-commas n)
  "A non-negative integer as text, such as 101,770."
  (if (< n 1000)
      (string n)
      (string (%with-commas (quotient n 1000)) ","
              (substring (string (+ 1000 (remainder n 1000))) 1 4))))

(define (%print-table rows)
  "Print rows of texts in columns, numbers aligned to the right."
  (let ((widths (apply map (lambda texts (apply max (map string-length texts)))
                       rows)))
    (for-each (lambda (row) (%print-row row widths)) rows)))

(define (%print-row row widths)
  "Print one row; numbers, in the columns 2 and 3, end at the right."
  (let ((cells (map (lambda (text width k)
                      (if (memv k '(2 3))
                          (string-pad-left text width)
                          (string-pad-right text width)))
                    row widths (iota (length row)))))
    (print (string-trim-right (string-join cells "  ")))))

(define (%print-totals model)
  "Print how many parameters learn, and the memory of all."
  (let* ((all (parameter-count model))
         (learning (fold (lambda (x n)
                           (if (requires-grad? x) (+ n (tensor-numel x)) n))
                         0 (parameters model))))
    (print (format "~a parameters, ~a of them learn; ~a"
                   (%with-commas all) (%with-commas learning)
                   (%size-text (%byte-count model))))))
