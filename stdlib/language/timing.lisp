;; timing.lisp - time-it and time: the time that a body takes, and the memory
;; of its tensors.
;;
;; (time-it (train 10))  =>  (%time-it 7 (lambda () (train 10))), which says
;;
;;     line 7: 125.307 ms; 24 allocations of 96.0 MiB, 112.0 MiB at most
;;
;; on the current error port.  The peak counts all tensors, not only new ones;
;; allocations are shown only if there were any.

(define-syntax time
  "The same as time-it: the value of the last form, and how long they took."
  (syntax-rules ()
    ((_ form more ...) (time-it form more ...))))

(define (%time-it line body)
  "Call the body, and return its result; print what it took, however it is
  left."
  (let* ((mark (%tensor-window -1))
         (start (current-jiffy))
         (result (%settle (%try body)))
         (nanoseconds (- (current-jiffy) start))
         (now (%tensor-window (car mark))))
    (display
     (string-append
      "line " (number->string line) ": "
      (%rounded (/ nanoseconds 1000000) 1000) " ms"
      (%allocations-text (- (cadr now) (cadr mark))
                         (- (caddr now) (caddr mark))
                         (car now))
      "\n")
     (current-error-port))
    (%finish result)))

(define (%allocations-text count bytes peak)
  "The text after the time."
  (if (= count 0)
      ""
      (string-append
       "; " (number->string count) (if (= count 1) " allocation" " allocations")
       " of " (%size-text bytes) ", " (%size-text peak) " at most")))

(define (%size-text bytes)
  "512 bytes, 1.5 GiB."
  (if (< bytes 1024)
      (string-append (number->string bytes) (if (= bytes 1) " byte" " bytes"))
      (let loop ((size (/ bytes 1024)) (units '("KiB" "MiB" "GiB" "TiB")))
        (if (and (>= size 1024) (pair? (cdr units)))
            (loop (/ size 1024) (cdr units))
            (string-append (%rounded size 10) " " (car units))))))

(define (%rounded x parts)
  "A number with as many decimals as parts has zeros."
  (number->string (exact->inexact (/ (round (* x parts)) parts))))
