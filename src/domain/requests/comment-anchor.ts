/** The two sides of a difference: the file before and after the call. */
export const anchorSides = ['old', 'new'] as const
export type AnchorSide = (typeof anchorSides)[number]

/** The line that a comment is about; `line` counts from 1 in the file of that side. */
export interface CommentAnchor {
  readonly file: string
  readonly side: AnchorSide
  readonly line: number
}
