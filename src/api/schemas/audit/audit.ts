import { z } from 'zod'
import { actorTypes } from '#domain/actor.ts'
import { auditEventTypes } from '#domain/audit-event.ts'
import { requestKinds } from '#domain/requests/request.ts'
import { searchLimits } from '#domain/search.ts'
import { email, id, instant, json, listOf, page, requestRef, runRef, text } from '../common.ts'
import * as example from '../examples.ts'

export const auditEventType = z.enum(auditEventTypes)

function isTimeZone(name: string): boolean {
  return Intl.supportedValuesOf('timeZone').includes(name) || name === 'UTC'
}

const filters = {
  type: auditEventType.optional(),
  /** an id, an e-mail address, or an actor's kind: person, machine, policy, timer, system */
  actor: z
    .union([z.enum(actorTypes), id, z.string().regex(/^[0-9a-f]{16}$/), email], {
      error: 'must be an id, an e-mail address, or a kind of actor',
    })
    .optional(),
  requestId: requestRef.optional(),
  runId: runRef.optional(),
  from: instant.optional(),
  to: instant.optional(),
  /** words that all occur in the title or tool of the event's request, one of the newest 1,000 */
  /** `08:00-18:00`: only what happened outside of these hours of Monday to Friday */
  outside: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM-HH:MM')
    .optional(),
  /** of `outside`, by its IANA name; UTC unless it is given */
  timeZone: z.string().refine(isTimeZone, 'is not a time zone, such as Europe/Berlin').optional(),
  q: text(searchLimits.characters)
    .refine((q) => q.trim() !== '', 'is empty')
    .optional(),
}
export const auditQuery = z.strictObject({
  ...page,
  ...filters,
  /** `true`: the answer says what its events are about */
  about: z.enum(['true', 'false']).optional(),
})
export const auditExportQuery = z.strictObject({
  ...filters,
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
})

/** Of an export: how many events it has. */
export const auditExportHeaders = z.object({ 'x-total-count': z.string() })

export const actor = z.object({
  type: z.enum(actorTypes),
  id: z.string().optional(),
  name: z.string().optional(),
})

/** One event as it was stored (audit.md, Shape). */
export const auditEvent = z
  .object({
    id,
    type: auditEventType,
    at: instant,
    actor,
    channel: z.string(),
    runId: id.optional(),
    requestId: id.optional(),
    callId: id.optional(),
    digest: z.string().optional(),
    policyDigest: z.string().optional(),
    /** place in the request's own chain, and the hash of the event before */
    sequence: z.int().optional(),
    previous: z.string().nullable().optional(),
    detail: z.record(z.string(), json),
  })
  .meta({
    id: 'AuditEvent',
    examples: [
      {
        id: example.otherId,
        type: 'execution.finished',
        at: example.carriedOutAt,
        actor: { type: 'system' },
        channel: 'temporal-worker',
        runId: example.runId,
        requestId: example.requestId,
        callId: example.callId,
        digest: example.digest,
        sequence: 5,
        previous: example.otherDigest,
        detail: { state: 'succeeded' },
      },
    ],
  })
export type AuditEventView = z.infer<typeof auditEvent>

/** What the events of a page are about. Words that were erased are left out. */
const auditAbout = z
  .object({
    requests: z.array(
      z.object({ id, number: z.int(), kind: z.enum(requestKinds), effect: z.string() }),
    ),
    runs: z.array(z.object({ id, number: z.int(), worker: z.string() })),
    calls: z.array(z.object({ id, tool: z.string() })),
    /** reasons and comments, by the hash that the event has */
    words: z.array(z.object({ hash: z.string(), text: z.string() })),
  })
  .meta({ id: 'AuditAbout' })
export type AuditAboutView = z.infer<typeof auditAbout>

const events = listOf(auditEvent)
export const auditList = events
  .extend({ about: auditAbout.optional() })
  .meta({ examples: events.meta()?.examples ?? [] })
