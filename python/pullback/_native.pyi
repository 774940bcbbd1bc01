"""The extension: modules and functions of Pullback, compiled."""

from typing import Any

ENGINES: list[str]

class Code:
    params: list[str]
    reals: list[str]
    wrt: list[str]
    gives_real: bool
    engine: str
    is_native: bool
    forms: tuple[tuple[Any, ...], tuple[Any, ...], Any, tuple[Any, ...]]
    def text(self) -> str: ...
    def cost(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, directions: tuple[Any, ...] | list[Any] = ...) -> int: ...
    def plan(
        self, args: tuple[Any, ...], directions: tuple[Any, ...] | list[Any]
    ) -> tuple[bytes, bytes, bool, list[tuple[bool, bytes, bytes, bytes]]]: ...
    def quick_value(self, *args: Any) -> Any: ...
    def quick_both(self, *args: Any) -> tuple[Any, Any]: ...
    def call(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
        directions: tuple[Any, ...] | list[Any] = ...,
        timeout: float | None = None,
        max_memory: int | None = None,
        progress: Any = None,
    ) -> tuple[Any, Any]: ...

class Quick:
    __wrapped__: Any
    def __init__(self, code: Code, method: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Module:
    path: str
    texts: list[tuple[str, str]]
    records: list[tuple[str, list[str]]]
    sums: list[tuple[str, list[tuple[str, int]]]]
    warnings: list[dict[str, Any]]
    definitions: list[dict[str, Any]]
    def noticed(
        self, definition: str, wrt: list[str] | None, arguments: list[tuple[str | None, bool, bytes]], look: str
    ) -> list[dict[str, Any]]: ...
    def clarke(self, definition: str, wrt: list[str], arguments: list[tuple[str | None, bool, bytes]]) -> str: ...
    def bounds(
        self,
        definition: str,
        wrt: list[str],
        arguments: list[tuple[str | None, bool, bytes]],
        intervals: list[tuple[str, float, float]],
        radius: float,
    ) -> str: ...
    def type_of(self, text: str) -> str: ...
    def function(
        self,
        what: str,
        is_expression: bool,
        kind: str,
        wrt: list[str],
        names: list[str] | None,
        engine: str | None,
        strict: bool,
        threads: int,
        record: Any,
    ) -> Code: ...

class Callback:
    value_address: int
    gradient_address: int
    data_address: int
    def __init__(
        self, code: Code, args: tuple[Any, ...], moves: list[int | None], places: list[int], size: int
    ) -> None: ...
    def check(self) -> None: ...

def load(path: str) -> Module: ...
def compile(name: str, text: str) -> Module: ...
def of_texts(path: str, texts: list[tuple[str, str]]) -> Module: ...
def spare_compiler(name: str, args: list[str]) -> None: ...
def main_thread(ident: int) -> None: ...
def after_fork(ident: int) -> None: ...
def xla_register(code: Code, timeout: float | None = None, max_memory: int | None = None) -> int: ...
def xla_handler() -> int: ...
