"""Functions of Pullback in PyTorch, on the CPU: `f = pullback.torch.wrap(m.f)`.

`f` takes and gives tensors, alone or in dictionaries, tuples and records. It has derivatives of every order, backward and
forward. If all tensors of Reals that it is given are narrower than `float64`, the results are `float32`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._forms import elems, made, names, taken, only_numbers
from ._function import Function
from ._tree import leaves as tree_leaves
from ._wrap import positional, wrapped

__all__ = ["wrap"]


class _Target:
    """A function whose arguments are leaves."""

    def __init__(self, function: Function):
        self.function = function
        code = function._code("value")
        self.names = tuple(code.params)
        self.params, _, self.value, _ = code.forms
        only_numbers([*self.params, self.value], "PyTorch")
        self.kinds = elems(self.value)
        self.counts = [len(elems(form)) for form in self.params]
        self.is_real = self.value == ("Real", 0)

    def arguments(self, leaves: list) -> list:
        """The arguments that leaves make up."""
        rest = iter(leaves)
        return [made(form, rest) for form in self.params]

    def wrt(self, needed: list[bool]) -> tuple[str, ...]:
        """The parameters some leaf of which is needed."""
        found, at = [], 0
        for name, count in zip(self.names, self.counts):
            if any(needed[at : at + count]):
                found.append(name)
            at += count
        return tuple(found)

    def places(self, wrt: tuple[str, ...]) -> list[int]:
        """The leaves of Reals of some parameters."""
        found, at = [], 0
        for name, form in zip(self.names, self.params):
            for elem, _ in elems(form):
                if name in wrt and elem == "Real":
                    found.append(at)
                at += 1
        return found


def _target(function: Function) -> _Target:
    kept = function.__dict__
    if "_torch_target" not in kept:
        kept["_torch_target"] = _Target(function)
    return kept["_torch_target"]


def _array(leaf):
    return leaf.detach().resolve_neg().numpy() if isinstance(leaf, torch.Tensor) else leaf


def _found(value) -> list:
    return [leaf for leaf in tree_leaves(value) if leaf is not None and not (isinstance(leaf, tuple) and not leaf)]


def _tensor(leaf, dtype) -> torch.Tensor:
    if isinstance(leaf, float):
        return torch.tensor(leaf, dtype=dtype)
    found = torch.from_numpy(leaf) if isinstance(leaf, np.ndarray) else torch.tensor(leaf)
    return found.to(dtype) if found.is_floating_point() else found


class _Call(torch.autograd.Function):
    """A call. `leaves` are those of the arguments; the results are those of the value."""

    @staticmethod
    def forward(ctx, target: _Target, dtype, *leaves):
        ctx.target, ctx.dtype, ctx.leaves = target, dtype, [None if isinstance(x, torch.Tensor) else x for x in leaves]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*[leaf for leaf in leaves if isinstance(leaf, torch.Tensor)])
        # For forward mode, whose rule may run before the tensors are saved.
        ctx.given = leaves
        ctx.gradient = None
        arguments = target.arguments([_array(leaf) for leaf in leaves])
        needed = target.wrt(list(ctx.needs_input_grad[2:]))
        if target.is_real and needed:
            # The gradient costs little more than the value, and is what `backward` will ask for.
            value, gradient = target.function.value_and_grad(*arguments, wrt=needed)
            ctx.gradient = dict(zip(target.places(needed), _found(gradient)))
        else:
            value = target.function(*arguments)
        results = tuple([_tensor(leaf, dtype) for leaf in _found(value)])
        ctx.mark_non_differentiable(*[one for one in results if not one.is_floating_point()])
        ctx.shapes = [one.shape for one in results]
        return results

    @staticmethod
    def backward(ctx, *cotangents):
        target, saved = ctx.target, iter(ctx.saved_tensors)
        leaves = [next(saved) if leaf is None else leaf for leaf in ctx.leaves]
        needs = ctx.needs_input_grad[2:]
        needed = target.wrt(list(needs))
        places = target.places(needed)
        if not places or all(one is None for one in cotangents):
            return (None, None, *[None for _ in leaves])
        if ctx.gradient is not None and not torch.is_grad_enabled():
            scale = cotangents[0]
            found = {at: scale * _tensor(part, ctx.dtype) for at, part in ctx.gradient.items()}
        else:
            reals = [at for at, (elem, _) in enumerate(target.kinds) if elem == "Real"]
            given = [cotangents[at] for at in reals]
            given = [
                torch.zeros(ctx.shapes[at], dtype=ctx.dtype) if one is None else one for at, one in zip(reals, given)
            ]
            derivative = _target(target.function._derivative_of("vjp", needed))
            found = dict(zip(places, _Call.apply(derivative, ctx.dtype, *leaves, *given)))
        gradients = []
        for at, (leaf, does_need) in enumerate(zip(leaves, needs)):
            gradients.append(found[at].to(leaf.dtype) if does_need and at in found else None)
        return (None, None, *gradients)

    @staticmethod
    def jvp(ctx, *tangents):
        target, tangents = ctx.target, tangents[2:]
        moving = target.wrt([one is not None for one in tangents])
        places = target.places(moving)
        leaves = ctx.given
        given = [torch.zeros_like(_whole(leaves[at])) if tangents[at] is None else tangents[at] for at in places]
        derivative = _target(target.function._derivative_of("jvp", moving))
        found = iter(_Call.apply(derivative, ctx.dtype, *leaves, *given))
        return tuple([next(found) if elem == "Real" else None for elem, _ in target.kinds])


def _whole(leaf) -> torch.Tensor:
    return leaf if isinstance(leaf, torch.Tensor) else torch.as_tensor(leaf, dtype=torch.float64)


def _checked(leaf: Any, elem: str, rank: int, name: str):
    if not isinstance(leaf, torch.Tensor):
        return leaf
    if leaf.device.type != "cpu":
        raise TypeError(f"`{name}` is on the device {leaf.device}, but must be on the CPU")
    if leaf.layout != torch.strided:
        raise TypeError(f"`{name}` is a sparse tensor, but must be a dense one")
    fits = {"Real": leaf.dtype.is_floating_point, "Bool": leaf.dtype == torch.bool}
    whole = not leaf.dtype.is_floating_point and not leaf.dtype.is_complex and leaf.dtype != torch.bool
    if not fits.get(elem, whole) and not (elem == "Real" and whole):
        wanted = {"Real": "Reals", "Int": "Ints", "Bool": "truth values"}[elem]
        raise TypeError(f"`{name}` must be {wanted}, not a tensor of {leaf.dtype}")
    if leaf.dim() != rank:
        raise ValueError(f"`{name}` must have {rank} dimension{'s' * (rank != 1)}, not {leaf.dim()}")
    # NumPy has no `bfloat16`.
    return leaf.to(torch.float32) if leaf.dtype == torch.bfloat16 else leaf


def wrap(function: Function, **options: Any):
    """A function of tensors that calls this one. Options are those of `using`."""

    def calls(function: Function):
        def call(*args, **kwargs):
            target = _target(function)
            leaves = []
            for form, arg, name in zip(target.params, positional(target.names, args, kwargs), target.names):
                found = zip(taken(form, arg, name), elems(form), names(form, name))
                leaves += [_checked(leaf, elem, rank, called) for leaf, (elem, rank), called in found]
            floats = [leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]
            dtype = torch.float32 if floats and torch.float64 not in floats else torch.float64
            return made(target.value, iter(_Call.apply(target, dtype, *leaves)))

        return call

    call = wrapped(function, options, calls)
    # `torch.compile` runs it as it is, and compiles what is around it.
    compiler: Any = getattr(torch, "compiler", None)
    return compiler.disable(call) if hasattr(compiler, "disable") else call
