; Shared by all programs of operator cases: it makes a case's inputs of the files that
; transport.py wrote, calls the operators, and prints the exact outcome.
;
; A case is a datum: (id storages inputs calls weights route)
;   storages   ((float32 start count) ...)           ranges of the files, copied
;   inputs     ((storage shape strides offset flags) ...)  views of them; flags: grad conj neg
;   calls      ((step ...) result), a step an operator's name and its arguments, in which #(k)
;              is input k, and #(result k i ...) is element i of the result of step k
;   weights    as inputs, one for each result to differentiate, or #f; '() if none is
;   route      gradients, backward, or none

(define sizes (call-with-input-file "sizes" read))

(define pools
  (map (lambda (entry)
         (let ((dtype (car entry)))
           (cons dtype
                 (tensor-from-file (string-append (symbol->string dtype) ".bin")
                                   :shared #f :size (cadr entry) :dtype dtype))))
       sizes))

(define (make-storage range)
  "A copy of the elements that (dtype start count) names."
  (tensor-clone (tensor-narrow (cdr (assq (car range) pools)) 0 (cadr range) (caddr range))))

(define (make-input storages input with-grad)
  "The view that an input describes."
  (let* ((base (tensor-as-strided (list-ref storages (car input)) (cadr input)
                                  (list-ref input 2) (list-ref input 3)))
         (flags (list-ref input 4))
         (conj (if (memq 'conj flags) (tensor-private--conj base) base))
         (x (if (memq 'neg flags) (tensor-private--neg-view conj) conj)))
    (if (and with-grad (memq 'grad flags)) (requires-grad! x) x)))

(define (make-inputs storages inputs with-grad)
  "New inputs; those that share a storage share it here."
  (let ((made (map make-storage storages)))
    (map (lambda (input) (make-input made input with-grad)) inputs)))

(define (filled argument inputs results)
  "The argument, with values for #(k) and #(result k ...)."
  (cond ((vector? argument)
         (let ((what (vector->list argument)))
           (if (eq? (car what) 'result)
               (part-at (list-ref results (cadr what)) (cddr what))
               (list-ref inputs (car what)))))
        ((pair? argument) (map (lambda (part) (filled part inputs results)) argument))
        (else argument)))

(define (part-at value path)
  "The part of nested lists that the path leads to."
  (fold (lambda (k part) (list-ref part k)) value path))

; Showing.

(define (plain x)
  "The same elements as real numbers, without lazy signs."
  (let ((y (tensor-resolve-neg (tensor-resolve-conj (detach x)))))
    (if (memq (tensor-dtype y) '(complex64 complex128 complex32)) (tensor-view-as-real y) y)))

(define (bits x)
  "The elements' bits, as a tensor of integers of the same width."
  (let* ((y (tensor-clone (plain x) :memory-format 'contiguous-format))
         (width (tensor-element-size y)))
    (tensor-view y (cond ((= width 1) 'uint8)
                         ((= width 2) 'int16)
                         ((= width 4) 'int32)
                         (else 'int64)))))

(define (tensor-element-size x)
  "How many bytes an element has."
  (cdr (assq (tensor-dtype x)
             '((bool . 1) (uint8 . 1) (int8 . 1) (float8-e4m3fn . 1) (float8-e5m2 . 1)
               (int16 . 2) (uint16 . 2) (float16 . 2) (bfloat16 . 2)
               (int32 . 4) (uint32 . 4) (float32 . 4)
               (int64 . 8) (uint64 . 8) (float64 . 8)))))

(define (strides x)
  "Its strides, as a list."
  (map (lambda (dim) (tensor-stride x dim)) (iota (tensor-rank x))))

(define (position-of x items)
  "Which of the items is x itself, or #f."
  (list-index (lambda (item) (eq? item x)) items))

(define (show-tensor label x inputs)
  "One line: dtype, shape, strides, which input it is, and its bits."
  (display label)
  (for-each (lambda (part) (display " ") (write part))
            (list (tensor-dtype x) (tensor-shape x) (strides x) (position-of x inputs)
                  (tensor-flatten (bits x))))
  (newline))

(define (tensors-in value)
  "The tensors of a result, in order."
  (cond ((tensor? value) (list value))
        ((pair? value) (append-map tensors-in value))
        (else '())))

(define (outline value)
  "The result with T for each tensor."
  (cond ((tensor? value) 'T)
        ((pair? value) (map outline value))
        (else value)))

; The effects of a call.

(define (changes inputs before)
  "For each input, whether its elements are other ones than before."
  (map (lambda (x old) (not (tensor-equal (bits x) old))) inputs before))

(define (snapshot inputs)
  "The bits of each input, as they are now."
  (map bits inputs))

(define (mark! x)
  "Write into a result, to see which inputs share its storage.  Of elements that
  share memory only the first one can be written."
  (guard (e (#t (guard (e (#t #f))
                  (no-grad (tensor-fill! (tensor-as-strided (detach x) '() '())
                                         77)))))
    (no-grad (tensor-fill! (detach x) 77))))

(define (refusal e)
  "What an error says."
  (if (error-object? e) (error-object-message e) e))

(define (show-call inputs call)
  "Call once; show the result, which inputs it changed, and which ones it shares."
  (let* ((before (snapshot inputs))
         (result (begin (manual-seed 0) (call inputs)))
         (tensors (tensors-in result)))
    (write (list 'result (outline result)))
    (newline)
    (for-each (lambda (x) (show-tensor 'leaf x inputs)) tensors)
    (let ((changed (changes inputs before))
          (after (snapshot inputs)))
      (write (list 'changed changed))
      (newline)
      (for-each (lambda (x is-changed) (when is-changed (show-tensor 'input x '())))
                inputs changed)
      (for-each mark! tensors)
      (write (list 'shared (guard (e (#t 'resized)) (changes inputs after))))
      (newline))))

(define (weighed x weight)
  "The sum of the elements, each times its weight."
  (tensor-sum (tensor-mul (if (tensor-is-complex x)
                              (tensor-view-as-real (tensor-resolve-conj x))
                              x)
                          weight)))

(define (loss-of tensors weights)
  "The weighed sum of the results that have weights."
  (fold (lambda (x weight loss)
          (cond ((not weight) loss)
                (loss (tensor-add loss (tensor-to (weighed x weight) 'float64)))
                (else (tensor-to (weighed x weight) 'float64))))
        #f tensors weights))

(define (show-gradients inputs marked weights route call)
  "The gradients of the weighed sum of the results in the inputs that ask for one."
  (let* ((loss (loss-of (tensors-in (begin (manual-seed 0) (call inputs))) weights)))
    (for-each (lambda (gradient)
                (if gradient (show-tensor 'gradient gradient '()) (print 'no-gradient)))
              (if (eq? route 'backward)
                  (begin (backward loss) (map tensor-grad marked))
                  (gradients loss marked)))))

(define (run-case datum call)
  "Show a case; what fails is shown, too."
  (let ((storages (list-ref datum 1)) (inputs (list-ref datum 2))
        (weights (list-ref datum 4)) (route (list-ref datum 5)))
    (print 'case (car datum))
    (guard (e (#t (write (list 'refused (refusal e))) (newline)))
      (show-call (make-inputs storages inputs #f) call))
    (unless (eq? route 'none)
      (guard (e (#t (write (list 'no-gradients (refusal e))) (newline)))
        (let* ((all (make-inputs storages (append inputs (filter pair? weights)) #t))
               (own (take all (length inputs))))
          (show-gradients own (marked-of own inputs)
                          (weights-of weights (drop all (length inputs)))
                          route call))))))

(define (marked-of tensors inputs)
  "Those of the inputs that want a gradient."
  (append-map (lambda (x input) (if (memq 'grad (list-ref input 4)) (list x) '()))
              tensors inputs))

(define (weights-of weights tensors)
  "The weights' tensors rebuilt; #f stays."
  (cond ((null? weights) '())
        ((car weights) (cons (car tensors) (weights-of (cdr weights) (cdr tensors))))
        (else (cons #f (weights-of (cdr weights) tensors)))))

(define (read-all port)
  "All the data of a port."
  (let loop ((all '()) (datum (read port)))
    (if (eof-object? datum) (reverse all) (loop (cons datum all) (read port)))))

(define (apply-steps calls operators inputs)
  "Do the steps of ((step ...) result), each an operator's name and arguments."
  (let loop ((steps (car calls)) (results '()))
    (if (null? steps)
        (filled (cadr calls) inputs results)
        (let ((operator (hash-ref operators (caar steps)))
              (arguments (filled (cdar steps) inputs results)))
          (loop (cdr steps) (append results (list (apply operator arguments))))))))

(define (run-applied operators path)
  "Run each case of a file; operators is an alist."
  (let ((table (make-hash-table)))
    (for-each (lambda (entry) (hash-set! table (car entry) (cdr entry))) operators)
    (for-each
      (lambda (datum)
        (run-case datum (lambda (inputs) (apply-steps (list-ref datum 3) table inputs))))
      (call-with-input-file path read-all))))

; Programs with written calls read the rest of each case, one after the other.

(define waiting '())

(define (begin-cases path)
  "Where run-written finds its cases."
  (set! waiting (call-with-input-file path read-all)))

(define (run-written call)
  "Run the next case by a procedure of its inputs."
  (let ((datum (car waiting)))
    (set! waiting (cdr waiting))
    (run-case datum (lambda (inputs) (apply call inputs)))))
