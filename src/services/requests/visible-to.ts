import { sql, type RawBuilder } from 'kysely'
import type { Viewer } from './viewer.ts'

/**
 * Whether the viewer may see a run (security.md 22): who started it or a run above it, the owner of a key that did,
 * members of the teams its requests went to, and who holds `manageRuns`. `run` names the run id's column.
 *
 * @example query.where(runVisibleTo(viewer, 'run.id'))
 */
export function runVisibleTo(viewer: Viewer, run: string): RawBuilder<boolean> {
  if (viewer.managesRuns) return sql<boolean>`true`
  const id = sql.ref(run)
  return sql<boolean>`(
    exists (
      select 1 from run_lineage
      join run as above on above.id = run_lineage.ancestor_id
      left join api_key on api_key.id = above.api_key_id
      where run_lineage.run_id = ${id}
        and (above.started_by = ${viewer.personId} or api_key.owner_id = ${viewer.personId})
    )
    or exists (
      select 1 from request as asked where asked.run_id = ${id} and ${goesTo('asked', viewer)}
    )
  )`
}

/**
 * Whether the viewer may see a request: the people of its queue, and whoever may see its run; of a program's request the
 * owner of the key, and the person for whom it asked.
 * `request` is the table's name or alias in the query.
 */
export function requestVisibleTo(viewer: Viewer, request: string): RawBuilder<boolean> {
  return sql<boolean>`(
    ${goesTo(request, viewer)}
    or (${sql.ref(`${request}.run_id`)} is not null and ${runVisibleTo(viewer, `${request}.run_id`)})
    or (${sql.ref(`${request}.run_id`)} is null and ${askedBy(viewer, request)})
  )`
}

/** A program of the viewer's asked for it, or one on their behalf. */
function askedBy(viewer: Viewer, request: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from external_request
    where external_request.request_id = ${sql.ref(`${request}.id`)}
      and (external_request.owner_id = ${viewer.personId}
        or external_request.on_behalf_of = ${viewer.personId})
  )`
}

/** The viewer is in the queue's team, or in one that the quorum names. */
function goesTo(request: string, viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from team_member
    where team_member.person_id = ${viewer.personId}
      and (team_member.team = ${sql.ref(`${request}.team`)}
        or ${namesTeam(request, sql.ref('team_member.team'))})
  )`
}

/** The viewer is in a team that the quorum names: one of the people who may decide, if not behind it. */
export function inQuorumOf(request: string, personId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from team_member
    where team_member.person_id = ${personId}
      and ${namesTeam(request, sql.ref('team_member.team'))}
  )`
}

/** Whether the quorum names a team: for a place, or beside it since an escalation. */
export function namesTeam(request: string, team: RawBuilder<unknown>): RawBuilder<boolean> {
  const routing = sql.ref(`${request}.routing`)
  // `team` is one word and `also` a list: `.*[*]` reads the words of both.
  return sql<boolean>`jsonb_exists(jsonb_path_query_array(${routing}, '$.quorum.any[*][*].*[*]'), ${team})`
}
