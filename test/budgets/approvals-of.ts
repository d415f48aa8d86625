import type { Db } from '#store/database.ts'

/** The decisions of one bulk call that approves every request of a run as it was asked. */
export async function approvalsOf(db: Db, runId: string) {
  const requests = await db
    .selectFrom('request')
    .innerJoin('request_revision', 'request_revision.request_id', 'request.id')
    .select(['request.id as requestId', 'request.digest', 'presentation_digest as seen'])
    .where('run_id', '=', runId)
    .execute()
  return requests.map((request) => ({ ...request, decision: 'approve' as const, revision: 1 }))
}
