import { z } from 'zod'
import { instant, person, text, wholeListOf, workerName } from '../common.ts'
import { rule } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const proposeChangeBody = z
  .strictObject({
    proposal: text(500).describe('Id of a proposed rule of `GET /v1/insights/proposals`'),
  })
  .meta({ examples: [{ proposal: `${example.worker}/zone:notes.write` }] })
const changeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'is not the number of a proposed change')
  .transform(Number)
export const changeParams = z.object({
  number: changeNumber.describe('The number of a proposed change'),
})
const count = z.int()

/** A proposal of a person to pre-approve a rule. */
export const policyChange = z
  .object({
    number: z.int().describe('The number of the change, from 1'),
    worker: workerName,
    rule: rule.describe('The rule that would no longer ask'),
    file: z.string().describe('Path in the project folder'),
    patch: z
      .string()
      .describe(
        'A unified diff against the version in force, which `git apply` accepts in the project folder',
      ),
    evidence: z
      .object({
        asked: count.describe('Requests that the rule made'),
        approved: count.describe('How many of them were approved'),
        calls: count.describe('Calls of the worker that were judged again under the change'),
        wouldRunAlone: count.describe('How many of them would have run without approval'),
      })
      .describe('The 30 days before the proposal'),
    proposedBy: person,
    proposedAt: instant.describe('When it was proposed'),
    mayEnd: z.boolean().describe('Whether the caller may withdraw or decline it'),
  })
  .meta({ id: 'PolicyChange' })
export type PolicyChangeView = z.infer<typeof policyChange>
export const policyChanges = wholeListOf(policyChange)
