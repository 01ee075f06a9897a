;; resampling.lisp - layers that enlarge images, or move elements between
;; channels and pixels.

(define-module (upsample :size #f :scale-factor #f :mode "nearest"
                         :align-corners #f :recompute-scale-factor #f)
  "The layer that makes the dimensions after the channels larger or smaller,
  to size, or by scale-factor: a number or a list of one for each.  x [n, c,
  ...] -> [n, c, ...].

  mode is \"nearest\", \"nearest-exact\", \"linear\", \"bilinear\", \"bicubic\",
  \"trilinear\" or \"area\"; align-corners keeps the corners of linear and
  cubic ones where they are.  (tensor-interpolate x size) applies it to a
  tensor."
  ((size (if (or size scale-factor)
             size
             (error "upsample: expected :size or :scale-factor")))
   (scale-factor scale-factor)
   (mode (%choice "upsample" "mode" mode
                  '("nearest" "nearest-exact" "linear" "bilinear" "bicubic"
                    "trilinear" "area")))
   (align-corners align-corners)
   (recompute-scale-factor recompute-scale-factor))
  (forward (x)
    (if align-corners
        (tensor-interpolate x :size size :scale-factor scale-factor :mode mode
                            :align-corners #t
                            :recompute-scale-factor recompute-scale-factor)
        (tensor-interpolate x :size size :scale-factor scale-factor :mode mode
                            :recompute-scale-factor
                            recompute-scale-factor))))

(define (upsampling-nearest2d :size #f :scale-factor #f)
  "The layer that enlarges images by copying pixels.  x [n, c, h, w] -> [n, c,
  h', w'].  (tensor-interpolate x size) applies it to a tensor."
  (upsample :size size :scale-factor scale-factor))

(define (upsampling-bilinear2d :size #f :scale-factor #f)
  "The layer that enlarges images by interpolation between pixels, and keeps
  the corners.  x [n, c, h, w] -> [n, c, h', w'].  (tensor-interpolate x size
  :mode \"bilinear\" :align-corners #t) applies it to a tensor."
  (upsample :size size :scale-factor scale-factor :mode "bilinear"
            :align-corners #t))

(define-module (pixel-shuffle upscale-factor)
  "The layer that makes images larger by their channels (Shi et al. 2016).  x
  [n, c r^2, h, w] -> [n, c, h r, w r], where r = upscale-factor.
  (tensor-pixel-shuffle x upscale-factor) applies it to a tensor."
  ((upscale-factor (%positive "pixel-shuffle" "upscale-factor"
                              upscale-factor)))
  (forward (x) (tensor-pixel-shuffle x upscale-factor)))

(define-module (pixel-unshuffle downscale-factor)
  "The layer that makes channels of neighbouring pixels.  x [n, c, h r, w r] ->
  [n, c r^2, h, w], where r = downscale-factor.  (tensor-pixel-unshuffle x
  downscale-factor) applies it to a tensor."
  ((downscale-factor (%positive "pixel-unshuffle" "downscale-factor"
                                downscale-factor)))
  (forward (x) (tensor-pixel-unshuffle x downscale-factor)))

(define-module (channel-shuffle groups)
  "The layer that mixes the channels of the groups (Zhang et al. 2017).  x [n,
  c, h, w] -> the same shape; groups divides c.  (tensor-channel-shuffle x
  groups) applies it to a tensor."
  ((groups (%positive "channel-shuffle" "groups" groups)))
  (forward (x) (tensor-channel-shuffle x groups)))
