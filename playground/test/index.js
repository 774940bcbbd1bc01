// Tests of the page, in Chromium. `cargo xtask playground` makes the page; `node playground/test` tests it. What the
// page shows is compared with what the command prints. Ends with 75 if a browser cannot be had.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { browser as launched, done, example, file, opened, root, tab, text, write } from "./page.js";
import { contrast, names, reached } from "./access.js";

const browser = await launched();
if (!process.env.PULLBACK) {
  execFileSync("cargo", ["build", "--release", "--locked", "-q", "-p", "pullback-cli"], { cwd: root, stdio: "inherit" });
}
const pullback = process.env.PULLBACK ?? join(root, "target/release/pullback");
const folder = mkdtempSync(join(tmpdir(), "playground-"));

/** What the command prints about a program: on standard output and on standard error. */
function command(program, ...args) {
  writeFileSync(join(folder, "program.pull"), program);
  const [name, ...rest] = args;
  const { stdout, stderr } = spawnSync(pullback, [name, "program.pull", ...rest], { cwd: folder, encoding: "utf8" });
  return { stdout: stdout.replace(/\n$/, ""), stderr };
}

const paper = (name) => readFileSync(join(root, "examples/papers", name), "utf8");
const complaints = [];
const page = await opened(browser, { complaints });

/** Calls a function of a program in the page. */
async function call(program, entry, args) {
  await write(page, program);
  await done(page);
  await page.getByLabel("Function", { exact: true }).selectOption(entry);
  for (const [at, arg] of args.entries()) await page.locator(`#argument-${at}`).fill(arg);
  await page.getByRole("button", { name: "Run" }).click();
  await done(page);
}

