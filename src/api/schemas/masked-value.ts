import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { secretKinds } from '../../domain/text/secrets.ts'

/** A masked value that a page is about to show, by what it looks like. */
export const maskedValue = z.strictObject({
  kind: z.enum(secretKinds),
  characters: z.int().min(1).max(limits.reasonCharacters),
})
export const revealed = z.object({ revealed: z.literal(true) })
