import { z } from 'zod'
import { searchLimits, searchTypes } from '#domain/search.ts'
import * as example from '../examples.ts'
import { text } from '../common.ts'

const searchType = z.enum(searchTypes)

export const searchQuery = z.strictObject({
  /** words that must all occur, a number as `#142`, or an id */
  q: text(searchLimits.characters).refine((q) => q.trim() !== '', 'is empty'),
  /** several with commas between them; all when absent */
  types: z
    .string()
    .meta({ description: `Some of ${searchTypes.join(', ')}, with commas between them` })
    .transform((list) => list.split(','))
    .pipe(z.array(searchType).min(1))
    .optional(),
})

const found = z
  .object({
    type: searchType,
    id: z.string(),
    /** of a request, and of a run */
    number: z.int().optional(),
    title: z.string(),
    detail: z.string(),
    /** a path of the dashboard */
    url: z.string(),
  })
  .meta({
    id: 'Found',
    examples: [
      {
        type: 'request',
        id: example.requestId,
        number: 142,
        title: example.title,
        detail: `pending, medium risk, ${example.tool}, ${example.worker}`,
        url: '/requests/142',
      },
    ],
  })
export type FoundView = z.infer<typeof found>

export const searchAnswer = z.object({ items: z.array(found) }).meta({
  id: 'SearchAnswer',
  examples: [{ items: found.meta()?.examples }],
})
