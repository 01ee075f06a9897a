"""The default device of new tensors, and which devices are available."""

from lambent.lang.interp.builtins.autograd import checked
from lambent.lang.interp.builtins.tensors import label, library
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import FALSE, Boolean, Lisp, String, boolean


def default_device() -> String:
    lib, ffi = library()
    return String(ffi.string(lib.ct_default_device()).decode())


def set_default_device(device: Lisp) -> Lisp:
    return _set("set-default-device!", device)


def swap_default_device(device: Lisp) -> String:
    old = default_device()
    _set("with-device", device)
    return old


def _set(name: str, device: Lisp) -> Lisp:
    if device is FALSE:
        wrong_type(name, "a device", device)
    text = label(name, "a device", device)
    assert text is not None, device
    return checked(name, library()[0].ct_set_default_device(text.encode()))


def cuda_available() -> Boolean:
    return boolean(bool(library()[0].ct_cuda_available()))
