;; bank.lisp - accounts, transfers that happen wholly or not at all, a statement.

(define-record-type account
  (%make-account number owner balance history)
  account?
  (number account-number)
  (owner account-owner)
  (balance account-balance set-account-balance!)
  (history account-history set-account-history!))

(define-record-type bank
  (%make-bank accounts next-number)
  bank?
  (accounts bank-accounts)
  (next-number bank-next-number set-bank-next-number!))

;; What can go wrong is a record, so that callers can tell the cases apart.

(define-record-type refusal
  (make-refusal reason account amount)
  refusal?
  (reason refusal-reason)
  (account refusal-account)
  (amount refusal-amount))

(define (make-bank) (%make-bank (make-hash-table) 1000))

(define (open-account! bank owner deposit)
  "Open an account with a first deposit in cents; its number."
  (let ((number (bank-next-number bank)))
    (set-bank-next-number! bank (+ number 1))
    (hash-set! (bank-accounts bank) number
               (%make-account number owner deposit (list (cons 'opened deposit))))
    number))

(define (find-account bank number)
  (let ((account (hash-ref (bank-accounts bank) number #f)))
    (or account (raise (make-refusal 'unknown-account number 0)))))

(define (note! account kind amount)
  (set-account-history! account (cons (cons kind amount) (account-history account))))

(define (deposit! account amount)
  (unless (positive? amount)
    (raise (make-refusal 'bad-amount (account-number account) amount)))
  (set-account-balance! account (+ (account-balance account) amount))
  (note! account 'in amount))

(define (withdraw! account amount)
  (when (> amount (account-balance account))
    (raise (make-refusal 'too-little (account-number account) amount)))
  (set-account-balance! account (- (account-balance account) amount))
  (note! account 'out amount))

;; A transaction puts back what it has changed if it is left early.

(define (with-transaction accounts body)
  "The result of body; if it is left by a raise, the accounts are as before."
  (let ((before (map (lambda (a) (cons (account-balance a) (account-history a)))
                     accounts))
        (done #f))
    (dynamic-wind
      (lambda () #t)
      (lambda ()
        (let ((result (body)))
          (set! done #t)
          result))
      (lambda ()
        (unless done
          (for-each
            (lambda (account old)
              (set-account-balance! account (car old))
              (set-account-history! account (cdr old)))
            accounts before))))))

(define fee (make-parameter 25))

(define (transfer! bank from to amount)
  "Move cents from one account to another; the sender pays the fee."
  (let ((source (find-account bank from))
        (target (find-account bank to)))
    (with-transaction (list source target)
      (lambda ()
        (deposit! target amount)        ; first, so that there is something to undo
        (withdraw! source (+ amount (fee)))
        amount))))

;; Texts.

(define (money cents)
  "1234 => 12.34"
  (let ((text (number->string (remainder (abs cents) 100))))
    (string-append (if (negative? cents) "-" "")
                   (number->string (quotient (abs cents) 100))
                   "."
                   (string-pad-left text 2 #\0))))

(define (statement account)
  (print (account-number account) (account-owner account)
         "has" (money (account-balance account)))
  (for-each
    (lambda (entry)
      (print (format "    ~6a ~10@a" (car entry) (money (cdr entry)))))
    (reverse (account-history account))))

(define (try-transfer bank from to amount)
  (guard (problem
          ((refusal? problem)
           (print "refused:" (refusal-reason problem) (refusal-account problem)
                  (money (refusal-amount problem)))))
    (print "moved" (money (transfer! bank from to amount)))))

(define bank (make-bank))
(define ada (open-account! bank "Ada" 100000))
(define charles (open-account! bank "Charles" 2550))

(try-transfer bank ada charles 25000)
(try-transfer bank charles ada 27550)      ; the fee makes it too much
(try-transfer bank charles 4711 100)
(try-transfer bank ada charles -5)
(parameterize ((fee 0))
  (try-transfer bank charles ada 27550))

(statement (find-account bank ada))
(statement (find-account bank charles))

;; Many small transfers in a circle, some of them refused; no money is lost.

(define circle
  (map (lambda (k) (open-account! bank (string "customer " k) (* 1000 (+ k 1))))
       (iota 20)))

(define (total)
  (fold + 0 (map account-balance (hash-values (bank-accounts bank)))))

(define (run-circle! rounds)
  (let ((before (total)) (moved 0) (refused 0))
    (parameterize ((fee 0))
      (dotimes (round rounds)
        (let* ((from (modulo (* round 7) 20))
               (to (modulo (+ from 3) 20))
               (amount (+ 100 (modulo (* round 37) 1500))))
          (guard (problem ((refusal? problem) (set! refused (+ refused 1))))
            (transfer! bank (list-ref circle from) (list-ref circle to) amount)
            (set! moved (+ moved 1))))))
    (print moved "moved," refused "refused")
    (print "the same amount of money:" (= before (total)))))

(run-circle! 2000)
