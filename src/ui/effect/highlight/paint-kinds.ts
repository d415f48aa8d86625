/** The kinds of coloured parts, which are the classes that colouring can use. */
export const paintKinds = [
  'plain',
  'comment',
  'string',
  'keyword',
  'constant',
  'function',
  'parameter',
  'punctuation',
  'link',
] as const
export type PaintKind = (typeof paintKinds)[number]

/** The parts of a line in order: a number of characters, and their kind in `paintKinds`. */
export type PaintedLine = readonly (readonly [length: number, kind: number])[]

/** A job of the page for its web worker. Each text is parsed separately. */
export interface PaintJob {
  readonly id: number
  readonly language: string
  readonly texts: readonly string[]
}

/** The lines of each text of a job; `null`: they could not be parsed. */
export interface PaintAnswer {
  readonly id: number
  readonly texts: readonly (readonly PaintedLine[])[] | null
}
