import { sql } from 'kysely'
import {
  forgetCommand,
  keepViolation,
  lostCommands,
  type BegunCommand,
} from '../../../tools/commands/begun/begun-command.ts'
import { undoLost } from '../../../tools/commands/begun/undo-lost.ts'
import type { Caller } from '../../context.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import type { WorkerContext } from '../../worker-context.ts'
import { lockCall } from '../claiming/call-at-hand.ts'

/** What a command did to protected names whose host was killed, now undone. */
export interface LeftByCommand {
  /** names it, as a sentence */
  readonly violation: string
  /** to be called once that is stored: until then the next look finds it again */
  reported(): Promise<void>
}

/**
 * Undoes what a command of this call made of protected names on this host, when the process that ran it is gone
 * (security.md 8). `null`: there is nothing to tell. Another host looks after its own when its Temporal worker starts.
 */
export async function leftByCommand(
  ctx: WorkerContext,
  callId: string,
): Promise<LeftByCommand | null> {
  if (ctx.commandSite === undefined) return null
  const lost = await lostCommands(ctx.commandSite.dataDir)
  const [own] = lost.filter((one) => one.callId === callId)
  if (own === undefined) return null
  try {
    return await undoOne(ctx, own)
  } catch (error) {
    // The attempt is settled all the same; the next start looks once more.
    ctx.log.error({ callId, err: error }, 'a lost command could not be looked after')
    const violation = 'whether its command made protected names could not be looked at'
    return { violation, reported: async () => undefined }
  }
}

async function undoOne(ctx: WorkerContext, lost: BegunCommand): Promise<LeftByCommand | null> {
  const { commandSite } = ctx
  if (commandSite === undefined) return null
  const policy = await ctx.policies.byDigest(lost.policyDigest)
  const run = await ctx.db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.id', 'tool_call.run_id')
    .select('run.task_queue')
    .where('tool_call.id', '=', lost.callId)
    .executeTakeFirst()
  if (run === undefined) return null
  const workspace = await ctx.workspaceOf({ taskQueue: run.task_queue }, policy)
  const found = await undoLost(commandSite, policy, workspace, lost)
  const violation = lost.violation ?? found
  if (violation === null) {
    await forgetCommand(lost)
    return null
  }
  await keepViolation(lost, violation)
  return { violation, reported: () => forgetCommand(lost) }
}

const caller: Caller = { actor: { type: 'system', name: 'executor' }, channel: 'workflow' }

/**
 * Looks after the commands that a Temporal worker of this host left when it was killed, before this one takes work: what
 * they made of protected names is undone and stored with their attempts. An attempt that is still `started` is left to
 * `settle`. One that cannot be looked after now is found again at the next start.
 */
export async function lookAfterLostCommands(
  ctx: WorkerContext,
  settle: (callId: string) => Promise<unknown>,
): Promise<void> {
  if (ctx.commandSite === undefined) return
  for (const lost of await lostCommands(ctx.commandSite.dataDir)) {
    try {
      const left = await undoOne(ctx, lost)
      if (left === null) continue
      ctx.log.warn({ callId: lost.callId }, 'a command that was lost broke a rule; that was undone')
      const settled = await noteViolation(ctx, lost, left.violation)
      if (!settled) await settle(lost.callId)
      await left.reported()
    } catch (error) {
      ctx.log.error({ callId: lost.callId, err: error }, 'a lost command was not looked after')
    }
  }
}

/** Adds the violation to an attempt that was given up without it. False when it has not been given up yet. */
async function noteViolation(
  ctx: WorkerContext,
  { attempt, callId }: BegunCommand,
  violation: string,
): Promise<boolean> {
  return inUnitOfWork(ctx, async (unit) => {
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
    const requestId = at.call.request_id
    await unit.audit({
      type: 'system.reconciled',
      ...caller,
      runId: at.run.id,
      ...(requestId === null ? {} : { requestId }),
      callId,
      detail: { attempt, violation },
    })
    if (requestId !== null) await unit.event('request.changed', { requestId, runId: at.run.id })
    return true
  })
}
