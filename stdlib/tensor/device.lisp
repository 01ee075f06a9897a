;; device.lisp - where new tensors go, and what is known of devices.

(define (%with-device old body)
  "Call the body, and put new tensors on the old device again."
  (let ((result (%settle (%try body))))
    (set-default-device! old)
    (%finish result)))

(define (%named-device who given)
  "The name of the device in the list given, or that of the default one."
  (let ((device (%optional who 0 given (default-device))))
    (cond ((string? device) device)
          ((symbol? device) (symbol->string device))
          (else (wrong-type who "a device" device)))))

(define (%checked-device who device)
  "The name of a device, on which tensors can be."
  (let ((name (%named-device who (list device))))
    (tensor-empty 0 :device name)
    name))

(define (%device-facts who given)
  "The alist of what ctorch lists: each name before its value."
  (let loop ((facts (%procedure who (%named-device who given))) (pairs '()))
    (if (null? facts)
        (reverse pairs)
        (loop (cddr facts) (cons (cons (car facts) (cadr facts)) pairs)))))

(define (available-devices)
  "The names of the devices that tensors can be on, a list of strings: \"cpu\",
  and \"cuda:0\" and so on."
  (%procedure "available-devices"))

(define (device-properties . device)
  "What a device is, an alist: type and total-bytes (of its memory); of the CPU
  threads, how many an operator may use; of others index; of an NVIDIA GPU name,
  capability (a string such as \"9.0\") and multiprocessors.  The default device
  if none is given."
  (%device-facts "device-properties" device))

(define (device-memory . device)
  "The memory of a device, an alist: live-bytes (of tensors), peak-bytes (the
  most so far), cached-bytes (freed blocks kept for reuse), allocations and
  allocated-bytes (the blocks so far, and their bytes), free-bytes and
  total-bytes (LibTorch before 2.11 tells these two of the CPU only).  The
  default device if none is given."
  (%device-facts "device-memory" device))

(define (device-peak-reset! . device)
  "Let peak-bytes of device-memory be the live ones, from which it grows again."
  (%procedure "device-peak-reset!" (%named-device "device-peak-reset!" device)))

(define (device-cache-release! . device)
  "Return the cached blocks of a device's memory to the system; returns how many
  bytes they had."
  (%procedure "device-cache-release!" (%named-device "device-cache-release!" device)))

(define (device-synchronize . device)
  "Wait until a device has done all that it was asked to do.  Operators on a GPU
  return before they are done: wait before you read the clock."
  (%procedure "device-synchronize" (%named-device "device-synchronize" device)))
