;; calls.lisp - calls of functions that a program names or holds in variables,
;; objects of classes, and what the forms of LispE call.

;; The functions that programs quote, by name: LispE passes them so.
(define %functions (make-hash-table))

(define (%function-name name function)
  "The symbol, which stands for the function from now on."
  (hash-set! %functions name function)
  name)

(define (%function x)
  "The procedure of a value that is called."
  (cond ((procedure? x) x)
        ((and (symbol? x) (hash-ref %functions x #f)))
        (else (lambda arguments (apply %call x arguments)))))

(define (%call x . arguments)
  "Call what a variable holds: a function, its name, a dictionary or a list."
  (cond ((procedure? x) (apply x arguments))
        ((and (symbol? x) (hash-ref %functions x #f))
         => (lambda (function) (apply function arguments)))
        ((hash-table? x) (%call-table x arguments))
        ((and (%list? x) (pair? arguments)) (apply lispe:@ x arguments))
        ((and (%object? x) (pair? arguments)) (apply lispe:@ x arguments))
        ((and (record? x) (module? x)) (apply x arguments))
        (else (%fail "not a function: " (%text x)))))

(define (%call-table table arguments)
  "(table \"key\") is the value, nil if there is none; (table \"key\" value) sets it."
  (cond ((null? arguments) table)
        ((null? (cdr arguments)) (hash-ref table (car arguments) #f))
        (else (hash-set! table (car arguments) (cadr arguments)) table)))

;; Arguments.

(define (%given? more k) (> (length more) k))

(define (%rest more k)
  "The arguments from the k-th on, as a list."
  (%new-list 'list (if (> (length more) k) (list-tail more k) '())))

(define (%no-more name more count)
  (when (> (length more) count)
    (%fail name ": too many arguments")))

(define (%option options k default)
  "The k-th of a call's optional arguments; nil counts as absent."
  (if (and (> (length options) k) (list-ref options k))
      (list-ref options k)
      default))

;; Quotations, errors, time.

(define (%quoted datum)
  "A quoted list as a list of LispE."
  (cond ((pair? datum) (%new-list 'list (map %quoted (%proper datum))))
        ((null? datum) (%list))
        ((vector? datum) (%new-list 'list (map %quoted (vector->list datum))))
        ((eq? datum 'nil) #f)
        ((eq? datum 'false) #f)
        ((eq? datum 'true) #t)
        (else datum)))

(define (%proper datum)
  (cond ((pair? datum) (cons (car datum) (%proper (cdr datum))))
        ((null? datum) '())
        (else (list datum))))

(define (throw x)
  "Raise a value as an error."
  (raise x))

(define (%caught condition)
  "What catch returns for an error."
  (%make-error
   (if (error-object? condition)
       (%error-line (%line (cons (error-object-message condition)
                                 (map %written (error-object-irritants condition)))))
       (%text condition))))

(define (%error-line text)
  (if (string-prefix? "Error" text) text (string-append "Error: " text)))

(define (%since start)
  "The milliseconds since a jiffy."
  (/ (* 1000.0 (- (current-jiffy) start)) (jiffies-per-second)))

(define (time)
  "Seconds since 1970."
  (current-second))

;; Classes and objects.

(define-record-type %lispe-class (%make-class name parent fields defaults methods)
  %class?
  (name %class-name)
  (parent %class-parent)
  (fields %class-fields)
  (defaults %class-defaults)
  (methods %class-methods))

(define-record-type %lispe-object (%make-object class fields)
  %object?
  (class %object-class)
  (fields %object-fields))

(define (%class name parent fields defaults methods)
  "A class: the names of fields with defaults, and an alist of methods."
  (if parent
      (%make-class name parent
                   (append (%class-fields parent) fields)
                   (append (%class-defaults parent) defaults) methods)
      (%make-class name parent fields defaults methods)))

(define (%new class values)
  "A new object: values for its fields in order, then their defaults."
  (let ((table (make-hash-table)) (fields (%class-fields class)))
    (when (> (length values) (length fields))
      (%fail (%class-name class) ": " (length values) " values for "
             (length fields) " fields"))
    (for-each (lambda (field value) (hash-set! table field value))
              fields
              (append values (list-tail (%class-defaults class)
                                        (length values))))
    (%make-object class table)))

(define (%method-of class name)
  "The method of a class or its parents; #f if there is none."
  (and class
       (or (assq-ref (%class-methods class) name #f)
           (%method-of (%class-parent class) name))))

(define (%send object name . arguments)
  "Call a method of an object."
  (if (%object? object)
      (apply %send-as (%object-class object) object name arguments)
      (%fail name ": expected an object, got " (%text object))))

(define (%send-as class object name . arguments)
  "Call a class's method on an object."
  (let ((method (%method-of class name)))
    (unless method
      (%fail (%class-name class) " has no method " name))
    (apply method object arguments)))

(define (%field object name)
  "The value of a field, nil before it has one."
  (hash-ref (%object-fields object) name #f))

(define (%field-at object k)
  "The name of the k-th field."
  (list-ref (%class-fields (%object-class object)) k))

(define (%set-field! object name value)
  "Give a field a value; returns the value."
  (hash-set! (%object-fields object) name value)
  value)

(define (%object-text object)
  (let ((class (%object-class object)))
    (string "("
            (string-join (cons (symbol->string (%class-name class))
                               (map (lambda (field)
                                      (%written (%field object field)))
                                    (%class-fields class)))
                         " ")
            ")")))

;; Procedures that objects want to be called at the end.

(define %cleaners (box '()))

(define (%clean object name)
  "Have a method of an object called when the program ends."
  (set-box! %cleaners (cons (cons object name) (unbox %cleaners)))
  #t)

(define (%clean-all)
  "Call these methods, the last one first."
  (let ((cleaners (unbox %cleaners)))
    (set-box! %cleaners '())
    (for-each (lambda (entry) (%send (car entry) (cdr entry))) cleaners)))

;; Patterns and data types.

(define (%pattern-list? x count open?)
  "Whether a value is a list of that many elements, or of more if open."
  (and (%list? x)
       (if open? (>= (%list-count x) count) (= (%list-count x) count))))

(define (%pattern-keys? x keys)
  (and (hash-table? x) (every (lambda (key) (hash-has-key? x key)) keys)))

(define (%items-from x k)
  (%new-list (%list-kind x) (list-tail (%elements x) k)))

(define (%no-pattern name arguments)
  (%fail name ": no pattern matches " (%joined arguments)))

(define (%is-type? x type)
  "Whether a value has a type such as integer_; _ is any."
  (case type
    ((_) #t)
    ((integer_ short_) (exact-integer? x))
    ((float_) (and (number? x) (inexact? x)))
    ((number_) (number? x))
    ((string_) (string? x))
    ((list_ list@ llist_) (%list? x))
    ((integers_ floats_ numbers_ strings_ shorts_)
     (and (%list? x) (eq? (string->symbol (string (%list-kind x) "_")) type)))
    ((dictionary_) (hash-table? x))
    ((atom_) (or (symbol? x) (boolean? x)))
    ((nil) (not x))
    ((tensor_) (tensor? x))
    (else (and (%list? x) (> (%list-count x) 0) (eq? (%item x 0) type)))))

(define (%data name types values)
  "A value of a data type: a list that begins with its name."
  (unless (= (length types) (length values))
    (%fail name ": expected " (length types) " values, got " (length values)))
  (for-each (lambda (type value)
              (unless (%is-type? value type)
                (%fail name ": expected " type ", got " (%written value))))
            types values)
  (%new-list 'list (cons name values)))

;; Threads run when they are called: a program is one thread.

(define (wait . names) "Wait for the threads, which have ended." #t)

(define %stored (make-hash-table))

(define (threadstore name value)
  "Keep a value under a name; returns it."
  (hash-set! %stored name
             (append (hash-ref %stored name '()) (list value)))
  value)

(define (threadretrieve name)
  "The list of values kept under a name."
  (%new-list 'list (hash-ref %stored name '())))

(define (threadclear name)
  "Forget the values kept under a name."
  (hash-delete! %stored name)
  #t)

;; Files and the system.

(define (fread path)
  "The text of a file."
  (call-with-input-file path port->string))

(define (fwrite path text)
  "Write a text to a file."
  (call-with-output-file path (lambda (port) (display (%text text) port)))
  #t)

(define (fappend path text)
  "Add a text to a file."
  (fwrite path (string-append (if (file-exists? path) (fread path) "")
                              (%text text))))

(define (file_exists path)
  "Whether a file or folder exists."
  (or (file-exists? path) (folder? path)))
