;; globs.lisp - the files whose paths fit a pattern, as the shell has them.

(define (%in-glob-class? c class)
  "Whether a character is in a class: a list of characters and (first . last)."
  (any (lambda (one)
         (if (pair? one) (char<=? (car one) c (cdr one)) (char=? one c)))
       class))

(define (%glob-class chars)
  "(class . rest) of the characters after a bracket; #f if no other closes it."
  (let loop ((chars chars) (class '()))
    (cond ((null? chars) #f)
          ((and (char=? (car chars) #\]) (pair? class))
           (cons (reverse class) (cdr chars)))
          ((and (pair? (cdr chars)) (char=? (cadr chars) #\-)
                (pair? (cddr chars)) (not (char=? (caddr chars) #\])))
           (loop (cdddr chars) (cons (cons (car chars) (caddr chars)) class)))
          (else (loop (cdr chars) (cons (car chars) class))))))

(define (%pattern-items text)
  "A pattern for one name as a list: characters, any, star, and (is? . class)."
  (let loop ((chars (string->list text)) (items '()))
    (if (null? chars)
        (reverse items)
        (let ((c (car chars)) (rest (cdr chars)))
          (case c
            ((#\*) (loop rest (cons 'star items)))
            ((#\?) (loop rest (cons 'any items)))
            ((#\[)
             (let* ((negated? (and (pair? rest) (memv (car rest) '(#\! #\^))))
                    (class (%glob-class (if negated? (cdr rest) rest))))
               (if class
                   (loop (cdr class) (cons (cons (not negated?) (car class)) items))
                   (loop rest (cons c items)))))
            ((#\\)
             (if (pair? rest)
                 (loop (cdr rest) (cons (car rest) items))
                 (loop rest (cons c items))))
            (else (loop rest (cons c items))))))))

(define (%item-fits? item c)
  "Whether an item other than star fits a character."
  (cond ((char? item) (char=? item c))
        ((eq? item 'any) #t)
        (else (eq? (car item) (%in-glob-class? c (cdr item))))))

(define (%items-fit? items chars)
  "Whether a pattern fits all the characters.  Only the last star is tried
  again, so the work is at most the product of the lengths."
  (let loop ((items items) (chars chars) (after-star #f) (retry '()))
    (cond ((and (pair? items) (eq? (car items) 'star))
           (loop (cdr items) chars (cdr items) chars))
          ((and (pair? items) (pair? chars) (%item-fits? (car items) (car chars)))
           (loop (cdr items) (cdr chars) after-star retry))
          ((and (null? items) (null? chars)) #t)
          ((and after-star (pair? retry))
           (loop after-star (cdr retry) after-star (cdr retry)))
          (else #f))))

(define (%name-fits? items pattern name)
  "Whether a name fits; one that begins with a point only if the pattern does."
  (and (or (string-prefix? "." pattern) (not (string-prefix? "." name)))
       (%items-fit? items (string->list name))))

(define (glob-match? pattern name)
  "Whether a name fits a pattern: * is any text, ? any character, [a-z] and
  [!a-z] one that is or is not in a class, \\ takes the next character as it is."
  (%check-string "glob-match?" pattern)
  (%check-string "glob-match?" name)
  (%items-fit? (%pattern-items pattern) (string->list name)))

(define (%special? pattern)
  "Whether a pattern has a character that stands for others."
  (string-index pattern (lambda (c) (memv c '(#\* #\? #\[ #\\)))))

(define (%names-in folder)
  "The names in a folder; none if it cannot be read."
  (guard (e ((file-error? e) '()))
    (list-folder (if (string-null? folder) "." folder))))

(define (%inside folder name)
  "The path of a name in a folder; \"\" is the current one."
  (if (string-null? folder) name (path-join folder name)))

(define (%folders-below folder)
  "A folder and all below it but those that begin with a point; no links."
  (cons folder
        (append-map
         (lambda (name)
           (let ((inside (%inside folder name)))
             (if (and (not (string-prefix? "." name))
                      (eq? (%path-kind "glob" inside #f) 'folder))
                 (%folders-below inside)
                 '())))
         (%names-in folder))))

(define (%glob-step folders pattern)
  "The paths that one part of a pattern leads to from each of the folders."
  (cond ((equal? pattern "**") (append-map %folders-below folders))
        ((%special? pattern)
         (let ((items (%pattern-items pattern)))
           (append-map
            (lambda (folder)
              (map (lambda (name) (%inside folder name))
                   (filter (lambda (name) (%name-fits? items pattern name))
                           (%names-in folder))))
            folders)))
        (else
         (filter (lambda (path) (%path-kind "glob" path #f))
                 (map (lambda (folder) (%inside folder pattern)) folders)))))

(define (%different sorted)
  "The strings of a sorted list, each once."
  (fold-right (lambda (text others)
                (if (and (pair? others) (string=? text (car others)))
                    others
                    (cons text others)))
              '() sorted))

(define (glob pattern)
  "The paths of the files and folders that fit a pattern, sorted:
  (glob \"src/**/*.lisp\").

  In each part * is any text, ? any character, [a-z] and [!a-z] one that is or
  is not in a class; ** is any number of folders.  Names that begin with a point
  fit only patterns that do."
  (%check-string "glob" pattern)
  (let loop ((paths (list (if (path-absolute? pattern) "/" "")))
             (parts (remove (lambda (part) (equal? part "/")) (path-parts pattern))))
    (cond ((null? parts)
           (%different (sort (remove string-null? paths) string<?)))
          ((equal? parts '("**")) (loop (%glob-step paths "**") '("*")))
          (else (loop (%glob-step paths (car parts)) (cdr parts))))))
