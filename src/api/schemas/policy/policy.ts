import { z } from 'zod'
import { changeKinds } from '#domain/policy/change-kind.ts'
import { approvalWords, editsPolicies } from '#domain/policy/verdict.ts'
import { actor } from '../audit/audit.ts'
import {
  hash,
  id,
  instant,
  json,
  listOf,
  name,
  page,
  person,
  queueName,
  risk,
  teamName,
  wholeListOf,
  workerName,
} from '../common.ts'
import { rule, verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

/**
 * States of an MCP server's definitions in the version in force. `waiting`: the server has not
 * answered since the activation, so its tools ask. `forged`: they are not the signed ones, so
 * nothing of it runs.
 */
const pinStates = ['pinned', 'waiting', 'forged'] as const

export const explainBody = z
  .strictObject({ worker: name, tool: name, input: json })
  .meta({ examples: [{ worker: example.worker, tool: example.tool, input: example.input }] })
export const explanation = z
  .object({
    verdict,
    rule: rule
      .nullable()
      .describe('The rule that decides; null: the call is refused before any rule'),
    reason: z.string().describe('The verdict as a sentence'),
    risk: risk.optional().describe('How much care the call needs; absent: it does not wait'),
    queue: z.string().optional().describe('Where the call would wait; absent: it does not wait'),
    steps: z
      .array(
        z.object({
          step: z.string().describe('What is judged, such as `consent` or `routing`'),
          outcome: z.string().describe('The result in a word, such as `yes`, `ask` or a queue'),
          detail: z.string().describe('What the result rests on, for people'),
        }),
      )
      .describe('How the verdict was reached, in order'),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof explanation>

const projectProblem = z.object({
  file: z.string().describe('Path in the project folder'),
  line: z.int().nullable().describe('The line, from 1; null: the whole file'),
  problem: z.string().describe('What is wrong, as a sentence'),
  remedy: z.string().describe('How to correct it'),
  severity: z
    .enum(['error', 'warning'])
    .describe('`error`: the folder cannot be activated; `warning`: it can'),
})

const commitNote = z
  .string()
  .nullable()
  .describe(
    'The Git commit of the files and its author, or "uncommitted", as the project folder states it; null: it is no Git repository',
  )

const activation = z
  .object({
    sequence: z.int().describe('Position in the list of activations, from 1'),
    digest: hash.describe('Digest of the version, over all its files'),
    previousDigest: hash.nullable().describe('Digest of the version before; null: it is the first'),
    activatedAt: instant.describe('When it came into force'),
    actor: actor.describe('Who put it in force'),
    people: z
      .array(person)
      .describe('The people who agreed, the first one first; empty: the system activated it'),
    note: commitNote,
  })
  .meta({ id: 'PolicyActivation' })
export type PolicyActivation = z.infer<typeof activation>
export const activationList = listOf(activation)
export const activationQuery = z.strictObject(page)

/** A version of the policy that a second person has to agree to. */
const proposal = z
  .object({
    id,
    digest: hash.describe('Digest of the proposed version'),
    proposedBy: person,
    proposedAt: instant.describe('When it was proposed'),
    expiresAt: instant.describe('When it can no longer be confirmed'),
    note: commitNote,
    isCurrent: z
      .boolean()
      .describe('Whether the folder and the version in force are unchanged since'),
    canConfirm: z.boolean().describe('Whether the caller may be the second person'),
  })
  .meta({ id: 'PolicyProposal' })

const when = z
  .record(z.string(), z.array(z.string()))
  .describe('Every key must match the call, with any one of its values; `{}` matches every call')
const routingEntry = z.object({
  when,
  queue: z.string().nullable().describe('null: the queue of the worker, else the default queue'),
  risk: risk.nullable().describe('null: the entry does not change the risk'),
  quorum: z
    .string()
    .nullable()
    .describe('As text, such as `2 of platform`; null: one member of the queue’s team'),
  scopes: z
    .array(z.string())
    .nullable()
    .describe('The scopes that approvals may have; null: the entry does not limit them'),
  source: z.string().describe('`file:line`'),
})
/** The settings of a queue. Durations have the form of countersign.yaml, such as `72h`. */
const queueSettings = z.object({
  name: queueName,
  team: teamName,
  selfApproval: z.boolean().describe('Whether people who stand behind a run may approve its calls'),
  edits: z.enum(editsPolicies).nullable().describe('null: depends on the risk of the call'),
  expiresAfter: z.string().describe('After how long a pending request expires, such as `72h`'),
  remindAfter: z
    .array(z.string())
    .describe('After how long its approvers are reminded, such as `4h`'),
  escalate: z
    .array(
      z.object({
        after: z.string().describe('How long the request has been pending, such as `24h`'),
        addTeams: z.array(teamName).describe('Teams whose members can decide from then on too'),
      }),
    )
    .describe('When more teams can decide a pending request'),
  source: z.string().describe('`file:line`'),
})
const overlay = z.object({
  when,
  approval: z
    .enum(['ask', 'blocked'])
    .describe('`ask`: such calls wait for people; `blocked`: they never run'),
  reason: z.string().nullable().describe('What refusals say; null: nothing'),
  source: z.string().describe('`file:line`'),
})

export const policyState = z
  .object({
    digest: hash.describe('Digest of the version in force'),
    activation: activation.nullable().describe('null: no version was ever activated'),
    queues: z.array(queueSettings).describe('The queues of the version in force'),
    routing: z.array(routingEntry).describe('In order; the first entry that matches applies'),
    defaultQueue: z
      .string()
      .nullable()
      .describe('Queue of calls whose worker and routing name none; null: there is none'),
    overlays: z
      .array(overlay)
      .describe('Rules that make the approvals of workers stricter, for every worker'),
    folder: z
      .object({
        state: z
          .enum(['in_force', 'changed', 'invalid', 'unreadable'])
          .describe(
            'Whether its files are the version in force, another version, no valid one, or cannot be read now',
          ),
        digest: hash
          .nullable()
          .describe('Digest of its files; null: they are not valid, or cannot be read now'),
        problems: z.array(projectProblem).describe('Errors and warnings in its files'),
      })
      .nullable()
      .describe('The version in the project folder; null without the right activatePolicy'),
    proposal: proposal
      .nullable()
      .describe('The version that waits for a second person; null: none'),
  })
  .meta({ id: 'PolicyState' })
export type PolicyState = z.infer<typeof policyState>

export const differenceQuery = z.strictObject({
  from: hash.optional().describe('Digest of a version; default: the one in force'),
  to: hash.optional().describe('Digest of a version; default: the one in the folder'),
})
const settingChange = z.object({
  at: z.string().describe('The setting, such as `queues.platform.selfApproval`'),
  before: z.string().nullable().describe('null: it was not set'),
  after: z.string().nullable().describe('null: it is not set any more'),
})
export const policyDifference = z
  .object({
    from: hash.describe('Digest of the earlier version'),
    to: hash.describe('Digest of the later version'),
    files: z
      .array(
        z.object({
          path: z.string().describe('Path in the project folder'),
          change: z.enum(changeKinds).describe('What the later version does to the file'),
          diff: z
            .string()
            .nullable()
            .describe(
              'A unified diff; null for files of tools, of which only hashes are compared, and for large files',
            ),
        }),
      )
      .describe('The files that differ'),
    settings: z.array(settingChange).describe('The settings that differ'),
    secondPerson: z
      .array(settingChange)
      .describe('The settings whose change a second person has to agree to'),
  })
  .meta({ id: 'PolicyDifference' })
export type PolicyDifference = z.infer<typeof policyDifference>

/** The tools of an MCP server that the version in force pins, as the server described them. */
const pinnedServer = z
  .object({
    worker: workerName,
    server: z.string().describe('The name of the server in the file of the worker'),
    state: z
      .enum(pinStates)
      .describe(
        '`waiting`: the server has not answered yet, so its tools ask; `forged`: the pin is not the signed one, so nothing of it runs',
      ),
    problem: z.string().nullable().describe('Why its tools are not available; null: they are'),
    definitionsHash: hash
      .nullable()
      .describe('Hash of the pinned definitions; null: nothing is pinned yet'),
    pinnedAt: instant.nullable().describe('When they were pinned; null: they are not'),
    tools: z
      .array(
        z.object({
          name: z.string().describe('Name of the tool'),
          hash: hash.describe('Hash of its definition'),
          approval: z
            .enum(approvalWords)
            .describe('The approval of the tool in the file of the worker'),
          text: z.string().describe('The definition as the server gave it'),
          warnings: z.array(z.string()).describe('What in the definition deserves attention'),
        }),
      )
      .describe('The pinned tools'),
    changes: z
      .object({
        seenAt: instant.describe('When the server first returned other definitions'),
        tools: z
          .array(
            z.object({
              name: z.string().describe('Name of the tool'),
              change: z.enum(changeKinds).describe('What the server did to the tool'),
              diff: z.string().describe('A unified diff of the definitions'),
            }),
          )
          .describe('The tools that differ'),
      })
      .nullable()
      .describe(
        'The differences between the pinned definition and the newest seen one; null: none',
      ),
  })
  .meta({ id: 'PinnedServer' })
export type PinnedServer = z.infer<typeof pinnedServer>
export const definitionList = wholeListOf(pinnedServer).meta({ id: 'PinnedServerList' })

export const activateBody = z
  .strictObject({ digest: hash.describe('Digest of the version that the caller has seen') })
  .meta({ examples: [{ digest: example.otherDigest }] })
export const agreement = z
  .object({
    state: z
      .enum(['activated', 'in_force', 'proposed'])
      .describe('`in_force`: the version already was; `proposed`: it waits for a second person'),
    digest: hash.describe('Digest of the version that the caller agreed to'),
    sequence: z
      .int()
      .nullable()
      .describe('Sequence number of the activation; null while a second person has to agree'),
    proposalId: id
      .nullable()
      .describe('Id of the proposal that waits for a second person; null: none does'),
  })
  .meta({ id: 'PolicyAgreement' })
export type PolicyAgreement = z.infer<typeof agreement>
