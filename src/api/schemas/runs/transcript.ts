import { z } from 'zod'
import { callResultTypes, requestStates } from '#domain/requests/request.ts'
import { transcriptRoles } from '#domain/runs/window.ts'
import { scopes, verdicts } from '#domain/policy/verdict.ts'
import {
  bytes,
  hash,
  id,
  instant,
  json,
  person,
  shortNumber,
  toolName,
  wholeListOf,
} from '../common.ts'
import * as example from '../examples.ts'

export const verdict = z
  .enum(verdicts)
  .describe('The result of the policy; `error`: the call cannot be made, and nobody is asked')

export const ruleExample = {
  id: 'zone:docs.write',
  text: 'zone docs: write asks',
  source: 'workers/release-notes.md:9',
}

/** The rule that decided. */
export const rule = z
  .object({
    id: z.string().describe('Stable while its text stays, such as `zone:docs.write`'),
    text: z.string().describe('The rule in words'),
    source: z.string().nullable().describe('Its place as `file:line`; null: it is built in'),
  })
  .meta({ id: 'Rule', examples: [ruleExample] })

/** A file of a result. `GET /v1/calls/:id/files/:hash` returns its bytes. */
const resultFile = z.object({
  hash: hash.describe('`sha256:` of its bytes'),
  mediaType: z
    .string()
    .describe(
      'The type of a picture only if the bytes are a valid picture of that type; otherwise the type that the tool stated',
    ),
  bytes,
})
export type ResultFile = z.infer<typeof resultFile>

/** A result that the model no longer sees, because its context window was full. */
const elided = z.object({
  atTurn: z.int().describe('From this turn on the model does not see it'),
})

/** A file of a message. `GET /v1/runs/:id/files/:hash` returns its bytes. */
const messageFile = resultFile.extend({
  name: z.string().describe('The name that the sender gave it'),
  elided: elided.optional().describe('Present if the model no longer sees it'),
})
export type MessageFile = z.infer<typeof messageFile>

const callResult = z.object({
  type: z
    .enum(callResultTypes)
    .describe('`output`: the tool ran; the others say why it did not, or how it failed'),
  output: json.optional().describe('The result of the tool as JSON'),
  text: z.string().optional().describe('What the model reads'),
  files: z.array(resultFile).optional().describe('Pictures, sounds and other files'),
  elided: elided.optional().describe('Present if it no longer fits into the window of the model'),
})
export type CallResult = z.infer<typeof callResult>

/**
 * The number of bytes that a call without a result has written so far. `GET
 * /v1/calls/:id/output/:stream` returns them.
 */
const liveOutput = z.object({
  state: z
    .enum(['running', 'unknown'])
    .describe('`unknown`: nobody knows how the call ended, so this output is not its result'),
  stdout: z.int().describe('Bytes so far'),
  stderr: z.int().describe('Bytes so far'),
})

const callApproval = z.object({
  by: z.array(person).describe('Who approved it, in order'),
  scope: z.enum(scopes).describe('How far the approval goes'),
  requestId: id.describe('Id of the approved request'),
  number: shortNumber,
  remembered: z.boolean().describe('Whether the approval of an earlier call covers this one'),
})
export type CallApprovalView = z.infer<typeof callApproval>

const callDenial = z.object({
  by: person.describe('Who denied it'),
  at: instant.describe('When they denied it'),
})

/** When a call waited for people, and when it was executed. */
const callTimes = z.object({
  askedAt: instant.nullable().describe('When its first request was opened; null: it needed none'),
  decidedAt: instant.nullable().describe('When people had decided; null: they have not'),
  startedAt: instant.nullable().describe('When it started; null: it has not'),
  finishedAt: instant.nullable().describe('When it ended; null: it has not'),
})

const transcriptCall = z
  .object({
    callId: id,
    toolCallId: z.string().describe('The identifier that the model gave the call'),
    tool: toolName,
    input: json.describe('The arguments of the call'),
    verdict: verdict.nullable().describe('Null while the call has not been judged'),
    rule: rule
      .nullable()
      .describe('The rule that decided; null while the call has not been judged'),
    requestId: id.optional().describe('Id of its newest request; absent: it needs no approval'),
    requestState: z
      .enum(requestStates)
      .optional()
      .describe('State of the newest request of the call'),
    manual: z.boolean().optional().describe('Whether a person made the call, and not the model'),
    childRunId: id.optional().describe('Id of the run that a delegation started'),
    live: liveOutput.optional().describe('The output of a command that has no result yet'),
    approval: callApproval
      .optional()
      .describe('Who approved it; absent: nobody was asked, or nobody has approved it'),
    denial: callDenial
      .optional()
      .describe('Who denied it, or a file that it would hand over; absent: nobody has'),
    outcomeCheck: id
      .optional()
      .describe('Id of its pending `outcome_check`: nobody knows whether it took effect'),
    times: callTimes.optional().describe('When people and the tool worked on it'),
    result: callResult.optional().describe('Absent: it has none yet'),
  })
  .meta({ id: 'TranscriptCall' })
export type TranscriptCall = z.infer<typeof transcriptCall>

const transcriptItem = z.object({
  turn: z
    .int()
    .describe('The turn that reads it; a message that no turn has read counts to the next'),
  from: id.optional().describe('In a fork: id of the run that took this turn'),
  role: z
    .enum(transcriptRoles)
    .describe(
      '`compaction`: a summary by the model, which it reads in place of the turns `covers`',
    ),
  covers: z
    .array(z.int())
    .length(2)
    .optional()
    .describe('The first and last turn that the summary replaces'),
  author: z
    .object({
      id: z.string().describe('Id of the person or key'),
      name: z.string().describe('Name of the person or key'),
    })
    .nullable()
    .describe('The author of a posted message'),
  at: instant.describe('When it was posted or complete'),
  text: z.string().optional().describe('What the author wrote; absent: only calls'),
  files: z
    .array(messageFile)
    .optional()
    .describe('Files that were sent with the message; `text` contains the texts among them too'),
  calls: z.array(transcriptCall).optional().describe('The calls of the turn, in order'),
})
export type TranscriptItem = z.infer<typeof transcriptItem>
export const transcript = wholeListOf(transcriptItem).meta({
  id: 'Transcript',
  examples: [
    {
      items: [
        {
          turn: 1,
          role: 'user',
          author: example.ada,
          at: example.askedAt,
          text: 'Write the notes of 1.2',
        },
        {
          turn: 1,
          role: 'assistant',
          author: null,
          at: example.askedAt,
          text: 'The notes are missing.',
          calls: [
            {
              callId: example.callId,
              toolCallId: 'toolu_01',
              tool: example.tool,
              input: example.input,
              verdict: 'ask',
              rule: ruleExample,
              requestId: example.requestId,
              requestState: 'approved',
              approval: {
                by: [example.grace],
                scope: 'once',
                requestId: example.requestId,
                number: 142,
                remembered: false,
              },
              times: {
                askedAt: example.askedAt,
                decidedAt: example.askedAt,
                startedAt: example.askedAt,
                finishedAt: example.askedAt,
              },
              result: { type: 'output', output: { path: example.path, bytes: 8 } },
            },
          ],
        },
      ],
    },
  ],
})
export type Transcript = z.infer<typeof transcript>
