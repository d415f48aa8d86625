import { z } from 'zod'
import {
  cancelReasons,
  executionStates,
  permitStates,
  requestKinds,
  requestSorts,
  requestStates,
} from '#domain/request.ts'
import { cueIds, cueLevels } from '#domain/cues.ts'
import { namedFileKinds, presentationTypes, writingStates } from '#domain/presentation.ts'
import { anchorSides } from '#domain/comment-anchor.ts'
import { limits } from '#domain/limits.ts'
import { editsPolicies } from '#domain/verdict.ts'
import { hash, id, instant, json, listOf, name, page, person, risk, text } from '../common.ts'
import { externalDetail, externalItem } from './external-request.ts'
import { scope } from '../policy/grants.ts'
import { lineageEntry, runMode } from '../runs/runs.ts'
import { rule, ruleExample, verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const requestState = z.enum(requestStates)
export const requestKind = z.enum(requestKinds)
export const cancelReason = z.enum(cancelReasons)

export const requestsQuery = z.strictObject({
  ...page,
  state: requestState.optional(),
  queue: name.optional(),
  risk: risk.optional(),
  tool: name.optional(),
  runId: id.optional(),
  /** id of the rule that asked */
  rule: text(1000).optional(),
  /** pending, I may decide it, and have not voted */
  mine: z.enum(['true', 'false']).optional(),
  /** pending, and I have put it off */
  snoozed: z.enum(['true', 'false']).optional(),
  q: text(200).optional(),
  sort: z.enum(requestSorts).optional(),
})

/** `file`: the path of one of `namedFiles` */
export const contentQuery = z.strictObject({ file: text(1024).min(1).optional() })

/** What is shown to approvers; `content` is text, never markup. `digest` covers all the rest. */
export const presentation = z
  .object({
    type: z.enum(presentationTypes),
    language: z.string().nullable(),
    content: z.string(),
    truncated: z.boolean(),
    totalLines: z.int(),
    totalBytes: z.int(),
    metadata: z.record(z.string(), json),
    warnings: z.array(z.string()),
    digest: hash,
  })
  .meta({ id: 'Presentation' })

export const quorumPlace = z.object({
  team: z.string(),
  count: z.int(),
  /** teams whose members may fill it too, since an escalation added them */
  also: z.array(z.string()).optional(),
})
export const quorum = z
  .object({
    required: z.array(quorumPlace),
    counted: z.array(z.object({ team: z.string(), person })),
    missing: z.array(quorumPlace),
    text: z.string(),
  })
  .meta({ id: 'Quorum' })
export type QuorumView = z.infer<typeof quorum>

export const executionState = z.enum(executionStates)
/** What happened to the effect. Members other than `state` appear once they are known. */
export const execution = z
  .object({
    state: executionState,
    reason: z.string().optional(),
    attempt: z.int().optional(),
    exitCode: z.int().optional(),
    executedDigest: hash.optional(),
    startedAt: instant.optional(),
    finishedAt: instant.optional(),
  })
  .meta({ id: 'Execution' })
export type ExecutionView = z.infer<typeof execution>

export const decisionView = z
  .object({
    decisionId: id,
    person,
    decision: z.enum(['approve', 'deny']),
    at: instant,
    revision: z.int(),
    reason: z.string().nullable(),
    selfApproved: z.boolean(),
    /** the decider had edited the call (product.md 17) */
    edited: z.boolean(),
    scope: scope.nullable(),
    then: z.enum(['continue', 'stop']).nullable(),
    batchDecisionId: id.nullable(),
    /** name of the passkey that signed it; null: it is not signed */
    signedWith: z.string().nullable(),
  })
  .meta({ id: 'Decision' })
export type DecisionView = z.infer<typeof decisionView>

const sibling = z.object({
  callId: id,
  tool: z.string(),
  title: z.string(),
  verdict: verdict.nullable(),
  requestId: id.nullable(),
  state: requestState.nullable(),
  finished: z.boolean(),
})
const batch = z.object({ position: z.int(), size: z.int() })
const batchWithSiblings = batch.extend({
  /** whether this call has its result, whatever it is; the same for each sibling */
  finished: z.boolean(),
  siblings: z.array(sibling),
})

export const claimView = z.object({ person, at: instant, leaseUntil: instant }).meta({
  examples: [
    { person: example.grace, at: example.askedAt, leaseUntil: '2026-03-02T09:45:00.000Z' },
  ],
})

/** What deserves attention; `line` counts from 1 in the presentation's content, or in `file`. */
const cue = z
  .object({
    id: z.enum(cueIds),
    level: z.enum(cueLevels),
    text: z.string(),
    line: z.int().optional(),
    file: z.string().optional(),
  })
  .meta({ id: 'Cue' })

/**
 * What a person asked the root run to do: its first message, cut after 4,000 characters. `by` is
 * null when no person did; `later` counts the messages since.
 */
const task = z
  .object({ text: z.string(), by: person.nullable(), at: instant, later: z.int() })
  .meta({ id: 'Task' })

/** Why a value of the routing is what it is; `source` is `file:line`, null for a default. */
const routingWhy = z.object({ value: z.string(), text: z.string(), source: z.string().nullable() })
const routing = z
  .object({ queue: routingWhy, risk: routingWhy, quorum: routingWhy })
  .meta({ id: 'Routing' })

/** Whom a request was handed to, by whom and when. */
export const handedTo = z.object({ person, by: person, at: instant })

/**
 * What is done about a request that waits: reminding, or adding teams; `takenAt` is null until it
 * is done.
 */
export const waitingStep = z.object({
  kind: z.enum(['remind', 'escalate']),
  addTeams: z.array(z.string()),
  dueAt: instant,
  takenAt: instant.nullable(),
})

const itemExample = {
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
    queue: { value: 'platform', text: 'it is written there', source: 'countersign.yaml:12' },
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

/** A row of a list: without what only the request's own page shows. */
export const requestItem = z
  .object({
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
  .meta({ id: 'RequestItem', examples: [itemExample] })
export type RequestItem = z.infer<typeof requestItem>
export const requestList = listOf(requestItem)

/**
 * A file that a command names, as it was when the request opened: `text` and `binary` ones are
 * kept, to be read.
 */
const namedFile = z.object({
  path: z.string(),
  bytes: z.int(),
  hash,
  kind: z.enum(namedFileKinds),
  /** the newest earlier call of this root run that wrote it, when one did */
  writtenBy: z
    .object({
      callId: id,
      runId: id,
      worker: z.string(),
      tool: z.string(),
      turn: z.int(),
      state: z.enum(writingStates),
    })
    .nullable(),
})
export type NamedFileView = z.infer<typeof namedFile>

/** `line` counts from 1 in the file of that side. */
export const commentAnchor = z.strictObject({
  file: text(limits.pathBytes).min(1),
  side: z.enum(anchorSides),
  line: z.int().min(1).max(10_000_000),
})

export const commentView = z
  .object({ id, person, text: z.string(), anchor: commentAnchor.nullable(), at: instant })
  .meta({
    examples: [
      {
        id: example.otherId,
        person: example.grace,
        text: 'Is this for 1.2 or for 1.3?',
        anchor: null,
        at: example.askedAt,
      },
    ],
  })

const erasedContents = z
  .object({
    at: instant,
    by: person,
    /** of each content that it referred to: what it was, of which revision, its hash and size */
    contents: z.array(
      z.object({ of: z.string(), revision: z.int().nullable(), hash: z.string(), bytes: z.int() }),
    ),
  })
  .meta({ id: 'ErasedContents' })

/** Another request of the same call, or of one about the same file or program. */
const alikeRequest = z.object({
  requestId: id,
  number: z.int(),
  title: z.string(),
  worker: z.string().nullable(),
  state: requestState,
  execution,
  /** when it was carried out last, else decided, else asked */
  at: instant,
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
})
export type AlikeRequest = z.infer<typeof alikeRequest>

/** What is alike, as far as the caller may see it; `hidden` counts the rest. */
const alike = z
  .object({
    same: z.array(alikeRequest),
    similar: z.array(alikeRequest),
    hidden: z.int(),
    /**
     * how often the very call was carried out: by this root run ever, by any run or program within
     * a day
     */
    again: z.int(),
  })
  .meta({ id: 'Alike' })

const detailExample = {
  ...itemExample,
  alike: { same: [], similar: [], hidden: 0, again: 0 },
  input: example.input,
  externalId: null,
  verdict: null,
  metadata: null,
  presentation: {
    type: 'file_content',
    language: 'markdown',
    content: example.input.content,
    truncated: false,
    totalLines: 1,
    totalBytes: 8,
    metadata: { path: example.path },
    warnings: [],
    digest: example.otherDigest,
  },
  namedFiles: [],
  batch: { position: 1, size: 1, finished: false, siblings: [] },
  eligiblePeople: [{ ...example.grace, awayUntil: null }],
  scopeCoverage: [],
  scopesNotOffered: [],
  decisions: [],
  previous: [],
  comments: [],
  revisions: [
    {
      revision: 1,
      digest: example.digest,
      title: example.title,
      editor: null,
      reason: null,
      at: example.askedAt,
    },
  ],
  edits: 'revise',
  signatureRequired: false,
  facts: {},
  outcomeOf: null,
  erased: null,
  workspaceRoot: null,
}

export const requestDetail = requestItem
  .extend({
    alike,
    input: json,
    /** of a program's request: as in `external` */
    externalId: z.string().nullable(),
    verdict: z.enum(['ask', 'preApproved']).nullable(),
    metadata: z.record(z.string(), json).nullable(),
    external: externalDetail.nullable(),
    presentation,
    /** of a command: every file it names; the bytes are at `/content?file=PATH` */
    namedFiles: z.array(namedFile),
    batch: batchWithSiblings.nullable(),
    /** `awayUntil`: they say that they are away until then */
    eligiblePeople: z.array(person.extend({ awayUntil: instant.nullable() })),
    /**
     * of each of `allowedScopes`: what an approval with it would cover, exactly, and `covers` in
     * sentences
     */
    scopeCoverage: z.array(
      z.object({
        scope,
        tool: z.string(),
        digest: hash.nullable(),
        path: z.string().nullable(),
        files: z.array(z.object({ path: z.string(), hash: z.string() })),
        covers: z.array(z.string()),
      }),
    ),
    /**
     * wider scopes that one may expect of such a call and that it cannot be approved with, and why
     */
    scopesNotOffered: z.array(z.object({ scope, why: z.string() })),
    decisions: z.array(decisionView),
    previous: z.array(
      z.object({
        requestId: id,
        state: requestState,
        decidedBy: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    comments: z.array(commentView),
    /** every revision, the first included; `editor` is null for the model's own */
    revisions: z.array(
      z.object({
        revision: z.int(),
        digest: hash,
        title: z.string(),
        editor: person.nullable(),
        reason: z.string().nullable(),
        at: instant,
      }),
    ),
    /** whether the caller may change the call before deciding it (product.md 11) */
    edits: z.enum(editsPolicies),
    /** an approval carries `assertion`, a passkey's signature */
    signatureRequired: z.boolean(),
    /** what the execution is compared with: bases of files, tool definition */
    facts: z.record(z.string(), json),
    /** of an `outcome_check`: the request whose call it asks about */
    outcomeOf: id.nullable(),
    /** its contents were erased: `input`, `presentation` and the rest say so, and this what went */
    erased: erasedContents.nullable(),
    /** absolute path of the workspace; development profile only */
    workspaceRoot: z.string().nullable(),
  })
  .meta({ id: 'Request', examples: [detailExample] })
export type RequestDetail = z.infer<typeof requestDetail>
