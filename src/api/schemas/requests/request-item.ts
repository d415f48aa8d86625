import { z } from 'zod'
import { permitStates } from '#domain/requests/request.ts'
import { hash, id, instant, listOf, person, risk } from '../common.ts'
import { externalItem } from './external-request.ts'
import { scope } from '../policy/grants.ts'
import { lineageEntry, runMode } from '../runs/runs.ts'
import { rule, ruleExample } from '../runs/transcript.ts'
import * as example from '../examples.ts'
import {
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

/** A row of a list: without what only the request's own page shows. */
const itemMembers = z.object({
  id,
  number: z.int(),
  revision: z.int(),
  state: requestState,
  kind: requestKind,
  queue: z.string(),
  risk,
  tool: z.string(),
  title: z.string(),
  /** what it does, in one sentence of the service's own */
  effect: z.string(),
  /** computed once, when the revision was opened */
  cues: z.array(cue),
  /** null for requests of programs, and where the words were erased */
  task: task.nullable(),
  /** what a program says its task is: its claim */
  claimedTask: z.string().nullable(),
  routing,
  digest: hash,
  policyDigest: hash,
  rule,
  claim: claimView.nullable(),
  /** a colleague who was asked to look at it */
  handedTo: handedTo.nullable(),
  /** until when the caller has put it off */
  snoozedUntil: instant.nullable(),
  agentReason: z.string().nullable(),
  worker: z.string().nullable(),
  mode: runMode.nullable(),
  runId: id.nullable(),
  callId: id.nullable(),
  toolCallId: z.string().nullable(),
  /** of a call that a person made: the last turn before it */
  turn: z.int().nullable(),
  /** the person who invoked the tool, when it was not the model */
  invokedBy: person.nullable(),
  batch: batch.nullable(),
  lineage: z.array(lineageEntry),
  quorum,
  eligibility: z.object({ canDecide: z.boolean(), reason: z.string().nullable() }),
  allowedDecisions: z.array(z.enum(['approve', 'deny'])),
  allowedScopes: z.array(scope),
  /** null for requests of runs */
  external: externalItem.nullable(),
  execution,
  /** the approval's right to be carried out once; null without one */
  permit: z.enum(permitStates).nullable(),
  createdAt: instant,
  expiresAt: instant,
  /** in the order of their times; empty for a queue that says nothing of them */
  steps: z.array(waitingStep),
  decidedAt: instant.nullable(),
  supersededBy: id.nullable(),
  cancelReason: cancelReason.nullable(),
  /** of a request that has ended: who ended it, the last to decide */
  decidedBy: person.nullable(),
  /**
   * it is pending again, and may have been decided and carried out in rows that a restore lost
   */
  askedBeforeRestore: z.boolean(),
  /**
   * how many are alike, as far as the request's page would list them, and how often it was
   * carried out
   */
  alike: z.object({ same: z.int(), similar: z.int(), again: z.int() }),
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
    queue: { value: 'platform', text: 'configured', source: 'countersign.yaml:12' },
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
