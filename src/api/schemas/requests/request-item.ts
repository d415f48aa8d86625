import { z } from 'zod'
import { permitStates } from '#domain/requests/request.ts'
import {
  hash,
  id,
  instant,
  listOf,
  person,
  queueName,
  risk,
  shortNumber,
  toolName,
} from '../common.ts'
import { externalItem } from './external-request.ts'
import { scope } from '../policy/grants.ts'
import { lineageEntry, runMode } from '../runs/runs.ts'
import { rule, ruleExample } from '../runs/transcript.ts'
import * as example from '../examples.ts'
import {
  callTitle,
  requestState,
  requestKind,
  cancelReason,
  quorum,
  execution,
  batch,
  claimView,
  cue,
  task,
  routing,
  handedTo,
  waitingStep,
} from './request-parts.ts'

/** A request in a list, without the members that only `getRequest` returns. */
const itemMembers = z.object({
  id,
  number: shortNumber,
  revision: z
    .int()
    .describe('The newest revision, from 1; each change of the call makes a new one'),
  state: requestState,
  kind: requestKind,
  queue: queueName.describe('Name of the queue in which it waits or waited'),
  risk,
  tool: toolName,
  title: callTitle,
  effect: z.string().describe('The effect of the call in one sentence of the service'),
  cues: z.array(cue).describe('What deserves attention, computed when the revision was opened'),
  task: task
    .nullable()
    .describe('The task of the run; null for requests of programs, and if it was erased'),
  claimedTask: z
    .string()
    .nullable()
    .describe('The task that a program states, which nobody verified. A list cuts a long one'),
  routing: routing.describe('Why it has its queue, risk and quorum'),
  digest: hash.describe('`sha256:` of what will run; a decision repeats it'),
  policyDigest: hash.describe('Digest of the version of the policy that judged the call'),
  rule: rule.describe('The rule that requires the approval'),
  claim: claimView.nullable().describe('Who is looking at it; null: nobody says so'),
  handedTo: handedTo.nullable().describe('The colleague who was asked to look at the request'),
  snoozedUntil: instant.nullable().describe('Until when the caller has snoozed it'),
  agentReason: z
    .string()
    .nullable()
    .describe('What the model wrote in the turn of the call, which nobody verified; null: nothing'),
  worker: z.string().nullable().describe('Name of the worker; null: a program that named none'),
  mode: runMode.nullable().describe('The mode of the run; null for requests of programs'),
  runId: id.nullable().describe('Id of the run; null for requests of programs'),
  callId: id.nullable().describe('Id of the call; null: it is about no call of a run'),
  toolCallId: z
    .string()
    .nullable()
    .describe('The identifier that the model gave the call; null: no model made it'),
  turn: z
    .int()
    .nullable()
    .describe('The turn of the call; if a person made the call, the last turn before it'),
  invokedBy: person.nullable().describe('The person who invoked the tool; null: the model did'),
  batch: batch.nullable().describe('The place of the call in its turn; null: it has none'),
  lineage: z
    .array(lineageEntry)
    .describe(
      'The runs from the root down to this one, with the people who started them; empty for programs',
    ),
  quorum: quorum.describe('The approvals that it needs, and those it has'),
  eligibility: z
    .object({
      canDecide: z.boolean().describe('Whether the caller may decide it now'),
      reason: z
        .string()
        .nullable()
        .describe('Why the caller may not, as a sentence; null: they may'),
    })
    .describe('Whether the caller can decide it'),
  allowedDecisions: z
    .array(z.enum(['approve', 'deny']))
    .describe('What the caller may decide now; empty: nothing'),
  allowedScopes: z.array(scope).describe('How far an approval by the caller may go'),
  external: externalItem
    .nullable()
    .describe('The program that opened the request; null for requests of runs'),
  execution,
  permit: z
    .enum(permitStates)
    .nullable()
    .describe('The state of the permit, the right to run the call once; null: there is none'),
  createdAt: instant.describe('When it was opened'),
  expiresAt: instant.describe('When it expires if it is not decided before'),
  steps: z
    .array(waitingStep)
    .describe('Reminders and escalations by time; empty if the queue has none'),
  decidedAt: instant
    .nullable()
    .describe('When the last decision was made; null: it is pending, or it ended without one'),
  supersededBy: id
    .nullable()
    .describe('Id of the request that took the place of this one; null: none did'),
  cancelReason: cancelReason.nullable().describe('Why it was cancelled; null: it was not'),
  decidedBy: person.nullable().describe('Who made the last decision of a request that has ended'),
  askedBeforeRestore: z
    .boolean()
    .describe(
      'Whether the request is pending again after a restore, and may have been decided and carried out before',
    ),
  alike: z
    .object({
      same: z.int().describe('Requests with the identical call'),
      similar: z.int().describe('Requests about the same file or program'),
      again: z.int().describe('How often the identical call was carried out'),
    })
    .describe(
      'The numbers of alike requests that the caller may see, and how often the same call was carried out',
    ),
})

export const itemExample: z.infer<typeof itemMembers> = {
  id: example.requestId,
  number: 142,
  revision: 1,
  state: 'pending',
  kind: 'tool_call',
  queue: 'platform',
  risk: 'medium',
  tool: example.tool,
  title: example.title,
  effect: 'Create notes/1.2.md with 1 line',
  cues: [],
  task: { text: 'Write the release notes for 1.2', by: example.ada, at: example.askedAt, later: 0 },
  claimedTask: null,
  routing: {
    queue: { value: 'platform', text: 'the default queue', source: 'countersign.yaml:12' },
    risk: { value: 'medium', text: 'default', source: null },
    quorum: { value: '1 of platform', text: 'default', source: null },
  },
  digest: example.digest,
  policyDigest: example.otherDigest,
  rule: ruleExample,
  claim: null,
  handedTo: null,
  snoozedUntil: null,
  agentReason: 'The notes are missing',
  worker: example.worker,
  mode: 'prompt',
  runId: example.runId,
  callId: example.callId,
  toolCallId: 'toolu_01',
  turn: 1,
  invokedBy: null,
  batch: { position: 1, size: 1 },
  lineage: [{ runId: example.runId, worker: example.worker, startedBy: example.ada }],
  quorum: {
    required: [{ team: 'platform', count: 1 }],
    counted: [],
    missing: [{ team: 'platform', count: 1 }],
    text: '1 of platform',
  },
  eligibility: { canDecide: true, reason: null },
  allowedDecisions: ['approve', 'deny'],
  allowedScopes: ['once'],
  external: null,
  execution: { state: 'not_started' },
  permit: null,
  createdAt: example.askedAt,
  expiresAt: example.expiresAt,
  steps: [],
  decidedAt: null,
  supersededBy: null,
  cancelReason: null,
  decidedBy: null,
  askedBeforeRestore: false,
  alike: { same: 0, similar: 0, again: 0 },
}

export const requestItem = itemMembers.meta({ id: 'RequestItem', examples: [itemExample] })
export type RequestItem = z.infer<typeof requestItem>
export const requestList = listOf(requestItem)
