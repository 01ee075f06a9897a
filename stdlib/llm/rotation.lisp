;; rotation.lisp - the rotary tables of a model, which grow with its contexts.
;;
;; Sines have the sign of the quarter turn: with halves (a, b) the rotated
;; features are x cos + (b, a) sin', which is three operators.

(define-record-type %rotation
  (%make-rotation size base settings context steps regime dtype device cos sin)
  %rotation?
  (size %rotation-size)                          ; features that are rotated
  (base %rotation-base)
  (settings %rotation-settings)
  (context %rotation-context)
  (steps %rotation-steps %set-rotation-steps!)   ; rows of the tables
  (regime %rotation-regime %set-rotation-regime!)
  (dtype %rotation-dtype %set-rotation-dtype!)
  (device %rotation-device %set-rotation-device!)
  (cos %rotation-cos %set-rotation-cos!)         ; [steps, 1, size]
  (sin %rotation-sin %set-rotation-sin!))

(define (decoder-rotation-of config)
  "The rotary positions of a model with these settings, for decoder."
  (let*-values (((heads kv-heads size) (%config-heads config))
                ((settings) (%config-rope config)))
    (%make-rotation
     (let ((part (config-ref settings "partial_rotary_factor" 1.0)))
       (exact (floor (* size part))))
     (%rope-number settings "rope_theta")
     settings (%config-context config) 0 #f #f #f #f #f)))

(define (%angles rotation start count positions dtype device)
  "Cosines and signed sines of the positions from start, [t, 1, size] each, or
  of positions [n, t]: [n, t, 1, size]."
  (%cover! rotation (+ start count) dtype device)
  (let ((part (lambda (table)
                (if positions
                    (tensor-unflatten
                     (tensor-index-select table 0 (tensor-flatten positions))
                     0 (tensor-shape positions))
                    (tensor-narrow table 0 start count)))))
    (cons (part (%rotation-cos rotation)) (part (%rotation-sin rotation)))))

(define (%cover! rotation steps dtype device)
  "Let the tables have that many steps.  They are ordinary tensors also in
  inference mode, because later calls may record gradients."
  (let ((regime (%rope-regime rotation steps)))
    (unless (and (<= steps (%rotation-steps rotation))
                 (equal? regime (%rotation-regime rotation))
                 (eq? dtype (%rotation-dtype rotation))
                 (equal? device (%rotation-device rotation)))
      (with-grad
        (%fill-tables! rotation steps regime dtype device)))))

(define (%rope-regime rotation steps)
  "What decides the frequencies besides the settings."
  (let ((type (%rope-type (%rotation-settings rotation)))
        (settings (%rotation-settings rotation))
        (context (%rotation-context rotation)))
    (cond ((equal? type "dynamic") (max steps context))
          ((equal? type "longrope")
           (> steps (%original-context settings context)))
          (else #f))))

(define (%fill-tables! rotation steps regime dtype device)
  (let ((size (%rotation-size rotation))
        (rows (%table-rows rotation steps)))
    (let*-values (((frequencies factor)
                   (%rope-frequencies size (%rotation-base rotation)
                                      (%rotation-settings rotation)
                                      (%rotation-context rotation) steps))
                  ((cos sin) (%rope-table frequencies factor rows #f)))
      (%set-rotation-cos! rotation (%table-for-model cos dtype device))
      (%set-rotation-sin! rotation
                          (%table-for-model (* sin (%half-signs size)) dtype
                                            device))
      (%set-rotation-steps! rotation rows)
      (%set-rotation-regime! rotation regime)
      (%set-rotation-dtype! rotation dtype)
      (%set-rotation-device! rotation device))))

(define (%table-rows rotation steps)
  "How many rows new tables get: more than needed, since a few are cheap."
  (max (* 2 steps) (min 1024 (%rotation-context rotation))))

(define (%half-signs size)
  (tensor-cat (list (tensor-full (list (quotient size 2)) -1.0)
                    (tensor-full (list (quotient size 2)) 1.0))))

(define (%table-for-model table dtype device)
  (tensor-to (tensor-to (tensor-unsqueeze table 1) dtype) device))

(define (%rotated x angles)
  "x [n, t, heads, d] rotated by the angles of a step."
  (let* ((cos (car angles)) (sin (cdr angles))
         (size (tensor-size cos -1)))
    (if (= size (tensor-size x -1))
        (%turned x cos sin size)
        (tensor-cat (list (%turned (tensor-narrow x -1 0 size) cos sin size)
                          (tensor-narrow x -1 size (- (tensor-size x -1) size)))
                    -1))))

(define (%turned x cos sin size)
  (tensor-addcmul (* x cos) (tensor-roll x (quotient size 2) -1) sin))
