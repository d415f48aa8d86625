/** What a part of a line is in its language: the closed list of classes that colour can have. */
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

/** Parts of a line, in order: how many characters, and which of `paintKinds` they are. */
export type PaintedLine = readonly (readonly [length: number, kind: number])[]

/** What a page asks its worker; each text is read by itself, from its beginning. */
export interface PaintJob {
  readonly id: number
  readonly language: string
  readonly texts: readonly string[]
}

/** The lines of each text of a job; `null`: they could not be read. */
export interface PaintAnswer {
  readonly id: number
  readonly texts: readonly (readonly PaintedLine[])[] | null
}
