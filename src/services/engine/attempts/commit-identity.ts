import { sql } from 'kysely'
import {
  commitName,
  type CommitIdentity,
  type CommitPerson,
} from '#domain/tools/commit-identity.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { CommitSetting } from '#policy/settings.ts'
import type { Db } from '#store/database.ts'
import type { CallAtHand } from './call-at-hand.ts'
import type { ExecutionPlan } from './execution-plan.ts'

const host = 'countersign.localhost'

/**
 * The author and committer of commits by a started command (product.md 36): the worker for the
 * starter of the run, committed by the service, or as `commit` in countersign.yaml says, with the
 * request and its approvers. A command without an approver, allowed by policy or mode, names the
 * run.
 */
export async function commitIdentity(
  db: Db,
  at: Pick<CallAtHand, 'run' | 'approval'>,
  plan: Pick<ExecutionPlan, 'authorisation'>,
  setting: CommitSetting | null,
): Promise<CommitIdentity> {
  const { authorisation } = plan
  const allowed =
    authorisation.by === 'permit'
      ? { requestId: authorisation.requestId, people: decidersOf(at) }
      : authorisation.by === 'grant'
        ? await ofGrant(db, authorisation.grantId)
        : null
  const { started_by: startedBy } = at.run
  const ids = [...(startedBy === null ? [] : [startedBy]), ...(allowed?.people ?? [])]
  const people = await namesOf(db, ids)
  const starter = startedBy === null ? undefined : people.get(startedBy)
  const worker = starter === undefined ? at.run.worker : `${at.run.worker} for ${starter.name}`
  return {
    author: setting ?? { name: commitName(worker), email: `worker@${host}` },
    committer: setting ?? { name: 'Countersign', email: `countersign@${host}` },
    trailers:
      allowed === null
        ? [{ name: 'Countersign-Run', value: at.run.id }]
        : [
            { name: 'Countersign-Request', value: allowed.requestId },
            ...allowed.people.flatMap((id) => {
              const person = people.get(id)
              if (person === undefined) return []
              const value = `${commitName(person.name)} <${person.email}>`
              return [{ name: 'Approved-by' as const, value }]
            }),
          ],
  }
}

/** The permit was verified before the call started: its signature covers the approvers. */
function decidersOf({ approval }: Pick<CallAtHand, 'approval'>): readonly string[] {
  if (approval === null) return []
  return (JSON.parse(approval.permit.statement) as PermitStatement).deciders
}

async function ofGrant(db: Db, grantId: string) {
  const grant = await db
    .selectFrom('approval_grant')
    .select(['request_id', 'granted_by'])
    .where('id', '=', grantId)
    .executeTakeFirst()
  return grant === undefined ? null : { requestId: grant.request_id, people: [grant.granted_by] }
}

async function namesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, CommitPerson>> {
  const rows = await db
    .selectFrom('person')
    .select(['id', 'name', 'email'])
    .where(sql<boolean>`id = any(${ids})`)
    .execute()
  return new Map(rows.map(({ id, ...person }) => [id, person]))
}
