import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { sql, type Selectable } from 'kysely'
import { verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { DiscardStatement } from '#domain/statements/statement.ts'
import { finishMerges } from '#sandbox/worktrees/finish-merges.ts'
import { finishMerge } from '#sandbox/worktrees/merge-commits.ts'
import { removeWorktree, sweepUnfinished } from '#sandbox/worktrees/remove-worktree.ts'
import {
  readRecord,
  recordName,
  treeIn,
  worktreeFolder,
  worktreesFolder,
  type WorktreeRecord,
} from '#sandbox/worktrees/worktree-record.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { isSettled } from '#tools/worktrees/is-settled.ts'
import { bySystem } from '../core/authority.ts'
import { errorText } from '../core/problems/error-text.ts'
import { lockRun } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { isUuid } from '#domain/requests/reference-forms.ts'
import { retention } from './clear-transcript.ts'

/** Days for which the worktree of an ended run is kept if it has uncommitted or unmerged work. */
const keptDays = 30
const dayMs = 24 * 60 * 60 * 1000

/** One round over the worktrees of this host, one after the other; errors are logged. */
export async function removeWorktrees(ctx: WorkerContext, stopping: AbortSignal): Promise<void> {
  const dataDir = ctx.commandSite?.dataDir
  if (dataDir === undefined) return
  await sweepUnfinished(dataDir, new Date()).catch((error: unknown) => {
    ctx.log.warn({ error: errorText(error) }, 'an unfinished worktree could not be removed')
  })
  await finishMerges(dataDir, (folder, error) =>
    ctx.log.warn({ folder, error: errorText(error) }, 'a merge could not be completed'),
  )
  const names: string[] = await readdir(worktreesFolder(dataDir)).catch(() => [])
  for (const runId of names.filter(isUuid)) {
    if (stopping.aborted) return
    try {
      await removeDue(ctx, runId, stopping)
    } catch (error) {
      ctx.log.warn({ runId, error: errorText(error) }, 'a worktree could not be removed')
    }
  }
}

/** Removes the worktree of one root run if that is due, when the API requests it. */
export async function removeWorktreeHere(
  ctx: WorkerContext,
  runId: string,
): Promise<{ readonly removed: boolean }> {
  const removed = isUuid(runId) && (await removeDue(ctx, runId, new AbortController().signal))
  return { removed }
}

type Why = 'settled' | 'discarded' | 'after_30_days'

/**
 * Removes the worktree of a root run if that is due. The removal is recorded first: an interrupted
 * one is completed later, and not recorded again.
 */
async function removeDue(ctx: WorkerContext, runId: string, signal: AbortSignal): Promise<boolean> {
  const dataDir = ctx.commandSite?.dataDir
  if (dataDir === undefined) return false
  const folder = worktreeFolder(await realpath(dataDir), runId)
  if ((await stat(folder).catch(() => null)) === null) return false
  const record = await readRecord(folder)
  if (record !== null) {
    const run = await endedRun(ctx, runId)
    if (run === null) return false
    // The runs make no more calls. No MCP server may work in a folder that is about to be removed.
    await ctx.mcpServers?.endIn(treeIn(folder))
    const merge = await finishMerge(folder).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    const why = await whyRemoved(ctx, run, folder, signal)
    if (merge !== null) {
      // Nothing else knows which checkouts lack its merge. People may remove it all the same, and
      // after 30 days nobody waits for that any more.
      if (why === null || why === 'settled') throw merge.error
      ctx.log.warn({ runId, error: errorText(merge.error) }, 'a merge could not be completed')
    }
    if (why === null) return false
    await recordRemoval(ctx, runId, why, record)
    await removeWorktree(dataDir, runId, { branch: why !== 'after_30_days' })
    return true
  }
  // The worktree itself is gone already. This removes the record of it that the host has.
  await removeWorktree(dataDir, runId, { branch: false })
  return true
}

async function recordRemoval(
  ctx: WorkerContext,
  runId: string,
  why: Why,
  { branch, tip }: WorktreeRecord,
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, retention), async (unit) => {
    const { worktree } = await lockRun(unit.tx, runId)
    if (worktree === null || worktree.removedAt !== undefined) return
    const removed = { ...worktree, removedAt: new Date().toISOString() }
    await unit.tx
      .updateTable('run')
      .set({ worktree: JSON.stringify(removed) })
      .where('id', '=', runId)
      .execute()
    await unit.audit({ type: 'worktree.removed', runId, detail: { why, branch, tip } })
    await unit.event('run.changed', { runId })
  })
}

interface EndedRun extends Pick<Selectable<RunTable>, 'id' | 'worktree'> {
  readonly days: number
}

/** `null`: there is no such root run, or a run or call of its tree has not ended. */
async function endedRun({ db }: WorkerContext, runId: string): Promise<EndedRun | null> {
  const { rows } = await sql<EndedRun>`
    select id, worktree, tree.days from run, lateral (
      select bool_and(ended_at is not null) as ended,
        (extract(epoch from clock_timestamp() - max(ended_at)) / 86400)::float8 as days
      from run as other where other.root_run_id = ${runId}
    ) as tree
    where id = ${runId} and root_run_id = id and tree.ended and not exists (
      select from execution join tool_call on tool_call.id = call_id
      join run as other on other.id = tool_call.run_id
      where other.root_run_id = ${runId} and execution.state = 'started'
    )`.execute(db)
  return rows[0] ?? null
}

/**
 * Why the worktree of an ended run is removed; `null`: it is kept. A row alone cannot cause it: a
 * discard is signed, and the 30 days are counted from the record that the host has.
 */
async function whyRemoved(
  ctx: WorkerContext,
  { id, worktree, days }: EndedRun,
  folder: string,
  signal: AbortSignal,
): Promise<Why | null> {
  if (worktree === null) return null
  const { discard } = worktree
  const statement =
    discard === undefined
      ? null
      : verifyStatement<DiscardStatement>(ctx.verifier, 'discard', discard)
  if (statement?.rootRunId === id) return 'discarded'
  const record = await readRecord(folder)
  if (record?.removed !== undefined) return record.removed.branch ? 'settled' : 'after_30_days'
  if (days >= keptDays && (await daysOf(folder)) >= keptDays) return 'after_30_days'
  const sandbox = ctx.commandSite?.sandbox
  if (sandbox === undefined) return null
  return (await isSettled(sandbox, folder, signal)) ? 'settled' : null
}

/** Days since this host made the worktree or received a commit of it. */
async function daysOf(folder: string): Promise<number> {
  const { mtimeMs } = await stat(path.join(folder, recordName))
  return (Date.now() - mtimeMs) / dayMs
}
