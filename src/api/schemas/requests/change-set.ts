import { z } from 'zod'
import { hash, id, toolName } from '../common.ts'
import { verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'
import { commentView } from './comments.ts'
import { callTitle, presentation, task } from './request-parts.ts'
import { requestItem } from './request-item.ts'

/** The number of a turn in a path. */
export const turnNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'is not the number of a turn')
  .transform(Number)
  .describe('Number of the turn, from 1')

const shownRequest = requestItem
  .extend({
    seen: hash.describe('Digest of the presentation; an approval repeats it as `seen`'),
    signatureRequired: z
      .boolean()
      .describe(
        'Whether an approval must have an `assertion`, the signature of a passkey, and be sent alone',
      ),
    assumes: z
      .int()
      .nullable()
      .describe(
        'Position of the earlier call of the turn whose effect this presentation assumes; null: none',
      ),
    comments: z.array(commentView).describe('Comments, oldest first'),
  })
  .meta({ id: 'ShownRequest' })

const changeSetCall = z
  .object({
    callId: id,
    position: z.int().describe('Place of the call in its turn, from 1'),
    tool: toolName,
    title: callTitle,
    verdict: verdict.nullable().describe('Null while the call has not been judged'),
    request: shownRequest
      .optional()
      .describe('The newest request of the call; absent: the call needs no approval'),
    presentation: presentation
      .optional()
      .describe('What approvers see of the call; absent: the call needs no approval'),
    attachments: z
      .array(
        z.object({
          request: shownRequest.describe('The request for the file'),
          presentation: presentation.describe('The file as approvers see it'),
        }),
      )
      .describe('Of a delegation: a request for each file that needs an approval to be shared'),
  })
  .meta({ id: 'ChangeSetCall' })
export type ChangeSetCall = z.infer<typeof changeSetCall>

/** The calls of one turn in order, with everything that people need to decide them together. */
export const changeSet = z
  .object({
    task: task.nullable().describe('The task of the root run; null: it was erased'),
    calls: z.array(changeSetCall).describe('The calls of the turn, in order'),
  })
  .meta({
    id: 'ChangeSet',
    examples: [
      {
        task: { text: 'Write the notes of 1.2', by: example.ada, at: example.askedAt, later: 0 },
        calls: [
          {
            callId: example.callId,
            position: 1,
            tool: 'read_file',
            title: 'read_file',
            verdict: 'preApproved',
            attachments: [],
          },
        ],
      },
    ],
  })
export type ChangeSet = z.infer<typeof changeSet>
