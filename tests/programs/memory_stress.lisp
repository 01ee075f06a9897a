;; Whatever a program does with tensors, afterwards there are as many as before.
(define (get key) (cdr (assq key (tensor-memory))))
(define (stress name thunk)
  "Run the thunk a few times; it must leave nothing behind."
  (thunk)
  (let ((handles (get 'live-handles)) (bytes (get 'live-bytes)))
    (dotimes (i 3) (thunk))
    (print name (- (get 'live-handles) handles) (- (get 'live-bytes) bytes))))
(define (fresh) (tensor-ones 10 10))

(stress "branches"                       ; => branches 0 0
        (lambda ()
          (let ((a (fresh)) (b (fresh)))
            (if (> (tensor-item (tensor-sum a)) 50) (+ a 1) (- a b)))))
(stress "a branch that uses nothing"     ; => a branch that uses nothing 0 0
        (lambda () (let ((a (fresh)) (n 3)) (if (= n 3) n (+ a n)))))
(stress "cond and case"                  ; => cond and case 0 0
        (lambda ()
          (let ((x (fresh)))
            (cond ((tensor-equal x (+ x 1)) x)
                  ((assv 2 (list (list 1 x) (list 2 (exp x)))) => cadr)
                  (else (case (tensor-rank x) ((1) x) (else (@ x x))))))))
(stress "a loop that rebinds"            ; => a loop that rebinds 0 0
        (lambda ()
          (let loop ((i 0) (x (fresh)))
            (if (< i 5) (loop (+ i 1) (+ x x)) (tensor-mean x)))))
