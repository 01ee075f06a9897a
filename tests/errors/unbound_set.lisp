; set! of a name that nothing defines.
(set! conuter 1)
