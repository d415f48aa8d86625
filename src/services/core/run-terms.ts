import { sql, type Selectable } from 'kysely'
import type { RunStatement } from '#domain/statements/statement.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { narrowPolicy } from '#policy/delegation/narrow-worker.ts'
import type { Policy } from '#policy/policy.ts'
import { policyInWorkspace } from '#policy/workspaces.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { PolicyReader, ServiceContext } from './context.ts'
import { signedModeOf, verifyRun } from './verify-run.ts'

/** The terms on which a run's calls are judged and carried out now. */
export interface RunTerms {
  /**
   * the one in force, with the run's workspace. In one workspace, the worker may touch nothing that
   * a worker above it may not (product.md 23)
   */
  readonly policy: Policy
  /** names of the workers from the root run's to this one's */
  readonly lineage: readonly string[]
  /** those of them, except the run's own, that work in this run's workspace */
  readonly above: readonly string[]
  /** the signed one; the strictest where a signature of the lineage does not hold */
  readonly mode: RunMode
  /** `null`: a signature of this run or one above does not hold, and nothing executes */
  readonly statement: RunStatement | null
}

/** More than any lineage has: it ends the search in a row that was changed into a circle. */
const maxSteps = 20

/**
 * Reads the terms for every call: the policy in force, and for a delegated run the signed
 * statements of all runs above it, each of which names the next. It trusts nothing but the
 * signatures (security.md 13). A root run needs no query.
 */
export async function termsOf(
  ctx: Pick<ServiceContext, 'verifier'> & {
    readonly db: Db | Tx
    readonly policies: Pick<PolicyReader, 'inForce'>
  },
  run: Selectable<RunTable>,
): Promise<RunTerms> {
  const [inForce, ancestors] = await together([ctx.policies.inForce(), runsAbove(ctx, run)])
  const policy = policyInWorkspace(inForce, run.workspace)
  const lineage = [...ancestors, run].map((ancestor) => ancestor.worker)
  const statement = verifyRun(ctx.verifier, run)
  const holds = statement !== null && isLinked([...ancestors, run]) && ancestors.every(isSigned)
  if (holds) {
    const here = ancestors.filter((ancestor) => ancestor.workspace === run.workspace)
    const above = here.map((ancestor) => ancestor.worker)
    const narrowed = narrowPolicy(policy, run.worker, above)
    return { policy: narrowed, lineage, above, mode: statement.mode, statement }
  }
  const mode = run.parent_run_id === null ? signedModeOf(ctx.verifier, run) : 'strict'
  return { policy, lineage, above: [], mode, statement: null }

  function isSigned(ancestor: Selectable<RunTable>): boolean {
    return verifyRun(ctx.verifier, ancestor) !== null
  }
}

/**
 * Whether each run is the child of the one before, in the same tree, for the same person and in the
 * same mode.
 */
export function isLinked(lineage: readonly Selectable<RunTable>[]): boolean {
  const [root] = lineage
  return lineage.every((run, index) => {
    const parent = lineage[index - 1]
    return (
      run.root_run_id === root?.id &&
      run.parent_run_id === (parent?.id ?? null) &&
      run.mode === root.mode &&
      run.started_by === root.started_by
    )
  })
}

/** The runs above, from the root down, without the run itself. */
async function runsAbove(
  ctx: { readonly db: Db | Tx },
  run: Selectable<RunTable>,
): Promise<Selectable<RunTable>[]> {
  if (run.parent_run_id === null) return []
  const { rows } = await sql<Selectable<RunTable> & { up: number }>`
    with recursive above as (
      select run.*, 1 as up from run where id = ${run.parent_run_id}
      union all
      select run.*, above.up + 1 from run join above on run.id = above.parent_run_id
      where above.up < ${maxSteps}
    )
    select * from above order by up desc
  `.execute(ctx.db)
  return rows
}
