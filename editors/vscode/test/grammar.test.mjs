// What the grammars say of a few lines. `editors/tests` holds them to the compiler, on every program.

import assert from "node:assert/strict";
import { test } from "node:test";

import { pieces } from "./textmate.mjs";

/** The innermost scope of each piece that is no blank. */
async function inner(text, scope) {
  const lines = await pieces(text, scope);
  const solid = lines.flat().filter((piece) => piece.text.trim());
  return solid.map((piece) => [piece.text.trim(), piece.scopes.at(-1).replace(/\.pullback$/, "")]);
}

test("a definition", async () => {
  assert.deepEqual(await inner('def f (x: Real) = p.0.w *. 2.5e-3'), [
    ["def", "keyword.other.declaration"],
    ["f", "entity.name.function"],
    ["(", "punctuation.section.brackets"],
    ["x", "variable.other"],
    [":", "punctuation.separator"],
    ["Real", "support.type"],
    [")", "punctuation.section.brackets"],
    ["=", "keyword.operator.definition"],
    ["p", "variable.other"],
    [".", "punctuation.separator"],
    ["0", "constant.numeric.component"],
    [".", "punctuation.separator"],
    ["w", "variable.other.property"],
    ["*.", "keyword.operator"],
    ["2.5e-3", "constant.numeric"],
  ]);
});

test("words inside names are no keywords", async () => {
  assert.deepEqual(await inner("in' define letter type_of"), [
    ["in'", "variable.other"],
    ["define", "variable.other"],
    ["letter", "variable.other"],
    ["type_of", "variable.other"],
  ]);
});

test("an expectation is code", async () => {
  assert.deepEqual(await inner('--@ f "a\\n" ~= 2.0 within 1e-3'), [
    ["--@", "keyword.other.expectation"],
    ["f", "variable.other"],
    ['"', "punctuation.definition.string.begin"],
    ["a", "string.quoted.double"],
    ["\\n", "constant.character.escape"],
    ['"', "punctuation.definition.string.end"],
    ["~=", "keyword.operator.expectation"],
    ["2.0", "constant.numeric"],
    ["within", "keyword.other.expectation"],
    ["1e-3", "constant.numeric"],
  ]);
});

test("documentation goes on below, to an expectation", async () => {
  const text = "-- | One.\n-- Two.\n--@ 1 = 1\n-- Three.\ndef f = 1";
  const lines = await pieces(text);
  const scopes = lines.map((line) => line[0].scopes[1].replace(/\.pullback$/, ""));
  const doc = "comment.block.documentation";
  assert.deepEqual(scopes, [doc, doc, "meta.expectation", "comment.line.double-dash", "keyword.other.declaration"]);
});

test("what is no part of the language is marked", async () => {
  const found = await inner('def f = 2x ; "a\\q');
  const wrong = found.filter(([, scope]) => scope.startsWith("invalid")).map(([text]) => text);
  assert.deepEqual(wrong, ["2x", ";", "\\q"]);
});

test("a block of a document is code", async () => {
  const text = "Text\n\n```pull,fails\ndef f = 1\n```\n\ndef f = 1";
  const found = await inner(text, "text.html.markdown");
  const keywords = found.filter(([, scope]) => scope === "keyword.other.declaration");
  assert.equal(keywords.length, 1);
});
