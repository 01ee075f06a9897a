;; files.lisp - files and folders, with the names of SRFI 170 and short ones.
;;
;; Errors are those of the system: file-error? recognizes them, and
;; posix-error-name tells which it was.  Links are followed where nothing else
;; is said.

(define (%no-result ignored)
  "What a procedure returns that is called for what it does."
  (if #f #f))

(define (%change who verb call path first second)
  "Make a call that changes a file."
  (%check-string who path)
  (%no-result (%file-call call who verb path first second)))

(define (%check-mode who mode)
  "Raise an error unless it can be the permissions of a file."
  (unless (and (exact-integer? mode) (<= 0 mode #o7777))
    (wrong-type who "permissions, an integer from 0 to #o7777" mode)))

(define (%check-id who id)
  "Raise an error unless it can be the number of a user, a group or a process."
  (unless (and (exact-integer? id) (<= -1 id #xffffffff))
    (wrong-type who "a number of the system" id)))

;; What a path names: kind is a symbol, mode the permissions, size in bytes.

(define %info-type
  (%record-type 'file-info
                #(kind mode size #f #f #f #f #f #f #f #f #f #f #f)))

(define (%status who path follow)
  "The vector of a file's attributes; #f if there is no such file."
  (%check-string who path)
  (%file-call 'status who "look at" path follow #f))

(define (%sure-status who path follow)
  "The same, but it is an error if there is no such file."
  (or (%status who path follow)
      (%file-call 'real-path who "look at" path #f #f)))

(define (%port-file who port)
  "The number by which the system knows the file of a port."
  (if (output-port? port) (flush-output port))
  (let ((open? (if (input-port? port) (input-port-open? port) (output-port-open? port))))
    (or (and open? (%file-call 'descriptor who "look at" #f port #f))
        (wrong-type who "a path, or an open port of a file" port))))

(define (file-info path . follow)
  "What the system knows of a file, by its path or a port, as SRFI 170 has it:
  file-info:size, file-info:mtime and the like tell the parts.  If follow is
  #f, of a link itself."
  (let ((follow (if (%optional "file-info" 1 follow #t) #t #f)))
    (apply %record %info-type
           (vector->list
            (if (port? path)
                (%file-call 'status "file-info" "look at" #f (%port-file "file-info" path) #f)
                (%sure-status "file-info" path follow))))))

(define (file-info? x)
  "Whether it is what file-info returns."
  (%record? x %info-type))

(define (%info who info k)
  "A part of what is known of a file."
  (unless (file-info? info) (wrong-type who "what file-info returns" info))
  (%record-ref info %info-type k who))

(define (file-info:device info) "The number of the file's device."
  (%info "file-info:device" info 3))
(define (file-info:inode info) "The number of the file on its device."
  (%info "file-info:inode" info 4))
(define (file-info:mode info) "The file's permissions, as an integer."
  (%info "file-info:mode" info 1))
(define (file-info:nlinks info) "How many names the file has."
  (%info "file-info:nlinks" info 5))
(define (file-info:uid info) "The number of the user that the file belongs to."
  (%info "file-info:uid" info 6))
(define (file-info:gid info) "The number of the file's group."
  (%info "file-info:gid" info 7))
(define (file-info:rdev info) "The number of the device that the file is."
  (%info "file-info:rdev" info 8))
(define (file-info:size info) "The file's size, in bytes."
  (%info "file-info:size" info 2))
(define (file-info:blksize info) "How many bytes are best read at once."
  (%info "file-info:blksize" info 9))
(define (file-info:blocks info) "How many blocks of 512 bytes the file takes."
  (%info "file-info:blocks" info 10))
(define (file-info:atime info) "When the file was last read, as a timespec."
  (%pair->timespec (%info "file-info:atime" info 11)))
(define (file-info:mtime info) "When the file was last written, as a timespec."
  (%pair->timespec (%info "file-info:mtime" info 12)))
(define (file-info:ctime info)
  "When the file or what is known of it was last changed, as a timespec."
  (%pair->timespec (%info "file-info:ctime" info 13)))

(define (%info-kind? who info kind)
  "Whether it describes a file of that kind."
  (eq? (%info who info 0) kind))

(define (file-info-directory? info) "Whether it describes a folder."
  (%info-kind? "file-info-directory?" info 'folder))
(define (file-info-regular? info) "Whether it describes a file of bytes."
  (%info-kind? "file-info-regular?" info 'file))
(define (file-info-symlink? info) "Whether it describes a link."
  (%info-kind? "file-info-symlink?" info 'symlink))
(define (file-info-fifo? info) "Whether it describes a named pipe."
  (%info-kind? "file-info-fifo?" info 'fifo))
(define (file-info-socket? info) "Whether it describes a socket."
  (%info-kind? "file-info-socket?" info 'socket))
(define (file-info-device? info) "Whether it describes a device."
  (%info-kind? "file-info-device?" info 'device))

(define (%path-kind who path follow)
  "The kind of what a path names, or #f."
  (let ((status (%status who path follow)))
    (and status (vector-ref status 0))))

(define (file? path)
  "Whether a file of bytes has that path."
  (eq? (%path-kind "file?" path #t) 'file))

(define (folder? path)
  "Whether a folder has that path."
  (eq? (%path-kind "folder?" path #t) 'folder))

(define (symlink? path)
  "Whether a link has that path."
  (eq? (%path-kind "symlink?" path #f) 'symlink))

(define (file-size path)
  "The size of a file, in bytes."
  (vector-ref (%sure-status "file-size" path #t) 2))

(define (file-mode path)
  "The permissions of a file, as an integer: #o644 and the like."
  (vector-ref (%sure-status "file-mode" path #t) 1))

(define (file-modified path)
  "When a file was last written, in seconds since the beginning of 1970."
  (let ((time (vector-ref (%sure-status "file-modified" path #t) 12)))
    (+ (car time) (/ (cdr time) 1e9))))

;; Folders.

(define (%names-in-order who path)
  "The names in a folder, in alphabetical order."
  (%check-string who path)
  (sort (%file-call 'names who "open" path #f #f) string<?))

(define (list-folder path)
  "The names in a folder, in alphabetical order, without \".\" and \"..\"."
  (%names-in-order "list-folder" path))

(define (directory-files . options)
  "The names in a folder, in alphabetical order: (directory-files path
  dotfiles?).  Those that begin with a point only if dotfiles? is true."
  (let* ((path (if (pair? options) (car options) "."))
         (all? (and (pair? options) (pair? (cdr options)) (cadr options)))
         (names (%names-in-order "directory-files" path)))
    (if all? names (remove (lambda (name) (string-prefix? "." name)) names))))

(define (make-directory-files-generator path . dotfiles?)
  "A generator of the names that directory-files lists."
  (let ((names (apply directory-files path dotfiles?)))
    (lambda ()
      (if (null? names)
          (eof-object)
          (let ((name (car names)))
            (set! names (cdr names))
            name)))))

(define-record-type <open-folder>
  (%new-open-folder generator)
  %open-folder?
  (generator %open-folder-generator %set-open-folder-generator!))

(define (open-directory path . dotfiles?)
  "A folder of which read-directory returns one name after the other."
  (%new-open-folder (apply make-directory-files-generator path dotfiles?)))

(define (%check-open-folder who folder)
  "Raise an error unless it is what open-directory returns."
  (unless (%open-folder? folder)
    (wrong-type who "what open-directory returns" folder)))

(define (read-directory folder)
  "The next name in an open folder, or the end-of-file object."
  (%check-open-folder "read-directory" folder)
  ((%open-folder-generator folder)))

(define (close-directory folder)
  "Nothing is left to read from an open folder."
  (%check-open-folder "close-directory" folder)
  (%set-open-folder-generator! folder eof-object))

(define (create-directory path . mode)
  "Create a folder, which must not exist.  mode: its permissions, less those
  that umask takes."
  (let ((mode (%optional "create-directory" 1 mode #o775)))
    (%check-mode "create-directory" mode)
    (%change "create-directory" "create the folder" 'create-folder path mode #f)))

(define (make-folder path)
  "Create a folder, and those above it; nothing happens if it exists."
  (%check-string "make-folder" path)
  (unless (folder? path)
    (let ((above (path-folder path)))
      (unless (or (equal? above path) (folder? above)) (make-folder above)))
    (guard (e ((and (file-error? e) (folder? path)) #f))
      (%file-call 'create-folder "make-folder" "create the folder" path #o777 #f)))
  (if #f #f))

(define (delete-directory path)
  "Delete a folder, which must be empty."
  (%change "delete-directory" "delete the folder" 'delete-folder path #f #f))

(define (delete-folder path :recursive #f)
  "Delete a folder, which must be empty; with :recursive #t, with all that is in
  it.  Links in it are deleted, not what they lead to."
  (%check-string "delete-folder" path)
  (when recursive
    (for-each
     (lambda (name)
       (let ((inside (path-join path name)))
         (if (eq? (%path-kind "delete-folder" inside #f) 'folder)
             (delete-folder inside :recursive #t)
             (delete-file inside))))
     (%file-call 'names "delete-folder" "open" path #f #f)))
  (%change "delete-folder" "delete the folder" 'delete-folder path #f #f))

(define (walk-folder path)
  "The paths of all files and folders below a folder, in the order in which a
  listing shows them: a folder before what is in it.  Links are not followed."
  (append-map
   (lambda (name)
     (let ((inside (path-join path name)))
       (cons inside
             (if (eq? (%path-kind "walk-folder" inside #f) 'folder)
                 (walk-folder inside)
                 '()))))
   (%names-in-order "walk-folder" path)))

(define (current-folder)
  "The path of the folder where relative paths begin."
  (%file-call 'current-folder "current-folder" "tell the current folder" #f #f #f))

(define (current-directory)
  "The path of the folder where relative paths begin."
  (current-folder))

(define (set-current-folder! path)
  "Let relative paths begin at a folder."
  (%change "set-current-folder!" "change to" 'change-folder path #f #f))

(define (set-current-directory! path)
  "Let relative paths begin at a folder."
  (%change "set-current-directory!" "change to" 'change-folder path #f #f))

(define (with-current-folder path thunk)
  "The result of the thunk; relative paths begin at a folder meanwhile."
  (let ((inside path) (outside (current-folder)))
    (dynamic-wind (lambda () (set-current-folder! inside))
                  thunk
                  (lambda () (set-current-folder! outside)))))

(define (real-path path)
  "The path from the root of a file that exists, with links followed."
  (%check-string "real-path" path)
  (%file-call 'real-path "real-path" "find" path #f #f))

(define (file-space path)
  "How many bytes can still be written where a file is, by its path or a port."
  (if (port? path)
      (%file-call 'free-space "file-space" "look at the file of a port" #f
                  (%port-file "file-space" path) #f)
      (begin
        (%check-string "file-space" path)
        (%file-call 'free-space "file-space" "look at" path #f #f))))

;; Links and attributes.

(define (%create-link who call old new)
  "Create another name, or a link."
  (%check-string who old)
  (%check-string who new)
  (%no-result (%file-call call who "create a link to" old new #f)))

(define (create-hard-link old new)
  "Give a file another name, new."
  (%create-link "create-hard-link" 'create-link old new))

(define (create-symlink old new)
  "Create the link new, which leads to the path old."
  (%create-link "create-symlink" 'create-symlink old new))

(define (read-symlink path)
  "The path that a link leads to."
  (%check-string "read-symlink" path)
  (%file-call 'read-link "read-symlink" "read the link" path #f #f))

(define (create-fifo path . mode)
  "Create a named pipe.  mode: its permissions, less those that umask takes."
  (let ((mode (%optional "create-fifo" 1 mode #o664)))
    (%check-mode "create-fifo" mode)
    (%change "create-fifo" "create the pipe" 'create-fifo path mode #f)))

(define (set-file-mode path mode)
  "Change the permissions of a file: (set-file-mode \"run.sh\" #o755)."
  (%check-mode "set-file-mode" mode)
  (%change "set-file-mode" "change" 'set-mode path mode #f))

(define owner/unchanged -1)
(define group/unchanged -1)

(define (set-file-owner path uid gid)
  "Change the user and the group that a file belongs to."
  (%check-id "set-file-owner" uid)
  (%check-id "set-file-owner" gid)
  (%change "set-file-owner" "change" 'set-owner path uid gid))

(define time/now 'now)
(define time/unchanged 'unchanged)

(define (%file-time who time)
  "A time as the system is told it."
  (cond ((eq? time 'now) #t)
        ((eq? time 'unchanged) #f)
        ((timespec? time)
         (cons (timespec-seconds time) (timespec-nanoseconds time)))
        (else (wrong-type who "a timespec, time/now or time/unchanged" time))))

(define (set-file-times path . times)
  "Change when a file was last read and last written: (set-file-times path
  access modified), two timespecs, time/now or time/unchanged.  Without them,
  both are now."
  (let* ((who "set-file-times") (times (if (null? times) '(now now) times)))
    (unless (= (length times) 2)
      (error "set-file-times: expected a path, or a path and two times"))
    (%change who "change" 'set-times path
             (%file-time who (car times)) (%file-time who (cadr times)))))

(define (touch-file path)
  "Create an empty file; if it exists, it is as if it had been written now."
  (unless (%status "touch-file" path #t)
    (%file-call 'create-file "touch-file" "create" path #o666 #f))
  (%change "touch-file" "change" 'set-times path #t #t))

(define (truncate-file path size)
  "Cut a file, by its path or a port, after so many bytes, or fill it up with
  zeros."
  (%check-index "truncate-file" size)
  (if (port? path)
      (%no-result (%file-call 'truncate "truncate-file" "change the file of a port" #f size
                              (%port-file "truncate-file" path)))
      (%change "truncate-file" "change" 'truncate path size #f)))

;; Copies.

(define %copy-size 65536)   ; bytes that are copied at once

(define (copy-file from to :replace #t)
  "Copy a file, with its permissions.  With :replace #f it is an error if there
  is a file already."
  (let ((mode (vector-ref (%sure-status "copy-file" from #t) 1)))
    (when (and (file-exists? to) (not replace))
      (error (string "copy-file: there is a file already:") to))
    (when (and (file-exists? to) (equal? (real-path from) (real-path to)))
      (error (string "copy-file: a file cannot be copied to itself:") to))
    (call-with-port (open-binary-input-file from)
      (lambda (input)
        (call-with-port (open-binary-output-file to)
          (lambda (output)
            (let loop ()
              (let ((bytes (read-bytevector %copy-size input)))
                (unless (eof-object? bytes)
                  (write-bytevector bytes output)
                  (loop))))))))
    (set-file-mode to mode)))

(define (copy-folder from to)
  "Copy a folder and all that is in it.  Links are copied as links."
  (make-folder to)
  (for-each
   (lambda (name)
     (let ((inside (path-join from name)) (copy (path-join to name)))
       (case (%path-kind "copy-folder" inside #f)
         ((folder) (copy-folder inside copy))
         ((symlink) (create-symlink (read-symlink inside) copy))
         (else (copy-file inside copy)))))
   (list-folder from)))

(define (move-file from to)
  "Give a file another path, also on another disk.  What has that path is
  replaced; into a folder, the file keeps its name."
  (let ((to (if (folder? to) (path-join to (path-name from)) to)))
    (guard (e ((and (file-error? e) (eq? (posix-error-name e) 'EXDEV))
               (copy-file from to)
               (delete-file from)))
      (rename-file from to))))

;; Temporary files.

(define (%temporary-folder)
  "Where temporary files are: the folder TMPDIR, or /tmp."
  (let ((folder (getenv "TMPDIR")))
    (if (and folder (not (string-null? folder))) folder "/tmp")))

(define temp-file-prefix
  (make-parameter (path-join (%temporary-folder) (string "lambent-" (pid)))))

(define (%temporary-prefix prefixes who)
  "The beginning of a temporary file's path."
  (let ((prefix (%optional who 1 prefixes (temp-file-prefix))))
    (%check-string who prefix)
    prefix))

(define %temporary-count (list 0))

(define (%temporary-path prefix)
  "A path that no call has returned before in this process."
  (set-car! %temporary-count (+ (car %temporary-count) 1))
  (string prefix "." (number->string (modulo (current-jiffy) 1000000007) 36)
          "." (car %temporary-count)))

(define (call-with-temporary-filename maker . prefix)
  "The results of maker, a procedure of a path that no file is likely to have.
  As long as its first result is #f, or it finds that there is such a file, it
  is called with another path."
  (let ((prefix (%temporary-prefix prefix "call-with-temporary-filename")))
    (let loop ((tries 0))
      (call-with-values
        (lambda ()
          (guard (e ((and (file-error? e) (eq? (posix-error-name e) 'EEXIST)) #f))
            (maker (%temporary-path prefix))))
        (lambda results
          (cond ((and (pair? results) (car results)) (apply values results))
                ((< tries 1000) (loop (+ tries 1)))
                (else
                 (error "call-with-temporary-filename: no path suits the procedure"))))))))

(define (create-temp-file . prefix)
  "The path of a new, empty file that only this user may read."
  (apply call-with-temporary-filename
         (lambda (path)
           (and (%file-call 'create-file "create-temp-file" "create" path #o600 #f)
                path))
         prefix))

(define (create-temp-folder . prefix)
  "The path of a new, empty folder that only this user may read."
  (apply call-with-temporary-filename
         (lambda (path)
           (and (not (%path-kind "create-temp-folder" path #f))
                (begin
                  (%file-call 'create-folder "create-temp-folder" "create the folder"
                              path #o700 #f)
                  path)))
         prefix))

(define (call-with-temporary-file f)
  "The result of f on the path of a new, empty file, which is deleted
  afterwards, also after an error."
  (let ((path #f))
    (dynamic-wind
     (lambda () (set! path (create-temp-file)))
     (lambda () (f path))
     (lambda () (when (file-exists? path) (delete-file path))))))

(define (call-with-temporary-folder f)
  "The result of f on the path of a new, empty folder, which is deleted with all
  that is in it afterwards, also after an error."
  (let ((path #f))
    (dynamic-wind
     (lambda () (set! path (create-temp-folder)))
     (lambda () (f path))
     (lambda () (when (folder? path) (delete-folder path :recursive #t))))))

;; Files that others see whole, or not at all.

(define (call-with-atomic-output-file path f :binary #f :encoding #f)
  "The result of f on a port; what it writes becomes the file when f returns, in
  one step.  After an error the file is as it was.  :encoding is that of
  open-output-file."
  (%check-string "call-with-atomic-output-file" path)
  (let ((partial #f) (done #f))
    (dynamic-wind
     (lambda () (set! partial (create-temp-file (string path ".partial"))))
     (lambda ()
       (let ((result (call-with-port (if binary
                                         (open-binary-output-file partial)
                                         (open-output-file partial :encoding encoding))
                       f)))
         (%file-call 'synchronize "call-with-atomic-output-file" "write" partial #f #f)
         (set-file-mode partial
                        (if (file-exists? path)
                            (file-mode path)
                            (bitwise-and #o666 (bitwise-not (umask)))))
         (rename-file partial path)
         (set! done #t)
         result))
     (lambda ()
       (when (and (not done) (file-exists? partial)) (delete-file partial))))))

(define (call-with-file-lock path thunk :shared #f :timeout #f)
  "The result of the thunk, while no other process that asks for it has the lock
  of a file, which is created if there is none.  With :shared #t others may have
  such a lock, too.  timeout: seconds to wait for it, or #f for any time."
  (%check-string "call-with-file-lock" path)
  (let ((lock #f) (began (current-jiffy)))
    (dynamic-wind
     (lambda ()
       (let loop ()
         (set! lock (%file-call 'lock "call-with-file-lock" "lock" path
                                (if shared #t #f) #f))
         (unless lock
           (when (and timeout
                      (> (- (current-jiffy) began) (* timeout (jiffies-per-second))))
             (error (string "call-with-file-lock: another process has had the lock of \""
                            path "\" for " timeout " s")))
           (sleep 0.02)
           (loop))))
     thunk
     (lambda ()
       (when lock
         (%file-call 'unlock "call-with-file-lock" "unlock" path lock #f)
         (set! lock #f))))))

;; Errors.

(define %reasons (list #f))

(define (%reason-of e)
  "(text . name) of the system's reason for an error; #f for other values."
  (unless (car %reasons)
    (set-car! %reasons
              (%process-call 'reasons "posix-error?" "list the errors" #f #f #f)))
  (and (file-error? e)
       (let ((message (error-object-message e)))
         (find (lambda (reason)
                 (string-suffix? (string-append ": " (car reason)) message))
               (car %reasons)))))

(define (posix-error? x)
  "Whether it is an error of the system."
  (if (%reason-of x) #t #f))

(define (%sure-reason who e)
  "The reason of an error of the system."
  (or (%reason-of e) (wrong-type who "an error of the system" e)))

(define (posix-error-name e)
  "The name of an error of the system, as a symbol: ENOENT and the like."
  (cdr (%sure-reason "posix-error-name" e)))

(define (posix-error-message e)
  "What the system says of an error."
  (car (%sure-reason "posix-error-message" e)))