(stress "do"                             ; => do 0 0
        (lambda () (do ((i 0 (+ i 1)) (x (fresh) (tensor-neg x)) (y #f x)) ((= i 4) y))))
(stress "set! in a loop"                 ; => set! in a loop 0 0
        (lambda ()
          (let ((x (fresh)))
            (dotimes (i 4) (set! x (tensor-tanh x)))
            (tensor-item (tensor-sum x)))))
(stress "in place"                       ; => in place 0 0
        (lambda () (let ((x (fresh))) (tensor-add! x 1) (tensor-mul! x x) x)))
(stress "early exit by call/cc"          ; => early exit by call/cc 0 0
        (lambda ()
          (call/cc (lambda (leave)
                     (let ((a (fresh)))
                       (for-each (lambda (x) (if (= x 2) (leave (+ a x)) (* a x))) '(1 2 3)))))))
(stress "early exit out of a map"        ; => early exit out of a map 0 0
        (lambda ()
          (call/cc (lambda (leave)
                     (map (lambda (x) (if (= x 3) (leave #f) (+ (fresh) x))) '(1 2 3 4))))))
(stress "error in mid-expression"        ; => error in mid-expression 0 0
        (lambda ()
          (guard (e (#t 'caught))
            (list (fresh) (+ (fresh) (@ (fresh) (tensor-ones 3 3)))))))
(stress "error in an argument"           ; => error in an argument 0 0
        (lambda () (guard (e (#t 'caught)) (tensor-cat (list (fresh) (fresh)) :dim (car 5)))))
(stress "error in an operator's list"    ; => error in an operator's list 0 0
        (lambda () (guard (e (#t 'caught)) (tensor-stack (list (fresh) (tensor-ones 2))))))
(stress "a tensor that is raised"        ; => a tensor that is raised 0 0
        (lambda () (guard (x ((tensor? x) (tensor-sum x))) (raise (fresh)))))
(stress "an error that holds a tensor"   ; => an error that holds a tensor 0 0
        (lambda ()
          (guard (e (#t (length (error-object-irritants e)))) (error "bad" (fresh) (fresh)))))
(stress "handlers that continue"         ; => handlers that continue 0 0
        (lambda ()
          (with-exception-handler
           (lambda (x) (+ x 1))
           (lambda () (tensor-sum (raise-continuable (fresh)))))))
(stress "dynamic-wind"                   ; => dynamic-wind 0 0
        (lambda ()
          (guard (e (#t 'caught))
            (let ((a (fresh)))
              (dynamic-wind (lambda () (+ a 1)) (lambda () (error "no" a)) (lambda () (* a 2)))))))
(define held (make-parameter #f))
(stress "parameterize"                   ; => parameterize 0 0
        (lambda ()
          (guard (e (#t 'caught))
            (parameterize ((held (fresh)))
              (parameterize ((held (+ (held) 1))) (@ (held) (tensor-ones 3)))))))
(stress "closures"                       ; => closures 0 0
        (lambda ()
          (let* ((x (fresh)) (f (lambda (y) (+ x y))) (g (lambda () (f (f x)))))
            (g)
            (map f (list (fresh) 1)))))
(stress "assignment to a captured variable" ; => assignment to a captured variable 0 0
        (lambda ()
          (let* ((total (tensor-zeros 10 10)) (add! (lambda (y) (set! total (+ total y)))))
            (add! (fresh))
            (add! 2)
            (guard (e (#t 'caught)) (add! (tensor-ones 3)))
            (tensor-item (tensor-sum total)))))
(define kept #f)
(stress "assignment to a top-level variable" ; => assignment to a top-level variable 0 0
        (lambda () (set! kept (fresh)) (set! kept (exp kept)) (set! kept #f)))
(stress "lists, vectors, hash tables, records" ; => lists, vectors, hash tables, records 0 0
        (lambda ()
          (define-record-type box (make-box value) box? (value box-value set-box-value!))
          (let ((l (list (fresh) (fresh))) (v (make-vector 3 (fresh))) (h (make-hash-table))
                (b (make-box (fresh))))
            (set-car! l (car (cdr l)))
            (vector-set! v 1 (vector-ref v 0))
            (hash-set! h 'x (car l))
            (hash-set! h 'x (vector-ref v 1))
            (hash-set! h (fresh) 1)
            (hash-delete! h 'x)
            (set-box-value! b (list (box-value b) 1))
            (set-box-value! b (fresh))
            (list (box-value b) (sort (list 3 1 2) <) (reverse l) (append l l)))))
(stress "promises and strings"           ; => promises and strings 0 0
        (lambda ()
          (let ((p (delay (fresh))))
            (string-length (format "~a ~s" (force p) (tensor-sum (force p)))))))
(stress "views that outlive their bases" ; => views that outlive their bases 0 0
        (lambda ()
          (let ((view (let ((base (fresh))) (tensor-ref base :all 1))))
            (let ((row (tensor-slice (tensor-t (tensor-reshape view 5 2)) 0 0 1)))
              (tensor-add! row 1)
              (tensor-sum view)))))
(stress "a graph that is used"           ; => a graph that is used 0 0
        (lambda ()
          (let ((w (requires-grad! (fresh))))
            (backward (tensor-sum (tensor-relu (@ w (fresh)))))
            (tensor-sub! (detach w) (* 0.1 (tensor-grad w)))
            (zero-grad! w))))
(stress "a graph that is dropped"        ; => a graph that is dropped 0 0
        (lambda ()
          (let* ((w (requires-grad! (fresh))) (y (tensor-sum (exp (* w w)))))
            (tensor-item y))))
(stress "a graph that fails"             ; => a graph that fails 0 0
        (lambda ()
          (let ((w (requires-grad! (fresh))))
            (guard (e (#t 'caught)) (backward (* w w)))
            (let ((y (tensor-sum (* w w))))
              (backward y)
              (guard (e (#t 'caught)) (backward y))))))
(stress "second derivatives"             ; => second derivatives 0 0
        (lambda ()
          (let* ((x (requires-grad! (fresh)))
                 (first (car (gradients (tensor-sum (* x x x)) (list x) :create-graph #t))))
            (gradients (tensor-sum first) (list x)))))
(stress "no-grad, left by an error"      ; => no-grad, left by an error 0 0
        (lambda ()
          (guard (e (#t 'caught)) (no-grad (let ((x (fresh))) (@ x (tensor-ones 3)))))))
(stress "results in lists"               ; => results in lists 0 0
        (lambda ()
          (let ((found (tensor-topk (fresh) 2)))
            (tensor-split (car found) 1 :dim 0))))
(stress "keyword and rest arguments"     ; => keyword and rest arguments 0 0
        (lambda ()
          (define (f x :by (fresh) . rest) (fold + (* x by) rest))
          (f (fresh))
          (f (fresh) :by 2)
          (apply f (fresh) :by (fresh) (list (fresh) 1))
          (guard (e (#t 'caught)) (f (fresh) :to (fresh)))))
(stress "mutual recursion"               ; => mutual recursion 0 0
        (lambda ()
          (define (even x n) (if (= n 0) x (odd (+ x 1) (- n 1))))
          (define (odd x n) (even (* x 2) (- n 1)))
          (even (fresh) 6)))
(stress "generic arithmetic as values"   ; => generic arithmetic as values 0 0
        (lambda () (fold + 0 (map * (list (fresh) 2) (list 3 (fresh))))))
(stress "parts by indices"               ; => parts by indices 0 0
        (lambda ()
          (let ((x (fresh)))
            (tensor-ref x 1 (range 0 5 2))
            (tensor-ref x [0 2] :all)
            (tensor-ref x (tensor-gt x 2))
            (guard (e (#t 'caught)) (tensor-ref x (fresh)))
            (tensor-ref x :ellipsis :new-axis (list 0 5 3)))))
(stress "parts replaced"                 ; => parts replaced 0 0
        (lambda ()
          (let ((x (fresh)))
            (tensor-set! x 1 (range 0 5 2) 3)
            (tensor-set! x [0 2] '((1 2 3 4 5 6 7 8 9 10)))
            (tensor-set! x (tensor-gt x 2) 0)
            (guard (e (#t 'caught)) (tensor-set! x 0 (tensor-ones 3)))
            (tensor-set! x :all 0 (tensor-ref x 0)))))
(stress "results that are written to"    ; => results that are written to 0 0
        (lambda ()
          (let ((x (fresh)) (values (tensor-zeros 0)) (indices (tensor-zeros 0 :dtype 'int64)))
            (tensor-add x 1 :out values)
            (tensor-topk x 2 :out (list values indices))
            (guard (e (#t 'caught)) (tensor-topk x 2 :out (list values x)))
            (guard (e (#t 'caught)) (tensor-topk x 2 :out (list values)))
            (tensor-topk x 2 :values values :indices indices))))
(stress "lists of tensors"               ; => lists of tensors 0 0
        (lambda ()
          (let ((all (list (fresh) (fresh))))
            (tensor-private--foreach-add! all 1)
            (tensor-private--foreach-mul all (list (fresh) (fresh)))
            (guard (e (#t 'caught)) (tensor-private--foreach-mul all (list (fresh) 2)))
            (map tensor-sum (tensor-unbind (tensor-cat all 1)))
            (tensor-block-diag all))))
(stress "keywords"                       ; => keywords 0 0
        (lambda ()
          (let ((x (fresh)))
            (apply tensor-sum x (list :dim 0 :keepdim #t))
            (tensor-zeros 2 2 :dtype 'float64 :requires-grad #t)
            (guard (e (#t 'caught)) (tensor-sum x :dom (fresh)))
            (guard (e (#t 'caught)) (tensor-sum x :dim))
            (tensor-to x :dtype 'int64 :copy #t))))
(stress "what LibTorch would not survive" ; => what LibTorch would not survive 0 0
        (lambda ()
          (guard (e (#t 'caught)) (tensor-reflection-pad2d-backward (fresh) (fresh) '()))))
(define twice
  (custom-gradient (lambda (x k) (list (* x k) (+ x k)))
                   (lambda (gs x k ys) (list (+ (* k (car gs)) (cadr gs)) #f))))
(stress "gradients of the program's own" ; => gradients of the program's own 0 0
        (lambda ()
          (let ((w (requires-grad! (fresh))))
            (backward (tensor-sum (cadr (twice (car (twice w 2)) 3))))
            (gradients (tensor-sum (car (twice w 2))) (list w) :create-graph #t)
            ((value-and-grad (lambda (x) (tensor-sum (car (twice x 2))))) (fresh))
            (twice w 4))))
(stress "a gradient that fails"          ; => a gradient that fails 0 0
        (lambda ()
          (let* ((w (requires-grad! (fresh)))
                 (bad (custom-gradient (lambda (x) (exp x)) (lambda (g x y) (@ g (tensor-ones 3)))))
                 (odd (custom-gradient (lambda (x) (exp x)) (lambda (g x y) (tensor-ones 3)))))
            (guard (e (#t 'caught)) (backward (tensor-sum (bad w))))
            (guard (e (#t 'caught)) (gradients (tensor-sum (odd (* w 2))) (list w)))
            (call/cc (lambda (leave)
                       (backward
                        (tensor-sum ((custom-gradient exp (lambda (g x y) (leave g))) w))))))))
(stress "jacobian, vjp and jvp"          ; => jacobian, vjp and jvp 0 0
        (lambda ()
          (let ((f (lambda (x) (* x x))) (x (tensor-ones 3)))
            ((jacobian f) x)
            ((cadr (vjp f x)) x)
            (guard (e (#t 'caught)) ((grad f) x))
            (jvp f (list x) (list x)))))
(define base (string "/tmp/lambent-stress-" (random 1000000000)))
(define (path end) (string base end))
(define (with-file end write read)
  "What is read from a file, which is deleted in any case."
  (dynamic-wind
   (lambda () #f)
   (lambda () (write (path end)) (read (path end)))
   (lambda () (if (file-exists? (path end)) (delete-file (path end))))))
(stress "files"                          ; => files 0 0
        (lambda ()
          (with-file ".safetensors"
                     (lambda (to) (save-tensors to (list (cons "x" (fresh)) (cons "y" [1 2]))))
                     (lambda (from) (+ 1 (hash-ref (load-tensors from) "x"))))
          (with-file ".npy"
                     (lambda (to) (save-npy to (fresh)))
                     (lambda (from) (tensor-add! (load-npy from) 1)))
          (guard (e (#t 'caught)) (load-tensors (path ".none")))
          (guard (e (#t 'caught)) (save-tensors (path ".none") (list (cons "x" 5))))))
(stress "text and data"                  ; => text and data 0 0
        (lambda ()
          (let ((x (tensor-rand 3 3 :generator (make-generator 1))))
            (tensor->list x)
            (list->tensor (list '(1 2) (tensor->list [1.0 2.0])))
            (guard (e (#t 'caught)) (tensor (list (fresh) 'a)))
            (read (open-input-string (format "~s" x))))))
