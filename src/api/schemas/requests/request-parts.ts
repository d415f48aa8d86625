import { z } from 'zod'
import {
  cancelReasons,
  executionStates,
  requestKinds,
  requestStates,
} from '#domain/requests/request.ts'
import { cueIds, cueLevels } from '#domain/policy/cues.ts'
import { namedFileKinds, presentationTypes, writingStates } from '#domain/tools/presentation.ts'
import { anchorSides } from '#domain/requests/comment-anchor.ts'
import { limits } from '#domain/limits.ts'
import { hash, id, instant, json, person, text } from '../common.ts'
import { scope } from '../policy/grants.ts'
import { verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const requestState = z.enum(requestStates)
export const requestKind = z.enum(requestKinds)
export const cancelReason = z.enum(cancelReasons)

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
export const batch = z.object({ position: z.int(), size: z.int() })

export const batchWithSiblings = batch.extend({
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
export const cue = z
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
export const task = z
  .object({ text: z.string(), by: person.nullable(), at: instant, later: z.int() })
  .meta({ id: 'Task' })

/** Why a value of the routing is what it is; `source` is `file:line`, null for a default. */
const routingWhy = z.object({ value: z.string(), text: z.string(), source: z.string().nullable() })

export const routing = z
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

/**
 * A file that a command names, as it was when the request opened: `text` and `binary` ones are
 * kept, to be read.
 */
export const namedFile = z.object({
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
  .object({
    id,
    person,
    text: z.string(),
    anchor: commentAnchor.nullable(),
    at: instant,
    /** when its author last edited it; null: the words are those of `at` */
    editedAt: instant.nullable(),
  })
  .meta({
    examples: [
      {
        id: example.otherId,
        person: example.grace,
        text: 'Is this for 1.2 or for 1.3?',
        anchor: null,
        at: example.askedAt,
        editedAt: null,
      },
    ],
  })

export const erasedContents = z
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
  /** what it would do, or did, in our sentence */
  effect: z.string(),
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
export const alike = z
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
