import { z } from 'zod'
import { anchorSides } from '#domain/requests/comment-anchor.ts'
import { limits } from '#domain/limits.ts'
import { id, instant, person, text } from '../common.ts'
import * as example from '../examples.ts'

/** The line of a comment. */
export const commentAnchor = z.strictObject({
  file: text(limits.pathBytes).min(1).describe('Path as the difference has it'),
  side: z.enum(anchorSides).describe('`old`: a removed or unchanged line; `new`: an added one'),
  line: z.int().min(1).max(10_000_000).describe('Line from 1 in the file of that side'),
})

export const commentView = z
  .object({
    id,
    person,
    text: z.string().describe('What the person wrote'),
    anchor: commentAnchor.nullable().describe('The line that it is about; null: the whole request'),
    at: instant.describe('When it was posted'),
    editedAt: instant.nullable().describe('When its author last edited it; null: never'),
  })
  .meta({
    examples: [
      {
        id: example.otherId,
        person: example.grace,
        text: 'Is this for 1.2 or for 1.3?',
        anchor: null,
        at: example.askedAt,
        editedAt: null,
      },
    ],
  })
