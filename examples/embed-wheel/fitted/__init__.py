"""The loss of least_squares.pull and its gradient, by a library that is in the package: no Pullback is needed."""

import ctypes
from pathlib import Path


class Reals1(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 1)]


class Reals2(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 2)]


_library = ctypes.CDLL(str(Path(__file__).with_name("least_squares.so")))
_library.least_squares_open.restype = ctypes.c_void_p
_library.least_squares_close.argtypes = [ctypes.c_void_p]
_library.least_squares_message.argtypes = [ctypes.c_void_p]
_library.least_squares_message.restype = ctypes.c_char_p
_library.least_squares_target.restype = ctypes.c_char_p

#: Which code runs here, such as "x86-64-v3".
target = _library.least_squares_target().decode()


def _vector(numbers):
    return Reals1((ctypes.c_double * len(numbers))(*numbers), (len(numbers),))


def _matrix(rows):
    numbers = [number for row in rows for number in row]
    return Reals2((ctypes.c_double * len(numbers))(*numbers), (len(rows), len(rows[0])))


def loss_and_gradient(xs, ys, w, b):
    """The mean squared error of a linear model, its gradient by the weights, and its derivative by the constant."""
    context = ctypes.c_void_p(_library.least_squares_open())
    value, w_bar, b_bar = ctypes.c_double(), Reals1(), ctypes.c_double()
    try:
        status = _library.least_squares_loss_grad(
            context, _matrix(xs), _vector(ys), _vector(w), ctypes.c_double(b),
            ctypes.byref(value), ctypes.byref(w_bar), ctypes.byref(b_bar),
        )
        if status != 0:
            raise ValueError(_library.least_squares_message(context).decode())
        # The array belongs to the context, so it is copied.
        return value.value, w_bar.data[: w_bar.size[0]], b_bar.value
    finally:
        _library.least_squares_close(context)
