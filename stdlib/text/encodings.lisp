;; encodings.lisp - strings as bytes in other encodings than UTF-8.

(define (string->bytevector text encoding :invalid 'error)
  "The bytes of a string in an encoding: 'utf-8, 'utf-8-sig, 'utf-16, 'utf-16le,
  'utf-16be, 'utf-32, 'ascii, 'latin-1, 'windows-1252, or another that the C
  library has: 'shift_jis, 'gb18030, 'koi8-r, 'iso-8859-15 ...

  'utf-8-sig, 'utf-16 and 'utf-32 begin with a byte order mark.  A character
  that the encoding does not have is an error that names its index; with
  :invalid 'replace it becomes ?."
  (unless (string? text)
    (wrong-type "string->bytevector" "a string" text))
  (let* ((replaces? (%replaces-invalid? "string->bytevector" invalid))
         (bytes (%in-encoding "string->bytevector" 'encode text encoding
                              replaces?)))
    (if (bytevector? bytes)
        bytes
        (error (string "string->bytevector: " encoding " does not have the "
                       "character at index " bytes ":")
               (string-ref text bytes)))))

(define (bytevector->string bytes encoding :invalid 'error)
  "The string of bytes in an encoding, as string->bytevector takes it.

  Bytes that are not text in it are an error that names their index; with
  :invalid 'replace they become U+FFFD.  A byte order mark says the byte order
  of 'utf-16 and 'utf-32, and is not part of the text in these and in
  'utf-8-sig."
  (unless (bytevector? bytes)
    (wrong-type "bytevector->string" "a bytevector" bytes))
  (let* ((replaces? (%replaces-invalid? "bytevector->string" invalid))
         (text (%in-encoding "bytevector->string" 'decode bytes encoding
                             replaces?)))
    (if (string? text)
        text
        (error (string "bytevector->string: the byte at index " text
                       " is not " encoding " text:")
               (bytevector-u8-ref bytes text)))))

(define (%replaces-invalid? who invalid)
  "Whether what is invalid is replaced."
  (unless (memq invalid '(error replace #f))
    (wrong-type who "replace or error for :invalid" invalid))
  (eq? invalid 'replace))

(define (%in-encoding who call data encoding replaces?)
  "The converted data, or the index of what cannot be converted."
  (or (%bytes-call call data encoding replaces?)
      (wrong-type who "an encoding such as utf-8, utf-16 or latin-1"
                  encoding)))
