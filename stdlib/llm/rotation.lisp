;; rotation.lisp - the rotary tables of a model, which grow with its contexts.
;;
;; tensor-rotary and tensor-rotary-write! rotate by them, in float32 whatever
;; the dtype of the model; a table has a column for each pair of features.

(define-record-type %rotation
  (%make-rotation size base settings context interleaved steps regime device
                  cos sin own)
  %rotation?
  (size %rotation-size)                          ; features that are rotated
  (base %rotation-base)
  (settings %rotation-settings)
  (context %rotation-context)
  (interleaved %rotation-interleaved)            ; whether pairs are neighbours
  (steps %rotation-steps %set-rotation-steps!)   ; rows of the tables
  (regime %rotation-regime %set-rotation-regime!)
  (device %rotation-device %set-rotation-device!)
  (cos %rotation-cos %set-rotation-cos!)         ; [steps, size / 2]
  (sin %rotation-sin %set-rotation-sin!)
  (own %rotation-own %set-rotation-own!))        ; of %own-angles, or #f

(define (decoder-rotation-of config :type "full_attention" :interleaved #f)
  "The rotary positions of a model with these settings, for decoder.  type: of
  the layers, where settings have a table for each type.  interleaved: pairs of
  features are neighbours, not halves."
  (let*-values (((heads kv-heads size) (%config-heads config))
                ((settings) (%config-rope config type)))
    (let ((rotated (exact (floor (* size (%rotated-part settings)))))
          (base (%rope-number settings "rope_theta"))
          (context (%config-context config)))
      (unless (and (even? rotated) (> rotated 0))
        (%settings-error
         (format "expected an even number of rotated features in heads of ~a, \
got" size)
         rotated))
      (%check-frequencies rotated base settings context)
      (%make-rotation rotated base settings context interleaved 0 #f #f #f #f
                      #f))))

(define (%rotated-part settings)
  "The part of the features that is rotated."
  (let ((part (config-ref settings "partial_rotary_factor" 1.0)))
    (if (and (real? part) (< 0 part) (<= part 1))
        part
        (%bad-setting "partial_rotary_factor" "a number up to 1" part))))

(define (%check-frequencies dim base settings context)
  "Raise an error now for settings by which positions could not be computed
  later, within the learned context or beyond it."
  (for-each
   (lambda (steps)
     (let-values (((frequencies factor)
                   (%rope-frequencies dim base settings context steps)))
       (unless (and (< -inf.0 factor +inf.0)
                    (tensor-item (tensor-all (tensor-isfinite frequencies))))
         (%rope-error (format "the scaling ~s with these numbers gives angles \
that are not finite" (%rope-type settings))))))
   (list 1 (+ 1 (max context (exact (ceiling (%original-context settings
                                                                context))))))))

(define (%angles rotation start count positions lengths device)
  "Cosines and sines of the positions from start, [t, pairs] each, or of
  positions [n, t]: [n, t, pairs].

  Some scalings depend on how long a text is.  lengths: of the text of each row,
  or #f if these tokens end them all.  A row has the angles that it would have
  alone: its first tokens those of their number, a later one those of the text
  that it ends, in whatever parts they are computed."
  (cond ((not (%rope-regime rotation 1 #t))
         (%common-angles rotation start count positions device))
        ((= count 1)
         (%own-angles rotation start 1 positions device))
        (positions
         (%stacked-angles
          (map (lambda (length row)
                 (%parted-angles rotation start count length
                                 (tensor-select positions 0 row) device))
               lengths (iota (length lengths)))))
        (else
         (%parted-angles rotation start count
                         (if lengths (car lengths) (+ start count))
                         #f device))))

(define (%stacked-angles rows)
  "The angles of rows as those of a batch."
  (cons (tensor-stack (map car rows) 0) (tensor-stack (map cdr rows) 0)))

(define (%parted-angles rotation start count length positions device)
  "The angles of one row: of tokens within the length, and of those beyond."
  (let ((within (- length start)))
    (cond (positions
           (%cover! rotation length device)
           (cons (tensor-index-select (%rotation-cos rotation) 0 positions)
                 (tensor-index-select (%rotation-sin rotation) 0 positions)))
          ((<= within 0) (%own-angles rotation start count #f device))
          ((<= count within)
           (%cover! rotation length device)
           (cons (tensor-narrow (%rotation-cos rotation) 0 start count)
                 (tensor-narrow (%rotation-sin rotation) 0 start count)))
          (else
           (let ((first (%parted-angles rotation start within length #f
                                        device))
                 (rest (%own-angles rotation length (- count within) #f
                                    device)))
             (cons (tensor-cat (list (car first) (car rest)) 0)
                   (tensor-cat (list (cdr first) (cdr rest)) 0)))))))

(define (%common-angles rotation start count positions device)
  "The angles of a scaling that is the same for all texts."
  (%cover! rotation (+ start count) device)
  (let ((part (lambda (table)
                (if positions
                    (tensor-unflatten
                     (tensor-index-select table 0 (tensor-flatten positions))
                     0 (tensor-shape positions))
                    (tensor-narrow table 0 start count)))))
    (cons (part (%rotation-cos rotation)) (part (%rotation-sin rotation)))))

;; Tables of which each row is that of a text that ends there.

(define (%own-angles rotation start count positions device)
  "The angles of tokens each of which ends its text when it comes: of positions
  [n, 1], which are at most start, or of those from start."
  (let* ((tables (%own-tables rotation (+ start count) device))
         (part (lambda (table)
                 (if positions
                     (tensor-unflatten
                      (tensor-index-select table 0 (tensor-flatten positions))
                      0 (tensor-shape positions))
                     (tensor-narrow table 0 start count)))))
    (cons (part (car tables)) (part (cadr tables)))))

(define (%own-tables rotation steps device)
  "The tables, with that many rows at least."
  (let ((own (%rotation-own rotation)))
    (unless (and own (<= steps (tensor-size (car own) 0))
                 (equal? device (tensor-device (car own))))
      (with-grad
        (let-values (((cos sin)
                      (%new-own-tables
                       rotation
                       (max (* 2 steps)
                            (min 1024 (%rotation-context rotation))))))
          (%set-rotation-own! rotation (list (tensor-to cos device)
                                             (tensor-to sin device))))))
    (%rotation-own rotation)))

(define (%new-own-tables rotation rows)
  "Cosines and sines [rows, pairs]."
  (let ((settings (%rotation-settings rotation))
        (context (%rotation-context rotation)))
    (if (equal? (%rope-type settings) "dynamic")
        (%dynamic-tables (%rotation-size rotation) (%rotation-base rotation)
                         settings context rows)
        (let ((short (min rows (exact (floor (%original-context settings
                                                                context))))))
          (let*-values (((before at) (%table-for rotation 1 rows))
                        ((after past) (%table-for rotation (+ 1 rows short)
                                                  rows))
                        ((join) (lambda (first rest)
                                  (tensor-cat
                                   (list (tensor-narrow first 0 0 short)
                                         (tensor-narrow rest 0 short
                                                        (- rows short)))
                                   0))))
            (values (join before after) (join at past)))))))

(define (%table-for rotation steps rows)
  "Cosines and sines [rows, pairs] of texts with that many steps."
  (let*-values (((frequencies factor)
                 (%rope-frequencies (%rotation-size rotation)
                                    (%rotation-base rotation)
                                    (%rotation-settings rotation)
                                    (%rotation-context rotation) steps)))
    (%rope-table frequencies factor rows)))

(define (%dynamic-tables dim base settings context rows)
  "Cosines and sines [rows, pairs], each row with the base of its length."
  (let* ((bases (tensor (map (lambda (p)
                               (%dynamic-base dim base settings context
                                              (+ p 1)))
                             (iota rows))
                        :dtype 'float64))
         (powers (/ (tensor-arange 0 dim 2 :dtype 'float64) dim))
         (frequencies (/ 1.0 (tensor-pow (tensor-unsqueeze bases 1) powers)))
         (angles (* (tensor-unsqueeze (tensor-arange rows :dtype 'float64) 1)
                    frequencies)))
    (values (tensor-to (tensor-cos angles) 'float32)
            (tensor-to (tensor-sin angles) 'float32))))

;; What layers rotate by in a call.

(define-record-type %tables
  (%make-tables cos sin interleaved rotation)
  %tables?
  (cos %tables-cos)                              ; [t, pairs] or [n, t, pairs]
  (sin %tables-sin)
  (interleaved %tables-interleaved)              ; whether pairs are neighbours
  (rotation %tables-rotation))                   ; whose they are, or #f

(define (%tables-of rotation angles)
  "The cosines and sines of a rotation as its layers need them."
  (%make-tables (car angles) (cdr angles) (%rotation-interleaved rotation)
                rotation))

(define (%no-tables count device rotation)
  "Tables that rotate nothing, in place of those of a rotation or of none."
  (let ((table (tensor-zeros count 0 :device device)))
    (%make-tables table table #f rotation)))

(define (%rotated x tables)
  "Queries or keys [n, heads, t, d] after their rotation."
  (tensor-rotary x (%tables-cos tables) (%tables-sin tables)
                 (%tables-interleaved tables)))

(define (%cover! rotation steps device)
  "Let the tables have that many steps.  They are ordinary tensors also in
  inference mode, because later calls may record gradients."
  (let ((regime (%rope-regime rotation steps)))
    (unless (and (<= steps (%rotation-steps rotation))
                 (equal? regime (%rotation-regime rotation))
                 (equal? device (%rotation-device rotation)))
      (with-grad (%fill-tables! rotation steps regime device)))))

(define (%rope-regime rotation steps . any)
  "What decides the frequencies besides the settings; with any, whether there is
  something that does."
  (let* ((settings (%rotation-settings rotation))
         (context (%rotation-context rotation))
         (type (%rope-type settings)))
    (cond ((equal? type "dynamic") (max steps context))
          ((equal? type "longrope")
           (or (pair? any)
               (> steps (%original-context settings context))))
          (else #f))))

(define (%fill-tables! rotation steps regime device)
  "Compute the tables, with more rows than needed, since a few are cheap."
  (let ((rows (max (* 2 steps) (min 1024 (%rotation-context rotation)))))
    (let-values (((cos sin) (%table-for rotation steps rows)))
      (%set-rotation-cos! rotation (tensor-to cos device))
      (%set-rotation-sin! rotation (tensor-to sin device))
      (%set-rotation-steps! rotation rows)
      (%set-rotation-regime! rotation regime)
      (%set-rotation-device! rotation device))))
