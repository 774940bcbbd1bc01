"""Functions of Pullback in JAX: `f = pullback.jax.wrap(m.f)`.

`f` works under `jit`, `vmap`, `grad`, `jvp`, `jacfwd`, `jacrev`, `hessian`, in any order. XLA calls the compiled code by its
foreign functions, without Python. Records are pytrees.

With `jax_enable_x64` arrays are `float64`; without it they are `float32` outside, and `float64` inside.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _native, _records
from ._forms import elems, made, names, taken, only_numbers
from ._function import Function, _amount, _seconds
from ._sizes import Sizes, Unknown
from ._wrap import positional, wrapped

__all__ = ["wrap"]

_TARGET = "pullback_call"


def _register() -> None:
    handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(_native.xla_handler())
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(handler), platform="cpu")
    _records.listen(_as_pytree)


def _as_pytree(made_class: type) -> None:
    fields = made_class._fields  # type: ignore[attr-defined]

    def build(_, leaves):
        # JAX builds structures of what is no array too.
        value = object.__new__(made_class)
        for field, leaf in zip(fields, leaves):
            object.__setattr__(value, field, leaf)
        return value

    jax.tree_util.register_pytree_with_keys(
        made_class,
        lambda value: (tuple((jax.tree_util.GetAttrKey(f), getattr(value, f)) for f in fields), None),
        build,
        lambda value: (tuple(getattr(value, f) for f in fields), None),
    )


class _Target:
    """A function that XLA calls: the value, or a derivative that is linear in its last arguments."""

    def __init__(self, function: Function, kind: str, wrt: tuple[str, ...] = ()):
        self.function, self.kind, self.wrt = function, kind, wrt
        code = function._code(kind, wrt)
        params, directions, value, derivative = code.forms
        only_numbers([*params, value], "JAX")
        self.params, self.value = params, value
        self.names = tuple(code.params)
        self.param_leaves = [elems(form) for form in params]
        self.count = sum(map(len, self.param_leaves))
        # The derivative alone is linear, so the value is left out.
        self.skip = len(elems(value)) if kind in ("jvp", "vjp") else 0
        options = function._options
        timeout, memory = _seconds(options.get("timeout")), _amount(options.get("max_memory"))
        self.number = _native.xla_register(code, timeout, memory)

    @functools.cached_property
    def is_real(self) -> bool:
        """Whether the value is one Real."""
        return self.value == ("Real", 0)

    @functools.cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.function.signature, len(self.names))

    def places(self) -> list[int]:
        """Which leaves of the arguments the derivative is with respect to."""
        found, at = [], 0
        for name, leaves in zip(self.names, self.param_leaves):
            for elem, _ in leaves:
                if name in self.wrt and elem == "Real":
                    found.append(at)
                at += 1
        return found

    def other(self, kind: str, wrt: tuple[str, ...]) -> _Target:
        """Another function with the same arguments."""
        return _target(self.function, kind, wrt)

    def as_function(self) -> _Target:
        """The derivative as a function of all its arguments, which has derivatives itself."""
        return _target(self.function._derivative_of(self.kind, self.wrt), "value", ())


def _target(function: Function, kind: str, wrt: tuple[str, ...]) -> _Target:
    targets = function.__dict__.setdefault("_jax_targets", {})
    key = (kind, wrt)
    if key not in targets:
        targets[key] = _Target(function, kind, wrt)
    return targets[key]


def _dtype(elem: str) -> Any:
    return jnp.result_type({"Real": float, "Int": int, "Bool": bool}[elem])


# The primitive. `outs` has the sizes and the kinds of results without the leading axis, `batch` is the size of that axis or
# -1, and `batched` says which arguments have it.

_call = Primitive("pullback")
_call.multiple_results = True


def _bind(target: _Target, args, outs, batch: int = -1, batched: tuple[bool, ...] = ()) -> list:
    return _call.bind(*args, target=target, outs=outs, batch=batch, batched=batched or (False,) * len(args))


@_call.def_abstract_eval
def _abstract(*args, target, outs, batch, batched):
    lead = () if batch < 0 else (batch,)
    return [jax.core.ShapedArray(lead + shape, _dtype(elem)) for shape, elem in outs]


def _eager(*args, target, outs, batch, batched):
    return _call.bind(*args, target=target, outs=outs, batch=batch, batched=batched)


# With `jax_debug_nans` a call that is one primitive has no parts to look into.
_eager._apply_primitive = True  # type: ignore[attr-defined]
_eager.__qualname__ = "pullback"
_call.def_impl(jax.jit(_eager, static_argnames=("target", "outs", "batch", "batched")))


def _lowering(ctx, *args, target, outs, batch, batched):
    attributes = {
        "code": np.int64(target.number),
        "skip": np.int64(target.skip),
        "batch": np.int64(batch),
        "batched": "".join("1" if one else "0" for one in batched),
    }
    config = {name: mlir.ir_attribute(value) for name, value in attributes.items() if name != "batched"}
    config["batched"] = mlir.ir.StringAttr.get(attributes["batched"])
    return jax.ffi.ffi_lowering(_TARGET, backend_config=config)(ctx, *args)


mlir.register_lowering(_call, _lowering, platform="cpu")


def _batching(args, dims, *, target, outs, batch, batched):
    size = next(arg.shape[dim] for arg, dim in zip(args, dims) if dim is not None)
    args = [arg if dim is None else jnp.moveaxis(arg, dim, 0) for arg, dim in zip(args, dims)]
    outer = [dim is not None for dim in dims]
    if batch < 0:
        return _bind(target, args, outs, size, tuple(outer)), [0] * len(outs)
    # Two leading axes become one.
    flat = []
    for arg, has_outer, has_inner in zip(args, outer, batched):
        if has_outer or has_inner:
            rest = arg.shape[has_outer + has_inner :]
            arg = arg if has_outer else arg[None]
            arg = arg if has_inner else arg[:, None]
            arg = jnp.broadcast_to(arg, (size, batch, *rest)).reshape(size * batch, *rest)
        flat.append(arg)
    both = tuple(a or b for a, b in zip(outer, batched))
    found = _bind(target, flat, outs, size * batch, both)
    return [out.reshape(size, batch, *out.shape[1:]) for out in found], [0] * len(outs)


batching.primitive_batchers[_call] = _batching


def _jvp(primals, tangents, *, target, outs, batch, batched):
    primals = list(primals)
    live = [at for at, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero)]
    given = [ad.instantiate_zeros(tangents[at]) for at in live]
    rule = functools.partial(_tangents, target, outs, live)
    if batch >= 0:
        axes = [0 if one else None for one in batched]
        mapped = jax.vmap(rule, in_axes=(axes, [axes[at] for at in live]), axis_size=batch)
        found, moved = mapped(primals, given)
    else:
        found, moved = rule(primals, given)
    rest = iter(moved)
    zeros = (np.zeros(np.shape(one), dtype=jax.dtypes.float0) for one in found)
    dots = [next(rest) if elem == "Real" else zero for (_, elem), zero in zip(outs, zeros)]
    return found, dots


def _tangents(target: _Target, outs, live, primals, given):
    """The results, and the tangents of those that are Reals."""
    dots = dict(zip(live, given))
    count = target.count
    reals = tuple(out for out in outs if out[1] == "Real")
    if target.kind == "value":
        return _value_tangents(target, outs, primals, dots, reals)
    found = _bind(target, primals, outs)
    if target.kind != "grad" and all(at >= count for at in live):
        moved = [dots.get(at, jnp.zeros_like(primals[at])) for at in range(count, len(primals))]
        return found, _bind(target, [*primals[:count], *moved], outs)
    _, moved = _value_tangents(target.as_function(), outs, primals, dots, reals, is_known=True)
    return found, moved


def _value_tangents(target: _Target, outs, primals, dots, reals, is_known=False):
    wrt, at = [], 0
    for name, leaves in zip(target.names, target.param_leaves):
        if any(at + inner in dots for inner in range(len(leaves))):
            wrt.append(name)
        at += len(leaves)
    if not wrt:
        found = _bind(target, primals, outs)
        return found, [jnp.zeros_like(one) for one, out in zip(found, outs) if out[1] == "Real"]
    if target.is_real:
        derivative = target.other("grad", tuple(wrt))
        moving = derivative.places()
        shapes = tuple((np.shape(primals[at]), "Real") for at in moving)
        value, *gradient = _bind(derivative, primals, (*outs, *shapes))
        sums = [jnp.sum(part * dots[at]) for at, part in zip(moving, gradient) if at in dots]
        return [value], [functools.reduce(jnp.add, sums)]
    derivative = target.other("jvp", tuple(wrt))
    directions = [dots.get(at, jnp.zeros_like(primals[at])) for at in derivative.places()]
    found = [] if is_known else _bind(target, primals, outs)
    return found, _bind(derivative, [*primals, *directions], reals) if reals else []


ad.primitive_jvps[_call] = _jvp


def _transpose(cotangents, *args, target, outs, batch, batched):
    count = target.count
    fixed = list(args[:count])
    linear = args[count:]
    if target.kind not in ("jvp", "vjp") or any(ad.is_undefined_primal(arg) for arg in fixed):
        raise NotImplementedError(f"{target.function!r} is not linear in its arguments")
    if not any(ad.is_undefined_primal(arg) for arg in linear):
        return [None] * len(args)
    given = [ad.instantiate_zeros(one) for one in cotangents]
    other = target.other("vjp" if target.kind == "jvp" else "jvp", target.wrt)
    # What was not mapped has the sum over the leading axis.
    avals = [arg.aval if ad.is_undefined_primal(arg) else jax.typeof(arg) for arg in linear]
    flags = batched[count:]
    shapes = tuple((aval.shape[1:] if flag else aval.shape, "Real") for aval, flag in zip(avals, flags))
    mapped = (*batched[:count], *(True for _ in given)) if batch >= 0 else ()
    found = _bind(other, [*fixed, *given], shapes, batch, mapped)
    if batch >= 0:
        found = [one if flag else jnp.sum(one, axis=0) for one, flag in zip(found, flags)]
    moved = [one if ad.is_undefined_primal(arg) else None for one, arg in zip(found, linear)]
    return [None] * count + moved


ad.primitive_transposes[_call] = _transpose


def _leaf(value: Any, elem: str, rank: int, name: str):
    kinds = {"Real": "iuf", "Int": "iu", "Bool": "b"}[elem]
    if isinstance(value, (str, bytes, dict, set)) or value is None:
        raise TypeError(f"`{name}` must be numbers, not {type(value).__name__}")
    found = value if isinstance(value, (jax.Array, np.ndarray)) else np.asarray(value)
    dtype = found.dtype
    kind = "f" if jnp.issubdtype(dtype, jnp.floating) else dtype.kind
    if kind not in kinds and not (found.size == 0 and not isinstance(value, (jax.Array, np.ndarray))):
        wanted = {"Real": "Reals", "Int": "Ints", "Bool": "truth values"}[elem]
        raise TypeError(f"`{name}` must be {wanted}, not {dtype}")
    if found.ndim != rank:
        raise ValueError(f"`{name}` must have {rank} dimension{'s' * (rank != 1)}, not {found.ndim}")
    if elem == "Int" and not isinstance(found, jax.Array):
        # Without `jax_enable_x64` an Int has 32 bits here.
        info = np.iinfo(_dtype("Int"))
        if found.size and (found.min() < info.min or found.max() > info.max):
            raise OverflowError(f"`{name}` has an Int of more than {info.bits} bits: set `jax_enable_x64`")
    return jnp.asarray(found, dtype=_dtype(elem))


def _known(value: Any, elem: str, rank: int) -> int | None:
    if elem != "Int" or rank or isinstance(value, jax.core.Tracer):
        return None
    return int(value)


def wrap(function: Function, **options: Any):
    """A function of JAX that calls this one. Options are those of `using`."""

    def calls(function: Function):
        def call(*args, **kwargs):
            target = _target(function, "value", ())
            args = positional(target.names, args, kwargs)
            leaves, ints = [], []
            for form, arg, name in zip(target.params, args, target.names):
                parts = zip(taken(form, arg, name), elems(form), names(form, name))
                for leaf, (elem, rank), called in parts:
                    ints.append(_known(leaf, elem, rank))
                    leaves.append(_leaf(leaf, elem, rank, called))
            kinds = elems(target.value)
            try:
                if all(rank == 0 for _, rank in kinds):
                    shapes = [()] * len(kinds)
                else:
                    shapes = target.sizes.result([leaf.shape for leaf in leaves], ints)
            except Unknown as error:
                told = f"the sizes of the result of {function!r} must be known when JAX compiles: {error}"
                raise TypeError(told) from None
            outs = tuple((shape, elem) for shape, (elem, _) in zip(shapes, kinds))
            return made(target.value, iter(_bind(target, leaves, outs)))

        return call

    return wrapped(function, options, calls)


_register()
