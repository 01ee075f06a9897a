; Values that are nested deeply die without a deep stack, whatever is nested in what.

(define (nested count wrap)
  (let loop ((k 0) (made '()))
    (if (= k count)
        made
        (loop (+ k 1) (wrap made k)))))

(define (wrapped count)
  (list (nested count (lambda (made k) (cons made k)))
        (nested count (lambda (made k) (list k made k)))
        (nested count (lambda (made k) (cons (vector k (cons k made)) (list k))))
        (nested count (lambda (made k) (cons (lambda () made) k)))))

(do ((k 0 (+ k 1))) ((= k 3))
  (wrapped 30000))
(define kept (wrapped 30000))
(print (map (lambda (made) (if (pair? (car made)) 'pair 'other)) kept))
                                                  ; => (pair other other other)
(set! kept (map list (iota 5000)))
(print (apply + (map car (append kept (reverse kept)))))  ; => 24995000
