import { anchorSides, type CommentAnchor } from '#domain/requests/comment-anchor.ts'

/** The field of the draft of a comment on a line. */
export function lineDraftField({ side, line, file }: CommentAnchor): `line ${string}` {
  return `line ${side} ${line} ${file}`
}

/** The line of such a field; null for another field. Pure. */
export function lineOfDraftField(field: string): CommentAnchor | null {
  const [, sideWord, line, file] = /^line (\w+) (\d+) (.*)$/s.exec(field) ?? []
  const side = anchorSides.find((one) => one === sideWord)
  return side === undefined || file === undefined ? null : { file, side, line: Number(line) }
}
