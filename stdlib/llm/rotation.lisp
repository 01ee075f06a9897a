;; rotation.lisp - the rotary tables of a model, which grow with its contexts.
;;
;; tensor-rotary and tensor-rotary-write! rotate by them, in float32 whatever
;; the dtype of the model; a table has a column for each pair of features.

(define-record-type %rotation
  (%make-rotation size base settings context steps regime device cos sin)
  %rotation?
  (size %rotation-size)                          ; features that are rotated
  (base %rotation-base)
  (settings %rotation-settings)
  (context %rotation-context)
  (steps %rotation-steps %set-rotation-steps!)   ; rows of the tables
  (regime %rotation-regime %set-rotation-regime!)
  (device %rotation-device %set-rotation-device!)
  (cos %rotation-cos %set-rotation-cos!)         ; [steps, size / 2]
  (sin %rotation-sin %set-rotation-sin!))

(define (decoder-rotation-of config)
  "The rotary positions of a model with these settings, for decoder."
  (let*-values (((heads kv-heads size) (%config-heads config))
                ((settings) (%config-rope config)))
    (let ((rotated (exact (floor (* size (%rotated-part settings)))))
          (base (%rope-number settings "rope_theta"))
          (context (%config-context config)))
      (unless (and (even? rotated) (> rotated 0))
        (%settings-error
         (format "expected an even number of rotated features in heads of ~a, \
got" size)
         rotated))
      (%check-frequencies rotated base settings context)
      (%make-rotation rotated base settings context 0 #f #f #f #f))))

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

(define (%angles rotation start count positions device)
  "Cosines and sines of the positions from start, [t, pairs] each, or of
  positions [n, t]: [n, t, pairs]."
  (%cover! rotation (+ start count) device)
  (let ((part (lambda (table)
                (if positions
                    (tensor-unflatten
                     (tensor-index-select table 0 (tensor-flatten positions))
                     0 (tensor-shape positions))
                    (tensor-narrow table 0 start count)))))
    (cons (part (%rotation-cos rotation)) (part (%rotation-sin rotation)))))

(define (%no-angles count device)
  "Tables that rotate nothing."
  (let ((table (tensor-zeros count 0 :device device)))
    (cons table table)))

(define (%cover! rotation steps device)
  "Let the tables have that many steps.  They are ordinary tensors also in
  inference mode, because later calls may record gradients."
  (let ((regime (%rope-regime rotation steps)))
    (unless (and (<= steps (%rotation-steps rotation))
                 (equal? regime (%rotation-regime rotation))
                 (equal? device (%rotation-device rotation)))
      (with-grad (%fill-tables! rotation steps regime device)))))

(define (%rope-regime rotation steps)
  "What decides the frequencies besides the settings."
  (let* ((settings (%rotation-settings rotation))
         (context (%rotation-context rotation))
         (type (%rope-type settings)))
    (cond ((equal? type "dynamic") (max steps context))
          ((equal? type "longrope")
           (> steps (%original-context settings context)))
          (else #f))))

(define (%fill-tables! rotation steps regime device)
  "Compute the tables, with more rows than needed, since a few are cheap."
  (let ((rows (max (* 2 steps) (min 1024 (%rotation-context rotation)))))
    (let*-values (((frequencies factor)
                   (%rope-frequencies (%rotation-size rotation)
                                      (%rotation-base rotation)
                                      (%rotation-settings rotation)
                                      (%rotation-context rotation) steps))
                  ((cos sin) (%rope-table frequencies factor rows)))
      (%set-rotation-cos! rotation (tensor-to cos device))
      (%set-rotation-sin! rotation (tensor-to sin device))
      (%set-rotation-steps! rotation rows)
      (%set-rotation-regime! rotation regime)
      (%set-rotation-device! rotation device))))
