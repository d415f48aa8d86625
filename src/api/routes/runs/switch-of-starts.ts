import { z } from 'zod'
import type { Caller } from '#services/core/context.ts'
import type { StartKind } from '#services/runs/starting/pause-start.ts'
import type { Api } from '../../context/api.ts'
import type { CallerInput } from '../../route/route.ts'

/** The path parameter of an operation on one schedule or trigger. */
export function paramsOf(kind: StartKind) {
  return z.object({ name: z.string().max(64).describe(`Name of a ${kind}`) })
}

/**
 * What the operations that pause and resume schedules or triggers share. `change` returns what they
 * answer, as the schema has it.
 */
export function switchOfStarts<S extends z.ZodType>(
  kind: StartKind,
  schema: S,
  change: (
    api: Api,
    caller: Caller,
    input: { readonly name: string; readonly paused: boolean },
  ) => Promise<z.output<S>>,
) {
  const params = paramsOf(kind)
  return (paused: boolean) =>
    ({
      method: 'post',
      access: { by: 'person' },
      params,
      answers: { 200: { description: `The ${kind}`, schema } },
      problems: ['not_found', 'forbidden'],
      answer: async (
        api: Api,
        { params: { name }, caller }: CallerInput<{ name: string }, unknown, unknown>,
      ) => ({ status: 200, body: await change(api, caller, { name, paused }) }),
    }) as const
}
