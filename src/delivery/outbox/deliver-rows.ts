import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client'
import type { Db } from '#store/database.ts'
import type { WrittenOutboxRow } from '#store/records/outbox.ts'
import {
  called,
  cancelRequested,
  childEnded,
  decided,
  messaged,
  type RunPosition,
} from '#workflows/messages.ts'
import { type DeliveredMarks, type LeasedRow, markUndeliverable } from './lease-rows.ts'
import { approvalWorkflowId, startApproval, startGatewayCall } from './start-for-request.ts'
import type { NamespaceGuard } from '../namespace-guard.ts'
import type { RunListing } from '../run-listing.ts'
import { workflowTaskTimeout, type TemporalClient } from '../temporal-client.ts'

export interface DeliveryContext {
  readonly db: Db
  readonly temporal: TemporalClient
  readonly guard: NamespaceGuard
  /** the workflows' own queue */
  readonly taskQueue: string
  /**
   * Whether a run may be started: a delegated one is judged and signed first, or ended. It is not
   * asked about root runs.
   */
  readonly admit: (runId: string) => Promise<boolean>
  /** absent: Temporal's list has only the ids of runs */
  readonly listing?: RunListing
}

interface RunAddress {
  readonly id: string
  readonly workflow_id: string
  readonly isRoot: boolean
  readonly hasEnded: boolean
  /** the workflow: a run's, or the one that waits for a program's request */
  readonly type: 'run' | 'approval'
}

/**
 * Delivers a run's rows in order; decisions that were committed together travel in one signal. A
 * workflow that is missing while its run has not ended is started again and reads everything from
 * the store. `written`: the address, from a caller that has just written the rows; `null`: it is
 * read. Rejects when Temporal cannot be reached; what was delivered before that stays delivered.
 */
export async function deliverRows(
  delivering: DeliveryContext & { readonly marks: DeliveredMarks },
  runId: string,
  rows: readonly LeasedRow[],
  written: WrittenAddress | null,
): Promise<void> {
  const { db, marks } = delivering
  const address = written === null ? null : addressFrom(runId, written)
  const run = address ?? (await addressOf(db, runId))
  if (run === null) return markUndeliverable(db, idsOf(rows))
  for (const group of groupDecisions(rows)) {
    const reached = await deliverGroup(delivering, run, group)
    await (reached ? marks.mark(group) : markUndeliverable(db, idsOf(group)))
  }
}

type WrittenAddress = Pick<WrittenOutboxRow, 'workflowId' | 'isRoot' | 'isOfProgram'>

/**
 * The address by the rows that were written; `null`: they do not contain it. The run is assumed not
 * to have ended: that is checked when a signal finds no workflow.
 */
function addressFrom(
  id: string,
  { workflowId, isRoot, isOfProgram }: WrittenAddress,
): RunAddress | null {
  const address = { id, isRoot, hasEnded: false }
  if (workflowId !== null) return { ...address, workflow_id: workflowId, type: 'run' }
  if (!isOfProgram) return null
  return { ...address, workflow_id: approvalWorkflowId(id), type: 'approval' }
}

async function addressOf(db: Db, runId: string): Promise<RunAddress | null> {
  const row = await db
    .selectFrom('run')
    .select(['id', 'workflow_id', 'parent_run_id', 'ended_at'])
    .where('id', '=', runId)
    .executeTakeFirst()
  if (row === undefined) return addressOfRequest(db, runId)
  const { id, workflow_id, parent_run_id: parentId, ended_at: endedAt } = row
  return { id, workflow_id, isRoot: parentId === null, hasEnded: endedAt !== null, type: 'run' }
}

