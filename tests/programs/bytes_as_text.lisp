; Encodings, digests, base64, hexadecimal digits, UUIDs.
(define (try thunk)
  (write (guard (e (#t (cons (string->symbol (error-object-message e)) (error-object-irritants e))))
           (thunk)))
  (newline))

; Encodings.
(try (lambda () (map (lambda (e) (string->bytevector "aé€" e)) '(utf-8 utf-8-sig utf-16 utf-16le utf-16be))))  ; => (#u8(97 195 169 226 130 172) #u8(239 187 191 97 195 169 226 130 172) #u8(255 254 97 0 233 0 172 32) #u8(97 0 233 0 172 32) #u8(0 97 0 233 32 172))
(try (lambda () (map (lambda (e) (string->bytevector "é" e)) '(latin-1 windows-1252 utf-32 UTF-32BE iso-8859-15))))  ; => (#u8(233) #u8(233) #u8(255 254 0 0 233 0 0 0) #u8(0 0 0 233) #u8(233))
(try (lambda () (map (lambda (e) (string->bytevector "日" e)) '(shift_jis euc-jp gb18030 big5 "utf-16-le"))))  ; => (#u8(147 250) #u8(198 252) #u8(200 213) #u8(164 233) #u8(229 101))
(try (lambda () (string->bytevector "日" 'iso-2022-jp)))  ; => #u8(27 36 66 70 124 27 40 66)
(try (lambda () (bytevector->string #u8(228 97) 'latin-1)))  ; => "äa"
(try (lambda () (bytevector->string #u8(128 129) 'windows-1252)))  ; => "€"
(try (lambda () (bytevector->string #u8(193 210) 'koi8-r)))  ; => "ар"
(try (lambda () (bytevector->string #u8(147 250 150 123) 'shift_jis)))  ; => "日本"
(try (lambda () (bytevector->string #u8(254 255 0 97) 'utf-16)))  ; => "a"
(try (lambda () (bytevector->string #u8(97 0) 'utf-16)))  ; => "a"
(try (lambda () (bytevector->string #u8(239 187 191 97) 'utf-8-sig)))  ; => "a"
(try (lambda () (bytevector->string #u8(97 0 98) 'utf-8)))  ; => "a\x0;b"
(try (lambda () (map (lambda (e) (bytevector->string #u8() e)) '(utf-8 utf-16 koi8-r))))  ; => ("" "" "")
(try (lambda () (bytevector->string #u8(97 255) 'utf-8)))  ; => (|bytevector->string: the byte at index 1 is not utf-8 text:| 255)
(try (lambda () (bytevector->string #u8(97 226 130) 'utf-8)))  ; => (|bytevector->string: the byte at index 1 is not utf-8 text:| 226)
(try (lambda () (bytevector->string #u8(97 255 226 130 98) 'utf-8 :invalid 'replace)))  ; => "a��b"
(try (lambda () (bytevector->string #u8(97 0 0 216 98 0 1) 'utf-16le :invalid 'replace)))  ; => "a�b�"
(try (lambda () (bytevector->string #u8(97 0 0 216 98 0) 'utf-16le)))  ; => (|bytevector->string: the byte at index 2 is not utf-16le text:| 0)
(try (lambda () (bytevector->string #u8(97 0 0) 'utf-16le)))  ; => (|bytevector->string: the byte at index 2 is not utf-16le text:| 0)
(try (lambda () (bytevector->string #u8(0 0 0 97 0 17 0 0) 'utf-32be)))  ; => (|bytevector->string: the byte at index 4 is not utf-32be text:| 0)
(try (lambda () (bytevector->string #u8(147 250 150) 'shift_jis)))  ; => (|bytevector->string: the byte at index 2 is not shift_jis text:| 150)
(try (lambda () (bytevector->string #u8(147 250 150) 'shift_jis :invalid 'replace)))  ; => "日�"
(try (lambda () (string->bytevector "aé" 'ascii)))  ; => (|string->bytevector: ascii does not have the character at index 1:| #\é)
(try (lambda () (string->bytevector "é日a" 'latin-1)))  ; => (|string->bytevector: latin-1 does not have the character at index 1:| #\日)
(try (lambda () (string->bytevector "é日a" 'latin-1 :invalid 'replace)))  ; => #u8(233 63 97)
(try (lambda () (string->bytevector "日aя" 'koi8-r :invalid 'replace)))  ; => #u8(63 97 209)
(try (lambda () (string->bytevector "a" 'no-such)))  ; => (|string->bytevector: expected an encoding such as utf-8, utf-16 or latin-1, got no-such|)
(try (lambda () (bytevector->string #u8() "../../etc")))  ; => (|bytevector->string: expected an encoding such as utf-8, utf-16 or latin-1, got "../../etc"|)
(try (lambda () (bytevector->string #u8(97) 5)))  ; => (|bytevector->string: expected an encoding such as utf-8, utf-16 or latin-1, got 5|)
(try (lambda () (bytevector->string "a" 'utf-8)))  ; => (|bytevector->string: expected a bytevector, got "a"|)
(try (lambda () (string->bytevector #u8() 'utf-8)))  ; => (|string->bytevector: expected a string, got #u8()|)
(try (lambda () (string->bytevector "" 'utf-8 :invalid 'skip)))  ; => (|string->bytevector: expected replace or error for :invalid, got skip|)
(try (lambda () (bytevector-length (string->bytevector (make-string 100000 #\я) 'koi8-r))))  ; => 100000
(try (lambda () (string-length (bytevector->string (make-bytevector 100000 193) 'koi8-r))))  ; => 100000

; Files in them.
(define path "/tmp/lambent-bytes-as-text")
(define (write-text text encoding . invalid)
  (call-with-output-file path (lambda (port) (write-string text port)) :encoding encoding))
(define (bytes-of-file)
  (call-with-port (open-binary-input-file path) (lambda (port) (read-bytevector 100 port))))
(write-text "ПЯ\nя" 'koi8-r)
(try (lambda () (list (bytes-of-file) (read-lines path :encoding 'koi8-r))))  ; => (#u8(240 241 10 209) ("ПЯ" "я"))
(write-text "日本\n語" 'euc-jp)
(try (lambda () (list (bytes-of-file) (read-lines path :encoding 'euc-jp))))  ; => (#u8(198 252 203 220 10 184 236) ("日本" "語"))
(write-text "a€" 'utf-32le)
(try (lambda () (list (bytes-of-file) (read-text path :encoding 'utf-32le))))  ; => (#u8(97 0 0 0 172 32 0 0) "a€")
(try (lambda () (write-text "a€" 'ascii)))  ; => (|write: "/tmp/lambent-bytes-as-text" cannot hold €: its encoding is ascii|)
(call-with-output-file path (lambda (port) (write-string "a€b" port)) :encoding 'ascii :invalid 'replace)
(try (lambda () (read-text path)))  ; => "a?b"
(call-with-port (open-binary-output-file path) (lambda (port) (write-bytevector #u8(97 255 98 193 164) port)))
(try (lambda () (read-text path :encoding 'euc-jp)))  ; => "a�b舛"
(try (lambda () (read-text path :encoding 'ascii)))  ; => "a�b��"
(call-with-output-file path
  (lambda (port) (let loop ((k 0)) (when (< k 50000) (write-string "日a" port) (loop (+ k 1)))))
  :encoding 'shift_jis)
(try (lambda () (let ((text (read-text path :encoding 'shift_jis))) (list (string-length text) (substring text 99996 100000)))))  ; => (100000 "日a日a")
(delete-file path)

; Digests.
(try (lambda () (list (md5 "") (sha1 "abc") (sha256 "abc"))))  ; => ("d41d8cd98f00b204e9800998ecf8427e" "a9993e364706816aba3e25717850c26c9cd0d89d" "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
(try (lambda () (sha512 "abc")))  ; => "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
(try (lambda () (list (crc32 "123456789") (adler32 "Wikipedia") (crc32 "") (adler32 ""))))  ; => (3421780262 300286872 0 1)
(try (lambda () (digest 'crc32 #u8(1 2 3))))  ; => #u8(85 188 128 29)
(try (lambda () (map (lambda (n) (crc32 (sha512 (make-string n #\x)))) '(0 55 56 63 64 111 112 127 128 1000))))  ; => (1056781112 957056089 3104695867 1548933764 2089289054 3725099810 1029476599 3895951812 4010720237 3241619195)
(try (lambda () (sha256 (open-input-bytevector (make-bytevector 200000 7)))))  ; => "8cfcba83dcfc81a193bb4e52fd3161efb513906f52cbbe2328fac5f1a79c2b6e"
(try (lambda () (equal? (sha256 (make-bytevector 200000 7)) (sha256 (open-input-bytevector (make-bytevector 200000 7))))))  ; => #t
(define (sum-of-sums algorithm)
  (crc32 (apply bytevector-append (map (lambda (n) (digest algorithm (make-bytevector n (remainder (* 7 n) 256)))) (iota 300)))))
(try (lambda () (map sum-of-sums '(crc32 adler32 md5 sha1 sha256 sha512))))  ; => (4042548016 204877566 3891617183 1727266266 3020386722 3210272214)
(try (lambda () (sha256 'abc)))  ; => (|sha256: expected a bytevector, a string or a binary input port, got abc|)
(try (lambda () (sha1 (open-input-string "a"))))  ; => (|sha1: expected a bytevector, a string or a binary input port, got #<port>|)
(try (lambda () (digest 'sha3 "")))  ; => (|digest: expected md5, sha1, sha256, sha512, crc32 or adler32, got sha3|)
(try (lambda () (digest "md5" "")))  ; => (|digest: expected md5, sha1, sha256, sha512, crc32 or adler32, got "md5"|)
(try (lambda () (file-digest 'md5 "/no/such/file")))  ; => (|open-binary-input-file: cannot open "/no/such/file": No such file or directory|)

; Base64 and hexadecimal digits: SRFI 207's names.
(try (lambda () (map (lambda (n) (bytevector->base64 (make-bytevector n 251))) '(0 1 2 3 4))))  ; => ("" "+w==" "+/s=" "+/v7" "+/v7+w==")
(try (lambda () (bytevector->base64 #u8(255 254 253) "-_")))  ; => "__79"
(try (lambda () (map base64->bytevector '("" "+w==" "+/s=" "+/v7" "+w" " +\n/s\t= "))))  ; => (#u8() #u8(251) #u8(251 251) #u8(251 251 251) #u8(251) #u8(251 251))
(try (lambda () (base64->bytevector "_-8" "-_")))  ; => #u8(255 239)
(try (lambda () (base64->bytevector "ab*d")))  ; => (|base64->bytevector: the character at index 2 is not a digit of base64:| #\*)
(try (lambda () (base64->bytevector "abc")))  ; => #u8(105 183)
(try (lambda () (base64->bytevector "a")))  ; => (|base64->bytevector: 1 digits and 0 signs = are not whole bytes|)
(try (lambda () (base64->bytevector "ab=")))  ; => (|base64->bytevector: 2 digits and 1 signs = are not whole bytes|)
(try (lambda () (base64->bytevector "abc==")))  ; => (|base64->bytevector: 3 digits and 2 signs = are not whole bytes|)
(try (lambda () (base64->bytevector "abcd=")))  ; => (|base64->bytevector: 4 digits and 1 signs = are not whole bytes|)
(try (lambda () (base64->bytevector "ab==cd")))  ; => (|base64->bytevector: the character at index 4 is after the end:| #\c)
(try (lambda () (base64->bytevector "aбcd")))  ; => (|base64->bytevector: the character at index 1 is not a digit of base64:| #\б)
(try (lambda () (bytevector->base64 "a")))  ; => (|bytevector->base64: expected a bytevector, got "a"|)
(try (lambda () (bytevector->base64 #u8() "ab c")))  ; => (|bytevector->base64: expected two ASCII characters for the last digits, got "ab c"|)
(try (lambda () (bytevector->hex-string #u8(0 1 171 255))))  ; => "0001abff"
(try (lambda () (hex-string->bytevector "0001abFF")))  ; => #u8(0 1 171 255)
(try (lambda () (hex-string->bytevector "abc")))  ; => (|hex-string->bytevector: expected two digits for each byte, got 3 digits|)
(try (lambda () (hex-string->bytevector "abxy")))  ; => (|hex-string->bytevector: the character at index 2 is not a hexadecimal digit:| #\x)
(try (lambda () (let ((bytes (base64->bytevector (bytevector->base64 (make-bytevector 100000 9))))) (list (bytevector-length bytes) (bytevector-u8-ref bytes 99999)))))  ; => (100000 9)

; UUIDs.
(try (lambda () (list (uuid-v5 'dns "python.org") (uuid-v5 'url "") (uuid-v5 (uuid-v5 'dns "a") "b"))))  ; => ("886313e1-3b8a-5372-9b90-0c9aee199e5d" "1b4db7eb-4057-5ddf-91e0-36dec72071f5" "7b89eb3e-aca4-5e91-91cb-140511db016d")
(try (lambda () (map uuid-version (list (uuid-v4) (uuid-v5 'oid "é") (uuid-v7)))))  ; => (4 5 7)
(try (lambda () (string=? (uuid-v4) (uuid-v4))))  ; => #f
(try (lambda () (let* ((a (uuid-v7)) (b (begin (sleep 0.002) (uuid-v7)))) (string<? a b))))  ; => #t
(try (lambda () (map uuid? '("886313e1-3b8a-5372-9b90-0c9aee199e5d" "886313E1-3B8A-5372-9B90-0C9AEE199E5D" "886313e13b8a53729b900c9aee199e5d" "886313e1-3b8a-5372-9b90-0c9aee199e5g" "" 5))))  ; => (#t #t #f #f #f #f)
(try (lambda () (uuid->bytevector "00010203-0405-0607-0809-0a0b0c0d0e0f")))  ; => #u8(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
(try (lambda () (bytevector->uuid (uuid->bytevector "00010203-0405-0607-0809-0A0B0C0D0E0F"))))  ; => "00010203-0405-0607-0809-0a0b0c0d0e0f"
(try (lambda () (bytevector->uuid #u8(1 2))))  ; => (|bytevector->uuid: expected a bytevector of 16 bytes, got #u8(1 2)|)
(try (lambda () (uuid-version "x")))  ; => (|uuid-version: expected a UUID, got "x"|)
(try (lambda () (uuid-v5 'web "a")))  ; => (|uuid-v5: expected dns, url, oid, x500 or a UUID, got web|)
(try (lambda () (uuid-v5 'dns 5)))  ; => (|uuid-v5: expected a string, got 5|)
