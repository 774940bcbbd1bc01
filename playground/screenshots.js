// Screenshots of the page, below target/playground/screenshots: phone and desktop, light and dark, each tab.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { browser as launched, example, opened, root, tab } from "./test/page.js";

const folder = join(root, "target/playground/screenshots");
mkdirSync(folder, { recursive: true });
const browser = await launched();

const sizes = {
  desktop: { viewport: { width: 1360, height: 900 } },
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
const shots = [
  ["value", "A function and its slope", "Value and gradient"],
  ["plot", "A function and its slope", "Plot"],
  ["engines", "The running example, section 9", "Engines"],
  ["compiler", "The running example, section 9", "Compiler"],
  ["costs", "x sin x, section 8.7", "Costs"],
  ["kinks", "Points without a derivative", "Kinks"],
];
for (const [size, options] of Object.entries(sizes)) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await opened(browser, { ...options, colorScheme });
    for (const [name, title, panel] of shots) {
      await example(page, title);
      await tab(page, panel);
      await page.screenshot({ path: join(folder, `${size}-${colorScheme}-${name}.png`), fullPage: true });
    }
    await page.context().close();
  }
}
await browser.close();
console.log(folder);
