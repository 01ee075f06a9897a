; gzip files: text and bytes in pieces, several members, damage.
(define (try thunk)
  (write (guard (e (#t (string->symbol (error-object-message e)))) (thunk)))
  (newline))
(define path "/tmp/lambent-gzip-files.gz")
(define (write-bytes bytes)
  (call-with-port (open-binary-output-file path) (lambda (port) (write-bytevector bytes port))))
(define (bytes-of-file)
  (call-with-port (open-binary-input-file path) (lambda (port) (read-bytevector 1000000 port))))
(define (lines) (call-with-gzip-input-file path port->lines))

(call-with-gzip-output-file path (lambda (port) (write-string "one\ntwo λ\n" port)))
(try lines)  ; => ("one" "two λ")
(call-with-gzip-output-file path (lambda (port) (write-string "three" port)) :append #t)
(try lines)  ; => ("one" "two λ" "three")
(try (lambda () (bytevector-u8-ref (bytes-of-file) 0)))  ; => 31
(define (numbers level)
  (call-with-gzip-output-file path
    (lambda (port) (let loop ((k 0)) (when (< k 100000) (write k port) (newline port) (loop (+ k 1)))))
    :level level))
(numbers 6)
(try (lambda () (let ((all (lines))) (list (length all) (list-ref all 99999)))))  ; => (100000 "99999")
(define small (bytevector-length (bytes-of-file)))
(numbers 1)
(define fast (bytevector-length (bytes-of-file)))
(try (lambda () (list (< small 400000) (< fast 400000) (length (lines)))))  ; => (#t #t 100000)
(numbers 0)
(try (lambda () (> (bytevector-length (bytes-of-file)) 588890)))  ; => #t

; Bytes, and another encoding.
(define bytes (let loop ((k 0) (b (make-bytevector 200000))) (if (= k 200000) b (begin (bytevector-u8-set! b k (remainder (* k k) 251)) (loop (+ k 1) b)))))
(call-with-port (open-gzip-binary-output-file path :level 9) (lambda (port) (write-bytevector bytes port) (write-u8 255 port)))
(define again (call-with-port (open-gzip-binary-input-file path) (lambda (port) (read-bytevector 1000000 port))))
(try (lambda () (list (bytevector-length again) (equal? bytes (bytevector-copy again 0 200000)))))  ; => (200001 #t)
(try (lambda () (call-with-port (open-gzip-binary-input-file path) sha1)))  ; => "29a37a53490ede1f7d05f422aa5193c0124ecdd7"
(call-with-gzip-output-file path (lambda (port) (write-string "naïve" port)) :encoding 'latin-1)
(try (lambda () (call-with-gzip-input-file path port->string :encoding 'latin-1)))  ; => "naïve"
(try (lambda () (call-with-gzip-input-file path port->string :invalid 'replace)))  ; => "na�ve"
(call-with-gzip-output-file path (lambda (port) #t))
(try lines)  ; => ()
(try (lambda () (> (bytevector-length (bytes-of-file)) 17)))  ; => #t

; Files that are not complete, or not gzip.
(numbers 6)
(define whole (bytes-of-file))
(define (with-byte k value)
  (let ((changed (bytevector-copy whole)))
    (bytevector-u8-set! changed k value)
    (write-bytes changed)))
(write-bytes #u8())
(try lines)  ; => ()
(write-bytes #u8(31))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is cut off|
(write-bytes (string->utf8 "hello"))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": it is not a gzip file|
(write-bytes (bytevector-copy whole 0 10))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is cut off|
(write-bytes (bytevector-copy whole 0 50000))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is cut off|
(write-bytes (bytevector-copy whole 0 (- (bytevector-length whole) 1)))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is cut off|
(with-byte 2 7)
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is damaged|
(with-byte 60000 (- 255 (bytevector-u8-ref whole 60000)))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is damaged|
(with-byte (- (bytevector-length whole) 6) (- 255 (bytevector-u8-ref whole (- (bytevector-length whole) 6))))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is damaged|
(write-bytes (bytevector-append whole (string->utf8 "after")))
(try lines)  ; => |read-line: cannot read "/tmp/lambent-gzip-files.gz": its compressed data is damaged|
(write-bytes (bytevector-append whole whole whole))
(try (lambda () (length (lines))))  ; => 300000
; Lines before the damage can be read.
(write-bytes (bytevector-copy whole 0 50000))
(try (lambda () (call-with-gzip-input-file path (lambda (port) (read-line port) (read-line port)))))  ; => "1"
(try (lambda () (open-gzip-input-file "/no/such/file.gz")))  ; => |open-input-file: cannot open "/no/such/file.gz": No such file or directory|
(try (lambda () (open-gzip-output-file path :level 10)))  ; => |open-gzip-output-file: expected a level from 0 to 9, got 10|
(try (lambda () (open-gzip-binary-output-file path :level 'best)))  ; => |open-gzip-binary-output-file: expected a level from 0 to 9, got best|
(try (lambda () (open-gzip-input-file path :encoding 'no-such)))  ; => |open-input-file: expected an encoding such as utf-8, utf-16, latin-1 or windows-1252 for :encoding, got no-such|
(delete-file path)

; A port that is not closed is complete all the same, when nothing refers to it any more.
(define (leave-open) (write-string "left" (open-gzip-output-file path)) #t)
(try leave-open)  ; => #t
(try lines)  ; => ("left")
(delete-file path)
