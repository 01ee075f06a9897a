;; dijkstra.lisp - shortest paths on a map, with a priority queue.

;; A priority queue is a binary heap in a vector that grows: entry i is not
;; less than its parent, entry (i - 1) / 2.

(define-record-type queue
  (%make-queue items size)
  queue?
  (items queue-items set-queue-items!)
  (size queue-size set-queue-size!))

(define (make-queue) (%make-queue (make-vector 4 #f) 0))
(define (queue-empty? q) (zero? (queue-size q)))

(define (before? a b) (< (car a) (car b)))

(define (swap! v i j)
  (let ((x (vector-ref v i)))
    (vector-set! v i (vector-ref v j))
    (vector-set! v j x)))

(define (grown items)
  "A vector twice as long that begins with the items."
  (vector-append items (make-vector (vector-length items) #f)))

(define (queue-add! q priority value)
  (when (= (queue-size q) (vector-length (queue-items q)))
    (set-queue-items! q (grown (queue-items q))))
  (let ((v (queue-items q)))
    (vector-set! v (queue-size q) (cons priority value))
    (let up ((i (queue-size q)))
      (let ((parent (quotient (- i 1) 2)))
        (when (and (> i 0) (before? (vector-ref v i) (vector-ref v parent)))
          (swap! v i parent)
          (up parent)))))
  (set-queue-size! q (+ (queue-size q) 1)))

(define (queue-take! q)
  "Remove the entry of the lowest priority: (priority . value)."
  (let* ((v (queue-items q))
         (size (- (queue-size q) 1))
         (top (vector-ref v 0)))
    (vector-set! v 0 (vector-ref v size))
    (vector-set! v size #f)
    (set-queue-size! q size)
    (let down ((i 0))
      (let* ((left (+ (* 2 i) 1))
             (right (+ left 1))
             (child (if (and (< right size)
                             (before? (vector-ref v right) (vector-ref v left)))
                        right
                        left)))
        (when (and (< left size) (before? (vector-ref v child) (vector-ref v i)))
          (swap! v i child)
          (down child))))
    top))

;; A graph is a table of town to a list of (neighbour . kilometres).

(define (make-graph roads)
  "The graph of roads (town town kilometres), each open both ways."
  (let ((graph (make-hash-table)))
    (define (connect! a b length)
      (hash-update! graph a (lambda (others) (cons (cons b length) others)) '()))
    (for-each
      (lambda (road)
        (let ((a (first road)) (b (second road)) (length (third road)))
          (connect! a b length)
          (connect! b a length)))
      roads)
    graph))

(define (shortest-ways graph start)
  "A table of town to (distance . town before it), for all that can be reached."
  (let ((found (make-hash-table)) (waiting (make-queue)))
    (queue-add! waiting 0 (cons start #f))
    (let loop ()
      (unless (queue-empty? waiting)
        (let* ((entry (queue-take! waiting))
               (distance (car entry))
               (town (cadr entry)))
          (unless (hash-has-key? found town)
            (hash-set! found town (cons distance (cddr entry)))
            (for-each
              (lambda (road)
                (unless (hash-has-key? found (car road))
                  (queue-add! waiting (+ distance (cdr road)) (cons (car road) town))))
              (hash-ref graph town))))
        (loop)))
    found))

(define (way-to found town)
  "The towns on the way, the start first; #f if there is none."
  (and (hash-has-key? found town)
       (let loop ((town town) (way '()))
         (if town
             (loop (cdr (hash-ref found town)) (cons town way))
             way))))

(define graph
  (make-graph
    '((Hamburg Berlin 289) (Hamburg Hannover 151) (Hannover Berlin 286)
      (Hannover Frankfurt 348) (Berlin Leipzig 190) (Leipzig Nuremberg 283)
      (Frankfurt Nuremberg 225) (Frankfurt Stuttgart 204) (Nuremberg Munich 167)
      (Stuttgart Munich 233) (Berlin Dresden 193) (Leipzig Dresden 117)
      (Reykjavik Akureyri 388))))

(define from-hamburg (shortest-ways graph 'Hamburg))

(for-each
  (lambda (town)
    (let ((way (way-to from-hamburg town)))
      (if way
          (print (format "~5d km  ~a"
                         (car (hash-ref from-hamburg town))
                         (string-join (map symbol->string way) " - ")))
          (print "no way to" town))))
  '(Hamburg Berlin Munich Dresden Stuttgart Reykjavik))

;; A large grid whose steps cost 1 to 9, from corner to corner.

(define side 60)

(define (cost x y) (+ 1 (modulo (+ (* 7 x x) (* 13 y) (* 5 x y)) 9)))

(define (grid-distance)
  (let ((best (make-vector (* side side) #f)) (waiting (make-queue)))
    (define (visit! x y distance)
      (when (and (< -1 x side) (< -1 y side)
                 (not (vector-ref best (+ x (* side y)))))
        (queue-add! waiting (+ distance (cost x y)) (cons x y))))
    (queue-add! waiting 0 (cons 0 0))
    (let loop ()
      (let* ((entry (queue-take! waiting))
             (distance (car entry)) (x (cadr entry)) (y (cddr entry))
             (place (+ x (* side y))))
        (cond ((and (= x (- side 1)) (= y (- side 1))) distance)
              ((vector-ref best place) (loop))
              (else
               (vector-set! best place distance)
               (visit! (+ x 1) y distance)
               (visit! (- x 1) y distance)
               (visit! x (+ y 1) distance)
               (visit! x (- y 1) distance)
               (loop)))))))

(print "across the grid:" (grid-distance))
