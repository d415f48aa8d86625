import { z } from 'zod'
import { signInMethods } from '#services/access/sessions/start-session.ts'
import { email, id, instant, listOf, page } from '../common.ts'
import * as example from '../examples.ts'

/** `person`: an e-mail address; somebody else's takes the right managePeople. */
export const sessionsQuery = z.strictObject({ ...page, person: email.optional() })
export const endOthersBody = z
  .strictObject({ person: email.optional() })
  .meta({ examples: [{ person: example.adasAddress }] })

export const session = z
  .object({
    id,
    /** how it was started */
    method: z.enum(signInMethods),
    /** where, in a few words, as the caller claimed: `Firefox on Linux` */
    device: z.string(),
    /** its cookie counts only with what its browser keeps for this origin; false: a program's */
    bound: z.boolean(),
    /** it is the one that asks */
    current: z.boolean(),
    createdAt: instant,
    /** to the minute */
    lastSeenAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'Session' })
export type SessionView = z.infer<typeof session>
export const sessionList = listOf(session)
export type SessionList = z.infer<typeof sessionList>

export const sessionEnded = z.object({ ended: z.literal(true) })
/** How many. */
export const sessionsEnded = z.object({ ended: z.int().nonnegative() })
