;; zone-files.lisp - the files of the system's database of time zones.
;;
;; A file has two blocks of the same contents, the second with times of 64 bits
;; and a rule for later times behind it; files of version 1 have only the first.
;; Source: RFC 8536.  Files are not trusted: sizes and numbers are checked.

(define (%damaged-zone path what)
  "Raise the error for a file that is no zone."
  (error (string "zone: " path " is not a file of a time zone: " what)))

(define (%big-endian bytes at size)
  "A signed integer of that many bytes."
  (let loop ((k 1) (n (let ((top (bytevector-u8-ref bytes at)))
                        (if (> top 127) (- top 256) top))))
    (if (= k size)
        n
        (loop (+ k 1) (+ (* 256 n) (bytevector-u8-ref bytes (+ at k)))))))

;; The counts of a block, in the order of its head, and where it begins.

(define (%zone-block path bytes at size)
  "A vector of the counts in the head at a position, of the size of times, of where
  its data begin, and of where they end."
  (let ((length (bytevector-length bytes)))
    (when (< length (+ at 44)) (%damaged-zone path "it ends in a head"))
    (unless (equal? (bytevector-copy bytes at (+ at 4)) #u8(84 90 105 102))
      (%damaged-zone path "it does not begin with TZif"))
    (let* ((counts (map (lambda (k) (%big-endian bytes (+ at 20 (* 4 k)) 4)) (iota 6)))
           (sizes (list 1 1 (+ size 4) (+ size 1) 6 1))
           (end (+ at 44 (apply + (map * counts sizes)))))
      (unless (and (every (lambda (n) (>= n 0)) counts) (<= end length))
        (%damaged-zone path "it is shorter than its head says"))
      (unless (> (list-ref counts 4) 0) (%damaged-zone path "it has no time types"))
      (vector counts size (+ at 44) end))))

(define (%block-count block k)
  "One of its counts: 3 are the times, 4 the types, 5 the bytes of names."
  (list-ref (vector-ref block 0) k))

(define (%parse-zone-file path bytes)
  "Three values: vectors of the times of changes and of the types that hold from
  then on, which has the type before them all first, and the rule of later times
  or #f."
  (let* ((first (%zone-block path bytes 0 4))
         (newer? (>= (bytevector-u8-ref bytes 4) 50))
         (block (if newer? (%zone-block path bytes (vector-ref first 3) 8) first)))
    (receive (times types) (%zone-changes path bytes block)
      (values times types
              (and newer? (%zone-footer path bytes (vector-ref block 3)))))))

(define (%zone-changes path bytes block)
  "The vectors of a block."
  (let* ((count (%block-count block 3))
         (size (vector-ref block 1))
         (at (vector-ref block 2))
         (indices (+ at (* count size)))
         (types (%zone-types path bytes block (+ indices count)))
         (times (vector-unfold (lambda (k) (%big-endian bytes (+ at (* k size)) size))
                                 count))
         (type-of (lambda (k)
                    (let ((index (bytevector-u8-ref bytes (+ indices k))))
                      (unless (< index (vector-length types))
                        (%damaged-zone path "it names a missing time type"))
                      (vector-ref types index)))))
    (do ((k 1 (+ k 1))) ((>= k count))
      (unless (< (vector-ref times (- k 1)) (vector-ref times k))
        (%damaged-zone path "its times are not in order")))
    (values times
            (vector-unfold (lambda (k) (if (= k 0) (%type-before types) (type-of (- k 1))))
                             (+ count 1)))))

(define (%type-before types)
  "The type before the first change: the first one that is not summer time."
  (or (find (lambda (type) (not (%type-summer? type))) (vector->list types))
      (vector-ref types 0)))

(define (%zone-types path bytes block at)
  "The time types, which begin at a position."
  (let ((names (+ at (* 6 (%block-count block 4)))))
    (vector-unfold
     (lambda (k)
       (let* ((entry (+ at (* 6 k)))
              (offset (%big-endian bytes entry 4))
              (name (bytevector-u8-ref bytes (+ entry 5))))
         (unless (<= -93599 offset 93599) (%damaged-zone path "an offset is too large"))
         (unless (< name (%block-count block 5))
           (%damaged-zone path "it names a missing abbreviation"))
         (%zone-type offset
                     (not (= 0 (bytevector-u8-ref bytes (+ entry 4))))
                     (%zone-abbreviation path bytes (+ names name)
                                         (+ names (%block-count block 5))))))
     (%block-count block 4))))

(define (%zone-abbreviation path bytes at end)
  "The name that begins at a position and ends with a zero."
  (let loop ((k at))
    (cond ((= k end) (%damaged-zone path "an abbreviation does not end"))
          ((= 0 (bytevector-u8-ref bytes k)) (%ascii-text path bytes at k))
          (else (loop (+ k 1))))))

(define (%ascii-text path bytes start end)
  "A text of ASCII."
  (do ((k start (+ k 1))) ((= k end))
    (unless (<= 32 (bytevector-u8-ref bytes k) 126)
      (%damaged-zone path "it has bytes that are no text")))
  (utf8->string (bytevector-copy bytes start end)))

(define (%zone-footer path bytes at)
  "The rule between two line feeds at the end of a file, or #f if it is empty."
  (let ((end (bytevector-length bytes)))
    (unless (and (< (+ at 1) end) (= 10 (bytevector-u8-ref bytes at)))
      (%damaged-zone path "it has no last line"))
    (let loop ((k (+ at 1)))
      (cond ((= k end) (%damaged-zone path "its last line does not end"))
            ((not (= 10 (bytevector-u8-ref bytes k))) (loop (+ k 1)))
            ((= k (+ at 1)) #f)
            (else (let ((text (%ascii-text path bytes (+ at 1) k)))
                    (or (%parse-zone-rule text)
                        (%damaged-zone path (string "its last line is " text)))))))))

(define (%zone-bytes path)
  "All bytes of a file, of which no zone has more than a mebibyte."
  (call-with-port (open-binary-input-file path)
    (lambda (port)
      (let ((bytes (read-bytevector 1048577 port)))
        (cond ((eof-object? bytes) #u8())
              ((> (bytevector-length bytes) 1048576) (%damaged-zone path "it is too large"))
              (else bytes))))))
