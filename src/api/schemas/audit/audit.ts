import { z } from 'zod'
import { actorTypes } from '#domain/actor.ts'
import { auditEventTypes } from '#domain/audit-event.ts'
import { requestKinds } from '#domain/requests/request.ts'
import { searchLimits } from '#domain/search.ts'
import {
  email,
  id,
  instant,
  json,
  listOf,
  page,
  requestRef,
  runRef,
  shortNumber,
  searchText,
  toolName,
  workerName,
} from '../common.ts'
import * as example from '../examples.ts'

const auditEventType = z
  .enum(auditEventTypes)
  .describe('What happened; docs/audit.md describes each type')

function isTimeZone(name: string): boolean {
  return Intl.supportedValuesOf('timeZone').includes(name) || name === 'UTC'
}

const filters = {
  type: auditEventType.optional().describe('Type of the event, such as `request.decided`'),
  actor: z
    .union([z.enum(actorTypes), id, z.string().regex(/^[0-9a-fA-F]{16}$/), email], {
      error: 'must be an id, an e-mail address, or a kind of actor',
    })
    .optional()
    .describe('Id, e-mail address or kind of the actor: person, machine, policy, timer or system'),
  requestId: requestRef.optional(),
  runId: runRef.optional(),
  from: instant.optional().describe('Events at this time or later'),
  to: instant.optional().describe('Events before this time'),
  outside: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM-HH:MM')
    .optional()
    .describe('Such as `08:00-18:00`: only events outside of these hours from Monday to Friday'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not a time zone, such as Europe/Berlin')
    .optional()
    .describe('IANA name of the time zone of `outside`; default: UTC'),
  q: searchText(searchLimits.characters)
    .optional()
    .describe(
      'At most 8 words that must all occur in the title, the tool, the reasons or the comments of the event’s request; searches the newest 1,000 requests that match, and the newest 2,000 decisions, comments and changes',
    ),
}
export const auditQuery = z.strictObject({
  ...page,
  ...filters,
  about: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: the answer also has the requests, runs and texts that its events refer to'),
})
export const auditExportQuery = z.strictObject({
  ...filters,
  format: z
    .enum(['jsonl', 'csv'])
    .default('jsonl')
    .describe('`jsonl`: one JSON object a line; `csv`: a table with a header'),
})

export const auditExportHeaders = z.object({
  'x-total-count': z.string().describe('The number of events in the export'),
})

export const actor = z.object({
  type: z
    .enum(actorTypes)
    .describe('`machine`: a program with an API key; `policy`: a version of the configuration'),
  id: z.string().optional().describe('Of a person or key; absent for the others'),
  name: z.string().optional().describe('As it was when the event was recorded; absent: none'),
  ownerId: id.optional().describe('Of a key: id of the person whose key it is'),
  proposedBy: id
    .optional()
    .describe('Of a key: id of the person who proposed it to its owner; absent: nobody'),
})

/** One event in its stored form (audit.md, Shape). */
export const auditEvent = z
  .object({
    id,
    type: auditEventType,
    at: instant.describe('When it was recorded'),
    actor: actor.describe('Who did it'),
    channel: z
      .string()
      .describe(
        'The channel through which it was done, such as `dashboard`, `api`, `slack` or `workflow`',
      ),
    runId: id.optional().describe('Id of the run that it is about; absent: none'),
    requestId: id.optional().describe('Id of the request that it is about; absent: none'),
    callId: id.optional().describe('Id of the call that it is about; absent: none'),
    digest: z.string().optional().describe('Digest of the call that the event is about'),
    policyDigest: z
      .string()
      .optional()
      .describe('Digest of the version of the policy that applied'),
    sequence: z
      .int()
      .optional()
      .describe(
        'Position in the chain of the request, which also has the hash of the event before',
      ),
    previous: z
      .string()
      .nullable()
      .optional()
      .describe('Hash of the event before it in the chain of the request; null: it is the first'),
    detail: z.record(z.string(), json).describe('Facts by the type of the event (docs/audit.md)'),
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

/** The requests, runs and texts that the events of a page refer to, without erased texts. */
const auditAbout = z
  .object({
    requests: z
      .array(
        z.object({
          id,
          number: shortNumber,
          kind: z.enum(requestKinds).describe('What the request is for'),
          effect: z
            .string()
            .describe(
              'The effect of the call in one sentence of the service; for a question or an outcome check, its title',
            ),
        }),
      )
      .describe('The requests whose ids the events have'),
    runs: z
      .array(z.object({ id, number: shortNumber, worker: workerName }))
      .describe('The runs whose ids the events have'),
    calls: z
      .array(z.object({ id, tool: toolName }))
      .describe('The calls whose ids the events have'),
    words: z
      .array(
        z.object({
          hash: z.string().describe('The hash that the event has'),
          text: z.string().describe('What the person wrote'),
        }),
      )
      .describe('Reasons and comments, by the hash that an event has'),
  })
  .meta({ id: 'AuditAbout' })
export type AuditAboutView = z.infer<typeof auditAbout>

const events = listOf(auditEvent)
export const auditList = events
  .extend({
    about: auditAbout.optional().describe('Present with `?about=true`'),
    unreadable: z
      .int()
      .optional()
      .describe(
        'How many texts of this page are no events, because something other than the service wrote them to the database. An export has them. Absent: none',
      ),
  })
  .meta({ examples: events.meta()?.examples ?? [] })
