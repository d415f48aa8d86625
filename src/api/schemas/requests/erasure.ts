import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { email, text } from '../common.ts'

const why = text(limits.reasonCharacters).min(1).describe('The reason, which the trail keeps')

/**
 * Erases what people wrote about one request (`words`, the default), or only what `person` wrote,
 * or the `contents` of its call: arguments, presentation and result.
 */
export const requestErasure = z
  .strictObject({
    why,
    what: z
      .enum(['words', 'contents'])
      .optional()
      .describe(
        '`words` (default): what people wrote; `contents`: arguments, presentation and result',
      ),
    person: email.optional().describe('Only what this person wrote; default: what anybody wrote'),
  })
  .refine(({ what, person }) => what !== 'contents' || person === undefined, {
    path: ['person'],
    message: 'is for words only: contents do not belong to one person',
  })
  .meta({ examples: [{ why: 'The file had a customer’s address in it', what: 'contents' }] })

/** Erases what one person wrote about any request. */
export const personErasure = z
  .strictObject({ why })
  .meta({ examples: [{ why: 'Ada asked for it when she left' }] })

export const erased = z
  .object({
    texts: z.int().describe('Comments, reasons, answers and summaries'),
    requests: z
      .int()
      .describe('Requests that had any; for contents, all requests about the same call'),
    contents: z.int().describe('The number of erased contents'),
    bytes: z.int().describe('The size of the erased contents'),
    kept: z
      .int()
      .describe('Contents that stay, because something that was not erased has the same bytes'),
  })
  .meta({ id: 'Erased', examples: [{ texts: 0, requests: 1, contents: 2, bytes: 4096, kept: 0 }] })
export type ErasedView = z.infer<typeof erased>
