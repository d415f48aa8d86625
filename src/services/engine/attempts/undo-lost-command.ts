import { sql } from 'kysely'
import { policyInWorkspace } from '#policy/workspaces.ts'
import {
  forgetCommand,
  isCommandAtWork,
  keepViolation,
  lostCommands,
  type CommandRecord,
} from '#tools/commands/execution/command-record.ts'
import {
  lastChangeMs,
  undoForbiddenChanges,
} from '#tools/commands/execution/undo-forbidden-changes.ts'
import { removeGitLocks } from '#tools/commands/git/remove-locks.ts'
import { placeOfRun } from '../../core/run-place.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { aboutCall, lockCall, requestChanged } from './call-at-hand.ts'
import { bySystem, executor } from '../../core/authority.ts'

/** Changes to protected names by a command whose host was killed, after they were undone. */
export interface UndoneCommand {
  /** describes the changes, as a sentence */
  readonly violation: string
  /** call it once that is stored; until then the next start reports it again */
  acknowledge(): Promise<void>
}

/**
 * Undoes the changes to protected names by the command of this attempt on this host, if its process
 * is gone (security.md 8). With `attempt: null`, the command may be of any attempt of the call.
 * `null`: there is nothing to report. Another host undoes its own commands when its Temporal worker
 * starts.
 */
export async function undoLostCommand(
  ctx: WorkerContext,
  { callId, attempt }: { readonly callId: string; readonly attempt: number | null },
): Promise<UndoneCommand | null> {
  if (ctx.commandSite === undefined) return null
  const lost = await lostCommands(ctx.commandSite.dataDir)
  const command = lost.find(
    (one) => one.callId === callId && (attempt === null || one.attempt === attempt),
  )
  if (command === undefined) return null
  try {
    return await undoCommand(ctx, command)
  } catch (error) {
    // The attempt is settled anyway; the next start tries again.
    ctx.log.error({ callId, err: error }, 'a lost command could not be cleaned up')
    const violation = 'whether its command created protected names could not be checked'
    return { violation, acknowledge: async () => undefined }
  }
}

async function undoCommand(ctx: WorkerContext, lost: CommandRecord): Promise<UndoneCommand | null> {
  const { commandSite } = ctx
  if (commandSite === undefined) return null
  const run = await ctx.db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.id', 'tool_call.run_id')
    .select(['run.id', 'run.number', 'run.root_run_id', 'run.state', 'run.task_queue'])
    .select(['run.worker', 'run.workspace', 'run.worktree'])
    .where('tool_call.id', '=', lost.callId)
    .executeTakeFirst()
  if (run === undefined) return null
  const pinnedPolicy = await ctx.policies.byDigest(lost.policyDigest)
  const policy = policyInWorkspace(pinnedPolicy, run.workspace)
  const workspace = await ctx.workspaceOf(placeOfRun(run), policy)
  const undoneViolation = await undoForbiddenChanges(commandSite, policy, workspace, lost)
  const violation = lost.violation ?? undoneViolation
  // It is kept before anything else can fail: what is undone is not found a second time.
  if (violation !== null) await keepViolation(lost, violation)
  const isAtWork = (): Promise<boolean> => isCommandAtWork(commandSite.dataDir, lost.root)
  // Without a sandbox the command went on after its host, until its processes were ended here.
  const untilMs = lost.variable === null ? lastChangeMs(lost) : Infinity
  await removeGitLocks(workspace, isAtWork, untilMs).catch((error: unknown) => {
    ctx.log.warn({ callId: lost.callId, err: error }, 'a lock of Git could not be removed')
  })
  if (violation !== null) return { violation, acknowledge: () => forgetCommand(lost) }
  await forgetCommand(lost)
  return null
}

/**
 * Undoes, before a Temporal worker of this host takes work, the changes to protected names by
 * commands that a killed one left, and stores them with their attempts. `settle` settles an attempt
 * that is still `started`. Failures are tried again at the next start.
 */
export async function undoLostCommands(
  ctx: WorkerContext,
  settle: (attempt: Pick<CommandRecord, 'callId' | 'attempt'>) => Promise<unknown>,
): Promise<void> {
  if (ctx.commandSite === undefined) return
  for (const lost of await lostCommands(ctx.commandSite.dataDir)) {
    try {
      const undone = await undoCommand(ctx, lost)
      if (undone === null) continue
      ctx.log.warn({ callId: lost.callId }, 'a command that was lost broke a rule; that was undone')
      const isAdded = await addViolation(ctx, lost, undone.violation)
      // `settle` finds the record too, and removes it once the violation is stored.
      await (isAdded ? undone.acknowledge() : settle(lost))
    } catch (error) {
      ctx.log.error({ callId: lost.callId, err: error }, 'a lost command was not cleaned up')
    }
  }
}

/** Adds the violation to an attempt that is `unknown`; false while it is `started`. */
async function addViolation(
  ctx: WorkerContext,
  { attempt, callId }: CommandRecord,
  violation: string,
): Promise<boolean> {
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCall(unit.tx, callId)
    if (at === null) return true
    if (at.execution?.attempt === attempt && at.execution.state === 'started') return false
    await unit.tx
      .updateTable('execution')
      .set({ reason: sql<string>`concat_ws('; ', reason, ${violation}::text)` })
      .where('call_id', '=', callId)
      .where('attempt', '=', attempt)
      .where('state', '=', 'unknown')
      .execute()
    await unit.audit({
      type: 'system.reconciled',
      ...aboutCall(at),
      detail: { attempt, violation },
    })
    await requestChanged(unit, at)
    return true
  })
}
