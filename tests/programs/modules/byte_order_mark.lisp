;; A file that begins with a byte order mark, as some editors write it.
(define (marked) 'marked)
