// What a run of the server answers, and how it is shown.

/** The answer to `pullback.evaluate`, `pullback.gradient`, `pullback.checkGrad` and `pullback.test`. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

export function isAnswer(value: unknown): value is Answer {
  if (typeof value !== "object" || value === null) return false;
  const { ok, text } = value as Partial<Answer>;
  return typeof ok === "boolean" && typeof text === "string";
}

/** The first line of an answer, cut to a width. */
export function brief(answer: Answer, width: number): string {
  const line = answer.text.trim().split("\n", 1)[0] ?? "";
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
