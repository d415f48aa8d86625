import { z } from 'zod'
import { executionOutcomes } from '#domain/requests/request.ts'
import { claimedTypes } from '#domain/tools/presentation.ts'
import { instant, json, person } from '../common.ts'

const keyRef = z.object({
  id: z.string().describe('Id of the API key'),
  name: z.string().describe('Name of the API key, for people'),
})
/** The API key that opened the request, the key's owner, and the person for whom it acts. */
export const externalItem = z.object({
  externalId: z.string().describe('The program’s own identifier of the request'),
  key: keyRef.describe('The key with which the request was opened'),
  owner: person.describe('The owner of the key'),
  onBehalfOf: person
    .nullable()
    .describe('The person for whom the program acts; null: it named none'),
  worker: z
    .string()
    .nullable()
    .describe('The worker whose policy judged the call first; null: none'),
  verdict: z.enum(['ask', 'preApproved']).describe('The verdict of that worker’s policy'),
})
export const externalDetail = externalItem.extend({
  claim: z
    .object({
      title: z.string().nullable().describe('The call in a few words; null: it sent none'),
      presentation: z
        .object({
          type: z.enum(claimedTypes).describe('How `content` is to be shown'),
          content: z.string().describe('Text, never markup'),
          language: z.string().optional().describe('Language of `content`, for its colours'),
        })
        .nullable()
        .describe('What the program shows of the call; null: it sent nothing'),
    })
    .nullable()
    .describe('The program’s own description, which nobody verified: text, never markup'),
  metadata: z
    .record(z.string(), json)
    .nullable()
    .describe('What the program sent as `metadata`; null: nothing'),
  origin: z
    .object({
      program: z.string().describe('Name of the program'),
      version: z.string().optional().describe('Version of the program'),
      host: z.string().describe('Name of its machine'),
      folder: z.string().describe('Absolute path of the folder in which it works'),
      git: z
        .object({
          remote: z.string().nullable().describe('Address without a password; null: none'),
          commit: z.string().nullable().describe('The commit that is checked out; null: none'),
          dirty: z
            .boolean()
            .nullable()
            .describe('Whether files differ from that commit; null: unknown'),
        })
        .optional()
        .describe('The Git repository of the folder; absent: none was reported'),
      files: z
        .array(
          z.object({
            path: z.string().describe('The path as `input` has it'),
            hash: z.string().describe('SHA-256 of the bytes; `absent`: there is no such file'),
            content: z.string().optional().describe('The content of a text file'),
          }),
        )
        .optional()
        .describe('The files that the call names'),
      proved: z
        .boolean()
        .describe('Whether its proof was valid and the folder is in the workspace'),
    })
    .nullable()
    .describe('Where the program works, as it reported'),
  permitExpiresAt: instant.nullable().describe('When the permit ends, if it is not taken'),
  consumed: z
    .object({
      at: instant.describe('When the permit was taken'),
      by: keyRef.describe('The key that took it'),
    })
    .nullable()
    .describe('When the permit was taken, and with which key; null: it was not'),
  outcome: z
    .object({
      state: z.enum(executionOutcomes).describe('How the call ended'),
      summary: z.string().nullable().describe('What the program says about it; null: nothing'),
      at: instant.describe('When it was reported'),
    })
    .nullable()
    .describe('The outcome that the program reported'),
})
export type ExternalView = z.infer<typeof externalDetail>
