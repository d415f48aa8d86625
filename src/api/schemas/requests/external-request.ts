import { z } from 'zod'
import { instant, json, person } from '../common.ts'

const keyRef = z.object({ id: z.string(), name: z.string() })
/** All but `binary`: a claim is read as text, whatever it says it is. */
export const claimedType = z.enum(['text', 'diff', 'file_content', 'command', 'structured'])

/** The program that asked: its key, whose that is, and for whom it acts. */
export const externalItem = z.object({
  externalId: z.string(),
  key: keyRef,
  owner: person,
  onBehalfOf: person.nullable(),
  /** whose policy judged it first */
  worker: z.string().nullable(),
  verdict: z.enum(['ask', 'preApproved']),
})
export type ExternalItemView = z.infer<typeof externalItem>
export const externalDetail = externalItem.extend({
  /** the program's own words: its claim, text and never markup */
  claim: z
    .object({
      title: z.string().nullable(),
      presentation: z
        .object({
          type: claimedType,
          content: z.string(),
          language: z.string().optional(),
        })
        .nullable(),
    })
    .nullable(),
  metadata: z.record(z.string(), json).nullable(),
  /** when the permit must have been taken */
  permitExpiresAt: instant.nullable(),
  consumed: z.object({ at: instant, by: keyRef }).nullable(),
  /** what the program says became of it */
  outcome: z
    .object({
      state: z.enum(['succeeded', 'failed', 'unknown']),
      summary: z.string().nullable(),
      at: instant,
    })
    .nullable(),
})
export type ExternalView = z.infer<typeof externalDetail>
