import { sql, type RawBuilder } from 'kysely'
import type { Viewer } from './viewer.ts'

/** The viewer of a condition as parts of a query: values, or columns of a table of viewers. */
export interface ViewerTerms {
  readonly person: RawBuilder<unknown>
  /** an array of their teams; null: they are in none */
  readonly teams: RawBuilder<unknown> | null
  readonly managesRuns: boolean
}

/**
 * Whether the viewer may see a run (security.md 22): they started it or a run above it, own a key
 * that did, are in a team that its requests went to, or have `manageRuns`. The query names the
 * table `run`.
 * @example query.where(runVisibleTo(viewer))
 */
export function runVisibleTo(viewer: Viewer | ViewerTerms): RawBuilder<boolean> {
  return anyOf(runVisibilityRules(viewer))
}

/**
 * Whether the viewer may see a request: they are one of its queue's people, may see its run or, for
 * a program's request, own the key or are the person for whom it asked. `request` is the table's
 * name or alias in the query.
 */
export function requestVisibleTo(
  viewer: Viewer | ViewerTerms,
  request: string,
): RawBuilder<boolean> {
  return anyOf(requestVisibilityRules(viewer, request))
}

/**
 * The same for many rows that are counted. Under an `or`, Postgres would hash all requests for an
 * `exists`; here it looks the few of a run up.
 */
export function countedRequestVisibleTo(viewer: Viewer): RawBuilder<boolean> {
  return anyOf(requestVisibilityRules(viewer, 'request', wentOneByOne))
}

/**
 * The conditions for `runVisibleTo`, of which one must hold. Lists take a page by each and merge
 * them (`pageOfAny`): each has an index, and their `or` has none.
 */
export function runVisibilityRules(viewer: Viewer | ViewerTerms): RawBuilder<boolean>[] {
  const terms = termsOf(viewer)
  if (terms.managesRuns) return [sql<boolean>`true`]
  return [
    isPerson(terms, 'run.started_by'),
    isPerson(terms, 'run.co_owner_id'),
    ...toTeams(terms, (goes) => wentTo(sql.ref('run.id'), goes)),
  ]
}

/** The same for `requestVisibleTo`. The owners of a row never change. */
export function requestVisibilityRules(
  viewer: Viewer | ViewerTerms,
  request: string,
  went = wentTo,
): RawBuilder<boolean>[] {
  const terms = termsOf(viewer)
  const runId = sql.ref(`${request}.run_id`)
  const rules = [
    ...toTeams(terms, (goesTo) => goesTo(request)),
    isPerson(terms, `${request}.owner_id`),
    isPerson(terms, `${request}.co_owner_id`),
  ]
  if (terms.managesRuns) return [sql<boolean>`${runId} is not null`, ...rules]
  return [...rules, ...toTeams(terms, (to) => went(runId, to))]
}

function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

function termsOf(viewer: Viewer | ViewerTerms): ViewerTerms {
  if ('person' in viewer) return viewer
  const { personId, teams, managesRuns } = viewer
  if (teams?.length === 0) return { person: sql`${personId}`, teams: null, managesRuns }
  const ofPerson = sql`array(select team from team_member where person_id = ${personId})`
  return {
    person: sql`${personId}`,
    teams: teams === undefined ? ofPerson : sql`${teams}::text[]`,
    managesRuns,
  }
}

function isPerson({ person }: ViewerTerms, column: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = ${person}`
}

/** Whether a request of the run goes to the viewer's teams. */
function wentTo(runId: RawBuilder<unknown>, goesTo: GoesTo): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from request as asked where asked.run_id = ${runId} and ${goesTo('asked')}
  )`
}

/** The same as a look-up for each row. */
function wentOneByOne(runId: RawBuilder<unknown>, goesTo: GoesTo): RawBuilder<boolean> {
  return sql<boolean>`coalesce((
    select true from request as asked where asked.run_id = ${runId} and ${goesTo('asked')} limit 1
  ), false)`
}

/** Whether the viewer is in the queue's team, or in a team that the quorum names. */
type GoesTo = (request: string) => RawBuilder<boolean>

/** The conditions by the viewer's teams: none for viewers without a team. */
function toTeams(
  { teams }: ViewerTerms,
  way: (goesTo: GoesTo) => RawBuilder<boolean>,
): RawBuilder<boolean>[] {
  if (teams === null) return []
  return [
    way((request) => {
      const [team, others] = [sql.ref(`${request}.team`), sql.ref(`${request}.other_teams`)]
      return sql<boolean>`(${team} = any(${teams}) or ${others} && ${teams})`
    }),
  ]
}

/** Whether the quorum names a team of the viewer, who may decide unless behind it. */
export function inQuorumOf(request: string, personId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from team_member
    where team_member.person_id = ${personId}
      and ${namesTeam(request, sql.ref('team_member.team'))}
  )`
}

/**
 * Whether it is a question of a run that the person started, or of one below: they may answer it
 * (product.md 30). `person` is their id, or a column with it.
 */
export function isQuestionTo(request: string, person: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${request}.kind`)} = 'question' and coalesce((
    select true from run_lineage join run as above on above.id = run_lineage.ancestor_id
    where run_lineage.run_id = ${sql.ref(`${request}.run_id`)} and above.started_by = ${person}
    limit 1), false))`
}

/** Whether the quorum names a team: for a place, or in addition since an escalation. */
export function namesTeam(request: string, team: RawBuilder<unknown>): RawBuilder<boolean> {
  const routing = sql.ref(`${request}.routing`)
  // `team` is one word and `also` a list: `.*[*]` reads the words of both.
  return sql<boolean>`jsonb_exists(jsonb_path_query_array(${routing}, '$.quorum.any[*][*].*[*]'), ${team})`
}

/** The ids of a person and of other rows of the same human, looked up once for a query. */
export function rowsOfHuman(personId: string | null): RawBuilder<string[]> {
  return sql<string[]>`array(select unnest(other_ids || id) from person where id = ${personId})`
}
