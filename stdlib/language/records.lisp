;; records.lisp - the fields of records of any type, by name.

(define (record-ref record field)
  "The field of that name, a symbol, of any record."
  (%record-slot record (%field-index "record-ref" record field)))

(define (record-set! record field value)
  "Replace the field of that name, a symbol, of any record."
  (let ((k (%field-index "record-set!" record field)))
    (if (module? record)
        (%set-module-field! record (record-type record) k value "record-set!")
        (%set-record-slot! record k value))))

(define (%field-index who record field)
  "The index of the field of that name."
  (unless (record? record) (wrong-type who "a record" record))
  (let ((names (record-type-fields (record-type record))))
    (or (list-index (lambda (name) (eq? name field)) names)
        (error (format "~a: ~a has no field ~s; its fields are" who
                       (record-type-name (record-type record)) field)
               names))))
