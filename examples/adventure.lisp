;; adventure.lisp - a text adventure: its world is data, its parser a few rules.
;;
;; With a terminal or a pipe on standard input it plays what is typed:
;;
;;     lambent examples/adventure.lisp play
;;
;; Without `play` it plays the walkthrough at the end of this file.

(define-record-type room
  (make-room name text exits things)
  room?
  (name room-name)
  (text room-text)
  (exits room-exits)
  (things room-things set-room-things!))

(define-record-type player
  (make-player place bag score)
  player?
  (place player-place set-player-place!)
  (bag player-bag set-player-bag!)
  (score player-score set-player-score!))

(define world
  (map (lambda (entry) (cons (car entry) (apply make-room entry)))
       '((cellar "A damp cellar.  Stairs lead up."
                 ((up . kitchen)) (bottle))
         (kitchen "A kitchen that smells of thyme."
                  ((down . cellar) (east . garden)) (knife lamp))
         (garden "A walled garden.  A gate stands to the north."
                 ((west . kitchen) (north . gate)) (rope))
         (gate "An iron gate.  It is locked."
               ((south . garden)) ()))))

(define (room-called name)
  "The room of that name."
  (cdr (assq name world)))

;; The parser: words to a command, a list of a verb and perhaps a noun.

(define synonyms
  '((go walk run head) (take get grab pick) (drop leave put) (look l examine)
    (inventory i bag) (unlock open) (quit q exit)))

(define directions
  '((north n) (south s) (east e) (west w) (up u) (down d)))

(define noise '(the a an to at with up-to please))

(define (canonical word table)
  "The first word of the table's row that has the word in it, or #f."
  (let ((row (find (lambda (row) (memq word row)) table)))
    (and row (car row))))

(define (words line)
  "The words of a line as symbols, without noise."
  (filter (lambda (word) (not (memq word noise)))
          (map string->symbol
               (filter (lambda (part) (not (string=? part "")))
                       (string-split (string-downcase line) " ")))))

(define (parse line)
  "The command that a line means: (go north), (take lamp) ... or (unknown ...)."
  (let ((parts (words line)))
    (cond ((null? parts) '(nothing))
          ((canonical (car parts) directions) => (lambda (way) (list 'go way)))
          ((canonical (car parts) synonyms)
           => (lambda (verb)
                (case verb
                  ((go)
                   (let ((way (and (pair? (cdr parts))
                                   (canonical (cadr parts) directions))))
                     (if way (list 'go way) '(unknown "go where?"))))
                  ((look inventory quit) (list verb))
                  (else
                   (if (null? (cdr parts))
                       (list 'unknown (string verb " what?"))
                       (list verb (cadr parts)))))))
          (else
           (list 'unknown (string "what does \"" (car parts) "\" mean?"))))))

;; What commands do.  A failed one raises a string, which the loop prints.

(define (describe room)
  (print (room-text room))
  (unless (null? (room-things room))
    (print "You see:" (string-join (map symbol->string (room-things room)) ", "))))

(define (go! player way)
  (let* ((room (room-called (player-place player)))
         (exit (assq way (room-exits room))))
    (unless exit (raise "You cannot go that way."))
    (set-player-place! player (cdr exit))
    (describe (room-called (cdr exit)))))

(define (take! player thing)
  (let ((room (room-called (player-place player))))
    (unless (memq thing (room-things room))
      (raise (string "There is no " thing " here.")))
    (set-room-things! room (delete thing (room-things room)))
    (set-player-bag! player (cons thing (player-bag player)))
    (set-player-score! player (+ (player-score player) 5))
    (print "Taken.")))

(define (drop! player thing)
  (unless (memq thing (player-bag player))
    (raise (string "You have no " thing ".")))
  (let ((room (room-called (player-place player))))
    (set-player-bag! player (delete thing (player-bag player)))
    (set-room-things! room (cons thing (room-things room)))
    (print "Dropped.")))

(define (unlock! player thing won)
  (cond ((not (and (eq? thing 'gate) (eq? (player-place player) 'gate)))
         (raise "That cannot be opened."))
        ((not (memq 'knife (player-bag player)))
         (raise "You would need something to pick the lock with."))
        (else
         (set-player-score! player (+ (player-score player) 50))
         (print "The lock gives way.  You are free!")
         (won 'won))))

(define (obey! player command done)
  "Carry out a command; done leaves the game."
  (case (car command)
    ((nothing) #t)
    ((go) (go! player (cadr command)))
    ((take) (take! player (cadr command)))
    ((drop) (drop! player (cadr command)))
    ((look) (describe (room-called (player-place player))))
    ((inventory)
     (print "You carry:" (if (null? (player-bag player)) 'nothing (player-bag player))))
    ((unlock) (unlock! player (cadr command) done))
    ((quit) (done 'left))
    (else (raise (cadr command)))))

(define (play next-line)
  "Play until the game is over; the result says how it ended."
  (let ((player (make-player 'cellar '() 0)))
    (describe (room-called 'cellar))
    (let ((end (call/cc
                 (lambda (done)
                   (let loop ()
                     (let ((line (next-line)))
                       (when (eof-object? line) (done 'left))
                       (print ">" line)
                       (guard (problem ((string? problem) (print problem)))
                         (obey! player (parse line) done))
                       (loop)))))))
      (print "Score:" (player-score player))
      end)))

(define walkthrough
  '("look" "take the bottle" "xyzzy" "go" "go up" "get lamp" "take sword"
    "grab knife" "i" "e" "drop bottle" "walk north" "go east" "open gate"))

(define (reader lines)
  "A procedure that returns the lines one by one, then the end of file."
  (lambda ()
    (if (null? lines)
        (eof-object)
        (let ((line (car lines)))
          (set! lines (cdr lines))
          line))))

(print "You" (play (if (member "play" (command-line))
                       (lambda () (read-line))
                       (reader walkthrough))))
