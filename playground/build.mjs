// Makes the page: one file that has the program, the module and the examples in it.
//
//   node build.mjs MODULE.wasm PACKAGES PAGE.html
//
// PACKAGES is the folder below which npm has put the packages. Says how large the page is, as it is and compressed; a page
// of more than 3 MB compressed is an error.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MOST = 3_000_000;

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, packages, page] = process.argv.slice(2).map((path) => resolve(path));
const { buildSync } = createRequire(join(packages, "package.json"))("esbuild");

const read = (path) => readFileSync(path, "utf8");

function bundled(name) {
  const { outputFiles } = buildSync({
    entryPoints: [join(here, "src", name)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    nodePaths: [join(packages, "node_modules")],
  });
  return outputFiles[0].text;
}

function minified(css) {
  const { outputFiles } = buildSync({ stdin: { contents: css, loader: "css" }, minify: true, write: false });
  return outputFiles[0].text;
}

// Inside of a script element only its end and the begin of a comment mean anything.
const inScript = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

const examples = JSON.parse(read(join(here, "examples.json"))).map(({ group, programs }) => ({
  group,
  programs: programs.map(({ file, ...rest }) => ({ ...rest, text: read(join(here, "..", file)) })),
}));

const parts = {
  STYLE: minified(read(join(here, "src", "style.css"))),
  MODULE: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64"),
  WORKER: inScript(bundled("worker.js")),
  EXAMPLES: JSON.stringify(examples).replaceAll("<", "\\u003c"),
  SCRIPT: inScript(bundled("main.js")),
};
const html = read(join(here, "src", "index.html")).replace(/\/\*([A-Z]+)\*\//g, (_, name) => parts[name]);
writeFileSync(page, html);

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const compressed = gzipSync(html, { level: 9 }).length;
console.log(`${page}: ${megabytes(Buffer.byteLength(html))}, compressed ${megabytes(compressed)}`);
if (compressed > MOST) {
  console.error(`more than ${megabytes(MOST)} compressed`);
  process.exit(1);
}
