;; character-sets.lisp - sets of characters as nodes over the bytes of UTF-8.
;;
;; A set is a sorted list of ranges of code points, (low . high).  A range
;; whose ends have equally many bytes is split until each part is a product of
;; ranges of bytes:
;;
;;     é to ÿ, E9 to FF  =>  C3, A9 to BF

(define (%character-ranges parts)
  "The ranges of the characters of one-of: strings, characters, and lists of a
  first and a last character."
  (%joined-codes (append-map %ranges-of-part parts)))

(define (%ranges-of-part part)
  (define (single c) (cons (char->integer c) (char->integer c)))
  (cond ((string? part) (map single (string->list part)))
        ((char? part) (list (single part)))
        ((and (list? part) (= (length part) 2) (every char? part)
              (char<=? (car part) (cadr part)))
         (list (cons (char->integer (car part)) (char->integer (cadr part)))))
        (else (wrong-type "make-grammar"
                          (string "a string, a character, or a list of a first "
                                  "and a last character")
                          part))))

(define (%joined-ranges ranges)
  "Sorted ranges without overlaps."
  (let loop ((left ranges) (done '()))
    (cond ((null? left) (reverse done))
          ((and (pair? done) (<= (caar left) (+ 1 (cdar done))))
           (loop (cdr left)
                 (cons (cons (caar done) (max (cdar done) (cdar left)))
                       (cdr done))))
          (else (loop (cdr left) (cons (car left) done))))))

(define (%other-ranges ranges)
  "The ranges of all other characters."
  (let loop ((left ranges) (next 0) (done '()))
    (cond ((null? left)
           (reverse (if (> next #x10ffff)
                        done
                        (cons (cons next #x10ffff) done))))
          ((< next (caar left))
           (loop (cdr left) (+ 1 (cdar left))
                 (cons (cons next (- (caar left) 1)) done)))
          (else (loop (cdr left) (+ 1 (cdar left)) done)))))

(define (%set-node table ranges)
  "The node of one character of a set."
  (when (null? ranges)
    (error "make-grammar: a set of characters is empty"))
  (%new-node! table
              (cons %choice-kind
                    (append-map (lambda (range)
                                  (%utf8-nodes table (car range) (cdr range)))
                                ranges))))

;; The last code point of each length in UTF-8, and the surrogates, which have
;; none.
(define %utf8-limits '(#x7f #x7ff #xd7ff #xdfff #xffff #x10ffff))

(define (%utf8-nodes table low high)
  "The nodes whose alternatives are the characters from low to high."
  (let loop ((limits %utf8-limits) (first 0))
    (if (null? limits)
        '()
        (let ((from (max low first)) (to (min high (car limits))))
          (append (if (or (> from to) (= (car limits) #xdfff))
                      '()
                      (%product-nodes table (%utf8-bytes from)
                                      (%utf8-bytes to)))
                  (loop (cdr limits) (+ 1 (car limits))))))))

(define (%utf8-bytes code)
  "The bytes of a code point as a list."
  (%bytes->list (string->utf8 (string (integer->char code)))))

(define (%bytes->list bytes)
  (map (lambda (k) (bytevector-u8-ref bytes k))
       (iota (bytevector-length bytes))))

(define (%product-nodes table low high)
  "Nodes for the texts between two lists of bytes of one length."
  (define (continued bytes byte) (map (lambda (b) byte) (cdr bytes)))
  (define (under low high rests)
    (%new-node! table
                (list %sequence-kind (%byte-range-node table low high)
                      (%new-node! table (cons %choice-kind rests)))))
  (let ((first (car low)) (final (car high)))
    (cond ((null? (cdr low)) (list (%byte-range-node table first final)))
          ((= first final)
           (list (under first final
                        (%product-nodes table (cdr low) (cdr high)))))
          ((not (equal? (cdr low) (continued low #x80)))
           (append
            (list (under first first
                         (%product-nodes table (cdr low)
                                         (continued low #xbf))))
            (%product-nodes table (cons (+ first 1) (continued low #x80))
                            high)))
          ((not (equal? (cdr high) (continued high #xbf)))
           (append
            (%product-nodes table low
                            (cons (- final 1) (continued high #xbf)))
            (list (under final final
                         (%product-nodes table (continued high #x80)
                                         (cdr high))))))
          (else
           (list (under first final
                        (%product-nodes table (cdr low) (cdr high))))))))
