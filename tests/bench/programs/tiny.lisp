;; tiny.lisp - nanoseconds for one call of small operators, (command-line) times at once.
;;
;; "typed" where the compiler knows that the arguments are tensors, "generic" where it cannot tell,
;; because they come out of a list.

(define rounds 21)

(define (median numbers)
  "The middle one of an odd number of numbers."
  (list-ref (sort numbers <) (quotient (length numbers) 2)))

(define-syntax measure
  (syntax-rules ()
    ((_ label n expression)
     (let loop ((round 0) (found '()))
       (if (< round rounds)
           (let ((start (current-jiffy)))
             (do ((k 0 (+ k 1)))
                 ((= k n))
               expression)
             (loop (+ round 1)
                   (cons (/ (- (current-jiffy) start) (inexact n)) found)))
           (print label (median found)))))))

(define-syntax measure-all
  (syntax-rules ()
    ((_ sort n a b m)
     (begin
       (measure (list sort 'add) n (tensor-add a b))
       (measure (list sort 'mul) n (tensor-mul a b))
       (measure (list sort 'matmul) n (tensor-matmul m m))
       (measure (list sort 'view) n (tensor-view a 2 2))
       (measure (list sort 'slice) n (tensor-slice a 0 1 3))
       (measure (list sort 'row) n (tensor-ref m 1))
       (measure (list sort 'sum) n (tensor-sum a 0))
       (measure (list sort 'number) n (+ a 2.0))
       (measure (list sort 'softmax) n (tensor-softmax m :dim -1))))))

(define (typed a b m n)
  "a b [4], m [2, 2]"
  (measure-all 'typed n a b m))

(define (generic inputs n)
  (let ((a (car inputs)) (b (cadr inputs)) (m (caddr inputs)))
    (measure-all 'generic n a b m)))

(define (main n)
  (let ((a [1.0 2.0 3.0 4.0])
        (b [5.0 6.0 7.0 8.0])
        (m [[1.0 2.0] [3.0 4.0]]))
    (typed a b m n)
    (generic (list a b m) n)))

(main (string->number (cadr (command-line))))
