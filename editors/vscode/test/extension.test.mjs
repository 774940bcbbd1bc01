// The bundle loads, and starts nothing by itself.

import assert from "node:assert/strict";
import { Module, createRequire } from "node:module";
import { test } from "node:test";

/** Anything that the editor's interface may be asked for. */
function anything() {
  return new Proxy(class {}, {
    get: (target, name) => {
      if (name === Symbol.toPrimitive) return () => "anything";
      if (name === "prototype") return target.prototype;
      return anything();
    },
    apply: () => anything(),
  });
}

test("the bundle is an extension", () => {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? anything() : load(name, ...rest));
  try {
    const extension = createRequire(import.meta.url)("../dist/extension.js");
    assert.deepEqual(Object.keys(extension).sort(), ["activate", "deactivate"]);
  } finally {
    Module._load = load;
  }
});
