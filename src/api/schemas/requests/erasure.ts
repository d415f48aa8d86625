import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { email, text } from '../common.ts'

const why = text(limits.reasonCharacters).min(1)

/**
 * What people wrote about one request (`words`, the default), of `person` only what this one wrote;
 * or its `contents`: what its call was given, showed and returned.
 */
export const requestErasure = z
  .strictObject({
    why,
    what: z.enum(['words', 'contents']).optional(),
    person: email.optional(),
  })
  .refine(({ what, person }) => what !== 'contents' || person === undefined, {
    path: ['person'],
    message: 'is for words only: contents do not belong to one person',
  })
  .meta({ examples: [{ why: 'The file had a customer’s address in it', what: 'contents' }] })

/** What one person wrote about any request. */
export const personErasure = z
  .strictObject({ why })
  .meta({ examples: [{ why: 'Ada asked for it when she left' }] })

export const erased = z
  .object({
    /** comments, reasons, answers and summaries */
    texts: z.int(),
    /** requests that had any; of `contents` all that are about the same call */
    requests: z.int(),
    /** different contents, and their bytes, that nothing refers to any more */
    contents: z.int(),
    bytes: z.int(),
    /** contents whose bytes stay, since something that was not erased holds the same */
    kept: z.int(),
  })
  .meta({ id: 'Erased', examples: [{ texts: 0, requests: 1, contents: 2, bytes: 4096, kept: 0 }] })
export type ErasedView = z.infer<typeof erased>
