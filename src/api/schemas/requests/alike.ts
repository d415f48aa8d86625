import { z } from 'zod'
import { id, instant, shortNumber } from '../common.ts'
import { callTitle, execution, requestState } from './request-parts.ts'

/** Another request with the same call, or about the same file or program. */
const alikeRequest = z.object({
  requestId: id,
  number: shortNumber,
  title: callTitle,
  effect: z.string().describe('The effect of the other call in one sentence of the service'),
  worker: z.string().nullable().describe('Name of the worker; null: a program that named none'),
  state: requestState,
  execution,
  at: instant.describe('When it was last carried out, else decided, else opened'),
  decidedBy: z.string().nullable().describe('Name of the person; null: nobody decided it'),
  reason: z.string().nullable().describe('The reason of that decision; null: none was given'),
})
export type AlikeRequest = z.infer<typeof alikeRequest>

export const alike = z
  .object({
    same: z.array(alikeRequest).describe('Requests with the identical call'),
    similar: z.array(alikeRequest).describe('Requests about the same file or program'),
    hidden: z.int().describe('The number of alike requests that the caller may not see'),
    again: z
      .int()
      .describe(
        'How often the same call was carried out: by this root run at any time, by other runs and programs within a day',
      ),
  })
  .meta({ id: 'Alike' })
