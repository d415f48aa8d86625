import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { byManagerOfStarts, changePause } from '../starting/pause-start.ts'
import { describeTriggers, type TriggerRecord } from './list-triggers.ts'

/**
 * Pauses a trigger, or resumes it; repeating it changes nothing. Messages in between are refused.
 * Rejects with `not_found` or `forbidden`.
 */
export async function pauseTrigger(
  ctx: ServiceContext,
  caller: Caller,
  { name, paused }: { readonly name: string; readonly paused: boolean },
): Promise<TriggerRecord> {
  const { config } = await ctx.policies.inForce()
  const setting = config.triggers.get(name)
  if (setting === undefined) throw new Problem('not_found', 'There is no such trigger')
  const authority = await byManagerOfStarts(ctx, caller, setting.as)
  await changePause(ctx, authority, { kind: 'trigger', name, paused })
  const [record] = await describeTriggers(ctx, caller, [setting])
  if (record === undefined) throw new Error('One setting makes one record')
  return record
}