const tests = {
  "value and gradient are those of `grad`": async () => {
    await tab(page, "Value and gradient");
    const calls = [
      [paper("quaternion.pull"), "rotate_x", ["q0", "v0"]],
      [paper("training.pull"), "my_trained_model", ["1.5"]],
      [paper("notes.pull"), "sum_squares", ["[1.0, 2.0, 0.5]"]],
    ];
    for (const [program, entry, args] of calls) {
      await call(program, entry, args);
      const printed = command(program, "grad", entry, ...args).stdout;
      assert.ok(printed.startsWith("value: "), printed);
      assert.equal(await text(page.locator(".answer")), printed, entry);
    }
  },

  "each engine's steps are those that `show` prints": async () => {
    const program = paper("notes.pull");
    await tab(page, "Engines");
    await call(program, "f2", ["1.5"]);
    const stages = ["trace", "trace-run", "dual", "delta1", "delta", "curry-list", "curry-env", "reverse", "cl-rev", "transpose"];
    for (const [at, stage] of stages.entries()) {
      const [label, side] = at % 2 ? ["First engine", "left"] : ["Second engine", "right"];
      await page.getByLabel(label).getByRole("combobox").selectOption(stage);
      await done(page);
      const printed = command(program, "show", "f2", "1.5", "--stage", stage).stdout;
      assert.ok(printed.length > 20, stage);
      const shown = await text(page.locator(`#${side}-steps .stage`));
      assert.equal(shown.replace(/\n$/, ""), printed, stage);
    }
  },

  "the stages of the compiler are those that `show` prints": async () => {
    const program = paper("notes.pull");
    await tab(page, "Compiler");
    await call(program, "f2", ["1.5"]);
    for (const stage of ["ast", "lambda", "ir", "opt", "c"]) {
      await page.getByText(stage, { exact: true }).click();
      await done(page);
      const printed = command(program, "show", "f2", "1.5", "--stage", stage).stdout;
      assert.equal((await text(page.locator("#panel .stage"))).replace(/\n$/, ""), printed, stage);
    }
  },

  "kinks are those that `--warn kinks` tells": async () => {
    const program = "def f (x: Real) (y: Real): Real = max x y + abs y\n";
    await tab(page, "Kinks");
    await call(program, "f", ["0.0", "0.0"]);
    const told = command(program, "grad", "f", "0.0", "0.0", "--warn", "kinks").stderr;
    const shown = await page.locator("#panel .warning").evaluateAll((all) => all.map((one) => one.textContent));
    assert.equal(shown.length, 2);
    for (const one of shown) assert.ok(told.includes(one.trim()), `${told}\n---\n${one}`);
    await page.locator("#argument-0").fill("3.0");
    await page.locator("#argument-1").fill("1.0");
    await done(page);
    assert.match(await text(page.locator("#output")), /the run is smooth/);
  },

  "a plot has the curves of f and of its derivative": async () => {
    await example(page, "A function and its slope");
    await tab(page, "Plot");
    const legend = await page.locator(".figure svg text").allTextContents();
    assert.ok(legend.includes("wave") && legend.includes("wave'"), legend.join());
    await page.getByLabel("To", { exact: true }).fill("pi");
    await page.keyboard.press("Enter");
    await done(page);
    assert.match(await text(page.locator("#output")), /goes from -5.0 to pi/);
    // Two parameters: one varies, the other stays.
    await call("def f (a: Real) (x: Real): Real = a * x * x", "f", ["2.0", "1.0"]);
    await page.getByLabel("Varies").selectOption("x");
    await done(page);
    assert.match(await text(page.locator("#output")), /a = 2.0/);
  },

  "costs are counted for every engine": async () => {
    await example(page, "x sin x, section 8.7");
    await tab(page, "Costs");
    const rows = await page.locator("tbody tr").allTextContents();
    assert.equal(rows.length, 10, rows.join("\n"));
    assert.ok(rows.every((row) => /\d+\.\d\d$/.test(row)), rows.join("\n"));
  },

  "every example loads, has no mistakes and is shown in its tab": async () => {
    const titles = await page.locator("#examples option").evaluateAll((all) => all.map((one) => one.value).filter(Boolean));
    assert.ok(titles.length >= 10);
    for (const title of titles) {
      await example(page, title);
      assert.equal(await page.locator("#problems .error").count(), 0, title);
      assert.equal(await page.locator("#panel .complaint").count(), 0, title);
      assert.ok((await text(page.locator("#panel"))).length > 40, title);
    }
  },

  "mistakes are told while the program is written, with the hovers and words of editors": async () => {
    await write(page, "def f (x: Real): Real = x + true\n");
    await page.getByRole("button", { name: /^Line 1: / }).click();
    assert.match(await text(page.locator("#problems")), /expected `?Real/i);
    assert.equal(await page.locator(".cm-lint-marker-error").count(), 1);
    // One click changes both sides of what is mistaken.
    await page.locator(".cm-lintRange-error").first().hover();
    await page.locator(".cm-diagnosticAction").first().click();
    assert.match(await text(page.locator(".cm-content")), /x \+ \(if true then 1\.0 else 0\.0\)/);
    await write(page, "def square (x: Real): Real = x * x\n");
    await done(page);
    assert.equal(await page.locator("#problems li").count(), 0);
    assert.ok((await page.locator(".w-keyword").count()) > 0);
    await page.locator(".w-function", { hasText: "square" }).first().hover();
    await page.locator(".hover").waitFor();
    assert.match(await text(page.locator(".hover")), /def square : Real -> Real.*grad square : Real -> Real/s);
    // The same without a mouse: what stands at the cursor.
    await page.keyboard.press("Control+Home");
    for (let at = 0; at < 5; at++) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.getElementById("place").textContent.includes("square : Real -> Real"));
  },

  "names are completed": async () => {
    await write(page, "def f (x: Real): Real = sigm");
    await page.keyboard.press("Control+Space");
    await page.locator(".cm-tooltip-autocomplete").getByText("sigmoid").waitFor();
    await page.keyboard.press("Escape");
  },

  "an endless loop can be stopped, and the page answers afterwards": async () => {
    await tab(page, "Value and gradient");
    await write(page, "def f (x: Real): Real = loop y = x while true do y * 0.5\n");
    await page.getByText("Running…").waitFor();
    // While it runs the program is still checked.
    await page.locator(".w-function", { hasText: "f" }).first().hover();
    await page.locator(".hover").waitFor();
    await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Stopped after/).waitFor();
    assert.ok(await page.getByRole("button", { name: "Stop" }).isDisabled());
    await write(page, "def f (x: Real): Real = x * x\n");
    await done(page);
    await page.locator("#argument-0").fill("3.0");
    await done(page);
    assert.equal(await text(page.locator(".answer")), "value: 9.0\ngradient:\n  x = 6.0");
  },

  "an error of a run is told as the command tells it": async () => {
    const program = "def f (x: Real): Real = [x, 2.0][int_of x]\n  where".replace("\n  where", "").replace("int_of x", "3");
    await call(program, "f", ["1.0"]);
    const { stderr } = command(program, "grad", "f", "1.0");
    assert.ok(stderr.includes("E0"), stderr);
    assert.equal((await text(page.locator("#panel .complaint"))).trim(), stderr.trim());
  },

  "what is nested too deeply is told, and the page answers afterwards": async () => {
    const deep = `def f (x: Real): Real = ${"(".repeat(900)}x${")".repeat(900)}\n`;
    await write(page, deep);
    await page.waitForTimeout(3000);
    await write(page, "def g (x: Real): Real = x + 1.0\n");
    await done(page);
    assert.match(await text(page.locator(".answer")), /^value: 2.0/);
  },

  "a link carries the program and what is shown": async () => {
    const program = "-- α and β\ndef f (x: Real) (y: Real): Real = x * y\n";
    await tab(page, "Plot");
    await call(program, "f", ["3.0", "4.0"]);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#p="));
    const other = await opened(browser, { complaints, hash: await page.evaluate(() => location.hash) });
    assert.equal(await other.locator(".cm-content").evaluate((all) => [...all.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n")), program);
    assert.equal(await other.locator("#argument-1").inputValue(), "4.0");
    assert.equal(await other.getByRole("tab", { selected: true }).textContent(), "Plot");
    await other.context().close();
    const broken = await opened(browser, { complaints, hash: "#p=AAAA" });
    assert.ok((await broken.locator(".cm-line").count()) > 1);
    await broken.context().close();
  },

  "the page fits a phone's width": async () => {
    const phone = await opened(browser, { complaints, viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    // The chosen function is seen from the first line on, so nothing is scrolled.
    await example(phone, "A function and its slope");
    assert.equal(await phone.locator(".cm-scroller").evaluate((scroller) => scroller.scrollTop), 0);
    for (const title of ["A rotation by a quaternion", "A function and its slope"]) {
      await example(phone, title);
      for (const name of ["Value and gradient", "Plot", "Engines", "Compiler", "Costs", "Kinks"]) {
        await tab(phone, name);
        const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 360, `${title}, ${name}: ${wide} pixels`);
      }
    }
    await phone.context().close();
  },

  "every control has a name and is reached by the keyboard": async () => {
    await example(page, "A function and its slope");
    for (const name of ["Value and gradient", "Plot", "Engines", "Compiler", "Costs", "Kinks"]) {
      await tab(page, name);
      assert.deepEqual(await names(page), [], name);
      assert.deepEqual(await reached(page), [], name);
    }
    // Tabs go by arrows, and the editor runs the program.
    await page.getByRole("tab", { name: "Value and gradient" }).click();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Plot");
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+Enter");
    await done(page);
    for (const id of ["status", "summary", "place"]) assert.equal(await page.locator(`#${id}`).getAttribute("role"), "status");
  },

  "words stand out from their background, on light and on dark pages": async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await contrast(page), [], colorScheme);
    }
    await page.emulateMedia({ colorScheme: "light" });
  },

  "the page has less than 3 MB, compressed": async () => {
    assert.ok(gzipSync(readFileSync(file), { level: 9 }).length < 3_000_000);
  },

  "nothing is written to the console, and nothing is asked of a network": async () => {
    assert.deepEqual(complaints, []);
  },
};

const only = process.argv[2] ?? "";
let failed = 0;
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(only))) {
  const began = performance.now();
  try {
    await test();
    console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
}
await browser.close();
console.log(failed === 0 ? "all is well" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
