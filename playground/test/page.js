// The page in a browser without a window, opened from the disk, without a network.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const built = join(root, "target", "playground");
export const file = join(built, "index.html");

/** Ends the process with 75, as what is needed cannot be had. */
function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(75);
}

/** A browser; the packages are those that the page was made with. */
export async function browser() {
  if (!existsSync(file)) {
    console.error("there is no page: run `cargo xtask playground`");
    process.exit(1);
  }
  const packages = join(built, "page", "package.json");
  if (!existsSync(packages)) skip("the packages of npm are not there; `playground/prepare` gets them");
  const { chromium } = createRequire(packages)("playwright-core");
  const paths = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = paths.find((path) => path && existsSync(path));
  if (!executablePath) skip("there is no Chromium; CHROMIUM may name one");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** The page, opened; `complaints` gets what it writes to the console and what it asks of a network. */
export async function opened(browser, { complaints = [], hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || complaints.push(request.url()));
  await page.goto(pathToFileURL(file).href + hash);
  await done(page);
  return page;
}

/** Waits until the run under way, or the one about to begin, is done. */
export async function done(page) {
  await page.waitForTimeout(750);
  await page.waitForFunction(() => /^(Done|Stopped|The run ended|The program has mistakes)|^$/.test(document.getElementById("status").textContent));
}

/** Puts a text into the editor, as somebody who pastes it does. */
export async function write(page, text) {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Loads an example by its title. */
export async function example(page, title) {
  await page.getByLabel("Example").selectOption(title);
  await done(page);
}

/** Chooses a tab. */
export async function tab(page, name) {
  await page.getByRole("tab", { name }).click();
  await done(page);
}

/** The text of an element as it is, to its last blank. */
export const text = (locator) => locator.evaluate((element) => element.textContent);
