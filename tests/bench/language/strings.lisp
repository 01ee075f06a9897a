;; Strings: split into words, capitalize and join them, count letters, rotate
;; the alphabet, compare.

(define text
  "the quick brown fox jumps over the lazy dog and then the dog sleeps for now")

(define (split text)
  (let ((n (string-length text)))
    (let loop ((i 0) (start 0) (words '()))
      (cond ((= i n) (reverse (cons (substring text start i) words)))
            ((char=? (string-ref text i) #\space)
             (loop (+ i 1) (+ i 1) (cons (substring text start i) words)))
            (else (loop (+ i 1) start words))))))

(define (vowel? c)
  (memv c '(#\a #\e #\i #\o #\u)))

(define (count-vowels text)
  (let loop ((i 0) (count 0))
    (if (= i (string-length text))
        count
        (loop (+ i 1) (if (vowel? (string-ref text i)) (+ count 1) count)))))

(define (capitalize word)
  (string-append (string (char-upcase (string-ref word 0)))
                 (substring word 1 (string-length word))))

(define (join words)
  (if (null? (cdr words))
      (car words)
      (string-append (car words) " " (join (cdr words)))))

(define (rotate c)
  (if (char=? c #\space)
      c
      (integer->char (+ 97 (modulo (+ 13 (- (char->integer c) 97)) 26)))))

(define (rotate-all text)
  (list->string (map rotate (string->list text))))

(define (run size)
  (let loop ((i 0) (sum 0))
    (if (= i size)
        sum
        (let* ((words (split text)) (title (join (map capitalize words))))
          (loop (+ i 1)
                (+ sum
                   (count-vowels title)
                   (length (or (member "dog" words) '()))
                   (if (string=? (rotate-all (rotate-all text)) text) 1 0)
                   (if (string<? title text) 1 0)))))))

(display (run (string->number (cadr (command-line)))))
(newline)
