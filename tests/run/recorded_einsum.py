"""Prints the lines of einsum_recorded.pull: texts made at random, operands of whole numbers, and what NumPy's einsum gives.

    python3 recorded_einsum.py

All numbers are whole and small, so that every order of sums gives the same bits.
"""

import random

import numpy as np

LETTERS = "ijkAZ"


def written(value):
    """A number or an array, as Pullback reads it."""
    if np.ndim(value) == 0:
        text = repr(float(value))
        return f"({text})" if text.startswith("-") else text
    return "[" + ", ".join(written(part) if np.ndim(part) else repr(float(part)) for part in value) + "]"


def blanks(rng, text):
    """The text with blanks here and there, never inside of an arrow."""
    parts = text.replace("->", ">")
    spread = "".join(char + rng.choice(["", "", "", " "]) for char in parts)
    return spread.replace(">", "->")


def operand(rng, letters):
    """The letters of an operand: mostly different ones."""
    count = rng.randint(0, min(3, len(letters)))
    return "".join(rng.sample(letters, count) if rng.random() < 0.8 else rng.choices(letters, k=count))


def line(rng, numbers, count):
    """An expectation about an einsum of so many operands; none where one side would be long or says little."""
    letters = rng.sample(LETTERS, rng.randint(1, 4))
    sizes = {letter: rng.choice([1, 2, 2, 3]) for letter in letters}
    operands = [operand(rng, letters) for _ in range(count)]
    text = ",".join(operands)
    if rng.random() < 0.75:
        known = sorted(set("".join(operands)))
        text += "->" + "".join(rng.sample(known, rng.randint(0, len(known))))
    arrays = [numbers.integers(-3, 4, [sizes[letter] for letter in operand]) for operand in operands]
    if not any(operands):
        return None
    result = np.einsum(text, *arrays) + 0.0
    if not np.any(result):
        return None
    shown = f'--@ einsum "{blanks(rng, text)}" {" ".join(map(written, arrays))} = {written(result)}'
    return shown if len(shown) <= 160 else None


def main():
    rng, numbers = random.Random(7), np.random.default_rng(7)
    print("-- Recorded by recorded_einsum.py. NumPy: texts made at random, with the letters of the result and without.")
    for count, wanted in [(1, 16), (2, 28), (3, 20), (4, 8)]:
        seen = set()
        print(f"\n-- {count} operand{'s' if count > 1 else ''}.")
        while len(seen) < wanted:
            shown = line(rng, numbers, count)
            if shown is not None and shown not in seen:
                seen.add(shown)
                print(shown)


if __name__ == "__main__":
    main()
