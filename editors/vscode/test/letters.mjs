// What the grammar says of each character that is no blank, one letter each: input and output are JSON objects by path.

import { text } from "node:stream/consumers";

import { pieces } from "./textmate.mjs";

const LETTERS = [
  ["meta.expectation", "c"],
  ["comment.", "c"],
  ["string.", "s"],
  ["constant.numeric", "n"],
  ["constant.language", "k"],
  ["keyword.operator", "o"],
  ["keyword.", "k"],
  ["invalid.", "!"],
];

function letter(scopes) {
  const [, found] = LETTERS.find(([start]) => scopes.some((scope) => scope.startsWith(start))) ?? [];
  return found ?? ".";
}

const asked = JSON.parse(await text(process.stdin));
const answers = {};
for (const [path, program] of Object.entries(asked)) {
  const lines = await pieces(program);
  answers[path] = lines.map((line) =>
    line.map(({ text, scopes }) => letter(scopes).repeat([...text.replace(/\s/gu, "")].length)).join(""),
  );
}
process.stdout.write(JSON.stringify(answers));
