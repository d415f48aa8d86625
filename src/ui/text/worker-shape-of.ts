/** The shapes of workers, drawn in a box of 16. None looks like initials or like a risk. */
export const workerShapes = [
  'M2 5h12M2 11h12',
  'M3 3h10v10H3z',
  'M8 2l6 6-6 6-6-6z',
  'M5 2h6l3 6-3 6H5L2 8z',
  'M3 13V3l10 10V3',
  'M8 2v12M2 8h12',
  'M2 3h5v5H2zM9 8h5v5H9z',
  'M2 12c3-10 9-10 12 0z',
] as const

/**
 * The shape of a worker, which depends on its name only. Two workers may have the same, because
 * their names are beside it. Pure.
 */
export function workerShapeOf(name: string): string {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return workerShapes[hash % workerShapes.length] ?? workerShapes[0]
}
