import type { JsonObject } from '#domain/json/json.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { requestVisibleTo, runVisibleTo } from '../requests/people/visible-to.ts'

/**
 * The events of the live stream that the caller may see now: those about a request they may see or,
 * without a request, about a run they may see. It reads membership each time.
 */
export async function filterEvents<T extends { readonly subject: JsonObject }>(
  ctx: ServiceContext,
  caller: Caller,
  events: readonly T[],
): Promise<T[]> {
  if (events.length === 0) return []
  const viewer = await viewerOf(ctx, caller)
  const requestIds = idsOf(events, 'requestId')
  const runIds = idsOf(events, 'runId')
  const requests =
    requestIds.length === 0
      ? []
      : await ctx.db
          .selectFrom('request')
          .select('id')
          .where('id', 'in', requestIds)
          .where(requestVisibleTo(viewer, 'request'))
          .execute()
  const runs =
    runIds.length === 0
      ? []
      : await ctx.db
          .selectFrom('run')
          .select('id')
          .where('id', 'in', runIds)
          .where(runVisibleTo(viewer, 'run'))
          .execute()
  const visible = new Set([...requests, ...runs].map((row) => row.id))
  return events.filter(({ subject }) =>
    visible.has(textOf(subject['requestId'] ?? subject['runId'])),
  )
}

function idsOf(events: readonly { readonly subject: JsonObject }[], field: string): string[] {
  const ids = events.map((event) => textOf(event.subject[field])).filter((id) => id !== '')
  return [...new Set(ids)]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
