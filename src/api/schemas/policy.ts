import { z } from 'zod'
import { json, name } from './common.ts'
import { risk } from './requests.ts'
import { rule, verdict } from './transcript.ts'

export const explainBody = z.strictObject({ worker: name, tool: name, input: json })
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
