;; autocast.lisp - the form with-autocast, which checks the dtype itself.

(define (%with-autocast dtype body)
  "Call the body with LibTorch's autocast in the dtype, #f for none."
  (%procedure "enter-autocast" dtype)
  (let ((result (%settle (%try body))))
    (%procedure "leave-autocast")
    (%finish result)))

(define (autocast-dtype)
  "The dtype of the innermost with-autocast; #f outside of one, and in one that
  turns autocast off."
  (%procedure "autocast-dtype"))
