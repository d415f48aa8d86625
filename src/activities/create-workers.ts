import { createHash } from 'node:crypto'
import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { CallPreparations } from './call-preparations.ts'
import { createActivities } from './create-activities.ts'
import { TurnSlots } from './turn-slots.ts'

export interface WorkersOptions {
  readonly connection: NativeConnection
  readonly namespace: string
  /** the workflows' own queue, and that of the default workspace's executions */
  readonly taskQueue: string
  readonly workflowBundle: WorkflowBundleWithSourceMap
  readonly maxCachedWorkflows: number
  readonly shutdownGraceMs: number
  /** for every activity: metrics and traces; absent: none */
  readonly activityInterceptors?: readonly ActivityInterceptorsFactory[]
}

const executionsAtOnce = 50
/** how many turns the queue of turns takes at once; the queue of executions takes as many more */
const turnsAtOnce = 50

/**
 * The two Temporal workers of a host: one for workflows with executions (which can then start
 * eagerly), and one for model turns, so that slow models do not starve executions. Run both, and
 * shut both down.
 */
export async function createWorkers(
  ctx: WorkerContext,
  options: WorkersOptions,
): Promise<readonly Worker[]> {
  const { connection, namespace, taskQueue } = options
  const preparations = new CallPreparations(ctx)
  const activities = createActivities(ctx, new TurnSlots(turnsAtOnce), preparations)
  const shared = {
    connection,
    namespace,
    buildId: buildIdOf(options.workflowBundle),
    interceptors: { activity: [...(options.activityInterceptors ?? [])] },
    shutdownGraceTime: options.shutdownGraceMs,
    shutdownForceTime: options.shutdownGraceMs + 5000,
    maxHeartbeatThrottleInterval: 1000,
    defaultHeartbeatThrottleInterval: 1000,
  }
  return Promise.all([
    Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: options.workflowBundle,
      activities: { ...activities.executions },
      sinks: preparations.sinks,
      maxCachedWorkflows: options.maxCachedWorkflows,
      // After a worker was killed, a run that is woken waits at most this long for another worker
      // (ten seconds by default).
      stickyQueueScheduleToStartTimeout: '2 seconds',
      maxConcurrentActivityTaskExecutions: executionsAtOnce + turnsAtOnce,
    }),
    Worker.create({
      ...shared,
      taskQueue: turnQueueOf(taskQueue),
      activities: { ...activities.turns },
      maxConcurrentActivityTaskExecutions: turnsAtOnce,
    }),
  ])
}

/**
 * The code of the workflows as a short digest. Temporal repeats the build id in half of the events
 * of a history; its default takes 85 bytes.
 */
export function buildIdOf({ code }: WorkflowBundleWithSourceMap): string {
  return createHash('sha256').update(code).digest('hex').slice(0, 12)
}
