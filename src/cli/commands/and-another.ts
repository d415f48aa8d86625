/** For an option that may be given several times, each with one value: it takes no argument of the command along. */
export function andAnother(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
