import { z } from 'zod'
import { searchLimits, searchTypes } from '#domain/search.ts'
import * as example from '../examples.ts'
import { searchText, wholeListOf } from '../common.ts'

const searchType = z.enum(searchTypes)

export const searchQuery = z.strictObject({
  q: searchText(searchLimits.characters).describe(
    'Words that must all occur, a number such as `#142`, or an id',
  ),
  /** several with commas between them; all when absent */
  types: z
    .string()
    .meta({ description: `Some of ${searchTypes.join(', ')}, with commas between them` })
    // A wrong word is a problem of the parameter, not of a member of a list.
    .transform((list, context) => {
      const { data } = z.array(searchType).safeParse(list.split(','))
      if (data !== undefined) return data
      const message = `must be some of ${searchTypes.join(', ')}, with commas between them`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional(),
})

const hit = z
  .object({
    type: searchType.describe('What was found'),
    id: z.string().describe('Id of the request, run, person or rule; of others the name or path'),
    number: z.int().optional().describe('Number of a request or run'),
    title: z.string().describe('Its title or name'),
    detail: z
      .string()
      .describe('Facts that distinguish it from others with the same title, for people'),
    url: z.string().describe('Path of its page in the dashboard'),
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
export type SearchItemView = z.infer<typeof hit>

export const searchAnswer = wholeListOf(hit).meta({
  id: 'SearchAnswer',
  examples: [{ items: hit.meta()?.examples }],
})
