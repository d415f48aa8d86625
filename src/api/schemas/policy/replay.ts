import { z } from 'zod'
import { hash, id, instant, page, toolName, workerName } from '../common.ts'
import { verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'

const replayedCall = { callId: id, runId: id, worker: workerName, tool: toolName }
const replayedVerdict = z.object({
  verdict,
  reason: z.string().describe('The sentence of the rule that decided, or of the refusal'),
  asks: z
    .string()
    .nullable()
    .describe(
      'Where the call waits, such as `platform: 1 of platform, risk medium`; null: nowhere',
    ),
})
export const replayBody = z
  .strictObject({
    since: instant.optional().describe('Only calls since this time'),
    cursor: page.cursor,
    limit: z.int().min(1).max(200).optional().describe('The number of calls to judge, at most 200'),
  })
  .meta({ examples: [{ since: example.askedAt, limit: 100 }] })
export const replay = z
  .object({
    digest: hash.describe('Digest of the folder’s version, under which the calls were judged'),
    judged: z
      .int()
      .describe('The number of calls that were judged; `items` are those whose verdicts differ'),
    items: z
      .array(
        z.object({
          ...replayedCall,
          recorded: verdict.describe(
            'The recorded verdict, which also depended on the mode and the grants of the run',
          ),
          before: replayedVerdict
            .nullable()
            .describe(
              'The verdict today under the version that judged the call; null if that version cannot be read',
            ),
          after: replayedVerdict.describe('The verdict under the folder’s version'),
        }),
      )
      .describe('Calls whose verdicts differ'),
    notJudged: z
      .array(
        z.object({
          ...replayedCall,
          why: z.string().describe('The reason as a sentence'),
        }),
      )
      .describe('Calls that cannot be judged again'),
    nextCursor: z.string().nullable().describe('Where to continue; null: all calls were judged'),
  })
  .meta({ id: 'PolicyReplay' })
export type PolicyReplay = z.infer<typeof replay>
