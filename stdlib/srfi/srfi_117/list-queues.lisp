;; list-queues.lisp - what (import (srfi 117)) means: queues that share their
;; elements with a list.
;;
;; The pairs of a queue belong to its list: a queue that is changed changes the
;; list that it was made of, and the other way round.

(define-record-type <list-queue>
  (%new-queue first last)
  list-queue?
  (first %first %set-first!)   ; the list
  (last %last %set-last!))     ; its last pair, or '()

(define (%check-queue who x)
  "Raise an error unless x is a list queue."
  (unless (list-queue? x) (wrong-type who "a list queue" x)))

(define (%check-not-empty who queue)
  "Raise an error unless it is a queue that has elements."
  (%check-queue who queue)
  (when (null? (%first queue)) (error (string who ": the queue is empty"))))

(define (%last-of who items options)
  "The last pair of a list, which an option may say."
  (%check-list who items)
  (let ((last (%optional who 1 options #f)))
    (cond ((null? items) '())
          ((not last) (last-pair items))
          ((pair? last) last)
          (else (wrong-type who "the last pair of the list" last)))))

;; Constructors.

(define (make-list-queue items . last)
  "A queue of the elements of a list, whose pairs it shares.  last is the last
  pair of the list, if it is known."
  (%new-queue items (%last-of "make-list-queue" items last)))

(define (list-queue . elements)
  "A new queue of the elements: (list-queue-list (list-queue 1 2)) is (1 2)."
  (%queue-of elements))

(define (%queue-of elements)
  "A queue of a list that nothing else refers to."
  (%new-queue elements (if (null? elements) '() (last-pair elements))))

(define (list-queue-copy queue)
  "A new queue of the same elements."
  (%check-queue "list-queue-copy" queue)
  (%queue-of (list-copy (%first queue))))

(define (list-queue-unfold stop? mapper successor seed . queue)
  "Add (mapper seed), (mapper (successor seed)) ..., until stop? is true of the
  seed, to the front of a queue, the first one first; to a new queue if none is
  passed.  Returns the queue."
  (let ((queue (%optional "list-queue-unfold" 4 queue (list-queue))))
    (%check-queue "list-queue-unfold" queue)
    (for-each (lambda (x) (list-queue-add-front! queue x))
              (%unfolded stop? mapper successor seed))
    queue))

(define (list-queue-unfold-right stop? mapper successor seed . queue)
  "Add (mapper seed), (mapper (successor seed)) ..., until stop? is true of the
  seed, to the back of a queue, the first one last; to a new queue if none is
  passed.  Returns the queue."
  (let ((queue (%optional "list-queue-unfold-right" 4 queue (list-queue))))
    (%check-queue "list-queue-unfold-right" queue)
    (for-each (lambda (x) (list-queue-add-back! queue x))
              (%unfolded stop? mapper successor seed))
    queue))

(define (%unfolded stop? mapper successor seed)
  "The list of the elements, the last one first."
  (let loop ((seed seed) (elements '()))
    (if (stop? seed)
        elements
        (loop (successor seed) (cons (mapper seed) elements)))))

;; Parts.

(define (list-queue-empty? queue)
  "Whether a queue has no elements."
  (%check-queue "list-queue-empty?" queue)
  (null? (%first queue)))

(define (list-queue-front queue)
  "The first element of a queue."
  (%check-not-empty "list-queue-front" queue)
  (car (%first queue)))

(define (list-queue-back queue)
  "The last element of a queue."
  (%check-not-empty "list-queue-back" queue)
  (car (%last queue)))

(define (list-queue-list queue)
  "The list of the elements, whose pairs are the queue's own."
  (%check-queue "list-queue-list" queue)
  (%first queue))

(define (list-queue-first-last queue)
  "Two values: the first pair and the last pair of a queue; () twice if it is
  empty."
  (%check-queue "list-queue-first-last" queue)
  (values (%first queue) (%last queue)))

;; Changes.

(define (list-queue-set-list! queue items . last)
  "Let a queue hold the elements of a list, whose pairs it shares.  last is the
  last pair of the list, if it is known."
  (%check-queue "list-queue-set-list!" queue)
  (%set-last! queue (%last-of "list-queue-set-list!" items last))
  (%set-first! queue items))

(define (list-queue-add-front! queue x)
  "Add an element at the front of a queue."
  (%check-queue "list-queue-add-front!" queue)
  (let ((pair (cons x (%first queue))))
    (when (null? (%first queue)) (%set-last! queue pair))
    (%set-first! queue pair)))

(define (list-queue-add-back! queue x)
  "Add an element at the back of a queue."
  (%check-queue "list-queue-add-back!" queue)
  (let ((pair (list x)))
    (if (null? (%first queue))
        (%set-first! queue pair)
        (set-cdr! (%last queue) pair))
    (%set-last! queue pair)))

(define (list-queue-remove-front! queue)
  "Remove the first element of a queue, and return it."
  (%check-not-empty "list-queue-remove-front!" queue)
  (let ((pair (%first queue)))
    (%set-first! queue (cdr pair))
    (when (null? (cdr pair)) (%set-last! queue '()))
    (car pair)))

(define (list-queue-remove-back! queue)
  "Remove the last element of a queue, and return it.  It walks along all
  elements."
  (%check-not-empty "list-queue-remove-back!" queue)
  (let ((last (%last queue)))
    (if (eq? (%first queue) last)
        (begin (%set-first! queue '()) (%set-last! queue '()))
        (let loop ((pair (%first queue)))
          (if (eq? (cdr pair) last)
              (begin (set-cdr! pair '()) (%set-last! queue pair))
              (loop (cdr pair)))))
    (car last)))

(define (list-queue-remove-all! queue)
  "Remove all elements of a queue, and return their list."
  (%check-queue "list-queue-remove-all!" queue)
  (let ((items (%first queue)))
    (%set-first! queue '())
    (%set-last! queue '())
    items))

;; All elements.

(define (list-queue-append . queues)
  "A new queue of the elements of all queues."
  (list-queue-concatenate queues))

(define (list-queue-concatenate queues)
  "A new queue of the elements of all queues of a list."
  (%check-list "list-queue-concatenate" queues)
  (%queue-of
   (append-map (lambda (queue)
                 (%check-queue "list-queue-append" queue)
                 (list-copy (%first queue)))
               queues)))

(define (list-queue-append! . queues)
  "A queue of the elements of all queues, whose pairs it reuses; the queues must
  not be used again."
  (let ((result (list-queue)))
    (for-each
     (lambda (queue)
       (%check-queue "list-queue-append!" queue)
       (unless (null? (%first queue))
         (if (null? (%first result))
             (%set-first! result (%first queue))
             (set-cdr! (%last result) (%first queue)))
         (%set-last! result (%last queue))))
     queues)
    result))

(define (list-queue-map f queue)
  "A new queue of the results of f on each element."
  (%check-queue "list-queue-map" queue)
  (%queue-of (map f (%first queue))))

(define (list-queue-map! f queue)
  "Replace each element by the result of f on it."
  (%check-queue "list-queue-map!" queue)
  (let loop ((pair (%first queue)))
    (when (pair? pair)
      (set-car! pair (f (car pair)))
      (loop (cdr pair)))))

(define (list-queue-for-each f queue)
  "Call f on each element, the first one first."
  (%check-queue "list-queue-for-each" queue)
  (for-each f (%first queue)))
