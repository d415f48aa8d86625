import { z } from 'zod'
import { signInMethods } from '#services/access/sessions/start-session.ts'
import { acknowledgementOf, email, id, instant, listOf, page } from '../common.ts'
import * as example from '../examples.ts'

export const sessionsQuery = z.strictObject({
  ...page,
  person: email
    .optional()
    .describe(
      'E-mail address; another person’s needs the right managePeople; default: the caller’s',
    ),
})
export const endOthersBody = z
  .strictObject({
    person: email
      .optional()
      .describe(
        'Whose sessions; another person’s need the right managePeople; default: the caller’s',
      ),
  })
  .meta({ examples: [{ person: example.adasAddress }] })

export const session = z
  .object({
    id,
    method: z.enum(signInMethods).describe('How the session was started'),
    device: z
      .string()
      .describe('Browser and system as the client stated them, such as `Firefox on Linux`'),
    bound: z
      .boolean()
      .describe(
        'Whether the session needs a proof from its browser in addition to the cookie; false for sessions of programs',
      ),
    current: z.boolean().describe('Whether this is the session of the call'),
    createdAt: instant,
    lastSeenAt: instant.describe('The last use, to the minute'),
    expiresAt: instant.describe('When it ends at the latest; without use it ends earlier'),
  })
  .meta({ id: 'Session' })
export type SessionView = z.infer<typeof session>
export const sessionList = listOf(session)
export type SessionList = z.infer<typeof sessionList>

export const sessionEnded = acknowledgementOf('ended')
export const sessionsEnded = z.object({
  ended: z.int().nonnegative().describe('The number of sessions that were ended'),
})
