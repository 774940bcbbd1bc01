"""Arguments that are not yet as compiled code takes them: what can be converted without loss of meaning is, and the rest is
refused by the name of its parameter."""

from __future__ import annotations

import numbers

import numpy as np

from ._errors import size_error

_DTYPES = {"Real": np.float64, "Int": np.int64, "Bool": np.bool_, "String": np.object_}
# Arrays of Strings are arrays of objects, each a `str`: what NumPy has of its own for texts drops zeros at their ends.
_KINDS = {"Real": "iuf", "Int": "iu", "Bool": "b", "String": "UTO"}


def _called(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return type(value).__name__


def _refused(value, elem: str, rank: int, name: str) -> TypeError:
    wanted = {"Real": "Reals", "Int": "Ints", "Bool": "truth values", "String": "Strings"}[elem]
    if rank:
        return TypeError(f"`{name}` must be an array of {wanted}, not {_called(value)}")
    one = {"Real": "a Real", "Int": "an Int", "Bool": "a truth value", "String": "a String"}[elem]
    return TypeError(f"`{name}` must be {one}, not {_called(value)}")


def _dimensions(found: int, wanted: int, name: str):
    unit = "dimension" if wanted == 1 else "dimensions"
    return size_error(f"`{name}` must have {wanted} {unit}, not {found}")


def _unmasked(value, name: str) -> None:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"`{name}` has masked elements, which are no numbers")


def _int64(value: int, name: str) -> int:
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"`{name}` is {value}, which is no Int of 64 bits")
    return value


def scalar(value, elem: str, rank: int, name: str):
    """A number, a truth value or a String."""
    if isinstance(value, np.ndarray):
        _unmasked(value, name)
        if value.dtype.kind not in _KINDS[elem]:
            raise _refused(value, elem, rank, name)
        if value.ndim:
            raise _dimensions(value.ndim, 0, name)
        value = value.item()
    is_bool = isinstance(value, (bool, np.bool_))
    if elem == "String" and isinstance(value, str):
        return str(value)
    if elem == "Bool" and is_bool:
        return bool(value)
    if elem == "Int" and not is_bool and isinstance(value, numbers.Integral):
        return _int64(int(value), name)
    if elem == "Real" and not is_bool and isinstance(value, numbers.Real):
        return float(value)
    if hasattr(value, "__dlpack__") or hasattr(value, "__array__"):
        return scalar(_foreign(value), elem, rank, name)
    raise _refused(value, elem, rank, name)


def _foreign(value) -> np.ndarray:
    """An array of another library, without a copy where it can be."""
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass
    return np.asarray(value)


def array(value, elem: str, rank: int, name: str) -> np.ndarray:
    """A dense array, row by row, of the type that compiled code takes."""
    if isinstance(value, np.ndarray):
        _unmasked(value, name)
        given = value
    elif hasattr(value, "__dlpack__") or hasattr(value, "__array__"):
        given = _foreign(value)
    elif isinstance(value, (str, bytes, bytearray, dict, set)) or value is None:
        raise _refused(value, elem, rank, name)
    else:
        try:
            given = np.array(value, dtype=np.object_) if elem == "String" else np.asarray(value)
        except ValueError as error:
            raise size_error(f"`{name}` has rows of differing sizes: {error}") from None
    if given.dtype.names is not None:
        raise _refused(given, elem, rank, name)
    if elem == "String" and given.ndim == 0 and given.dtype.kind == "O":
        raise _refused(value, elem, rank, name)
    # Of what has no elements the type is not known.
    is_open = given.size == 0 and not isinstance(value, np.ndarray)
    if not is_open and given.dtype.kind not in _KINDS[elem]:
        raise _refused(given, elem, rank, name)
    if given.ndim != rank:
        if is_open and given.ndim < rank:
            given = given.reshape(given.shape + (0,) * (rank - given.ndim))
        else:
            raise _dimensions(given.ndim, rank, name)
    if elem == "Int" and given.dtype.kind == "u" and given.dtype.itemsize == 8:
        if given.size and given.max() >= 2**63:
            raise OverflowError(f"`{name}` has an element that is no Int of 64 bits")
    if elem == "String":
        for one in given.ravel().tolist():
            if isinstance(one, (list, tuple)):
                raise size_error(f"`{name}` has rows of differing sizes, or too many dimensions")
            if not isinstance(one, str):
                raise TypeError(f"`{name}` must be an array of Strings, but has {_called(one)}")
    return np.require(given, dtype=_DTYPES[elem], requirements=["C", "A"]).view(np.ndarray)


def vector(x) -> np.ndarray:
    """The numbers of a vector, one after the other; SciPy gives columns too."""
    if type(x) is not np.ndarray or x.dtype != np.float64:
        given = _foreign(x) if hasattr(x, "__array__") else np.asarray(x)
        _unmasked(given, "x")
        if given.dtype.kind not in _KINDS["Real"]:
            raise TypeError(f"the vector must have Reals, not {_called(given if given.ndim else x)}")
        x = given
    return np.ascontiguousarray(x, dtype=np.float64).reshape(-1)


def strings(items: list[str], shape: tuple[int, ...]) -> np.ndarray:
    """The array of these Strings, row by row."""
    made = np.empty(len(items), dtype=np.object_)
    made[:] = items
    return made.reshape(shape)
