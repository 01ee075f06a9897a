;; site.lisp - a static site: pages of text become HTML, with an index.
;;
;;     lambent examples/site.lisp FOLDER OUT    makes OUT/*.html of FOLDER/*.md
;;
;; Without arguments it makes a site of three pages in a temporary folder, and
;; shows it.  A page begins with lines like `title: ...` and `date: 2026-03-14`;
;; its text has # headings, lists, paragraphs, `code`, **bold**, *italic* and
;; [links](to).

;; Pages.

(define-record-type page
  (make-page name title date body)
  page?
  (name page-name)      ; of the file, without its ending
  (title page-title)
  (date page-date)      ; "2026-03-14", or ""
  (body page-body))     ; HTML

(define (escaped text)
  (regexp-replace-all
   (pregexp "[&<>\"]") text
   (lambda (m)
     (match (regexp-match-submatch m 0)
       ("&" "&amp;") ("<" "&lt;") (">" "&gt;") (_ "&quot;")))))

(define (replaced text pattern . replacement)
  (regexp-replace-all (pregexp pattern) text replacement))

(define (inline text)
  "The HTML of text within a line."
  (let* ((text (escaped text))
         (text (replaced text "`([^`]+)`" "<code>" 1 "</code>"))
         (text (replaced text "\\*\\*(.+?)\\*\\*" "<b>" 1 "</b>"))
         (text (replaced text "\\*(.+?)\\*" "<i>" 1 "</i>")))
    (replaced text "\\[([^\\]]+)\\]\\(([^)\\s]+)\\)" "<a href=\"" 2 "\">" 1 "</a>")))

(define (block lines)
  "The HTML of lines without an empty one between them."
  (define heading (regexp-matches (pregexp "(#{1,3}) +(.*)") (car lines)))
  (define (item line) (regexp-matches (pregexp "[-*] +(.*)") line))
  (cond (heading
         (let ((level (string-length (regexp-match-submatch heading 1))))
           (format "<h~a>~a</h~a>" level
                   (inline (regexp-match-submatch heading 2)) level)))
        ((every item lines)
         (string-append
          "<ul>\n"
          (string-join
           (map (lambda (line)
                  (format "<li>~a</li>" (inline (regexp-match-submatch (item line) 1))))
                lines)
           "\n")
          "\n</ul>"))
        (else (format "<p>~a</p>" (inline (string-join lines "\n"))))))

(define (blocks lines)
  "The lines, in groups that empty lines separate."
  (let-values (((block rest) (break string-null? (drop-while string-null? lines))))
    (if (null? block) '() (cons block (blocks rest)))))

(define (read-page path)
  "The page that a file describes."
  (define (setting line) (regexp-matches (pregexp "(\\w+): *(.*)") line))
  (let-values (((settings text) (span setting (read-lines path))))
    (define values
      (map (lambda (line)
             (let ((m (setting line)))
               (cons (regexp-match-submatch m 1) (regexp-match-submatch m 2))))
           settings))
    (define (value name default)
      (let ((entry (assoc name values))) (if entry (cdr entry) default)))
    (make-page (path-stem path)
               (value "title" (path-stem path))
               (value "date" "")
               (string-join (map block (blocks text)) "\n"))))

;; The site.

(define (html title body)
  (string-append "<!doctype html>\n<meta charset=\"utf-8\">\n<title>" (escaped title)
                 "</title>\n<h1>" (escaped title) "</h1>\n" body "\n"))

(define (save path text)
  (call-with-atomic-output-file path (lambda (port) (write-string text port))))

(define (index pages)
  "The list of the pages, the newest first."
  (string-append
   "<ul>\n"
   (string-join
    (map (lambda (page)
           (format "<li>~a <a href=\"~a.html\">~a</a></li>" (page-date page)
                   (page-name page) (escaped (page-title page))))
         (sort pages (lambda (a b) (string>? (page-date a) (page-date b)))))
    "\n")
   "\n</ul>"))

(define (make-site from to)
  "Write the pages of a folder to another one, and copy its other files."
  (make-folder to)
  (let ((pages (map read-page (glob (path-join from "*.md")))))
    (for-each (lambda (page)
                (save (path-join to (string-append (page-name page) ".html"))
                      (html (page-title page) (page-body page))))
              pages)
    (save (path-join to "index.html") (html "Pages" (index pages)))
    (for-each (lambda (name)
                (unless (equal? (path-extension name) ".md")
                  (copy-file (path-join from name) (path-join to name))))
              (filter (lambda (name) (file? (path-join from name))) (list-folder from)))
    (length pages)))

(define (broken-links folder)
  "The links between pages that lead nowhere, as pairs of a page and a link."
  (append-map
   (lambda (path)
     (map (lambda (link) (cons (path-name path) link))
          (remove (lambda (link)
                    (or (string-contains link "//") (file? (path-join folder link))))
                  (map (lambda (m) (substring m 6 (- (string-length m) 1)))
                       (regexp-extract (pregexp "href=\"[^\"]+\"") (read-text path))))))
   (glob (path-join folder "*.html"))))

;; A site to try it with.

(define (example-pages folder)
  (define (page name . lines)
    (save (path-join folder name) (string-join lines "\n")))
  (make-folder folder)
  (page "tensors.md" "title: Tensors & lists" "date: 2026-03-14" ""
        "# What they are" "" "A *tensor* holds numbers of **one** kind; `(print [1 2])`" "shows one."
        "" "- fast" "- on a [device](devices.html)" "- see [others](others.html)")
  (page "devices.md" "title: Devices" "date: 2026-04-01" "" "Today: `cpu` < `cuda`.")
  (page "about.md" "Nothing yet.")
  (page "style.css" "body { max-width: 40em }"))

(define (show-example)
  (call-with-temporary-folder
   (lambda (folder)
     (define to (path-join folder "out"))
     (example-pages (path-join folder "in"))
     (print (make-site (path-join folder "in") to) "pages:" (list-folder to))
     (display (read-text (path-join to "tensors.html")))
     (display (read-text (path-join to "index.html")))
     (for-each (lambda (link) (print "broken link in" (car link) "to" (cdr link)))
               (broken-links to))
     (print "lines, says wc:"
            (string-trim (run-output (run '("wc" "-l" "index.html") :directory to)))))))

(match (cdr (command-line))
  (() (show-example))
  ((from to) (print (make-site from to) "pages"))
  (_ (print "usage: site FOLDER OUT") (exit 2)))
