"""The names of the SRFIs that a program may import, and which of them Lambent lacks.

    (import (srfi 1))                     every name of SRFI 1
    (import (only (srfi 13) string-set!)) an error, which lists what Lambent lacks of SRFI 13

The names themselves are ambient, like those of the standard's libraries, but for OWN_FOLDERS.  Some
SRFIs define only syntax, and have no names.
"""

_NAMES: dict[int, str] = {
    0: "cond-expand",
    1: """
        alist-cons alist-copy alist-delete alist-delete! any append append! append-map
        append-map! append-reverse append-reverse! assoc assq assv break break! caaaar
        caaadr caaar caadar caaddr caadr caar cadaar cadadr cadar caddar cadddr caddr cadr
        car car+cdr cdaaar cdaadr cdaar cdadar cdaddr cdadr cdar cddaar cddadr cddar cdddar
        cddddr cdddr cddr cdr circular-list circular-list? concatenate concatenate! cons
        cons* count delete delete! delete-duplicates delete-duplicates! dotted-list? drop
        drop-right drop-right! drop-while eighth every fifth filter filter! filter-map find
        find-tail first fold fold-right for-each fourth iota last last-pair length length+
        list list-copy list-index list-ref list-tabulate list= lset-adjoin
        lset-diff+intersection lset-diff+intersection! lset-difference lset-difference!
        lset-intersection lset-intersection! lset-union lset-union! lset-xor lset-xor!
        lset<= lset= make-list map map! map-in-order member memq memv ninth not-pair?
        null-list? null? pair-fold pair-fold-right pair-for-each pair? partition partition!
        proper-list? reduce reduce-right remove remove! reverse reverse! second set-car!
        set-cdr! seventh sixth span span! split-at split-at! take take! take-right
        take-while take-while! tenth third unfold unfold-right unzip1 unzip2 unzip3 unzip4
        unzip5 xcons zip
    """,
    2: "and-let*",
    6: "get-output-string open-input-string open-output-string",
    8: "receive",
    9: "define-record-type",
    11: "let*-values let-values",
    13: """
        check-substring-spec kmp-step let-string-start+end list->string
        make-kmp-restart-vector make-string reverse-list->string string string->list
        string-any string-append string-append/shared string-ci< string-ci<= string-ci<>
        string-ci= string-ci> string-ci>= string-compare string-compare-ci
        string-concatenate string-concatenate-reverse string-concatenate-reverse/shared
        string-concatenate/shared string-contains string-contains-ci string-copy
        string-copy! string-count string-delete string-downcase string-downcase! string-drop
        string-drop-right string-every string-fill! string-filter string-fold
        string-fold-right string-for-each string-for-each-index string-hash string-hash-ci
        string-index string-index-right string-join string-kmp-partial-search string-length
        string-map string-map! string-null? string-pad string-pad-right
        string-parse-final-start+end string-parse-start+end string-prefix-ci?
        string-prefix-length string-prefix-length-ci string-prefix? string-ref
        string-replace string-reverse string-reverse! string-set! string-skip
        string-skip-right string-suffix-ci? string-suffix-length string-suffix-length-ci
        string-suffix? string-tabulate string-take string-take-right string-titlecase
        string-titlecase! string-tokenize string-trim string-trim-both string-trim-right
        string-unfold string-unfold-right string-upcase string-upcase! string-xcopy! string<
        string<= string<> string= string> string>= string? substring-spec-ok?
        substring/shared xsubstring
    """,
    14: """
        ->char-set char-set char-set->list char-set->string char-set-adjoin
        char-set-adjoin! char-set-any char-set-complement char-set-complement!
        char-set-contains? char-set-copy char-set-count char-set-cursor
        char-set-cursor-next char-set-delete char-set-delete! char-set-diff+intersection
        char-set-diff+intersection! char-set-difference char-set-difference! char-set-every
        char-set-filter char-set-filter! char-set-fold char-set-for-each char-set-hash
        char-set-intersection char-set-intersection! char-set-map char-set-ref
        char-set-size char-set-unfold char-set-unfold! char-set-union char-set-union!
        char-set-xor char-set-xor! char-set:ascii char-set:blank char-set:digit
        char-set:empty char-set:full char-set:graphic char-set:hex-digit
        char-set:iso-control char-set:letter char-set:letter+digit char-set:lower-case
        char-set:printing char-set:punctuation char-set:symbol char-set:title-case
        char-set:upper-case char-set:whitespace char-set<= char-set= char-set?
        end-of-char-set? list->char-set list->char-set! string->char-set string->char-set!
        ucs-range->char-set ucs-range->char-set!
    """,
    16: "case-lambda",
    19: """
        add-duration add-duration! copy-time current-date current-julian-day
        current-modified-julian-day current-time date->julian-day date->modified-julian-day
        date->string date->time-monotonic date->time-tai date->time-utc date-day date-hour
        date-minute date-month date-nanosecond date-second date-week-day date-week-number
        date-year date-year-day date-zone-offset date? julian-day->date
        julian-day->time-monotonic julian-day->time-tai julian-day->time-utc make-date
        make-time modified-julian-day->date modified-julian-day->time-monotonic
        modified-julian-day->time-tai modified-julian-day->time-utc set-time-nanosecond!
        set-time-second! set-time-type! string->date subtract-duration subtract-duration!
        time-difference time-difference! time-duration time-monotonic time-monotonic->date
        time-monotonic->julian-day time-monotonic->modified-julian-day
        time-monotonic->time-tai time-monotonic->time-tai! time-monotonic->time-utc
        time-monotonic->time-utc! time-nanosecond time-process time-resolution time-second
        time-tai time-tai->date time-tai->julian-day time-tai->modified-julian-day
        time-tai->time-monotonic time-tai->time-monotonic! time-tai->time-utc
        time-tai->time-utc! time-thread time-type time-utc time-utc->date
        time-utc->julian-day time-utc->modified-julian-day time-utc->time-monotonic
        time-utc->time-monotonic! time-utc->time-tai time-utc->time-tai! time<=? time<?
        time=? time>=? time>? time?
    """,
    23: "error",
    26: "cut cute",
    27: """
        default-random-source make-random-source random-integer random-real
        random-source-make-integers random-source-make-reals random-source-pseudo-randomize!
        random-source-randomize! random-source-state-ref random-source-state-set!
        random-source?
    """,
    28: "format",
    30: "",
    31: "rec",
    34: "guard raise with-exception-handler",
    37: """
        args-fold option option-names option-optional-arg? option-processor
        option-required-arg? option?
    """,
    39: "make-parameter parameterize",
    41: """
        define-stream list->stream port->stream stream stream->list stream-append stream-car
        stream-cdr stream-concat stream-cons stream-constant stream-drop stream-drop-while
        stream-filter stream-fold stream-for-each stream-from stream-iterate stream-lambda
        stream-length stream-let stream-map stream-match stream-null stream-null? stream-of
        stream-pair? stream-range stream-ref stream-reverse stream-scan stream-take
        stream-take-while stream-unfold stream-unfolds stream-zip stream?
    """,
    45: "delay eager force lazy",
    46: "syntax-rules",
    62: "",
    64: """
        test-apply test-approximate test-assert test-begin test-end test-eq test-equal
        test-eqv test-error test-expect-fail test-group test-group-with-cleanup
        test-match-all test-match-any test-match-name test-match-nth
        test-on-bad-count-simple test-on-bad-end-name-simple test-on-final-simple
        test-on-group-begin-simple test-on-group-end-simple test-on-test-begin-simple
        test-on-test-end-simple test-passed? test-read-eval-string test-result-alist
        test-result-clear test-result-kind test-result-ref test-result-remove
        test-result-set! test-runner-aux-value test-runner-aux-value! test-runner-create
        test-runner-current test-runner-factory test-runner-fail-count test-runner-get
        test-runner-group-path test-runner-group-stack test-runner-null
        test-runner-on-bad-count test-runner-on-bad-count! test-runner-on-bad-end-name
        test-runner-on-bad-end-name! test-runner-on-final test-runner-on-final!
        test-runner-on-group-begin test-runner-on-group-begin! test-runner-on-group-end
        test-runner-on-group-end! test-runner-on-test-begin test-runner-on-test-begin!
        test-runner-on-test-end test-runner-on-test-end! test-runner-pass-count
        test-runner-reset test-runner-simple test-runner-skip-count test-runner-test-name
        test-runner-xfail-count test-runner-xpass-count test-runner? test-skip
        test-with-runner
    """,
    69: """
        alist->hash-table hash hash-by-identity hash-table->alist hash-table-copy
        hash-table-delete! hash-table-equivalence-function hash-table-exists?
        hash-table-fold hash-table-hash-function hash-table-keys hash-table-merge!
        hash-table-ref hash-table-ref/default hash-table-set! hash-table-size
        hash-table-update! hash-table-update!/default hash-table-values hash-table-walk
        hash-table? make-hash-table string-ci-hash string-hash
    """,
    87: "=> case",
    98: "get-environment-variable get-environment-variables",
    111: "box box? make-box set-box! unbox",
    113: """
        alist->bag bag bag->alist bag->list bag->set bag-adjoin bag-adjoin! bag-any?
        bag-comparator bag-contains? bag-copy bag-count bag-decrement! bag-delete
        bag-delete! bag-delete-all bag-delete-all! bag-difference bag-difference!
        bag-disjoint? bag-element-comparator bag-element-count bag-empty? bag-every?
        bag-filter bag-filter! bag-find bag-fold bag-fold-unique bag-for-each
        bag-for-each-unique bag-increment! bag-intersection bag-intersection! bag-map
        bag-member bag-partition bag-partition! bag-product bag-product! bag-remove
        bag-remove! bag-replace bag-replace! bag-search! bag-size bag-sum bag-sum!
        bag-unfold bag-union bag-union! bag-unique-size bag-xor bag-xor! bag<=? bag<? bag=?
        bag>=? bag>? bag? list->bag list->bag! list->set list->set! set set->bag set->bag!
        set->list set-adjoin set-adjoin! set-any? set-comparator set-contains? set-copy
        set-count set-delete set-delete! set-delete-all set-delete-all! set-difference
        set-difference! set-disjoint? set-element-comparator set-empty? set-every?
        set-filter set-filter! set-find set-fold set-for-each set-intersection
        set-intersection! set-map set-member set-partition set-partition! set-remove
        set-remove! set-replace set-replace! set-search! set-size set-unfold set-union
        set-union! set-xor set-xor! set<=? set<? set=? set>=? set>? set?
    """,
    115: """
        char-set->sre regexp regexp->sre regexp-extract regexp-fold regexp-match->list
        regexp-match-count regexp-match-submatch regexp-match-submatch-end
        regexp-match-submatch-start regexp-match? regexp-matches regexp-matches?
        regexp-partition regexp-replace regexp-replace-all regexp-search regexp-split
        regexp? rx valid-sre?
    """,
    117: """
        list-queue list-queue-add-back! list-queue-add-front! list-queue-append
        list-queue-append! list-queue-back list-queue-concatenate list-queue-copy
        list-queue-empty? list-queue-first-last list-queue-for-each list-queue-front
        list-queue-list list-queue-map list-queue-map! list-queue-remove-all!
        list-queue-remove-back! list-queue-remove-front! list-queue-set-list!
        list-queue-unfold list-queue-unfold-right list-queue? make-list-queue
    """,
    125: """
        alist->hash-table hash hash-by-identity hash-table hash-table->alist
        hash-table-clear! hash-table-contains? hash-table-copy hash-table-count
        hash-table-delete! hash-table-difference! hash-table-empty-copy hash-table-empty?
        hash-table-entries hash-table-equivalence-function hash-table-exists?
        hash-table-find hash-table-fold hash-table-for-each hash-table-hash-function
        hash-table-intern! hash-table-intersection! hash-table-keys hash-table-map
        hash-table-map! hash-table-map->list hash-table-merge! hash-table-mutable?
        hash-table-pop! hash-table-prune! hash-table-ref hash-table-ref/default
        hash-table-set! hash-table-size hash-table-unfold hash-table-union!
        hash-table-update! hash-table-update!/default hash-table-values hash-table-walk
        hash-table-xor! hash-table=? hash-table? make-hash-table string-ci-hash string-hash
    """,
    128: """
        <=? <? =? >=? >? boolean-hash char-ci-hash char-hash comparator-check-type
        comparator-equality-predicate comparator-hash comparator-hash-function
        comparator-hashable? comparator-if<=> comparator-ordered?
        comparator-ordering-predicate comparator-register-default! comparator-test-type
        comparator-type-test-predicate comparator? default-hash hash-bound hash-salt
        make-comparator make-default-comparator make-eq-comparator make-equal-comparator
        make-eqv-comparator make-list-comparator make-pair-comparator
        make-vector-comparator number-hash string-ci-hash string-hash symbol-hash
    """,
    131: "define-record-type",
    132: """
        list-delete-neighbor-dups list-delete-neighbor-dups! list-merge list-merge!
        list-sort list-sort! list-sorted? list-stable-sort list-stable-sort!
        vector-delete-neighbor-dups vector-delete-neighbor-dups! vector-find-median
        vector-find-median! vector-merge vector-merge! vector-select! vector-separate!
        vector-sort vector-sort! vector-sorted? vector-stable-sort vector-stable-sort!
    """,
    133: """
        list->vector make-vector reverse-list->vector reverse-vector->list string->vector
        vector vector->list vector->string vector-any vector-append vector-append-subvectors
        vector-binary-search vector-concatenate vector-copy vector-copy! vector-count
        vector-cumulate vector-empty? vector-every vector-fill! vector-fold
        vector-fold-right vector-for-each vector-index vector-index-right vector-length
        vector-map vector-map! vector-partition vector-ref vector-reverse!
        vector-reverse-copy vector-reverse-copy! vector-set! vector-skip vector-skip-right
        vector-swap! vector-unfold vector-unfold! vector-unfold-right vector-unfold-right!
        vector= vector?
    """,
    141: """
        balanced-quotient balanced-remainder balanced/ ceiling-quotient ceiling-remainder
        ceiling/ euclidean-quotient euclidean-remainder euclidean/ floor-quotient
        floor-remainder floor/ round-quotient round-remainder round/ truncate-quotient
        truncate-remainder truncate/
    """,
    143: """
        fixnum? fx* fx*/carry fx+ fx+/carry fx- fx-/carry fx-greatest fx-least fx-width
        fx<=? fx<? fx=? fx>=? fx>? fxabs fxand fxarithmetic-shift fxarithmetic-shift-left
        fxarithmetic-shift-right fxbit-count fxbit-field fxbit-field-reverse
        fxbit-field-rotate fxbit-set? fxcopy-bit fxeven? fxfirst-set-bit fxif fxior fxlength
        fxmax fxmin fxneg fxnegative? fxnot fxodd? fxpositive? fxquotient fxremainder fxsqrt
        fxsquare fxxor fxzero?
    """,
    144: """
        fl* fl+ fl+* fl- fl-1/e fl-1/log-10 fl-1/log-2 fl-1/log-phi fl-1/pi fl-1/sqrt-2
        fl-2/pi fl-2/sqrt-pi fl-2pi fl-4thrt-2 fl-cbrt-2 fl-cbrt-3 fl-cos-1 fl-degree fl-e
        fl-e-2 fl-e-euler fl-e-pi/4 fl-epsilon fl-euler fl-fast-fl+* fl-gamma-1/2
        fl-gamma-1/3 fl-gamma-2/3 fl-greatest fl-integer-exponent-nan
        fl-integer-exponent-zero fl-least fl-log-10 fl-log-2 fl-log-3 fl-log-phi fl-log-pi
        fl-log10-e fl-log2-e fl-phi fl-pi fl-pi-squared fl-pi/2 fl-pi/4 fl-sin-1 fl-sqrt-10
        fl-sqrt-2 fl-sqrt-3 fl-sqrt-5 fl/ fl<=? fl<? fl=? fl>=? fl>? flabs flabsdiff flacos
        flacosh fladjacent flasin flasinh flatan flatanh flcbrt flceiling flcopysign flcos
        flcosh fldenominator fldenormalized? flerf flerfc fleven? flexp flexp-1 flexp2
        flexponent flexpt flfinite? flfirst-bessel flfloor flgamma flhypot flinfinite?
        flinteger-exponent flinteger-fraction flinteger? fllog fllog1+ fllog10 fllog2
        flloggamma flmax flmin flnan? flnegative? flnormalized-fraction-exponent
        flnormalized? flnumerator flodd? flonum flonum? flposdiff flpositive? flquotient
        flremainder flremquo flround flsecond-bessel flsgn flsign-bit flsin flsinh flsqrt
        flsquare fltan fltanh fltruncate flunordered? flzero? make-fllog-base make-flonum
    """,
    145: "assume",
    146: """
        alist->mapping alist->mapping! alist->mapping/ordered alist->mapping/ordered!
        make-mapping-comparator mapping mapping->alist mapping-adjoin mapping-adjoin!
        mapping-any? mapping-catenate mapping-catenate! mapping-comparator
        mapping-contains? mapping-copy mapping-count mapping-delete mapping-delete!
        mapping-delete-all mapping-delete-all! mapping-difference mapping-difference!
        mapping-disjoint? mapping-empty? mapping-entries mapping-every? mapping-filter
        mapping-filter! mapping-find mapping-fold mapping-fold/reverse mapping-for-each
        mapping-intern mapping-intern! mapping-intersection mapping-intersection!
        mapping-key-comparator mapping-key-predecessor mapping-key-successor mapping-keys
        mapping-map mapping-map->list mapping-map/monotone mapping-map/monotone!
        mapping-max-entry mapping-max-key mapping-max-value mapping-min-entry
        mapping-min-key mapping-min-value mapping-partition mapping-partition! mapping-pop
        mapping-pop! mapping-range< mapping-range<! mapping-range<= mapping-range<=!
        mapping-range= mapping-range=! mapping-range> mapping-range>! mapping-range>=
        mapping-range>=! mapping-ref mapping-ref/default mapping-remove mapping-remove!
        mapping-replace mapping-replace! mapping-search mapping-search! mapping-set
        mapping-set! mapping-size mapping-split mapping-split! mapping-unfold
        mapping-unfold/ordered mapping-union mapping-union! mapping-update mapping-update!
        mapping-update!/default mapping-update/default mapping-values mapping-xor
        mapping-xor! mapping/ordered mapping<=? mapping<? mapping=? mapping>=? mapping>?
        mapping?
    """,
    151: """
        any-bit-set? arithmetic-shift bit-count bit-field bit-field-any? bit-field-clear
        bit-field-every? bit-field-replace bit-field-replace-same bit-field-reverse
        bit-field-rotate bit-field-set bit-set? bit-swap bits bits->list bits->vector
        bitwise-and bitwise-andc1 bitwise-andc2 bitwise-eqv bitwise-fold bitwise-for-each
        bitwise-if bitwise-ior bitwise-nand bitwise-nor bitwise-not bitwise-orc1
        bitwise-orc2 bitwise-unfold bitwise-xor copy-bit every-bit-set? first-set-bit
        integer-length list->bits make-bitwise-generator vector->bits
    """,
    152: """
        list->string make-string read-string reverse-list->string string string->list
        string->vector string-any string-append string-break string-break-right string-ci<=?
        string-ci<? string-ci=? string-ci>=? string-ci>? string-concatenate
        string-concatenate-reverse string-contains string-contains-right string-copy
        string-copy! string-count string-drop string-drop-right string-drop-while
        string-drop-while-right string-every string-fill! string-filter string-fold
        string-fold-right string-for-each string-index string-index-right string-join
        string-length string-map string-null? string-pad string-pad-right string-prefix-length
        string-prefix? string-ref string-remove string-replace string-replicate string-segment
        string-set! string-skip string-skip-right string-span string-span-right string-split
        string-suffix-length string-suffix? string-tabulate string-take string-take-right
        string-take-while string-take-while-right string-trim string-trim-both
        string-trim-right string-unfold string-unfold-right string<=? string<? string=?
        string>=? string>? string? substring vector->string write-string
    """,
    158: """
        bytevector->generator bytevector-accumulator bytevector-accumulator!
        circular-generator count-accumulator gappend gcombine gcons* gdelete
        gdelete-neighbor-dups gdrop gdrop-while generator generator->list
        generator->reverse-list generator->string generator->vector generator->vector!
        generator-any generator-count generator-every generator-find generator-fold
        generator-for-each generator-map->list generator-unfold gfilter gflatten ggroup
        gindex gmap gmerge gremove gselect gstate-filter gtake gtake-while list->generator
        list-accumulator make-accumulator make-coroutine-generator make-for-each-generator
        make-iota-generator make-range-generator make-unfold-generator product-accumulator
        reverse-list-accumulator reverse-vector->generator reverse-vector-accumulator
        string->generator string-accumulator sum-accumulator vector->generator
        vector-accumulator vector-accumulator!
    """,
    170: """
        binary-input binary-input/output binary-output buffer-block buffer-line buffer-none
        call-with-temporary-filename close-directory create-directory create-fifo
        create-hard-link create-symlink create-temp-file current-directory
        delete-directory delete-environment-variable! directory-files fd->port file-info
        file-info-device? file-info-directory? file-info-fifo? file-info-regular?
        file-info-socket? file-info-symlink? file-info:atime file-info:blksize
        file-info:blocks file-info:ctime file-info:device file-info:gid file-info:inode
        file-info:mode file-info:mtime file-info:nlinks file-info:rdev file-info:size
        file-info:uid file-info? file-space group-info group-info:gid group-info:name
        group-info? group/unchanged make-directory-files-generator monotonic-time nice
        open-directory open-file open/append open/create open/exclusive open/nofollow
        open/truncate owner/unchanged pid posix-error-message posix-error-name posix-error?
        posix-time read-directory read-symlink real-path rename-file
        set-current-directory! set-environment-variable! set-file-mode set-file-owner
        set-file-times set-umask! temp-file-prefix terminal? textual-input textual-output
        time/now time/unchanged truncate-file umask user-effective-gid user-effective-uid
        user-gid user-info user-info:full-name user-info:gid user-info:home-dir
        user-info:name user-info:parsed-full-name user-info:shell user-info:uid user-info?
        user-supplementary-gids user-uid
    """,
    174: """
        inexact->timespec timespec timespec->inexact timespec-hash timespec-nanoseconds
        timespec-seconds timespec<? timespec=? timespec?
    """,
    204: "match match-lambda match-lambda* match-let match-let* match-letrec",
}

