// What somebody needs who uses no mouse, a screen reader, or eyes that see less contrast.

/** Controls without a name, as the browser tells them to screen readers. */
export async function names(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const roles = ["button", "textbox", "combobox", "tab", "radio", "link", "region", "tabpanel", "radiogroup", "img", "DisclosureTriangle"];
  const found = nodes.filter(({ ignored, role }) => !ignored && roles.includes(role?.value));
  if (found.length < 10) return [`only ${found.length} controls`];
  return found.filter(({ name }) => !name?.value?.trim()).map(({ role }) => role.value);
}

/** Controls that the Tab key does not reach. Of radio buttons and tabs it reaches one; arrows go on from there. */
export async function reached(page) {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-seen]")) element.removeAttribute("data-seen");
    // The first one is seen when it has the focus, so the way begins there.
    const first = document.querySelector(".skip");
    first.focus();
    first.setAttribute("data-seen", "");
  });
  for (let count = 0; count < 80; count++) {
    await page.keyboard.press("Tab");
    const isNew = await page.evaluate(() => {
      const { activeElement } = document;
      const isNew = activeElement !== document.body && !activeElement.hasAttribute("data-seen");
      activeElement.setAttribute("data-seen", "");
      return isNew;
    });
    if (!isNew) break;
  }
  return page.evaluate(() => {
    const all = [...document.querySelectorAll("button, select, input, textarea, summary, a[href], .cm-content, pre.text")];
    const expected = all.filter((element) => {
      const isOne = element.type === "radio" ? element.checked : element.getAttribute("role") !== "tab" || element.tabIndex === 0;
      return isOne && !element.disabled && element.checkVisibility();
    });
    return expected.filter((element) => !element.hasAttribute("data-seen")).map((element) => element.outerHTML.slice(0, 100));
  });
}

/** Texts whose contrast with what is behind them is less than 4.5 to 1. */
export async function contrast(page) {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => {
      const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor);
        if (colour[3] > 250) return colour;
      }
      return [255, 255, 255, 255];
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const dull = [];
    for (const element of document.querySelectorAll("body *")) {
      if (!hasText(element) || !element.checkVisibility() || element.disabled || element.closest("script, svg, .hidden")) continue;
      const [one, other] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (ratio < 4.5) dull.push(`${element.tagName} ${element.className}: ${ratio.toFixed(2)}`);
    }
    return dull;
  });
}
