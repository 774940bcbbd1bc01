// The grammars of the extension, as VS Code runs them.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const here = (path) => new URL(`../${path}`, import.meta.url);
const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");

const FILES = {
  "source.pullback": "syntaxes/pullback.tmLanguage.json",
  "markdown.pullback.codeblock": "syntaxes/markdown.tmLanguage.json",
};
// Stands for the grammar of Markdown, into which the second one is injected.
const MARKDOWN = { scopeName: "text.html.markdown", patterns: [], repository: {} };

await oniguruma.loadWASM((await readFile(wasm)).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    if (scope === MARKDOWN.scopeName) return MARKDOWN;
    return scope in FILES ? JSON.parse(await readFile(here(FILES[scope]), "utf8")) : null;
  },
  getInjections: (scope) => (scope === MARKDOWN.scopeName ? ["markdown.pullback.codeblock"] : undefined),
});

const grammars = new Map();

/** The pieces of each line of a text, each with its scopes, the innermost last. */
export async function pieces(text, scope = "source.pullback") {
  if (!grammars.has(scope)) grammars.set(scope, await registry.loadGrammar(scope));
  const grammar = grammars.get(scope);
  let state = textmate.INITIAL;
  return text.split("\n").map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({ text: line.slice(startIndex, endIndex), scopes }));
  });
}