/** A program's request has no run: its rows have its own id. */
async function addressOfRequest(db: Db, requestId: string): Promise<RunAddress | null> {
  const row = await db
    .selectFrom('request')
    .select(['id', 'state'])
    .where('id', '=', requestId)
    .where('run_id', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  const workflow_id = approvalWorkflowId(row.id)
  const hasEnded = row.state !== 'pending'
  return { id: row.id, workflow_id, isRoot: false, hasEnded, type: 'approval' }
}

function idsOf(rows: readonly LeasedRow[]): string[] {
  return rows.map((row) => row.id)
}

/** Neighbouring decisions become one group; every other row is a group of its own. */
function groupDecisions(rows: readonly LeasedRow[]): LeasedRow[][] {
  const groups: LeasedRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (row.kind === 'signal_decided' && last?.[0]?.kind === 'signal_decided') last.push(row)
    else groups.push([row])
  }
  return groups
}

async function deliverGroup(
  delivering: DeliveryContext,
  run: RunAddress,
  group: readonly LeasedRow[],
): Promise<boolean> {
  const [first] = group
  const kind = first?.kind
  if (kind === 'start_gateway_call') {
    const { taskQueue } = first?.payload ?? {}
    if (typeof taskQueue !== 'string') return false
    await startGatewayCall(delivering, { requestId: run.id, taskQueue })
    return true
  }
  if (kind === 'start_run' || kind === 'start_approval') {
    if (!run.hasEnded) await startAgain(delivering, run)
    return true
  }
  try {
    await delivering.temporal.withDeadline(() => {
      const handle = delivering.temporal.client.workflow.getHandle(run.workflow_id)
      switch (kind) {
        case 'signal_decided':
          return handle.signal(decided, idsIn(group, 'requestIds'))
        case 'signal_called':
          return handle.signal(called, idsIn(group, 'callIds'))
        case 'signal_child_ended':
          return handle.signal(childEnded, idsIn(group, 'runIds'))
        case 'signal_messaged':
          return handle.signal(messaged)
        default:
          return handle.signal(cancelRequested)
      }
    })
    return true
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    // The run may have ended since its address was read.
    if (run.hasEnded || (await addressOf(delivering.db, run.id))?.hasEnded !== false) return false
    await startAgain(delivering, run)
    return true
  }
}

async function startAgain(delivering: DeliveryContext, run: RunAddress): Promise<void> {
  await (run.type === 'run' ? startRunWorkflow(delivering, run) : startApproval(delivering, run.id))
}

function idsIn(
  rows: readonly LeasedRow[],
  field: 'requestIds' | 'callIds' | 'runIds',
): readonly string[] {
  return rows.flatMap(({ payload: { [field]: ids } }) =>
    Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
  )
}

/**
 * Starts a run's workflow if it may start. Its id makes this idempotent. `isRoot`: its row says
 * that no run started it, so `admit` is not asked.
 */
export async function startRunWorkflow(
  delivering: Omit<DeliveryContext, 'db'>,
  run: { readonly id: string; readonly workflow_id: string; readonly isRoot?: boolean },
): Promise<'started' | 'was_started' | 'refused'> {
  await delivering.guard.confirm()
  if (run.isRoot !== true && !(await delivering.admit(run.id))) return 'refused'
  try {
    await startListed(delivering, run.id, {
      workflowId: run.workflow_id,
      taskQueue: delivering.taskQueue,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    })
    return 'started'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'was_started'
    throw error
  }
}

/** Starts the workflow of a run, with its first turn and its entry in Temporal's list. */
export async function startListed(
  { temporal, listing }: Pick<DeliveryContext, 'temporal' | 'listing'>,
  runId: string,
  options: Omit<WorkflowStartOptions, 'args'>,
): Promise<void> {
  const start = (
    listing: Partial<WorkflowStartOptions>,
    firstTurn: Pick<RunPosition, 'turn' | 'taskQueue'>,
  ) => {
    const mark = listing.typedSearchAttributes === undefined ? {} : { listed: true as const }
    const position: RunPosition = { runId, ...firstTurn, ...mark, short: true }
    return temporal.withDeadline(() =>
      temporal.client.workflow.start('agentRun', {
        ...options,
        ...listing,
        args: [position],
        workflowTaskTimeout,
      }),
    )
  }
  await (listing === undefined ? start({}, {}) : listing.start(runId, start))
}