# The names of (srfi 146 hash).
_HASHMAPS = """
    alist->hashmap alist->hashmap! hashmap hashmap->alist hashmap-adjoin hashmap-adjoin!
    hashmap-any? hashmap-comparator hashmap-contains? hashmap-copy hashmap-count
    hashmap-delete hashmap-delete! hashmap-delete-all hashmap-delete-all!
    hashmap-difference hashmap-difference! hashmap-disjoint? hashmap-empty? hashmap-entries
    hashmap-every? hashmap-filter hashmap-filter! hashmap-find hashmap-fold
    hashmap-for-each hashmap-intern hashmap-intern! hashmap-intersection
    hashmap-intersection! hashmap-key-comparator hashmap-keys hashmap-map hashmap-map->list
    hashmap-partition hashmap-partition! hashmap-pop hashmap-pop! hashmap-ref
    hashmap-ref/default hashmap-remove hashmap-remove! hashmap-replace hashmap-replace!
    hashmap-search hashmap-search! hashmap-set hashmap-set! hashmap-size hashmap-unfold
    hashmap-union hashmap-union! hashmap-update hashmap-update! hashmap-update!/default
    hashmap-update/default hashmap-values hashmap-xor hashmap-xor! hashmap<=? hashmap<?
    hashmap=? hashmap>=? hashmap>? hashmap? make-hashmap-comparator
"""

