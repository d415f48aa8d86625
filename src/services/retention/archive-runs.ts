import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { loadTranscript } from '../transcript/load-transcript.ts'
import { readWindowSteps } from '../transcript/window-steps.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { databaseTime } from '#store/database-time.ts'
import type { Db } from '#store/database.ts'
import { byRight } from '../core/authority.ts'

const runsAtOnce = 50

interface ArchivedRun {
  readonly id: string
  readonly root_run_id: string
  readonly worker: string
  readonly state: string
  readonly title: string
  readonly started_by: string | null
  readonly created_at: Date
  readonly ended_at: Date
  readonly place: string
  readonly output: string | null
}

/**
 * The texts and results of the runs that ended before a time, as JSON Lines, one line a run in the
 * order of their ends: what `retention` will remove. If retention removes a run's texts before its
 * line is written, the archive leaves it out. The trail gets an event before the first line, and
 * one after the last with the SHA-256 of all bytes and how many runs were left out. Rejects with
 * `forbidden` without the right `readAudit`, before the first byte.
 */
export async function archiveRuns(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly before: string },
): Promise<AsyncGenerator<string, void, undefined>> {
  const authority = await byRight(ctx, caller, 'readAudit')
  const record = (more: JsonObject): Promise<void> =>
    inUnitOfWork(ctx, authority, (unit) =>
      unit.audit({
        type: 'audit.exported',
        detail: { format: 'archive', before: input.before, ...more },
      }),
    )
  await record({})
  return linesOf(ctx, input.before, record)
}

async function* linesOf(
  ctx: ServiceContext,
  before: string,
  record: (more: JsonObject) => Promise<void>,
): AsyncGenerator<string, void, undefined> {
  const hash = createHash('sha256')
  let runs = 0
  let leftOut = 0
  let last = { place: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
  const begunAt = await databaseTime(ctx.db)
  for (;;) {
    const { rows } = await sql<ArchivedRun>`
      select id, root_run_id, worker, state, title, started_by, created_at, ended_at, output, ended_at::text as place
      from run
      where ended_at < ${before}::timestamptz
        and (ended_at, id) > (${last.place}::timestamptz, ${last.id}::uuid)
        and not exists (
          select from cleared_run where run_id = run.id and cleared_at < ${begunAt}::timestamptz
        )
      order by ended_at, id limit ${runsAtOnce}
    `.execute(ctx.db)
    for (const { place: _, ...run } of rows) {
      const texts = await textsOf(ctx.db, run.id)
      if (texts === null) {
        leftOut += 1
        continue
      }
      const line = `${JSON.stringify({ run, ...texts })}\n`
      hash.update(line)
      runs += 1
      yield line
    }
    last = rows.at(-1) ?? last
    if (rows.length < runsAtOnce) break
  }
  await record({ runs, leftOut, digest: `sha256:${hash.digest('hex')}` })
}

/** The texts of a run, all of one moment; `null`: they were removed. */
async function textsOf(db: Db, runId: string) {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (tx) => {
    const cleared = await tx
      .selectFrom('cleared_run')
      .select('run_id')
      .where('run_id', '=', runId)
      .executeTakeFirst()
    if (cleared !== undefined) return null
    return {
      transcript: await loadTranscript(tx, runId),
      window: await readWindowSteps(tx, runId),
    }
  })
}
