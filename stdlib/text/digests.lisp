;; digests.lisp - check sums and hash functions of bytes, strings and files.
;;
;;     (sha256 "abc")  =>  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9c..."
;;
;; A string stands for its bytes in UTF-8.  A binary port is read to its end, in
;; pieces, so a file of any size takes little memory.

(define %digest-chunk 65536)

(define (digest algorithm data)
  "The digest of a bytevector, a string, or what a binary port still has, as a
  bytevector.  The algorithm is 'md5, 'sha1, 'sha256, 'sha512, 'crc32 or
  'adler32."
  (%digest "digest" algorithm data))

(define (md5 data)
  "The MD5 sum of a bytevector, a string, or what a binary port still has, as
  hexadecimal digits.  It tells files apart, but not where someone wants to
  deceive."
  (bytevector->hex-string (%digest "md5" 'md5 data)))

(define (sha1 data)
  "The SHA-1 digest of a bytevector, a string, or what a binary port still has,
  as hexadecimal digits.  It is not safe against who wants to deceive."
  (bytevector->hex-string (%digest "sha1" 'sha1 data)))

(define (sha256 data)
  "The SHA-256 digest of a bytevector, a string, or what a binary port still
  has, as hexadecimal digits."
  (bytevector->hex-string (%digest "sha256" 'sha256 data)))

(define (sha512 data)
  "The SHA-512 digest of a bytevector, a string, or what a binary port still
  has, as hexadecimal digits."
  (bytevector->hex-string (%digest "sha512" 'sha512 data)))

(define (crc32 data)
  "The CRC-32 of a bytevector, a string, or what a binary port still has, as an
  integer: that of zip, gzip and PNG."
  (%bytes->integer (%digest "crc32" 'crc32 data)))

(define (adler32 data)
  "The Adler-32 of a bytevector, a string, or what a binary port still has, as
  an integer: that of zlib."
  (%bytes->integer (%digest "adler32" 'adler32 data)))

(define (file-digest algorithm path)
  "The digest of a file as hexadecimal digits, as sha256sum prints it.  The
  algorithms are those of digest."
  (call-with-port (open-binary-input-file path)
    (lambda (port)
      (bytevector->hex-string (%digest "file-digest" algorithm port)))))

(define (%digest who algorithm data)
  "The digest of data of any kind."
  (let ((state (and (symbol? algorithm)
                    (%bytes-call 'digest-start (symbol->string algorithm)
                                 #f #f))))
    (unless state
      (wrong-type who "md5, sha1, sha256, sha512, crc32 or adler32" algorithm))
    (cond ((bytevector? data) (%add-to-digest state data))
          ((string? data) (%add-to-digest state (string->utf8 data)))
          ((and (input-port? data) (binary-port? data))
           (%add-port-to-digest state data))
          (else
           (wrong-type who "a bytevector, a string or a binary input port"
                       data)))
    (%bytes-call 'digest-end state #f #f)))

(define (%add-to-digest state bytes)
  (%bytes-call 'digest-add state bytes (bytevector-length bytes)))

(define (%add-port-to-digest state port)
  "Add what a port still has, in pieces."
  (let ((chunk (make-bytevector %digest-chunk)))
    (let loop ()
      (let ((count (read-bytevector! chunk port)))
        (unless (eof-object? count)
          (%bytes-call 'digest-add state chunk count)
          (loop))))))

(define (%bytes->integer bytes)
  "The number that bytes stand for, the highest first."
  (let loop ((k 0) (n 0))
    (if (= k (bytevector-length bytes))
        n
        (loop (+ k 1) (+ (* 256 n) (bytevector-u8-ref bytes k))))))
