"""What to write for names of other languages: hints for users who type them.

    mapcar      =>  write (map f list)
    printf      =>  write (display (format "~a" x)) or (print x)
    nil         =>  write '() for the empty list, #f for false

From Common Lisp, Emacs Lisp, Clojure, Racket, other Schemes, Python and numpy.  Only unbound names
are looked up.  A test checks that all suggested names exist, and that no row is for a name that
exists.
"""

from functools import cache

from lambent.lang.core.names.pytorch_names import rows

_TABLE = """
nil null = '() for the empty list, #f for false
nullp endp = (null? x)
true True = #t
false False = #f
lambda* fn fn* λ defn- = (lambda (x) body ...)
defun defn defvar defparameter defconstant def define* define/contract
  = (define (f x) body ...) or (define name value)
func function fun sub proc = (define (f x) body ...)
var val = (define x value), or (let ((x value)) body ...)
define-macro = (defmacro name (x ...) body ...)
ir-macro-transformer sc-macro-transformer rsc-macro-transformer explicit-renaming
  = (define-syntax name (er-macro-transformer (lambda (form rename compare) body ...)))
define-syntax-parser define-simple-macro = (define-syntax-rule (f x ...) template)
defstruct defclass defrecord deftype struct define-struct dataclass class
  = (define-record-type point (make-point x y) point? (x point-x) (y point-y))
struct-copy record-copy copy-record dataclasses.replace
  = (record-update record type (x value) ...)
setq setf setq! reset! set = (set! name value)
incf += = (set! n (+ n 1))
decf -= = (set! n (- n 1))
add1 inc = (+ n 1)
sub1 dec = (- n 1)
progn do-begin = (begin form ...)
prog1 = (begin0 form ...)
flet labels letfn = (letrec ((f (lambda (x) body ...))) body ...)
when-let if-let let-when = (let ((x value)) (when x body ...))
and-let* = (let ((x value)) (and x body ...))
condp = (case x ((1 2) a) (else b))
elif else-if elseif = (cond (test a) (test b) (else c))
switch = (case x ((1 2) a) (else b))
match* = (match (list a b) ((x y) body ...))
for foreach doseq for-in for/each = (dolist (x list) body ...), (for-each f list) or, of a table,
  (hash-for-each table f)
for/list for*/list = (map (lambda (x) body ...) list)
for/vector = (vector-map f v)
for/sum = (fold + 0 (map f list))
for/fold reduce-left = (fold (lambda (x result) body ...) start list)
loop recur = (let loop ((i 0)) (if (< i n) (loop (+ i 1))))
until = (while (not test) body ...)
return return-from block = (let/cc return body ...)
mapcar mapc maplist map-list = (map f list)
mapcan mappend flatmap mapcat flat-map = (append-map f list)
mapv vector-map! = (vector-map f v)
remove-if remove-if-not filterv reject = (filter keep? list) or (remove drop? list)
find-if detect = (find test list)
position position-if find-index = (list-index test list)
every? all all? andmap for-all = (every test list)
some some? any? ormap exists = (any test list)
foldl foldl1 = (fold (lambda (x result) body ...) start list)
foldr foldr1 = (fold-right (lambda (x result) body ...) start list)
funcall = (f x ...): a procedure in a variable is called as any other
constantly const = (lambda x value)
comp compose1 = (lambda (x) (f (g x)))
partial curry cut = (lambda (x) (f a x))
atom atom? = (not (pair? x))
consp = (pair? x)
listp = (list? x)
symbolp = (symbol? x)
stringp = (string? x)
numberp = (number? x)
integerp fixnump fixnum? = (exact-integer? x)
floatp flonum? float? = (real? x) and (inexact? x)
functionp fn? callable = (procedure? x)
vectorp arrayp = (vector? x)
zerop = (zero? n)
plusp pos? = (positive? n)
minusp neg? = (negative? n)
oddp = (odd? n)
evenp = (even? n)
eql = (eqv? a b)
eq equalp equals = (equal? a b)
not-equal not= != /= <> = (not (equal? a b))
=? ==  === = (equal? a b), or (= a b) for numbers
typep isinstance type-of type class-of instance? = a predicate such as (number? x) or (string? x)
rest = (cdr list)
butlast but-last drop-last = (drop-right list 1)
empty? empty nil? = (null? list)
nth elt aref array-ref svref vector-get = (list-ref list k) or (vector-ref v k)
nthcdr subseq subvec sublist = (list-tail list k), (subvector v start end)
  or (substring text start end)
nthrest = (list-tail list k)
list* = (cons* a b list)
len size count-elements = (length list), (vector-length v), (string-length text),
  (hash-size table) or (tensor-shape x)
conj = (cons x list)
concat = (append a b) for lists, (string-append a b) for texts, (tensor-cat (list a b) 0) for
  tensors
concatenate-lists = (append a b)
flatten-list = (append-map f list)
sorted list-sort! = (sort list <)
sort-by sort-on = (sort list (lambda (a b) (< (f a) (f b))))
min-by minimum-by list-argmin = (fold (lambda (x best) (if (< (f x) (f best)) x best)) (car list)
  (cdr list))
max-by maximum-by list-argmax = (fold (lambda (x best) (if (> (f x) (f best)) x best)) (car list)
  (cdr list))
reversed nreverse rev = (reverse list)
uniq distinct remove-duplicates unique = (delete-duplicates list)
zip-with map2 = (map f a b)
enumerate map-indexed = (map f list (iota (length list)))
push push! extend = (set! list (cons x list))
pop = (car list), then (set! list (cdr list))
make-array = (make-vector n fill)
vector-push vector-push-extend vector-push! = (cons x list): vectors keep their length
make-hash make-hasheq make-hasheqv = (make-hash-table) or (hash-table key value ...)
dict hashmap hash make-equal-hashtable make-eq-hashtable make-hashtable
  make-strong-eqv-hash-table make-string-hash-table OrderedDict defaultdict
  = (hash-table key value ...)
gethash hash-get hashtable-ref hash-table/get get assoc-in get-in = (hash-ref table key default)
puthash assoc! assoc-set! hashtable-set! hash-table/put! hash-put! = (hash-set! table key value)
remhash dissoc dissoc! hash-remove! hashtable-delete! = (hash-delete! table key)
maphash = (hash-for-each table f)
hashtable-contains? has-key? hash-contains? haskey = (hash-has-key? table key)
contains? includes? = (member x list), (string-contains text part) or (hash-has-key? table key)
keys hashtable-keys = (hash-keys table)
vals = (hash-values table)
println displayln print-line puts echo writeln prn pr say = (print x ...)
printf format! fprintf sprintf string-format str-format princ prin1
  = (print x ...), or (display (format "~a" x))
display* = (for-each display (list x ...))
str strcat string-concat = (string x ...) or (string-append a b)
str.join join = (string-join list separator)
str.split split split-string string-tokenize = (string-split text separator)
str.upper upper upper-case string-upcase! = (string-upcase text)
str.lower lower lower-case = (string-downcase text)
str.strip strip trim string-strip = (string-trim text)
str.replace string-replace-all replace-all = (string-replace text part replacement)
string-search string-search-forward string-find str.find = (string-contains text part)
index-of indexof .indexOf = (list-index (lambda (y) (equal? x y)) list) or (string-contains text
  part)
starts-with starts-with? startswith string-starts-with? = (string-prefix? prefix text)
ends-with ends-with? endswith string-ends-with? = (string-suffix? suffix text)
parse-int parse-integer parse-number int parse-float float = (string->number text), or (exact x)
  and (inexact x) for numbers
exact->float integer->float real->double-flonum = (exact->inexact x)
regex regexp-match regex-match re-find re.match re.search string-match irregex-search
  regexp-exec = (regexp-search (pregexp "...") text), a match or #f
re.fullmatch re-matches pregexp-match irregex-match = (regexp-matches (pregexp "...") text)
re.findall re.finditer regexp-match* re-seq = (regexp-extract (pregexp "...") text)
re.sub regexp-replace* irregex-replace/all regexp-substitute/global
  = (regexp-replace-all (pregexp "...") text replacement)
re.split = (regexp-split (pregexp "...") text)
re.compile make-regexp irregex string->regexp string->irregex byte-regexp
  = (pregexp "..."), or (regexp sre)
re.escape regexp-quote irregex-quote = (pregexp-quote text)
match:start match:end = (regexp-match-submatch-start match 0)
match:substring irregex-match-substring = (regexp-match-submatch match 0)
titlecase string-capitalize capitalize str.title title-case capitalize-words
  = (string-titlecase text)
printf-table format-table tabulate pp-table pretty-table display-table
  = (print-table rows :header names)
encode str.encode string->bytes string->bytes/utf-8 string->bytes/latin-1 string-encode
  = (string->bytevector text 'utf-8)
decode bytes.decode bytes->string bytes->string/utf-8 bytes->string/latin-1 string-decode
  = (bytevector->string bytes 'utf-8)
base64-encode b64encode base64.b64encode base64-encode-bytevector base64-encode-string
  = (bytevector->base64 bytes)
base64-decode b64decode base64.b64decode base64-decode-string = (base64->bytevector text)
bytevector->hex bytes->hex-string hexlify binascii.hexlify bytevector->base16-string hex-encode
  = (bytevector->hex-string bytes)
hex->bytevector hex-string->bytes unhexlify bytes.fromhex base16-string->bytevector hex-decode
  = (hex-string->bytevector text)
sha256-bytes sha256-sum sha256sum hashlib.sha256 sha-256
  = (sha256 data), or (file-digest 'sha256 path)
md5-bytes md5sum hashlib.md5 = (md5 data), or (file-digest 'md5 path)
sha1-bytes sha1sum hashlib.sha1 sha-1 = (sha1 data), or (file-digest 'sha1 path)
sha512sum hashlib.sha512 sha-512 = (sha512 data), or (file-digest 'sha512 path)
zlib.crc32 crc-32 = (crc32 data)
uuid uuid4 make-uuid uuid.uuid4 generate-uuid uuid-generate random-uuid = (uuid-v4)
toml->data parse-toml toml.load tomllib.load load-toml toml-read = (read-toml path)
tomllib.loads toml.loads toml->scm = (string->toml text)
read-jsonl jsonl-read read-ndjson load-jsonl = (read-json-lines path)
write-jsonl write-ndjson jsonl-write = (write-json-lines values path)
gzip.open open-gzip-file call-with-gzip-file with-gzip-input-from-file gunzip
  with-input-from-gzip-file open-input-gz-file = (call-with-gzip-input-file path f)
gzip gzip-file open-output-gz-file = (call-with-gzip-output-file path f)
loader->list batches->generator = (loader->generator loader)
generate-stream stream-generate generate-tokens = (generate->generator model tokenizer prompt)
port->char-generator file->generator file->line-generator port->line-generator
  = (port->generator port read-char), or read-line, read, read-u8
mod rem % = (modulo a b) or (remainder a b)
div // quot = (quotient a b)
pow ** = (expt a b)
ash lsh shift-left shift-right << >> arithmetic-shift-left = (arithmetic-shift n count)
bitwise-or logior bit-or = (bitwise-ior a b)
logand bit-and = (bitwise-and a b)
logxor bit-xor = (bitwise-xor a b)
lognot bit-not = (bitwise-not n)
random-integer random-real rand rand-int randint random.random random.randint = (random n)
void = (if #f #f) returns a value that prints as nothing
input raw_input readline gets = (read-line)
open fopen = (open-input-file path) or (open-output-file path)
with-open-file with-open = (call-with-input-file path f)
slurp file->string read-file read-all file-contents file->text read-to-string read-file-to-string
  read-whole-file read-string-from-file get-file-contents file-get-contents load-text
  Path.read_text path.read_text = (read-text path), or (read-lines path)
file->lines file-lines readlines read-all-lines = (read-lines path)
spit write-file string->file write-text write-string-to-file display-to-file write-to-file
  file-put-contents = (call-with-output-file path (lambda (port) (write-string text port)))
directory-list ls dir listdir list-dir list-directory list-files readdir scandir
  directory-contents os.listdir os.scandir = (list-folder path)
os.walk walk find-files directory-tree file-system-tree in-directory = (walk-folder path)
glob.glob file-glob glob-files wildcard = (glob pattern)
mkdir make-directory make-dir create-dir make-directory* create-folder mkdirs
  makedirs os.mkdir os.makedirs = (make-folder path)
rmdir remove-directory delete-dir remove-folder rmtree shutil.rmtree delete-directory/files
  os.rmdir = (delete-folder path :recursive #t)
directory? directory-exists? dir? dir-exists? isdir is-dir? is-directory? file-directory?
  folder-exists? is-folder? os.path.isdir = (folder? path)
is-file? isfile regular-file? os.path.isfile = (file? path)
mv rename-file-or-directory os.rename os.replace shutil.move = (move-file from to)
cp shutil.copy shutil.copyfile copy-files file-copy = (copy-file from to)
cp-r copytree shutil.copytree copy-directory copy-directory/files = (copy-folder from to)
rm remove-file unlink os.remove os.unlink delete-file! = (delete-file path)
stat os.stat file-stat = (file-info path)
filesize file-length os.path.getsize getsize = (file-size path)
file-mtime file-modification-time file-or-directory-modify-seconds os.path.getmtime getmtime
  = (file-modified path)
chmod os.chmod file-mode-set! change-file-mode = (set-file-mode path #o644)
symlink os.symlink ln-s make-file-or-directory-link = (create-symlink old new)
readlink os.readlink resolve-path = (read-symlink path)
realpath os.path.realpath path.resolve canonicalize-path = (real-path path)
touch path.touch = (touch-file path)
build-path path-append os.path.join string-append-path join-path = (path-join folder name)
dirname path-dirname file-dirname directory-name os.path.dirname file-name-directory
  = (path-folder path)
basename path-basename file-basename os.path.basename file-name-nondirectory = (path-name path)
splitext file-extension file-name-extension path-get-extension os.path.splitext
  = (path-extension path)
cwd getcwd pwd os.getcwd = (current-folder)
cd chdir os.chdir = (set-current-folder! path), or (with-current-folder path thunk)
tempfile mktemp mkstemp make-temporary-file tempfile.NamedTemporaryFile
  = (call-with-temporary-file f)
mkdtemp make-temporary-directory tempfile.TemporaryDirectory = (call-with-temporary-folder f)
flock lock-file with-lock-file = (call-with-file-lock path thunk)
subprocess.run os.system run-command run-program run-process exec execute call-process system*
  subprocess process-run invoke = (run '("program" "argument"))
system shell-command popen os.popen process* = (shell "command")
subprocess.Popen spawn spawn-process make-process open-process create-process
  = (start-process '("program" "argument"))
waitpid wait-process process.wait subprocess-wait = (process-wait process)
kill kill-process process.kill os.kill subprocess-kill
  = (process-kill process), or (send-signal pid 'term)
sigaction signal.signal trap set-signal-handler! signal-handler on-signal atexit.register
  = (with-signal-handler 'term handler body ...)
setitimer signal.alarm ualarm = (alarm seconds)
sigwait pause-for-signal signal.pause = (wait-for-signal)
getpid os.getpid current-process-id process-pid = (pid)
argparse parse-args parse-arguments ArgumentParser getopt getopt-long command-line-parse
  parse-command-line-options define-options click docopt command-line-options option-parser
  = (define-command-line name (:option count :type 'integer) ...) and (run-command-line name)
putenv set-env os.putenv set-environment! unsetenv = (setenv name value)
current-milliseconds current-millis current-time-millis current-inexact-milliseconds
  = (* 1000 (current-second))
current-process-milliseconds current-process-time process-time runtime real-time
  = (/ (current-jiffy) (jiffies-per-second)) are seconds, also in (time form ...)
now date.now datetime.now current-time-string local-time get-decoded-time current-datetime
  date-now moment datetime localtime gmtime time-now = (current-date)
utcnow datetime.utcnow current-date/utc = (current-date 0)
today date.today current-day = (start-of-day (current-date))
strftime format-date date-format format-time time->string format-time-string date-to-string
  datetime-format date.strftime = (date->string date "~Y-~m-~d ~H:~M")
strptime parse-date parse-time date-parse string->time datetime.strptime parse-datetime
  = (string->date text "~Y-~m-~d ~H:~M")
isoformat datetime.isoformat date->iso iso-date date->rfc3339 date->rfc-3339 rfc3339
  = (date->iso8601 date)
fromisoformat datetime.fromisoformat iso->date parse-iso8601 rfc3339->date iso8601-string->date
  = (iso8601->date text)
timedelta date+ date-add date-plus plus-days = (add-days date n), (add-hours date n) ...
date- date-diff date-difference date-subtract days-from = (days-between from to)
make-datetime date->datetime datetime.datetime encode-universal-time mktime
  = (local-date year month day :hour 9 :zone "Europe/Berlin")
timestamp date->timestamp date->unix-time datetime.timestamp date->epoch date->posix
  = (date->seconds date)
fromtimestamp datetime.fromtimestamp unix-time->date timestamp->date epoch->date posix->date
  = (seconds->date seconds)
weekday day-of-week date-weekday = (date-week-day date), where Sunday is 0
day-of-year date-day-of-year = (date-year-day date)
isleap is-leap-year? calendar.isleap = (leap-year? year)
days-per-month month-length calendar.monthrange = (days-in-month year month)
timezone time-zone find-timezone get-timezone ZoneInfo zoneinfo.ZoneInfo tz = (zone "Europe/Berlin")
to-timezone astimezone datetime.astimezone adjust-timezone in-time-zone date-with-zone
  = (date-in-zone date "Europe/Berlin")
time.monotonic monotonic-clock current-monotonic-time = (current-time time-monotonic)
time.process_time process-cpu-time cpu-time = (current-time time-process)
time.sleep thread-sleep! wait pause delay-seconds nanosleep = (sleep seconds)
assert-equal check-equal? check= assertEqual is? check-expect = (assert (equal? a b))
throw raise-error raise-user-error signal = (error "message" x ...) or (raise x)
try try-catch catch handler-case condition-case with-handlers except ignore-errors call-with-handler
  = (guard (e (#t value)) body ...)
error? exn? exn:fail? condition? = (error-object? e)
error-message exn-message condition-message condition/report-string = (error-object-message e)
error-irritants condition-irritants = (error-object-irritants e)
unwind-protect finally try-finally = (dynamic-wind before body after)
values-list = (apply values list)
destructuring-bind = (match-let (((a b) list)) body ...)
multiple-value-bind receive-values define-values*
  = (let-values (((a b) form)) body ...)
multiple-value-list = (call-with-values f list)
comment = a ; leaves out the rest of a line, #; the next form
require use using use-modules ns load-file from include-file
  = (import "file.lisp") or (import (srfi 1))
provide export module = a file exports all that it defines: (import "file.lisp")
doc apropos help quit = only the REPL has these; `lambent doc NAME` in the shell
shape = (tensor-shape x)
item = (tensor-item x)
ref = (tensor-ref x i ...), (list-ref list k) or (vector-ref v k)
slice = (tensor-ref x (range start end)) or (substring text start end)
dtype = (tensor-dtype x)
float16 half bfloat16 float32 float64 double complex64 complex128 uint8 int8 int16 short int32 int64
  long = a quoted name, such as 'float32
with-no-grad without-grad = (no-grad body ...)
load-pt load-pth load-torch = (load-state-dict path)
cl-ppcre:scan cl-ppcre:scan-to-strings = (regexp-search (pregexp "...") text)
cl-ppcre:regex-replace-all = (regexp-replace-all (pregexp "...") text replacement)
opendir readdir-r = (list-folder path)
file-tree-walk ftw nftw = (walk-folder path)
absolute-path path->complete-path os.path.abspath = (path-absolute path)
home-directory user-homedir-pathname os.path.expanduser expand-user-path = (getenv "HOME")
temporary-file = (call-with-temporary-file f)
file->list file->value = (call-with-input-file path read)
open-pipe open-input-pipe open-output-pipe close-pipe open-process-ports = (start-process
  '("program" "argument")), whose ports are process-output and process-input
fork os.fork = (start-process '("program" "argument")): a process with threads cannot be divided
sh bash = (shell "command")
argv command-line-arguments program-arguments get-command-line-arguments = (cdr (command-line))
usleep msleep = (sleep seconds)
get-universal-time universal-time unix-time epoch = (current-second)
write-line = (print x), or (begin (write x) (newline))
pp pprint pretty-print = (print x)
f-string fstring ~a ~s ~r = (format "~a" x)
upcase char-upper = (string-upcase text)
downcase = (string-downcase text)
replace = (string-replace text part replacement)
contains = (string-contains text part), or (member x list)
string-repeat repeat-string str-repeat = (string-join (make-list n text) "")
string-builder StringBuilder string-buffer make-string-builder = (call-with-output-string (lambda
  (port) (write-string text port)))
string-empty? empty-string? blank? string-blank? = (string-null? text)
ord char-code = (char->integer char)
chr code-char = (integer->char n)
hash-set hash-put assoc-dict = (hash-set! table key value)
hash-table-get = (hash-table-ref table key)
hash-table-put! = (hash-table-set! table key value)
hash-count hash-size hash-table-count/size = (hash-table-size table)
assq-set! assv-set! alist-set! = (cons (cons key value) alist)
alist-ref = (assoc key alist), a pair or #f
dictionary-ref dict-ref dict-get = (hash-ref table key default)
set-member? set-add set-remove make-set mutable-set = (import (srfi 113)) has sets
items dict-items hash->list = (hash-table->alist table)
group-by groupby itertools.groupby = (hash-table-update!/default table (f x) (lambda (list) (cons x
  list)) '()) for each x
frequencies count-by Counter collections.Counter tally = (hash-table-update!/default counts x
  (lambda (n) (+ n 1)) 0) for each x
count-if = (count pred list)
run-result-output process-output = (run-output result)
run-result-error run-result-errors = (run-errors result)
run-result-status = (run-status result)
filter-not = (remove drop? list)
in-range = (iota (- end start) start)
iterate repeatedly = (let loop ((i 0)) (if (< i n) (loop (+ i 1))))
remq remv = (delete x list)
getf plist-get = (hash-ref table key default)
vec = (list->vector list)
list-head take-first = (take list n)
set-add! list-set-add! = (import (srfi 113)) has sets
hash-length table-size = (hash-size table)
list->hash = (alist->hash-table alist)
thunk = (lambda () body ...)
exact-round = (exact (round x))
exact-floor = (exact (floor x))
exact-ceiling = (exact (ceiling x))
exact-truncate = (exact (truncate x))
real->decimal-string = (format "~,2f" x)
eprintf = (display x (current-error-port))
hex hexadecimal = (number->string n 16)
bin binary = (number->string n 2)
divmod div-mod = (floor/ a b)
floor-div floordiv = (floor-quotient a b)
environ get-environ = (getenv "HOME")
choice sample-one = (list-ref list (random (length list)))
char-at char-of = (string-ref text k)
str-replace gsub = (string-replace text part replacement)
subs substr string-slice = (substring text start end)
string-head string-take = (substring text 0 n)
lines split-lines = (read-lines path), or (string-split text "\\n")
words split-words = (string-split text " ")
get-string-all port->string-all slurp-port = (read-string 1000000 port)
get-line = (read-line port)
char->digit = (digit-value c)
string->char-list explode = (string->list text)
string-upper str-upper to-upper uppercase = (string-upcase text)
pad-left lpad rjust str.rjust = (string-pad-left text n)
pad-right rpad ljust str.ljust = (string-pad-right text n)
raise-argument-error = (error "message" x ...)
current-command-line-arguments = (cdr (command-line))
interleave = (append-map list a b)
interpose intersperse = (cdr (append-map (lambda (x) (list separator x)) list))
sum = (apply + list) or (fold + 0 list); of a tensor (tensor-sum x)
product prod = (apply * list) or (fold * 1 list); of a tensor (tensor-prod x)
avg average mean = (/ (apply + list) (length list)); of a tensor (tensor-mean x)
case-match = (match x ((a b) body ...) (_ body ...))
let-match match-bind = (match-let (((a b) x)) body ...)
do-times = (dotimes (i n) body ...)
let/ec let/cc escape call/ec = (call/cc procedure)
json-parse json-read parse-json json->scm string->jsexpr jsexpr JSON.parse = (string->json text)
json-generate json-write scm->json jsexpr->string JSON.stringify to-json = (json->string value)
csv.reader csv.DictReader csv->list parse-csv load-csv = (read-csv path)
csv.writer save-csv csv-write list->csv = (write-csv path rows)
yaml-load yaml.load yaml.safe_load read-yaml = (read-json path) or (read-toml path)
toml-parse = (read-toml path)
random-choice random-element random-ref = (list-ref list (random (length list)))
make-struct-type record-type-descriptor make-record-type = (define-record-type point (make-point x
  y) point? (x point-x))
define-class new defmethod define-generic define-method class*
  = define-record-type and closures; a record type may extend another
lazy-seq lazy-cat = (delay-force expression), or streams: (import (srfi 41))
thread make-thread thread-start! mutex make-mutex channel make-channel future pmap go async await
  = (start-process '("program")): a program runs in one thread, LibTorch in several
deref = (force promise)
swap! = (set! name (f name))
socket make-socket tcp-connect http-get requests.get urllib urlopen open-url curl wget fetch
  = (run '("curl" "-sS" "https://...")): there are no sockets yet
macroexpand macroexpand-1 expand = `lambent show expand FILE` in the shell
benchmark timeit bench = (time form ...)
debug breakpoint pdb.set_trace = (print x); `lambent FILE` shows where an error was
assertion-violation = (error "message" x ...)
deftest define-test test-case unittest check-true
  = (import (srfi 64)), whose tests `lambent test` runs
np.array numpy.array np.asarray numpy.asarray = (tensor data)
np.float32 np.float64 np.int64 np.int32 np.uint8 np.bool_ = a quoted name, such as 'float32
np.dot numpy.dot np.matmul = (@ a b)
np.concatenate numpy.concatenate np.append = (tensor-cat (list a b) 0)
np.expand_dims = (tensor-unsqueeze x dim)
np.random.rand np.random.random = (tensor-rand 2 3)
np.random.randn np.random.normal = (tensor-randn 2 3)
np.random.randint = (tensor-randint 0 10 '(2 3))
np.random.seed = (manual-seed n)
np.random.permutation np.random.shuffle = (tensor-randperm n)
np.load np.save np.savez = (load-npy path) and (save-npy path x)
np.newaxis np.pi np.e np.inf np.nan np.ndarray = (tensor-unsqueeze x dim) for a new axis;
  (acos -1), (exp 1), +inf.0 and +nan.0 are numbers
np.mod = (tensor-remainder a b)
np.power = (tensor-pow a b)
np.ravel = (tensor-flatten x)
np.float np.int = Lisp's own numbers
pd.read_csv pandas.read_csv = (read-table path) for columns, (read-csv path) for rows
train_test_split = (split-dataset d '(0.8 0.2) :seed 0)
StandardScaler MinMaxScaler = (standardizer x) and (min-max-scaler x), then (scale s x)
KFold StratifiedKFold = (k-folds d 5)
ImageFolder = (folder-dataset path load-image)
Image.open = (load-image path)
json.loads json.load json.dumps json.dump = (read-json path) and (write-json value path)
os.path.exists = (file-exists? path)
os.environ os.getenv = (getenv "HOME")
sys.argv = (command-line)
sys.exit = (exit n)
time.time = (current-seconds)
"""


def foreign_advice(name: str) -> str | None:
    """What to write instead of a name of another language."""
    return foreign_table().get(name)


@cache
def foreign_table() -> dict[str, str]:
    """What to write, by foreign name, in the table's order."""
    return rows(_TABLE)
