import { z } from 'zod'
import { executionOutcomes } from '#domain/requests/request.ts'
import { claimedTypes } from '#domain/tools/presentation.ts'
import { instant, json, person } from '../common.ts'

const keyRef = z.object({ id: z.string(), name: z.string() })
/** The program that opened the request: its API key, the key's owner, and for whom it acts. */
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
          type: z.enum(claimedTypes),
          content: z.string(),
          language: z.string().optional(),
        })
        .nullable(),
    })
    .nullable(),
  metadata: z.record(z.string(), json).nullable(),
  /** where the program says that it works, as it reported it */
  origin: z
    .object({
      program: z.string(),
      version: z.string().optional(),
      host: z.string(),
      folder: z.string(),
      git: z
        .object({
          remote: z.string().nullable(),
          commit: z.string().nullable(),
          dirty: z.boolean().nullable(),
        })
        .optional(),
      files: z
        .array(z.object({ path: z.string(), hash: z.string(), content: z.string().optional() }))
        .optional(),
      /** its proof was right, and the folder lies in the workspace */
      proved: z.boolean(),
    })
    .nullable(),
  /** when the permit must have been taken */
  permitExpiresAt: instant.nullable(),
  consumed: z.object({ at: instant, by: keyRef }).nullable(),
  /** what the program says became of it */
  outcome: z
    .object({
      state: z.enum(executionOutcomes),
      summary: z.string().nullable(),
      at: instant,
    })
    .nullable(),
})
export type ExternalView = z.infer<typeof externalDetail>
