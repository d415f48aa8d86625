import type { ServiceContext } from '../../core/context.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { lastStarts, type StartedByName } from './last-starts.ts'

export interface TriggerRecord {
  readonly name: string
  readonly worker: string
  /** `null`: nobody starts its runs, or the address is unknown */
  readonly as: PersonRef | null
  readonly conversation: boolean
  /** the variable of the service that holds its secret */
  readonly secretFrom: string
  readonly lastRun: StartedByName | null
}

/** The triggers of the version in force, by name, with the last run of each. */
export async function listTriggers(ctx: ServiceContext): Promise<readonly TriggerRecord[]> {
  const { config } = await ctx.policies.inForce()
  const settings = [...config.triggers.values()]
  const starts = await lastStarts(ctx, 'trigger', settings)
  return settings.map(({ name, worker, conversation, secretFrom }) => {
    const { as = null, lastRun = null } = starts.get(name) ?? {}
    return { name, worker, as, conversation, secretFrom, lastRun }
  })
}
