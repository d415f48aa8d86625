import { sql, type RawBuilder } from 'kysely'

/** How many same calls, and how many similar ones, a page lists (details.md, alike). */
export const maxAlike = { same: 10, similar: 5 } as const

/** A command's program or a file's path in the facts, as in index `revision_of_target`. */
function target(revision: string): RawBuilder<string | null> {
  const facts = sql.ref(`${revision}.facts`)
  return sql`coalesce(${facts}->'detail'->'programs'->0->>'path', ${facts}->'bases'->0->>'path')`
}

/** Kinds that ask whether a call may run; a question or an outcome check has no similar request. */
const asksToRun = (request: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${request}.kind`)} in ('tool_call', 'attachment', 'external')`

/**
 * Tools whose input does not say what they carry out: the branch, commit and remote that they find
 * are in the facts. The commit that they move is not compared, because it changes when they have
 * run.
 */
const finds = (request: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${request}.tool`)} in ('git_push', 'merge_branch')`

const detailOf = (facts: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(${facts}->'detail') - array['oldCommit', 'baseCommit', 'address']`

const factsOf = (request: string): RawBuilder<unknown> => sql`(select facts from request_revision r
  where r.request_id = ${sql.ref(`${request}.id`)} and r.revision = ${sql.ref(`${request}.revision`)})`

/** Whether a call of the same digest, with these facts, has the same effect as `request`'s. */
const hasSameTarget = (facts: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  case when ${finds('request')}
    then ${detailOf(facts)} is not distinct from ${detailOf(factsOf('request'))} else true end`

/** Ids of the newest other requests about exactly the call of the row `request`. */
export function sameCalls(maxRows: number): RawBuilder<{ id: string }> {
  return sql`
    select twin.id, twin.created_at from request twin
    where twin.digest = request.digest and twin.id <> request.id
      and ${asksToRun('twin')} and ${asksToRun('request')}
      and ${hasSameTarget(factsOf('twin'))}
    order by twin.created_at desc limit ${sql.lit(maxRows)}`
}

/**
 * Ids of the newest requests of the last 30 days for the same tool about the same file or program,
 * with another call.
 */
export function similarCalls(maxRows: number): RawBuilder<{ id: string }> {
  return sql`
    select other.id, other.created_at from request_revision mine
    join request_revision theirs on ${target('theirs')} = ${target('mine')}
      and theirs.created_at > clock_timestamp() - interval '30 days'
    join request other on other.id = theirs.request_id and other.revision = theirs.revision
    where mine.request_id = request.id and mine.revision = request.revision
      and other.tool = request.tool and other.digest <> request.digest
      and ${asksToRun('other')} and ${asksToRun('request')}
    order by theirs.created_at desc limit ${sql.lit(maxRows)}`
}

const aDayAgo = sql<Date>`statement_timestamp() - interval '1 day'`

/**
 * How often other requests or runs carried out the same call as the row of `request`, at most 100:
 * at any time in the runs of its root, within a day by any run or program. A failed or unknown
 * execution counts: it may have had its effect. The bound on `started_at` is for the index: no
 * execution of these runs began before their root run. `statement_timestamp`, because an index
 * cannot be searched by `clock_timestamp`, which changes within a statement.
 */
export const carriedOut: RawBuilder<number> = sql`(
  select count(*)::int from (
    select from execution ran join tool_call on tool_call.id = ran.call_id join run on run.id = tool_call.run_id
    where ran.executed_digest = request.digest and ran.call_id is distinct from request.call_id
      and ran.state in ('started', 'succeeded', 'failed', 'unknown')
      and coalesce(ran.started_at, 'infinity') > least(${aDayAgo},
        (select created_at from run root where root.id = request.root_run_id))
      and ${hasSameTarget(sql.ref('tool_call.facts'))}
      and (run.root_run_id = request.root_run_id or ran.started_at > ${aDayAgo})
    union all
    select from external_request taken
    where taken.consumed_digest = request.digest and taken.request_id <> request.id
      and taken.consumed_at > ${aDayAgo}
    limit 100) as before)`
