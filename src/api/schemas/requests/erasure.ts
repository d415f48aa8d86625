import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { email, text } from '../common.ts'

const why = text(limits.reasonCharacters).min(1)

/** What people wrote about one request; `person`: only what this one wrote. */
export const requestErasure = z.strictObject({ why, person: email.optional() })

/** What one person wrote about any request. */
export const personErasure = z.strictObject({ why })

export const erased = z
  .object({
    /** comments, reasons, answers and summaries */
    texts: z.int(),
    /** requests that had any */
    requests: z.int(),
  })
  .meta({ id: 'Erased' })
export type ErasedView = z.infer<typeof erased>
