import { z } from 'zod'
import { instant, person, text } from '../common.ts'
import { rule } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const proposeChangeBody = z
  .strictObject({
    /** of a rule that `GET /v1/insights/proposals` lists */
    proposal: text(500),
  })
  .meta({ examples: [{ proposal: `${example.worker}/zone:notes.write` }] })
const changeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'is not the number of a proposed change')
  .transform(Number)
export const changeParams = z.object({ number: changeNumber })
const count = z.int()

/** A rule that a person proposes to pre-approve. */
export const policyChange = z
  .object({
    number: z.int(),
    worker: z.string(),
    rule,
    /** relative to the project folder */
    file: z.string(),
    /** a unified diff of the version in force, which `git apply` takes in the project folder */
    patch: z.string(),
    /** the 30 days before it was proposed */
    evidence: z.object({
      asked: count,
      approved: count,
      /** calls of the worker that were judged again under the change */
      calls: count,
      /** of those that would have run without approval */
      wouldRunAlone: count,
    }),
    proposedBy: person,
    proposedAt: instant,
    /** the caller may withdraw or decline it */
    mayEnd: z.boolean(),
  })
  .meta({ id: 'PolicyChange' })
export type PolicyChangeView = z.infer<typeof policyChange>
export const policyChanges = z.object({ items: z.array(policyChange) })
