;; paths.lisp - the names of files, taken apart and put together.  Nothing here
;; looks at the file system but path-absolute, which asks for the current folder.

(define (path-absolute? path)
  "Whether a path begins at the root: with a slash."
  (string-prefix? "/" path))

(define (path-parts path)
  "The names in a path, as a list of strings: (path-parts \"/a//b\") is
  (\"/\" \"a\" \"b\")."
  (%check-string "path-parts" path)
  (let ((names (remove string-null? (string-split path "/"))))
    (if (path-absolute? path) (cons "/" names) names)))

(define (path-join first . others)
  "The paths as one: (path-join \"a\" \"b\" \"c.txt\") is \"a/b/c.txt\".  What
  stands before a part that begins at the root does not count."
  (%check-string "path-join" first)
  (let loop ((path first) (others others))
    (cond ((null? others) path)
          ((begin (%check-string "path-join" (car others))
                  (or (path-absolute? (car others)) (string-null? path)))
           (loop (car others) (cdr others)))
          ((string-suffix? "/" path)
           (loop (string-append path (car others)) (cdr others)))
          (else
           (loop (string-append path "/" (car others)) (cdr others))))))

(define (%path-of-parts parts)
  "The path that has these parts; \".\" if there are none."
  (cond ((null? parts) ".")
        ((equal? (car parts) "/") (string-append "/" (string-join (cdr parts) "/")))
        (else (string-join parts "/"))))

(define (path-folder path)
  "The folder that a path names a file in: that of \"a/b.txt\" is \"a\", that of
  \"b.txt\" is \".\"."
  (let ((parts (path-parts path)))
    (cond ((null? parts) ".")
          ((equal? parts '("/")) "/")
          (else (%path-of-parts (drop-right parts 1))))))

(define (path-name path)
  "The last name in a path: that of \"a/b.txt\" is \"b.txt\"."
  (let ((parts (path-parts path)))
    (if (null? parts) "" (last parts))))

(define (%extension-start name)
  "The index of the point before a name's extension; the length if it has none.
  Points at the beginning are part of the name."
  (let ((point (string-index-right name #\.)))
    (if (and point (string-index (substring name 0 point) (lambda (c) (not (char=? c #\.)))))
        point
        (string-length name))))

(define (path-extension path)
  "The extension of a path's last name, with its point: \".txt\", or \"\"."
  (let ((name (path-name path)))
    (substring name (%extension-start name))))

(define (path-stem path)
  "A path's last name without its extension: that of \"a/b.txt\" is \"b\"."
  (let ((name (path-name path)))
    (substring name 0 (%extension-start name))))

(define (path-with-extension path extension)
  "The path with another extension, which begins with a point, or is \"\" for
  none: (path-with-extension \"a/b.txt\" \".html\") is \"a/b.html\"."
  (%check-string "path-with-extension" extension)
  (let ((name (string-append (path-stem path) extension))
        (folder (path-folder path)))
    (if (and (equal? folder ".") (not (string-prefix? "./" path)))
        name
        (path-join folder name))))

(define (path-normalize path)
  "The path without \".\", \"..\" after a name, and slashes that say nothing.
  Links are not looked at: real-path follows them."
  (let loop ((parts (path-parts path)) (result '()))
    (cond ((null? parts) (%path-of-parts (reverse result)))
          ((equal? (car parts) ".") (loop (cdr parts) result))
          ((not (equal? (car parts) ".."))
           (loop (cdr parts) (cons (car parts) result)))
          ((equal? result '("/")) (loop (cdr parts) result))
          ((or (null? result) (equal? (car result) ".."))
           (loop (cdr parts) (cons ".." result)))
          (else (loop (cdr parts) (cdr result))))))

(define (path-absolute path)
  "The path from the root: a relative one begins at the current folder."
  (path-normalize (path-join (current-folder) path)))

(define (path-relative path folder)
  "The path as it is seen from a folder: (path-relative \"a/b/c\" \"a/d\") is
  \"../b/c\".  Both are absolute, or both are relative."
  (let ((to (path-parts (path-normalize path)))
        (from (path-parts (path-normalize folder))))
    (unless (eq? (path-absolute? path) (path-absolute? folder))
      (error (string "path-relative: one of \"" path "\" and \"" folder
                     "\" is absolute, and the other is not")))
    (let loop ((to to) (from from))
      (if (and (pair? to) (pair? from) (equal? (car to) (car from)))
          (loop (cdr to) (cdr from))
          (%path-of-parts (append (map (lambda (name) "..") from) to))))))
