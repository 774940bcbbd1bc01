// The language in a minute: what a reader needs to change the examples.

import { make } from "./dom.js";

const LINES = [
  ["def f (x: Real): Real = x * sin x", "a function with its types; what follows = is one expression"],
  ["f 2.0", "a call, without parentheses; two arguments: g 2.0 3.0"],
  ["let y = x * x in y + 1.0", "a name for a value"],
  ["if x > 0.0 then x else 0.0", "a choice"],
  ["[1.0, 2.0, 3.0]", "an array; xs[0] is its first element"],
  ["[ x ^ 2 | x <- xs ]", "an array made of another, element by element"],
  ["sum xs", "one of many functions of the library: dot, exp, maximum, …"],
  ["loop s = 0.0 for i < n do s + xs[i]", "a loop, which hands a state from one round to the next"],
  ["grad f 2.0", "the gradient of f at 2; grad (grad f) is the second derivative"],
  ["--@ f 0.0 = 0.0", "a test, in a comment; here its arguments fill in the fields"],
];

/** The lines, each with what it means. */
export function brief() {
  return make("dl", {}, LINES.flatMap(([code, words]) => [make("dt", {}, code), make("dd", {}, words)]));
}
