import { z } from 'zod'
import {
  cancelReasons,
  executionStates,
  requestKinds,
  requestStates,
} from '#domain/requests/request.ts'
import { cueIds, cueLevels } from '#domain/policy/cues.ts'
import { namedFileKinds, presentationTypes, writingStates } from '#domain/tools/presentation.ts'
import {
  bytes,
  hash,
  id,
  instant,
  json,
  person,
  teamName,
  toolName,
  workerName,
} from '../common.ts'
import { scope } from '../policy/grants.ts'
import { verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const requestState = z
  .enum(requestStates)
  .describe('The state of the request; all but `pending` are final')
export const requestKind = z
  .enum(requestKinds)
  .describe(
    'What is asked for: a call, the start of a run, a file for a child run, an answer, the outcome of a call, or a call of a program',
  )
export const cancelReason = z.enum(cancelReasons)
export const callTitle = z
  .string()
  .describe('The call in a few words, by the tool; `effect` says what it does')

/** What approvers see. */
export const presentation = z
  .object({
    type: z
      .enum(presentationTypes)
      .describe('How `content` is to be shown, such as `diff` or `command`'),
    language: z
      .string()
      .nullable()
      .describe('Name of the language of `content`, for its colours; null: none'),
    content: z.string().describe('Text, never markup'),
    truncated: z.boolean().describe('Whether `content` is only the beginning of the whole'),
    totalLines: z.int().describe('Lines of the whole, also where `content` is only its beginning'),
    totalBytes: z.int().describe('Bytes of the whole in UTF-8'),
    metadata: z
      .record(z.string(), json)
      .describe('Facts about the call by their names, such as `path` or `command`'),
    warnings: z.array(z.string()).describe('Sentences that an approver must not miss'),
    digest: hash.describe(
      '`sha256:` of the canonical JSON of all other members; an approval repeats it as `seen`',
    ),
  })
  .meta({ id: 'Presentation' })

export const quorumPlace = z.object({
  team: teamName,
  count: z.int().describe('The number of approvals that are needed from members of the team'),
  also: z
    .array(z.string())
    .optional()
    .describe('Teams whose members count too, because an escalation added them'),
})

export const quorum = z
  .object({
    required: z.array(quorumPlace).describe('The approvals that are needed, by team'),
    counted: z
      .array(z.object({ team: teamName, person }))
      .describe('The approvals that count, and the place that each fills'),
    missing: z
      .array(quorumPlace)
      .describe('The approvals that are still missing, by team; empty: the quorum is met'),
    text: z.string().describe('The rule as text, such as `2 of platform`'),
  })
  .meta({ id: 'Quorum' })
const executionState = z
  .enum(executionStates)
  .describe(
    '`refused`: the service did not start the approved call; `unknown`: nobody knows how it ended',
  )

/** The execution of the call. Members other than `state` are absent until they are known. */
export const execution = z
  .object({
    state: executionState,
    reason: z
      .string()
      .optional()
      .describe(
        'Why it failed, or why its outcome is unknown, as a sentence; `settled`: a person found how it ended. Of a program’s call also `reported`: the program said how it ended; `by_service`: the service itself makes it; `unused`: its permit lapsed before that',
      ),
    attempt: z.int().optional().describe('The number of the newest attempt, from 1'),
    exitCode: z
      .int()
      .optional()
      .describe('Exit code of a command; absent: it is no command, or a signal ended it'),
    executedDigest: hash.optional().describe('Digest of the call that ran'),
    startedAt: instant.optional().describe('When the newest attempt started'),
    finishedAt: instant.optional().describe('When the newest attempt ended'),
  })
  .meta({ id: 'Execution', description: 'Whether the call was carried out, and how that ended' })
export type ExecutionView = z.infer<typeof execution>

export const decisionView = z
  .object({
    decisionId: id,
    person,
    decision: z.enum(['approve', 'deny']).describe('What the person decided'),
    at: instant.describe('When it was recorded'),
    revision: z.int().describe('The revision that the person decided'),
    reason: z.string().nullable().describe('Why, in the person’s words; null: no reason'),
    selfApproved: z
      .boolean()
      .describe('Whether the person stands behind the run and its queue permits that'),
    edited: z.boolean().describe('Whether the decider had changed the call'),
    scope: scope.nullable().describe('How far the approval goes; null: a denial'),
    then: z
      .enum(['continue', 'stop'])
      .nullable()
      .describe('After a denial, what the run does; null: an approval'),
    batchDecisionId: id
      .nullable()
      .describe('The same for all decisions that were sent together; null: it was sent alone'),
    signedWith: z
      .string()
      .nullable()
      .describe('Name of the passkey that signed the decision; null: it is not signed'),
  })
  .meta({ id: 'Decision' })
export type DecisionView = z.infer<typeof decisionView>

const sibling = z.object({
  callId: id,
  tool: toolName,
  title: callTitle,
  verdict: verdict.nullable().describe('Null while the call has not been judged'),
  requestId: id.nullable().describe('Id of its newest request; null: it needs no approval'),
  state: requestState
    .nullable()
    .describe('State of its newest request; null: it needs no approval'),
  finished: z.boolean().describe('Whether the call has its result, of any kind'),
})
export const batch = z.object({
  position: z.int().describe('Place of the call in its turn, from 1'),
  size: z.int().describe('The number of calls of the turn'),
})

export const batchWithSiblings = batch.extend({
  finished: z.boolean().describe('Whether the call has its result, of any kind'),
  otherRequests: z
    .int()
    .describe('How many other requests about the same call wait: a delegation and its attachments'),
  siblings: z.array(sibling).describe('The other calls of the turn, in order'),
})

export const claimView = z
  .object({
    person,
    at: instant.describe('When the person claimed the request'),
    leaseUntil: instant.describe('When the claim ends unless the person renews it'),
  })
  .meta({
    examples: [
      { person: example.grace, at: example.askedAt, leaseUntil: '2026-03-02T09:45:00.000Z' },
    ],
  })

/** Something that deserves attention. */
export const cue = z
  .object({
    id: z.enum(cueIds).describe('The kind of cue, for programs'),
    level: z.enum(cueLevels).describe('How much attention it needs'),
    text: z.string().describe('The cue as a sentence'),
    line: z
      .int()
      .optional()
      .describe(
        'Line from 1, in `file` if that is present, else in the presentation; absent: the whole call',
      ),
    file: z
      .string()
      .optional()
      .describe('Path of the file that the cue is about; absent: the call itself'),
    onlyReaches: z
      .literal(true)
      .optional()
      .describe(
        'Of `opens_network`: the command connects to other machines, and opens nothing; a client leaves it out beside `network_missing` of the same line',
      ),
  })
  .meta({ id: 'Cue' })

export const task = z
  .object({
    text: z
      .string()
      .describe(
        'The first message of the root run; lists cut it and say how many characters they leave out, and over 256 KiB it is its title',
      ),
    by: person.nullable().describe('Its author; null: no person wrote it'),
    at: instant.describe('When it was posted'),
    later: z.int().describe('The number of messages after it'),
  })
  .meta({ id: 'Task' })

/** A value of the routing and its reason. */
const routingWhy = z.object({
  value: z.string().describe('The queue, the risk, or the quorum as text'),
  text: z.string().describe('Why it has this value'),
  source: z
    .string()
    .nullable()
    .describe('Where it is configured, as `file:line`; null: it is a default'),
})

export const routing = z
  .object({
    queue: routingWhy.describe('Why the request is in its queue'),
    risk: routingWhy.describe('Why it has its risk'),
    quorum: routingWhy.describe('Why it needs these approvals'),
  })
  .meta({ id: 'Routing' })

/** The colleague to whom a request was handed over, by whom and when. */
export const handedTo = z.object({
  person: person.describe('The colleague'),
  by: person.describe('Who handed it over'),
  at: instant.describe('When it was handed over'),
})

/** A reminder or an escalation of a pending request. */
export const waitingStep = z.object({
  kind: z
    .enum(['remind', 'escalate'])
    .describe('`remind`: people are notified again; `escalate`: more people can decide'),
  addTeams: z
    .array(z.string())
    .describe('Teams whose members can decide too from then on; empty for a reminder'),
  dueAt: instant.describe('When it happens'),
  takenAt: instant.nullable().describe('When it happened; null: it has not'),
})

/**
 * A file that a command names, as it was when the request was opened. The bytes of `text` and
 * `binary` files are stored and can be read.
 */
export const namedFile = z.object({
  path: z.string().describe('Path in the workspace'),
  bytes: bytes.describe('Size in bytes when the request was opened'),
  hash: hash.describe('`sha256:` of its bytes when the request was opened'),
  kind: z.enum(namedFileKinds).describe('`withheld` and `large`: the bytes are not stored'),
  writtenBy: z
    .object({
      callId: id,
      runId: id,
      worker: workerName,
      tool: toolName,
      turn: z.int().describe('Number of its turn, from 1'),
      state: z
        .enum(writingStates)
        .describe('`waiting`: what that call proposes is shown as if it had been carried out'),
    })
    .nullable()
    .describe('The newest earlier call of this root run that wrote the file; null: none'),
})
export type NamedFileView = z.infer<typeof namedFile>

export const erasedContents = z
  .object({
    at: instant.describe('When they were erased'),
    by: person.describe('Who erased them'),
    contents: z
      .array(
        z.object({
          of: z.string().describe('What it was, such as `input` or `presentation`'),
          revision: z
            .int()
            .nullable()
            .describe('The revision that it was part of; null: it belongs to the whole request'),
          hash: z.string().describe('The hash that the trail keeps'),
          bytes,
        }),
      )
      .describe('The erased contents: what each was, its revision, hash and size'),
  })
  .meta({ id: 'ErasedContents' })
