import { sql } from 'kysely'
import type { Schedule } from '#api/schemas/runs/schedules.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { RecordOf } from '../../core/record-of.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import { namesOfPaused, type StartKind } from '../starting/pause-start.ts'

/** A run that a schedule or a trigger started. */
type StartedByName = RecordOf<NonNullable<Schedule['lastRun']>>

interface LastStart {
  /** who starts its runs; `null`: nobody, or the address is unknown */
  readonly as: PersonRef | null
  readonly lastRun: StartedByName | null
  readonly paused: boolean
}

interface LastStartRow {
  readonly name: string
  readonly as: PersonRef | null
  readonly paused: boolean
  readonly last: (Omit<StartedByName, 'at'> & { readonly at: string }) | null
}

/** The people, last runs and pauses of schedules or triggers by name, in one query. */
export async function lastStarts(
  { db }: Pick<ServiceContext, 'db'>,
  kind: StartKind,
  settings: readonly { readonly name: string; readonly as: string | null }[],
): Promise<ReadonlyMap<string, LastStart>> {
  if (settings.length === 0) return new Map()
  const names = settings.map(({ name }) => name)
  const { rows } = await sql<LastStartRow>`
    select setting.name,
      (select json_build_object('id', id, 'name', name) from person where email = setting.email) as "as",
      (select json_build_object('runId', id, 'number', number, 'state', state, 'at', created_at)
        from run where started_from = ${`${kind}:`} || setting.name
          and forked_from is null
        order by created_at desc limit 1) as last,
      setting.name in (${namesOfPaused(kind)}) as paused
    from unnest(${names}::text[], ${settings.map(({ as }) => as)}::text[]) as setting(name, email)
  `.execute(db)
  return new Map(
    rows.map(({ name, as, paused, last }) => [
      name,
      { as, paused, lastRun: last === null ? null : { ...last, at: new Date(last.at) } },
    ]),
  )
}
