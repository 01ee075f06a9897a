;; tool-calls.lisp - the calls of tools in what a model has written.
;;
;;     <tool_call>{"name": "weather", "arguments": {...}}</tool_call>    Qwen, Hermes
;;     {"name": "weather", "parameters": {...}}                          Llama 3.1
;;     <|python_tag|>weather.call(city="Paris")                          Llama 3.1
;;     [TOOL_CALLS][{"name": "weather", "arguments": {...}}]             Mistral
;;     [TOOL_CALLS]weather[ARGS]{...}                                    Mistral
;;
;; Decoding leaves out special tokens, and so some of the marks.  Text without a
;; mark is a call only if it is all of the text and the tool exists.

(define %call-marks '("<tool_call>" "<|python_tag|>" "[TOOL_CALLS]"))

(define (parse-tool-calls text :tools #f)
  "The calls of tools in the text of an answer: two values, the text beside the
  calls, and a list of calls.

  tools: those that were given to chat-reply; calls without a mark, as Llama 3.1
  writes them, are found only with them.  A call is a hash table as in OpenAI's
  protocol, with an id, the type \"function\" and a function; tool-call-name and
  tool-call-arguments read it.  A message of the role assistant with the list as
  its tool_calls, and one of the role tool with the result as its content,
  continue the conversation."
  (%check-string "parse-tool-calls" text)
  (let ((bare (%bare-calls text (%tool-names tools))))
    (if (pair? bare)
        (values "" (%numbered-calls bare))
        (let-values (((content calls) (%marked-calls text)))
          (values (if (pair? calls) (string-trim content) content)
                  (%numbered-calls calls))))))

(define (tool-call-name call)
  "The name of the tool that a call of parse-tool-calls names."
  (hash-ref (%called-function "tool-call-name" call) "name"))

(define (tool-call-arguments call)
  "The arguments of a call of parse-tool-calls: a hash table."
  (hash-ref (%called-function "tool-call-arguments" call) "arguments"))

(define (%called-function who call)
  "The function of a call."
  (let ((found (and (hash-table? call) (hash-ref call "function" #f))))
    (if (hash-table? found)
        found
        (wrong-type who "a call of parse-tool-calls" call))))

(define (%numbered-calls functions)
  "Calls of functions, tables with name and arguments.  Mistral's templates want
  ids of nine letters."
  (map (lambda (function k)
         (let ((digits (number->string (+ 100000 k))))
           (%table-of (list (cons "id" (string "call" (substring digits 1 6)))
                            (cons "type" "function")
                            (cons "function" function)))))
       functions (iota (length functions))))

(define (%tool-names tools)
  "The names of tools, each an alist or a table as JSON describes it."
  (define (of tool)
    (let* ((table (if (hash-table? tool) tool (%table-of tool)))
           (inner (hash-ref table "function" #f)))
      (if inner (of inner) (hash-ref table "name" #f))))
  (if (list? tools) (filter string? (map of tools)) '()))

;; Calls with a mark.

(define (%marked-calls text)
  "The text beside calls, and the functions that they call."
  (let loop ((text text) (content "") (calls '()))
    (let ((mark (%first-mark text)))
      (if (not mark)
          (values (string content text) calls)
          (let* ((start (string-contains text mark))
                 (before (string content (substring text 0 start)))
                 (after (substring text (+ start (string-length mark))
                                   (string-length text)))
                 (found (%calls-at-start after)))
            (if found
                (loop (%without-closing (cdr found)) before
                      (append calls (car found)))
                (loop after (string before mark) calls)))))))

(define (%first-mark text)
  "The mark that comes first in a text, or #f."
  (fold (lambda (mark first)
          (let ((k (string-contains text mark)))
            (if (and k (or (not first) (< k (string-contains text first))))
                mark
                first)))
        #f %call-marks))

(define (%without-closing text)
  "The text behind the mark that ends a call."
  (let ((trimmed (string-trim-left text)) (mark "</tool_call>"))
    (if (string-prefix? mark trimmed)
        (substring trimmed (string-length mark) (string-length trimmed))
        text)))

(define (%calls-at-start text)
  "The functions that the beginning of a text calls, and the rest of it; #f if
  it is not a call."
  (guard (e ((error-object? e) #f))                ; it is not JSON
    (let* ((port (open-input-string text)) (calls (%read-calls port)))
      (and (pair? calls)
           (every hash-table? calls)
           (cons calls (%rest-of-port port))))))

(define (%rest-of-port port)
  (let ((rest (read-string 1000000000 port)))
    (if (eof-object? rest) "" rest)))

;; Calls without a mark.

(define (%bare-calls text names)
  "The functions that a text calls which is nothing else, or ()."
  (let ((found (and (%begins-bare? (string-trim-left text) names)
                    (%calls-at-start text))))
    (if (and found
             (string-null? (string-trim (cdr found)))
             (every (lambda (call) (member (hash-ref call "name") names))
                    (car found)))
        (car found)
        '())))

(define (%begins-bare? text names)
  "Whether a text may become a call without a mark."
  (and (pair? names)
       (not (string-null? text))
       (or (memv (string-ref text 0) '(#\{ #\[))
           (any (lambda (name)
                  (let ((start (string name "{")))
                    (or (string-prefix? start text)
                        (string-prefix? text start))))
                names))))

;; Reading: functions are tables; #f stands for something else.

(define (%read-calls port)
  "The functions that the text of a port calls next."
  (case (%next-black port)
    ((#\{) (%read-objects port))
    ((#\[) (map %function-of (read-json port)))
    (else (list (%read-named-call port)))))

(define (%next-black port)
  "The next character that is not white space, which is not consumed."
  (let ((c (peek-char port)))
    (cond ((and (char? c) (char-whitespace? c))
           (read-char port)
           (%next-black port))
          (else c))))

(define (%read-objects port)
  "The functions of objects, between which are semicolons."
  (let loop ((calls (list (%function-of (read-json port)))))
    (if (eqv? (%next-black port) #\;)
        (begin
          (read-char port)
          (loop (cons (%function-of (read-json port)) calls)))
        (reverse calls))))

(define (%function-of value)
  "The function that a JSON value calls, or #f."
  (and (hash-table? value)
       (let ((name (hash-ref value "name" #f))
             (inner (hash-ref value "function" #f))
             (arguments (%arguments-of
                         (hash-ref value "arguments"
                                   (hash-ref value "parameters" 'null)))))
         (cond ((hash-table? inner) (%function-of inner))
               ((and (string? name) (not (string-null? name)) arguments)
                (%called name arguments))
               (else #f)))))

(define (%called name arguments)
  (%table-of (list (cons "name" name) (cons "arguments" arguments))))

(define (%arguments-of value)
  "The arguments of a call as a table; some models write them as JSON in a
  string."
  (cond ((hash-table? value) value)
        ((eq? value 'null) (make-hash-table))
        ((string? value)
         (let ((inner (string->json value)))
           (and (hash-table? inner) inner)))
        (else #f)))

(define (%read-named-call port)
  "A call that begins with the name of its function: NAME{...}, NAME[ARGS]{...}
  or NAME.call(key=value, ...)."
  (let ((name (%read-name port)))
    (case (%next-black port)
      ((#\{) (%called name (read-json port)))
      ((#\[)
       (let skip ()                                ; [CALL_ID]x[ARGS]
         (unless (memv (%next-black port) '(#\{ #\newline))
           (when (eof-object? (read-char port))
             (error "parse-tool-calls: a call without arguments"))
           (skip)))
       (%called name (read-json port)))
      ((#\.)
       (and (equal? (read-string 6 port) ".call(")
            (%called name (%read-keywords port))))
      (else #f))))

(define (%read-name port)
  "The letters, digits, _ and - that come next; an error if there are none."
  (let loop ((chars '()))
    (let ((c (peek-char port)))
      (if (and (char? c)
               (or (char-alphabetic? c) (char-numeric? c) (memv c '(#\_ #\-))))
          (loop (cons (read-char port) chars))
          (if (null? chars)
              (error "parse-tool-calls: a call without a name")
              (list->string (reverse chars)))))))

(define (%read-keywords port)
  "The table of key=value, ... up to the closing parenthesis."
  (let ((table (make-hash-table)))
    (let loop ()
      (case (%next-black port)
        ((#\)) (read-char port) table)
        ((#\,) (read-char port) (loop))
        (else
         (let ((key (%read-name port)))
           (if (and (eqv? (%next-black port) #\=) (read-char port))
               (begin
                 (hash-set! table key (read-json port))
                 (loop))
               (error "parse-tool-calls: a key without a value"))))))))

;; Streams.

(define-record-type %call-holder
  (%make-call-holder names held passed)
  %call-holder?
  (names %holder-names)
  (held %held-text %set-held-text!)          ; what may yet become a call
  (passed %has-passed? %set-has-passed!))    ; whether any text has passed

(define (%new-call-holder names)
  "What holds back the text of calls until an answer ends."
  (%make-call-holder names "" #f))

(define (%pass-text! holder piece)
  "The text that cannot be a part of a call, after one more piece."
  (let* ((text (string (%held-text holder) piece))
         (safe (%safe-length holder text)))
    (%set-held-text! holder (substring text safe (string-length text)))
    (when (> safe 0) (%set-has-passed! holder #t))
    (substring text 0 safe)))

(define (%safe-length holder text)
  "How many characters of a text cannot be a part of a call.  What is held from
  a mark on stays held: the mark is then at its start."
  (let ((mark (%first-mark text)) (trimmed (string-trim-left text)))
    (cond ((and (not (%has-passed? holder))
                (or (string-null? trimmed)
                    (%begins-bare? trimmed (%holder-names holder))))
           0)
          (mark (string-contains text mark))
          (else (- (string-length text) (%begun-mark text))))))

(define (%begun-mark text)
  "How many characters at the end of a text may begin a mark."
  (apply max 0 (map (lambda (mark) (%begun-length text mark)) %call-marks)))

(define (%begun-length text mark)
  "How many characters at the end of a text may begin that mark."
  (let ((size (string-length text)))
    (let loop ((k (min size (- (string-length mark) 1))))
      (if (or (= k 0)
              (string=? (substring text (- size k) size) (substring mark 0 k)))
          k
          (loop (- k 1))))))
