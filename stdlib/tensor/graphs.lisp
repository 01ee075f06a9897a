;; graphs.lisp - computations on a GPU that are recorded once, and then started
;; with one call: a small operator takes a GPU less time than asking for it.

(define (capture-graph thunk :device #f :warm-up 2)
  "A procedure without arguments that does on the device what (thunk) did there,
  and returns the same tensors as that call, with new elements.

  The work is recorded as a CUDA graph: each call of the procedure starts all
  kernels at once, and runs no Lisp.  So shapes, numbers and choices are those
  of the recording; what changes are the elements of tensors that exist before,
  which tensor-copy! writes.  Nothing in the thunk may wait for the device, as
  printing and tensor-item do.

  warm-up: how often (thunk) is called before the recording, for what is done
  only once.  device: the default one unless given; on one that has no graphs,
  such as the CPU, the procedure is thunk itself.

  (define y (capture-graph (lambda () (model x))))
  (tensor-copy! x batch)
  (y)                                ; (model x) for the new x"
  (unless (procedure? thunk)
    (wrong-type "capture-graph" "a procedure" thunk))
  (unless (%size? warm-up 0)
    (wrong-type "capture-graph" "a number of calls as warm-up" warm-up))
  (let ((graph (%procedure "capture-graph"
                           (if device
                               (%checked-device "capture-graph" device)
                               (default-device)))))
    (if graph
        (%captured graph thunk warm-up)
        thunk)))

(define (%captured graph thunk warm-up)
  "The procedure that replays a graph of a thunk."
  (let ((result (%settle (%try (lambda ()
                                 (dotimes (k warm-up) (thunk))
                                 (%procedure "graph-begin" graph)
                                 (thunk))))))
    (%procedure "graph-end" graph)
    (let ((value (%finish result)))
      (lambda ()
        (%procedure "graph-replay" graph)
        value))))
