import { sql } from 'kysely'
import type { RunCueFacts } from '#policy/judge/calls/policy-query.ts'
import { isTracked } from '#sandbox/git/tracked-paths.ts'
import { eachOf } from '#store/connection/each-of.ts'
import type { Db, Tx } from '#store/database.ts'

/** Facts about a turn's run that the judgement of its calls needs. */
export interface TurnFacts {
  /** the run's root has a grant that may cover one */
  readonly hasGrants: boolean
  readonly cueFacts: Omit<RunCueFacts, 'isTracked'>
}

/** How many of a worker's newest runs are searched for an earlier use of a tool. */
const maxRuns = 100

/**
 * Reads in one query whether grants may cover a call, which of the tools the worker has used, and
 * which foreign text the model read. Foreign text is the text of a server just before the turn, as
 * a result or in a summary. The message of a trigger is foreign text too; it stays the task of the
 * run and its forks. The task of a delegated run is not foreign: a person or the policy approved
 * it.
 */
export async function factsOfTurn(
  db: Db | Tx,
  run: { readonly id: string; readonly root_run_id: string; readonly worker: string },
  turn: number,
  tools: readonly string[],
): Promise<TurnFacts> {
  const { rows } = await sql<FactsRow>`
    select
      exists (select from approval_grant where root_run_id = ${run.root_run_id}
        and revoked_at is null and ended_at is null) as "hasGrants",
      array(select asked.tool from ${eachOf([...new Set(tools)])} as asked(tool) where exists (
        select from (select id from run where worker = ${run.worker}
          order by created_at desc, id desc limit ${sql.lit(maxRuns)}) recent
        join tool_call c on c.run_id = recent.id and c.tool = asked.tool and c.result_type = 'output')) as used,
      (select tool from tool_call where run_id = ${run.id} and tool like 'mcp\\_\\_%'
        and result_type = 'output' and (turn = ${turn - 1} or turn between 1 and (
          select max(through_turn) from run_window
          where run_id = ${run.id} and kind = 'compaction' and at_turn = ${turn}))
        order by turn = ${turn - 1} desc, position limit 1) as outsider,
      (select started_from from run where started_from like 'trigger:%' and (id = ${run.id}
          or id in (select from_run_id from run_prefix where run_id = ${run.id}))
        limit 1) as "startedFrom"
  `.execute(db)
  const { hasGrants = false, used = [], outsider = null, startedFrom = null } = rows[0] ?? {}
  const result = outsider === null ? null : `a result of ${outsider}`
  const task = startedFrom === null ? null : `what the ${startedFrom.replace(':', ' ')} was sent`
  return {
    hasGrants,
    cueFacts: { usedTools: new Set(used), outsider: result ?? task },
  }
}

interface FactsRow {
  readonly hasGrants: boolean
  readonly used: string[]
  readonly outsider: string | null
  readonly startedFrom: string | null
}

/** The same with the host's facts about files below a folder. */
export function cueFactsIn(root: string, facts: TurnFacts['cueFacts']): RunCueFacts {
  return { ...facts, isTracked: (path) => isTracked(root, path) }
}
