;; paged-windows.lisp - sequences that see a window, whose pages become free when
;; no later token sees them.
;;
;;     pages of     0..3   4..7   8..11   12..15   16..19      4 sinks, a window of 6
;;                  front   dropped ....  window ........
;;
;; What is left of a sequence lies in slots 0, 1, ... of its pages.  The front are
;; the pages of its sinks, and those that it shares with others.

(define (%sequence-slots sequence)
  "How many tokens of a sequence have a slot, among them those of the front that
  are not seen."
  (- (%sequence-length sequence) (%sequence-dropped sequence)))

(define (%front-pages sequence)
  "How many pages a sequence has before those that it may drop."
  (let ((pool (%sequence-pool sequence)))
    (or (%sequence-front sequence)
        (max (%kept-depth sequence)
             (%pages-for pool (car (%pool-streaming pool)))))))

(define (%passed-pages sequence)
  "How many pages of a sequence, after its front, no later token sees."
  (let* ((pool (%sequence-pool sequence)) (streaming (%pool-streaming pool)))
    (if streaming
        (max 0 (- (quotient (max 0 (- (+ 1 (%sequence-slots sequence))
                                      (cdr streaming)))
                            (%pool-page-size pool))
                  (%front-pages sequence)))
        0)))

(define (%drop-passed-pages! sequence)
  "Give the pages back that no later token of a sequence sees."
  (let ((count (%passed-pages sequence)))
    (when (> count 0)
      (let* ((pool (%sequence-pool sequence))
             (front (%front-pages sequence))
             (pages (%sequence-pages sequence))
             (rest (drop pages front)))
        (%give-pages! pool (take rest count))
        (%set-sequence-pages! sequence
                              (append (take pages front) (drop rest count)))
        (%set-sequence-front! sequence front)
        (%set-sequence-dropped! sequence
                                (+ (%sequence-dropped sequence)
                                   (* count (%pool-page-size pool))))))))

(define (%lacking-pages sequence count)
  "How many pages a sequence needs for count more tokens, besides those that it
  has or would drop."
  (max 0 (- (%pages-for (%sequence-pool sequence)
                        (+ (%sequence-slots sequence) count))
            (length (%sequence-pages sequence))
            (%passed-pages sequence))))

(define (%check-not-dropped sequence n)
  "Raise an error if keys that token n of a sequence sees have been dropped; for
  n = 0, let none be."
  (if (= n 0)
      (begin (%set-sequence-dropped! sequence 0)
             (%set-sequence-front! sequence #f))
      (when (> (%sequence-dropped sequence) 0)
        (let* ((pool (%sequence-pool sequence))
               (begun (+ (%sequence-dropped sequence)
                         (* (%sequence-front sequence)
                            (%pool-page-size pool))))
               (window (cdr (%pool-streaming pool))))
          (when (< (- (+ n 1) window) begun)
            (%error-with-hint
             (format "sequence-truncate!: cannot go back to ~a tokens: with a \
window of ~a, the keys before position ~a are gone" n window begun)
             '() "run the tokens again, in a new sequence"))))))

(define (%shared-limit pool)
  "How many pages at most a sequence shares with others, #f for any number: those
  of a window would stay when it has passed."
  (let ((streaming (%pool-streaming pool)))
    (and streaming
         (quotient (+ (car streaming) (cdr streaming))
                   (%pool-page-size pool)))))

(define (%most-pages pool count)
  "How many pages a sequence needs at most, if its tokens come in calls of count
  at most; #f if that depends on its length."
  (let ((streaming (%pool-streaming pool)))
    (and streaming
         (+ (%pages-for pool (+ (car streaming) (cdr streaming)))
            (%pages-for pool (+ (cdr streaming) count))
            1))))
