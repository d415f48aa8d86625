import { z } from 'zod'
import { callResultTypes, requestStates } from '#domain/requests/request.ts'
import { transcriptRoles } from '#domain/runs/window.ts'
import { scopes, verdicts } from '#domain/policy/verdict.ts'
import { hash, id, instant, json, person } from '../common.ts'
import * as example from '../examples.ts'

export const verdict = z.enum(verdicts)

export const ruleExample = {
  id: 'zone:docs.write',
  text: 'zone docs: write asks',
  source: 'workers/release-notes.md:9',
}

/** The rule that decided, with `file:line` where it is written. */
export const rule = z
  .object({ id: z.string(), text: z.string(), source: z.string().nullable() })
  .meta({ id: 'Rule', examples: [ruleExample] })

/** Bytes of a result, which `GET /v1/calls/:id/files/:hash` reads. */
const resultFile = z.object({
  hash,
  /**
   * of a picture that can be shown only where the bytes are that picture; of anything else what the
   * tool says
   */
  mediaType: z.string(),
  bytes: z.int(),
})
export type ResultFile = z.infer<typeof resultFile>

/** The model does not see it any more from this turn on: its context window had no room for it. */
const elided = z.object({ atTurn: z.int() })

/** A file that somebody sent with a message, which `GET /v1/runs/:id/files/:hash` reads. */
const messageFile = resultFile.extend({
  /** as its sender called it */
  name: z.string(),
  elided: elided.optional(),
})
export type MessageFile = z.infer<typeof messageFile>

/** `output` is what the tool returned, `text` what the model was told. */
export const callResult = z.object({
  type: z.enum(callResultTypes),
  output: json.optional(),
  text: z.string().optional(),
  files: z.array(resultFile).optional(),
  elided: elided.optional(),
})
export type CallResult = z.infer<typeof callResult>

/**
 * How many bytes a call without a result has written so far, which `GET
 * /v1/calls/:id/output/:stream` reads. `unknown`: nobody knows how it ended, and what it had
 * written until then is no result.
 */
const liveOutput = z.object({
  state: z.enum(['running', 'unknown']),
  stdout: z.int(),
  stderr: z.int(),
})

/** Whose approval a call has. `remembered`: an approval of an earlier call covers this one too. */
const callApproval = z.object({
  by: z.array(person),
  scope: z.enum(scopes),
  requestId: id,
  /** of the request that was approved */
  number: z.int(),
  remembered: z.boolean(),
})
export type CallApprovalView = z.infer<typeof callApproval>

/** When people and the tool were at a call. */
const callTimes = z.object({
  askedAt: instant.nullable(),
  decidedAt: instant.nullable(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})

export const transcriptCall = z
  .object({
    callId: id,
    toolCallId: z.string(),
    tool: z.string(),
    input: json,
    /** null while the call has not been judged */
    verdict: verdict.nullable(),
    rule: rule.nullable(),
    requestId: id.optional(),
    /** of that request, the call's newest */
    requestState: z.enum(requestStates).optional(),
    manual: z.boolean().optional(),
    /** the run that a delegation started */
    childRunId: id.optional(),
    live: liveOutput.optional(),
    approval: callApproval.optional(),
    times: callTimes.optional(),
    result: callResult.optional(),
  })
  .meta({ id: 'TranscriptCall' })
export type TranscriptCall = z.infer<typeof transcriptCall>

export const transcriptItem = z.object({
  /** a message that no turn has read yet counts to the next */
  turn: z.int(),
  /** in a fork: the run whose turn it was */
  from: id.optional(),
  /** `compaction`: the model's own summary, which it sees in place of the turns `covers` */
  role: z.enum(transcriptRoles),
  /** the first and the last turn that a summary stands for */
  covers: z.array(z.int()).length(2).optional(),
  /** of a message somebody posted */
  author: z.object({ id: z.string(), name: z.string() }).nullable(),
  at: instant,
  text: z.string().optional(),
  /** of a message: what was sent with it; the texts among them stand in `text` too */
  files: z.array(messageFile).optional(),
  calls: z.array(transcriptCall).optional(),
})
export type TranscriptItem = z.infer<typeof transcriptItem>
export const transcript = z.object({ items: z.array(transcriptItem) }).meta({
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
