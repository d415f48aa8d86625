import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import { Problem } from '#domain/problem.ts'
import { policyDocument } from '#policy/version-digest.ts'
import { encodeCursor } from '#store/paging/keyset.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { keysBefore, type PageInput } from '../core/pages.ts'
import { loadProject } from '../policy/read-project.ts'
import { invalidProject } from '../policy/reject-policy.ts'
import { byRight } from '../core/authority.ts'
import type { RecordOf } from '../core/record-of.ts'

/** Calls of one page. Judging takes about a millisecond; the caller waits ten seconds at most. */
const maxCalls = 200

export type ReplayPage = RecordOf<PolicyReplay>

/**
 * The verdicts of past calls that would differ under the project folder's version, newest call
 * first, a page at a time; nothing is activated. The Temporal worker of the workspace judges. Takes
 * the right `activatePolicy`. `since` bounds when calls were made. Rejects with every problem of an
 * invalid folder, and with `workspace_unreachable` when no Temporal worker answers.
 */
export async function replayPolicy(
  ctx: SigningContext,
  caller: Caller,
  input: PageInput & { readonly projectDir: string; readonly since?: Date },
): Promise<ReplayPage> {
  await byRight(ctx, caller, 'activatePolicy')
  const loaded = await loadProject(input.projectDir)
  if ('problems' in loaded) throw invalidProject(loaded.problems)
  const { policy } = loaded
  const limit = Math.min(input.limit ?? maxCalls, maxCalls)
  const ids = await pageOf(ctx, { ...input, limit })
  if (ids.length === 0) {
    return { digest: policy.digest, judged: 0, items: [], notJudged: [], nextCursor: null }
  }
  const { done, items, notJudged } = await ctx.replayRemotely({
    replayUnder: policyDocument(policy.files),
    callIds: ids,
  })
  if (done === 0)
    throw new Problem(
      'workspace_unreachable',
      'The workspaces did not judge any call in time: ask again for fewer calls',
    )
  const isMore = done < ids.length || ids.length === limit
  const last = ids[done - 1] ?? ''
  return {
    digest: policy.digest,
    judged: done - notJudged.length,
    items,
    notJudged,
    nextCursor: isMore ? encodeCursor('replay', [last]) : null,
  }
}

/** Ids of judged calls, newest first: ids sort by time. */
async function pageOf(
  ctx: SigningContext,
  page: PageInput & { readonly since?: Date; readonly limit: number },
): Promise<string[]> {
  let query = ctx.db
    .selectFrom('tool_call')
    .select('id')
    .where('verdict', 'is not', null)
    .where('policy_digest', 'is not', null)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.since !== undefined) query = query.where('id', '>=', firstIdAt(page.since))
  const [last] = keysBefore(page, 'replay', ['id']) ?? []
  if (last !== undefined) query = query.where('id', '<', last)
  return (await query.execute()).map((row) => row.id)
}

/** The smallest UUIDv7 of a time: its first 48 bits are the milliseconds. */
function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8, 12)}-7000-8000-000000000000`
}
