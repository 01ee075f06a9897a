;; gzip-files.lisp - files that are compressed with gzip.
;;
;;     (call-with-gzip-input-file "access.log.gz" port->lines)
;;
;; They are read and written in pieces.  Several compressed files one after
;; another are one file, too: so :append #t adds to one.

(define (open-gzip-input-file path :encoding #f :invalid #f)
  "A port that reads the text of a file that is compressed with gzip.  The
  keywords are those of open-input-file.  A file that is damaged or cut off is
  an error when that place is read."
  (%gzip-file "open-gzip-input-file" 6
              (open-input-file path :encoding encoding :invalid invalid)))

(define (open-gzip-binary-input-file path)
  "A port that reads the bytes of a file that is compressed with gzip."
  (%gzip-file "open-gzip-binary-input-file" 6 (open-binary-input-file path)))

(define (open-gzip-output-file path :append #f :encoding #f :invalid #f
                               :level 6)
  "A port that compresses text with gzip into a file, which is complete when the
  port is closed.  level: from 1, which is fast, to 9, which is small; 0 does
  not compress.  The other keywords are those of open-output-file."
  (%check-gzip-level "open-gzip-output-file" level)
  (%gzip-file "open-gzip-output-file" level
              (open-output-file path :append append :encoding encoding
                                :invalid invalid)))

(define (open-gzip-binary-output-file path :append #f :level 6)
  "A port that compresses bytes with gzip into a file, which is complete when
  the port is closed.  The keywords are those of open-gzip-output-file."
  (%check-gzip-level "open-gzip-binary-output-file" level)
  (%gzip-file "open-gzip-binary-output-file" level
              (open-binary-output-file path :append append)))

(define (call-with-gzip-input-file path f :encoding #f :invalid #f)
  "The result of f on a port that reads the text of a file that is compressed
  with gzip; the port is closed afterwards."
  (call-with-port (open-gzip-input-file path :encoding encoding
                                        :invalid invalid)
    f))

(define (call-with-gzip-output-file path f :append #f :encoding #f :invalid #f
                                    :level 6)
  "The result of f on a port that compresses text with gzip into a file; the
  port is closed afterwards.  The keywords are those of open-gzip-output-file."
  (call-with-port (open-gzip-output-file path :append append :encoding encoding
                                         :invalid invalid :level level)
    f))

(define (%check-gzip-level who level)
  (unless (and (exact-integer? level) (<= 0 level 9))
    (wrong-type who "a level from 0 to 9" level)))

(define (%gzip-file who level port)
  "The port, whose file is compressed."
  (unless (%gzip-port port level)
    (close-port port)
    (%error-with-hint
     (string who ": gzip needs the library zlib, which is not installed")
     '() "sudo apt-get install zlib1g"))
  port)
