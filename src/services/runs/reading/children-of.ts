import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { Db } from '#store/database.ts'
import type { Viewer } from '../../requests/people/viewer.ts'
import { runVisibleTo } from '../../requests/people/visible-to.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** A run that a call of another has started. */
export type ChildRecord = RecordOf<RunDetail['children'][number]>

/** The run's child runs that the viewer may see, oldest first (security.md 22). */
export async function childrenOf(
  db: Db,
  viewer: Viewer,
  runId: string,
): Promise<readonly ChildRecord[]> {
  return db
    .selectFrom('run')
    .select(['id as runId', 'worker', 'state', 'parent_call_id as callId'])
    .where('parent_run_id', '=', runId)
    .where(runVisibleTo(viewer))
    .orderBy('created_at')
    .execute()
}
