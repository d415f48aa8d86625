import { sql } from 'kysely'
import type { WorkerCalls } from '#api/schemas/operation/workers.ts'
import type { RequestState } from '#domain/requests/request.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import { pageOfAny } from '#store/paging/page-of-any.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import type { RecordOf } from '../../core/record-of.ts'
import { titleInputHash, titleWithoutRequest } from '../../requests/facts/call-title.ts'
import { viewerOf } from '../../requests/people/viewer.ts'
import { runVisibilityRules } from '../../requests/people/visible-to.ts'

/** How many of the newest runs of the worker are searched for calls. */
const runsSearched = 20
const maxCalls = 5

/** A call that policy has judged, and its newest request. Secrets are not masked here. */
export type WorkerCallRecord = RecordOf<WorkerCalls['items'][number]>

interface CallRow extends Omit<WorkerCallRecord, 'title' | 'at' | 'request'> {
  readonly title_input: string | null
  readonly request_title: string | null
  readonly request_number: number | null
  readonly request_state: RequestState | null
}

/**
 * The newest calls of a worker with these tools, newest first, in the newest of its runs that the
 * caller may see.
 */
export async function listWorkerCalls(
  ctx: ServiceContext,
  caller: Caller,
  { worker, tools }: { readonly worker: string; readonly tools: readonly string[] },
): Promise<readonly WorkerCallRecord[]> {
  const viewer = await viewerOf(ctx, caller)
  const runs = pageOfAny({
    columns: [sql`run.id`],
    from: sql`run`,
    where: [sql<boolean>`run.worker = ${worker}`],
    anyOf: runVisibilityRules(viewer),
    order: { keys: [sql`run.created_at`, sql`run.id`], descending: true },
    limit: runsSearched,
  })
  const { rows } = await sql<CallRow>`
    select call.id as "callId", call.run_id as "runId", run.number::int as "runNumber", call.tool,
      call.verdict, ${titleInputHash('call')} as title_input, request.title as request_title,
      request.number::int as request_number, request.state as request_state
    from tool_call call
    join run on run.id = call.run_id
    left join request on request.id = call.request_id
    where call.run_id in (select id from (${runs}) as seen)
      and call.tool = any(${tools}::text[]) and call.verdict is not null
    order by call.id desc limit ${maxCalls}
  `.execute(ctx.db)
  const inputs = rows.flatMap((row) => row.title_input ?? [])
  const texts = await getRemainingTexts(ctx.db, inputs)
  return rows.map(
    ({
      title_input: input,
      request_title: title,
      request_number: number,
      request_state: state,
      ...row
    }) => ({
      ...row,
      title: title ?? titleWithoutRequest(row.tool, texts.get(input ?? '')),
      at: timeOfId(row.callId),
      request: number === null || state === null ? null : { number, state },
    }),
  )
}

/** The time in a UUIDv7: its first 48 bits are the milliseconds. */
function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
