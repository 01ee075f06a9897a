;; device.lisp - where new tensors go.

(define (%with-device old body)
  "Call the body, and put new tensors on the old device again."
  (let ((result (%settle (%try body))))
    (set-default-device! old)
    (%finish result)))
