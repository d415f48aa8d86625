import type { Trigger } from '#api/schemas/runs/triggers.ts'
import type { TriggerSetting } from '#policy/project-config.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import type { RecordOf, WithNulls } from '../../core/record-of.ts'
import { lastStarts } from '../reading/last-starts.ts'
import { managesStarts } from '../starting/pause-start.ts'

export interface TriggerRecord extends WithNulls<Omit<RecordOf<Trigger>, 'url' | 'hasSecret'>> {
  /** the variable of the service that holds its secret */
  readonly secretFrom: string
}

/** The triggers of the version in force, by name, with the last run of each. */
export async function listTriggers(
  ctx: ServiceContext,
  caller: Caller,
): Promise<readonly TriggerRecord[]> {
  const { config } = await ctx.policies.inForce()
  return describeTriggers(ctx, caller, [...config.triggers.values()])
}

/** The same for these triggers only. */
export async function describeTriggers(
  ctx: ServiceContext,
  caller: Caller,
  settings: readonly TriggerSetting[],
): Promise<readonly TriggerRecord[]> {
  if (settings.length === 0) return []
  const starts = await lastStarts(ctx, 'trigger', settings)
  const mayManage = await managesStarts(ctx, caller)
  return settings.map(({ name, worker, conversation, secretFrom }) => {
    const { as = null, lastRun = null, paused = false } = starts.get(name) ?? {}
    const managed = mayManage(as)
    return { name, worker, as, conversation, secretFrom, paused, lastRun, mayManage: managed }
  })
}
