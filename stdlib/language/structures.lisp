;; structures.lisp - multiple values, promises and streams.

(define (call-with-values producer consumer)
  "The result of consumer on the values that producer returns."
  (apply consumer (%values-tail (producer) 0)))

;; Promises.  A promise holds a pair, which chained promises share.  It is
;; (done . value), (value . thunk) if the thunk returns the value, or (promise
;; . thunk) if it returns a promise of it.

(define %promise-type (%record-type 'promise #f))

(define (promise? x)
  "Whether it is a promise."
  (%record? x %promise-type))

(define (make-promise x)
  "A promise whose value is x; x itself if it is a promise."
  (if (promise? x)
      x
      (%record %promise-type (cons 'done x))))

(define (%promise-state promise)
  "The pair that a promise holds."
  (%record-ref promise %promise-type 0 "force"))

(define (force promise)
  "The value of a promise, computed once; for any other value, the value
  itself."
  (if (promise? promise)
      (let loop ()
        (let ((state (%promise-state promise)))
          (if (eq? (car state) 'done)
              (cdr state)
              (let ((result ((cdr state))))
                (%keep! promise (eq? (car state) 'promise) result)
                (loop)))))
      promise))

(define (%keep! promise chained? result)
  "Resolve a promise by its thunk's result, unless the thunk has resolved it."
  (let ((state (%promise-state promise)))
    (cond ((eq? (car state) 'done))
          ((and chained? (promise? result))
           (let ((other (%promise-state result)))
             (set-car! state (car other))
             (set-cdr! state (cdr other))
             (%record-set! result %promise-type 0 state "force")))
          (else
           (set-car! state 'done)
           (set-cdr! state result)))))

;; Streams: pairs whose cdr is a promise of the rest.

(define (stream-car stream)
  "The first of a pair that cons-stream made."
  (car stream))

(define (stream-cdr stream)
  "What follows the first of a stream: its promise is forced."
  (force (cdr stream)))

(define (stream-head stream k)
  "The list of the first k elements of a stream."
  (let loop ((rest stream) (n k) (taken '()))
    (if (= n 0)
        (reverse taken)
        (loop (stream-cdr rest) (- n 1) (cons (stream-car rest) taken)))))
