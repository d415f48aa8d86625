import { sql } from 'kysely'
import type { Vote } from '#domain/deciding/quorum.ts'
import type { Quorum, RequestKind } from '#domain/requests/request.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import type { Run } from '#api/schemas/runs/runs.ts'
import type { Db } from '#store/database.ts'
import type { RecordOf } from '../../core/record-of.ts'
import { awayUntil, withAbsence } from '../../requests/people/away.ts'
import { fillsPlace, type EligibleRow } from '../../requests/people/fills-place.ts'
import { requestVisibleTo, isQuestionTo } from '../../requests/people/visible-to.ts'
import { isDecider } from '../../requests/people/who-decides.ts'
import type { Viewer } from '../../requests/people/viewer.ts'

/** A request that a run waits for, and who can decide or answer it. */
export type WaitsForRecord = RecordOf<Run['waitsFor'][number]>

/** The most requests of a run, people of a request, and people whom these are chosen from. */
const max = { requests: 50, people: 20, able: 200 }

/**
 * The pending requests of runs and of the runs below them, as far as the viewer may see them,
 * oldest first, by run id. `people` can decide them now: they are in a team that the quorum names,
 * are not behind the request, and have not decided it.
 */
export async function waitsForOf(
  db: Db,
  viewer: Viewer,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly WaitsForRecord[]>> {
  if (runIds.length === 0) return new Map()
  const rows = await waitingRows(db, viewer, runIds)
  const rowsByRun = Map.groupBy(rows, (row) => row.waiting)
  return new Map([...rowsByRun].map(([runId, requests]) => [runId, requests.map(recordOf)]))
}

function recordOf(row: WaitingRow): WaitsForRecord {
  return {
    requestId: row.request_id,
    runId: row.run_id,
    number: Number(row.number),
    kind: row.kind,
    since: row.created_at,
    expiresAt: row.expires_at,
    effect: requestHeadline(row),
    people: peopleOf(row),
  }
}

/** A request that the run `waiting` waits for. */
interface WaitingRow {
  readonly waiting: string
  readonly request_id: string
  readonly run_id: string
  readonly number: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly kind: RequestKind
  readonly title: string
  readonly effect: string
  readonly quorum: Quorum
  /** who may decide it now */
  readonly people: readonly EligibleRow[]
  readonly votes: readonly Vote[]
}

async function waitingRows(
  db: Db,
  viewer: Viewer,
  runIds: readonly string[],
): Promise<readonly WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select above.id as waiting, asked.id as request_id, asked.run_id, asked.number, asked.created_at,
      asked.expires_at,
      asked.kind, asked.title, coalesce((select shown.effect from request_revision shown
        where shown.request_id = asked.id and shown.revision = asked.revision), asked.title) as effect,
      asked.routing->'quorum' as quorum,
      (select coalesce(json_agg(json_build_object('personId', p.id,
          'teams', array(select t.team from team_member t where t.person_id = p.id))), '[]')
        from decision d join person p on p.id = d.person_id and p.disabled_at is null
        where d.request_id = asked.id and d.revision = asked.revision and d.decision = 'approve') as votes,
      (select coalesce(json_agg(able), '[]') from (
        select p.id, p.name, ${awayUntil('p')} as "awayUntil", coalesce(p.other_ids, '{}') as "otherIds",
          array(select t.team from team_member t where t.person_id = p.id) as teams
        from person p
        where p.disabled_at is null
          and (${isQuestionTo('asked', sql.ref('p.id'))} or ${isDecider('asked', 'p')}
            and not exists (select from decision d where d.request_id = asked.id
              and d.revision = asked.revision and d.person_id = p.id))
        order by p.name, p.id limit ${max.able}
      ) able) as people
    from run as above
    cross join lateral (
      select request.* from run_lineage
      join request on request.run_id = run_lineage.run_id and request.state = 'pending'
      where run_lineage.ancestor_id = above.id and ${requestVisibleTo(viewer, 'request')}
      order by request.number limit ${max.requests}
    ) asked
    where above.id = any(${[...runIds]}::uuid[]) and above.ended_at is null
    order by asked.number
  `.execute(db)
  return rows
}

function peopleOf(row: WaitingRow): WaitsForRecord['people'] {
  const fills = fillsPlace(row, row.votes)
  const people = row.people.map((person) => ({ ...withAbsence(person), fillsPlace: fills(person) }))
  if (people.length <= max.people) return people
  return people.toSorted((a, b) => Number(b.fillsPlace) - Number(a.fillsPlace)).slice(0, max.people)
}
