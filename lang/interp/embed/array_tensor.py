"""The methods of tensors for Python programs: shape and dtype, conversion to other libraries.

The interpreter's class of tensors inherits this class (`builtins/tensors.py`).  Its other base
class, in C, has the methods of DLPack, which the methods here use.

    lambent.eval("[[1.0 2.0]]").numpy()  =>  array([[1., 2.]], dtype=float32), on the same memory
"""

from importlib import import_module
from typing import Any, NoReturn

from lambent.lang.interp.values.values import Tensor

_NUMPY_DTYPES = frozenset((
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
))


class ArrayTensor(Tensor):
    """Lisp does not use these methods."""

    __slots__ = ()

    def __new__(cls) -> "ArrayTensor":
        message = 'a tensor is created by Lisp: lambent.eval("x", x=array) shares an array'
        raise TypeError(message)

    def __copy__(self) -> Any:
        """`(tensor-copy x)`: a tensor with new memory."""
        from lambent.lang.interp.builtins.tensors import copy

        return copy(self)

    def __deepcopy__(self, _: dict[int, Any]) -> Any:
        return self.__copy__()

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise TypeError("a tensor cannot be pickled; x.numpy() can")

    def __dlpack__(self, **options: Any) -> Any:
        raise NotImplementedError  # the base class in C overrides it

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = _extension().shape(self)
        return shape

    @property
    def dtype(self) -> str:
        dtype: str = _extension().dtype(self)
        return dtype

    @property
    def device(self) -> str:
        device: str = _extension().device(self)
        return device

    def numpy(self) -> Any:
        """A numpy array on the same memory; a tensor that requires grad is refused."""
        if self.dtype not in _NUMPY_DTYPES:
            raise TypeError(f"numpy has no dtype for a tensor of {self.dtype}; "
                            "convert it: (tensor-to x 'float32)")
        return import_module("numpy").from_dlpack(self)

    def torch(self) -> Any:
        """A tensor of Python's torch on the same memory, without the autograd graph."""
        return import_module("torch").from_dlpack(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Called by numpy.asarray."""
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                message = f"a tensor of {self.dtype} is not an array of {dtype} without a copy"
                raise ValueError(message)
            return array.astype(dtype)
        return array.copy() if copy else array

    def item(self) -> int | float | bool:
        """The element of a tensor with one element."""
        element: int | float | bool = self._for_numpy().numpy().item()
        return element

    def tolist(self) -> Any:
        """Its elements as nested lists."""
        return self._for_numpy().numpy().tolist()

    def _for_numpy(self) -> "ArrayTensor":
        """The tensor in a dtype that numpy has: bfloat16 and float8 become float32."""
        if self.dtype in _NUMPY_DTYPES:
            return self
        converted: ArrayTensor = _extension().to(self, "float32")
        return converted


def _extension() -> Any:
    from lambent.lang.interp.builtins.tensors import extension

    return extension()
