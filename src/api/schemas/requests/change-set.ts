import { z } from 'zod'
import { hash, id } from '../common.ts'
import { verdict } from '../runs/transcript.ts'
import * as example from '../examples.ts'
import { commentView, presentation, task } from './request-parts.ts'
import { requestItem } from './request-item.ts'

/** The number of a turn in a path, from 1 on. */
export const turnNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'is not the number of a turn')
  .transform(Number)

const shownRequest = requestItem
  .extend({
    /** the presentation's digest: an approval repeats it as `seen` */
    seen: hash,
    /** an approval carries `assertion`, a passkey's signature, and is given by itself */
    signatureRequired: z.boolean(),
    /** position of the earlier call of the turn that this one is shown on top of */
    assumes: z.int().nullable(),
    /** what colleagues said of it, in the order of their writing */
    comments: z.array(commentView),
  })
  .meta({ id: 'ShownRequest' })

const changeSetCall = z
  .object({
    callId: id,
    position: z.int(),
    tool: z.string(),
    title: z.string(),
    /** null while the call has not been judged */
    verdict: verdict.nullable(),
    /** the call's newest; absent where nobody is asked */
    request: shownRequest.optional(),
    presentation: presentation.optional(),
    /** of a delegation: a request for each file that may not be shared without one */
    attachments: z.array(z.object({ request: shownRequest, presentation })),
  })
  .meta({ id: 'ChangeSetCall' })
export type ChangeSetCall = z.infer<typeof changeSetCall>

/** The calls of one turn in call order, with all that they are decided from together. */
export const changeSet = z
  .object({
    task: task.nullable(),
    calls: z.array(changeSetCall),
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