# What Lambent lacks of an SRFI, and why.
_LACKING: dict[int, tuple[str, str]] = {
    13: (
        """
        string-copy! string-downcase! string-fill! string-map! string-reverse! string-set!
        string-titlecase! string-upcase! string-xcopy!
        """,
        "strings are immutable",
    ),
    152: ("string-copy! string-fill! string-set!", "strings are immutable"),
    158: ("make-coroutine-generator", "a continuation cannot be entered again"),
    170: (
        """
        binary-input binary-input/output binary-output buffer-block buffer-line buffer-none
        fd->port open-file open/append open/create open/exclusive open/nofollow
        open/truncate textual-input textual-output
        """,
        "ports have no descriptors: open-input-file and open-output-file open files",
    ),
}

# The SRFIs of which some names have no meaning or another one without the import, and the folders
# of stdlib/srfi/ that define them.
OWN_FOLDERS: dict[tuple[str | int, ...], str] = {
    **{
        ("srfi", number): f"srfi_{number}"
        for number in (13, 14, 27, 41, 64, 113, 117, 125, 128, 132, 141, 143, 144, 146, 151,
        158)
    },
    ("srfi", 146, "hash"): "srfi_146",
    ("srfi", 152): "srfi_13",  # what both have is the same
}

# What Lambent lacks of an SRFI that it implements partly.
LACKING: dict[tuple[str | int, ...], tuple[str, ...]] = {
    ("srfi", number): tuple(names.split()) for number, (names, _) in _LACKING.items()
}

SRFI_LIBRARIES: dict[tuple[str | int, ...], tuple[str, ...]] = {
    ("srfi", number): tuple(n for n in names.split() if n not in LACKING.get(("srfi", number), ()))
    for number, names in _NAMES.items()
}
SRFI_LIBRARIES["srfi", 146, "hash"] = tuple(_HASHMAPS.split())


def lacking_advice(name: str) -> str | None:
    """The hint for a name of an SRFI that Lambent lacks, or has only after its import."""
    for (_, number), names in LACKING.items():
        if name in names:
            return f"it belongs to (srfi {number}), and {_LACKING[int(number)][1]}"
    for library in OWN_FOLDERS:
        if name in SRFI_LIBRARIES[library]:
            return f"write (import ({' '.join(map(str, library))}))"
    return None


# The features for `cond-expand` and `(features)`: the SRFIs of which nothing is lacking.
SRFI_FEATURES = tuple(f"srfi-{number}" for number in _NAMES if number not in _LACKING)
