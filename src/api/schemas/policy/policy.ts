import { z } from 'zod'
import { changeKinds } from '#domain/policy/change-kind.ts'
import { pinStates } from '#domain/policy/definition-pin.ts'
import { approvalWords, editsPolicies } from '#domain/policy/verdict.ts'
import { actor } from '../audit/audit.ts'
import { hash, id, instant, json, listOf, name, page, person, risk } from '../common.ts'
import { rule, verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const explainBody = z
  .strictObject({ worker: name, tool: name, input: json })
  .meta({ examples: [{ worker: example.worker, tool: example.tool, input: example.input }] })
export const explanation = z
  .object({
    verdict,
    rule: rule.nullable(),
    reason: z.string(),
    risk: risk.optional(),
    queue: z.string().optional(),
    steps: z.array(z.object({ step: z.string(), outcome: z.string(), detail: z.string() })),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof explanation>

const projectProblem = z.object({
  file: z.string(),
  /** counts from 1; null when the whole file is meant */
  line: z.int().nullable(),
  problem: z.string(),
  /** what would be right */
  remedy: z.string(),
  severity: z.enum(['error', 'warning']),
})

const activation = z
  .object({
    sequence: z.int(),
    digest: hash,
    previousDigest: hash.nullable(),
    activatedAt: instant,
    actor,
    /** who agreed, the first one first; none when the system did it */
    people: z.array(person),
    /** a claim: the commit the files came from and its author, or "uncommitted" */
    note: z.string().nullable(),
  })
  .meta({ id: 'PolicyActivation' })
export type PolicyActivation = z.infer<typeof activation>
export const activationList = listOf(activation)
export const activationQuery = z.strictObject(page)

/** A version that waits for a second person. */
const proposal = z
  .object({
    id,
    digest: hash,
    proposedBy: person,
    proposedAt: instant,
    expiresAt: instant,
    note: z.string().nullable(),
    /** the folder and the version in force are still those it was made from */
    isCurrent: z.boolean(),
    /** the caller may be the second person */
    canConfirm: z.boolean(),
  })
  .meta({ id: 'PolicyProposal' })

/**
 * Which calls an entry or overlay is about: all that are given must match, each by any of its
 * values.
 */
const when = z.record(z.string(), z.array(z.string()))
const routingEntry = z.object({
  when,
  /** null: the worker's queue, else the default one */
  queue: z.string().nullable(),
  risk: risk.nullable(),
  /** in words, such as `2 of platform`; null: one of the queue's team */
  quorum: z.string().nullable(),
  scopes: z.array(z.string()).nullable(),
  /** `file:line` */
  source: z.string(),
})
/** What a queue says of its requests; durations as they are written, `72h`. */
const queueSettings = z.object({
  name: z.string(),
  team: z.string(),
  selfApproval: z.boolean(),
  /** null: by the call's risk */
  edits: z.enum(editsPolicies).nullable(),
  expiresAfter: z.string(),
  remindAfter: z.array(z.string()),
  escalate: z.array(z.object({ after: z.string(), addTeams: z.array(z.string()) })),
  /** `file:line` */
  source: z.string(),
})
const overlay = z.object({
  when,
  approval: z.enum(['ask', 'blocked']),
  reason: z.string().nullable(),
  source: z.string(),
})

export const policyState = z
  .object({
    digest: hash,
    activation: activation.nullable(),
    queues: z.array(queueSettings),
    /** in their order: the first match wins */
    routing: z.array(routingEntry),
    defaultQueue: z.string().nullable(),
    overlays: z.array(overlay),
    /** what the project folder holds now; null for callers without the right activatePolicy */
    folder: z
      .object({
        state: z.enum(['in_force', 'changed', 'invalid']),
        digest: hash.nullable(),
        problems: z.array(projectProblem),
      })
      .nullable(),
    proposal: proposal.nullable(),
  })
  .meta({ id: 'PolicyState' })
export type PolicyState = z.infer<typeof policyState>

export const differenceQuery = z.strictObject({ from: hash.optional(), to: hash.optional() })
const settingChange = z.object({
  /** such as `queues.platform.selfApproval` */
  at: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export const policyDifference = z
  .object({
    from: hash,
    to: hash,
    files: z.array(
      z.object({
        path: z.string(),
        change: z.enum(changeKinds),
        /**
         * a unified diff; null for tool files (their hashes are compared) and for what is too large
         */
        diff: z.string().nullable(),
      }),
    ),
    settings: z.array(settingChange),
    /** those of the settings for which a second person has to agree */
    secondPerson: z.array(settingChange),
  })
  .meta({ id: 'PolicyDifference' })
export type PolicyDifference = z.infer<typeof policyDifference>

/**
 * What the version in force takes an MCP server's tools to be: the server's own words, its claim.
 */
const pinnedServer = z
  .object({
    worker: z.string(),
    /** as the worker's file names it */
    server: z.string(),
    state: z.enum(pinStates),
    problem: z.string().nullable(),
    definitionsHash: hash.nullable(),
    pinnedAt: instant.nullable(),
    tools: z.array(
      z.object({
        name: z.string(),
        hash,
        /** what the worker's file says of it */
        approval: z.enum(approvalWords),
        text: z.string(),
        warnings: z.array(z.string()),
      }),
    ),
    /** what it says by now instead, as far as it has been seen; null: the same */
    changes: z
      .object({
        seenAt: instant,
        tools: z.array(
          z.object({
            name: z.string(),
            change: z.enum(changeKinds),
            /** a unified diff of the texts */
            diff: z.string(),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ id: 'PinnedServer' })
export type PinnedServer = z.infer<typeof pinnedServer>
export const definitionList = z
  .object({ items: z.array(pinnedServer) })
  .meta({ id: 'PinnedServerList' })

/** `digest`: of the version that was shown. */
export const activateBody = z
  .strictObject({ digest: hash })
  .meta({ examples: [{ digest: example.otherDigest }] })
export const agreement = z
  .object({
    state: z.enum(['activated', 'in_force', 'proposed']),
    digest: hash,
    /** of the activation; null while a second person has to agree */
    sequence: z.int().nullable(),
    proposalId: id.nullable(),
  })
  .meta({ id: 'PolicyAgreement' })
export type PolicyAgreement = z.infer<typeof agreement>
const replayedVerdict = z.object({
  verdict,
  /** the sentence of the rule that decided, or of the refusal */
  reason: z.string(),
  /** where it asks, such as `platform: 1 of platform, risk medium` */
  asks: z.string().nullable(),
})
export const replayBody = z
  .strictObject({
    /** only calls made since then */
    since: instant.optional(),
    cursor: page.cursor,
    /** how many calls to judge, at most 200 */
    limit: z.int().min(1).max(200).optional(),
  })
  .meta({ examples: [{ since: example.askedAt, limit: 100 }] })
export const replay = z
  .object({
    /** of the version that was replayed under: what the folder holds */
    digest: hash,
    /** how many calls this page judged; `items` are those of them that would differ */
    judged: z.int(),
    items: z.array(
      z.object({
        callId: id,
        runId: id,
        worker: z.string(),
        tool: z.string(),
        /** what was recorded when the call was made; a mode's or a grant's word is in it */
        recorded: verdict,
        /**
         * by the version that judged it, asked again about the files of today; null when it cannot
         * be read
         */
        before: replayedVerdict.nullable(),
        after: replayedVerdict,
      }),
    ),
    /** calls of which nobody can say now what the version would make of them */
    notJudged: z.array(
      z.object({
        callId: id,
        runId: id,
        worker: z.string(),
        tool: z.string(),
        /** a sentence */
        why: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'PolicyReplay' })
export type PolicyReplay = z.infer<typeof replay>
export const withdrawn = z.object({ withdrawn: z.literal(true) })
