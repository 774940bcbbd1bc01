// What a run of the server answers, and how it is shown.

/** The answer to `pullback.evaluate`, `pullback.gradient` and `pullback.test`. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

export function isAnswer(value: unknown): value is Answer {
  if (typeof value !== "object" || value === null) return false;
  const { ok, text } = value as Partial<Answer>;
  return typeof ok === "boolean" && typeof text === "string";
}

/** A line that tells an answer. Longer ones are cut; the output has the whole. */
export function brief(answer: Answer, width = 160): string {
  const line = answer.text.trim().split("\n", 1)[0] ?? "";
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** Whether a line does not tell the whole answer. */
export function isCut(answer: Answer): boolean {
  return brief(answer) !== answer.text.trim();
}
