import { sql } from 'kysely'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { WindowStep } from '#domain/runs/window.ts'
import type { Tx } from '#store/database.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, workflow } from '../../core/authority.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { readWindowSteps } from '../../transcript/window-steps.ts'
import { leastElidedBytes, type Elision } from './plan-window.ts'

/**
 * Records, before the model is called, which results it no longer sees, so that the same ones are
 * left out after a crash and in every later turn. Returns all steps, including those that a
 * concurrent attempt has recorded.
 */
export async function recordElision(
  ctx: SystemContext,
  of: { readonly runId: string; readonly turn: number },
  elision: Elision,
): Promise<WindowStep[]> {
  return inUnitOfWork(ctx, bySystem(ctx, workflow), async (unit) => {
    const run = await lockRun(unit.tx, of.runId)
    const isOpen = !isEnd(runTransitions, run.state) && run.turn < of.turn
    if (isOpen) {
      await insertStep(unit.tx, of, {
        kind: 'elision',
        fromTurn: 1,
        throughTurn: elision.throughTurn,
        throughPosition: elision.throughPosition,
        resultsOver: leastElidedBytes,
        text: null,
      })
      await unit.event('run.changed', { runId: run.id })
    }
    return readWindowSteps(unit.tx, run.id)
  })
}

/** Adds a step after the existing ones. The caller holds the run's lock. */
export async function insertStep(
  tx: Tx,
  of: { readonly runId: string; readonly turn: number },
  step: Omit<WindowStep, 'at' | 'atTurn'>,
): Promise<void> {
  await sql`
    insert into run_window (run_id, number, kind, at_turn, from_turn, through_turn,
      through_position, results_over, text)
    select ${of.runId}::uuid, coalesce(max(number), 0) + 1, ${step.kind}, ${of.turn}::integer,
      ${step.fromTurn}::integer, ${step.throughTurn}::integer, ${step.throughPosition}::integer,
      ${step.resultsOver}::integer, ${step.text}::text
    from run_window where run_id = ${of.runId}
  `.execute(tx)
}
