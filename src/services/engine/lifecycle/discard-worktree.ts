import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { signStatement, verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { DiscardStatement } from '#domain/statements/statement.ts'
import type { Caller, SigningContext } from '../../core/context.ts'
import { errorText } from '../../core/problems/error-text.ts'
import { lockActivationShared, lockRun } from '../../core/locks.ts'
import { inUnitOfWork, type JudgingContext } from '../../core/unit-of-work.ts'
import { bySteering } from '../../runs/may-steer-run.ts'

/**
 * Removes the worktree and branch of a run that has ended, with all that is not merged or
 * committed, for anybody who may send it messages (details.md, Git). It signs the removal; the host
 * carries it out, at the latest in its next round. Repeating it changes nothing. Rejects with
 * `not_found`, `forbidden`, or `conflict` while a run that works there has not ended, and for a run
 * without a worktree of its own.
 */
export async function discardWorktree(
  ctx: SigningContext,
  caller: Caller,
  { runId }: { readonly runId: string },
): Promise<void> {
  const authority = await bySteering(ctx, caller, runId)
  const judge = async ({ tx }: JudgingContext) => {
    await lockActivationShared(tx)
    return { authority }
  }
  await inUnitOfWork(ctx, judge, async (unit) => {
    const run = await lockRun(unit.tx, runId)
    const { worktree } = run
    if (worktree === null || run.root_run_id !== runId) {
      const text = 'This run has no worktree of its own'
      throw new Problem('conflict', text, { rootRunId: run.root_run_id })
    }
    const { rows } = await sql<{ number: string }>`
      select number from run where root_run_id = ${runId} and ended_at is null order by number limit 1
    `.execute(unit.tx)
    const [open] = rows
    if (open !== undefined) {
      throw new Problem(
        'conflict',
        `Run #${open.number} still works in it: close or cancel that run first`,
      )
    }
    const { discard } = worktree
    if (discard !== undefined && verifyStatement(ctx.verifier, 'discard', discard) !== null) return
    const by = 'id' in authority.actor ? authority.actor.id : authority.actor.type
    const discardedAt = new Date().toISOString()
    const statement: DiscardStatement = { version: 1, rootRunId: runId, by, discardedAt }
    const signedStatement = signStatement(ctx.signer, 'discard', statement)
    await unit.tx
      .updateTable('run')
      .set({ worktree: JSON.stringify({ ...worktree, discardedAt, discard: signedStatement }) })
      .where('id', '=', runId)
      .execute()
    const { branch, base, baseCommit } = worktree
    await unit.audit({ type: 'run.discarded', runId, detail: { branch, base, baseCommit } })
    await unit.event('run.changed', { runId })
  })
  // The caller need not wait for this: the next round of the host does the rest.
  await ctx.removeWorktree(runId).catch((error: unknown) => {
    ctx.log.warn({ runId, error: errorText(error) }, 'a discarded worktree is removed later')
  })
}
