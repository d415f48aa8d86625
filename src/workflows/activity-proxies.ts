import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { type Activities, type DatabaseActivities, turnQueueOf } from './activity-port.ts'

/**
 * Short transactions on Postgres: retried until the database answers. Executions may keep the
 * workflow's own queue busy. A transaction that has not started there within 10 seconds is sent to
 * the queue of turns, so that long commands delay expiries, cancellations and starts by no more
 * than that. An activity that did not start has no effect.
 */
export function databaseActivities(): DatabaseActivities {
  const options: ActivityOptions = {
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  }
  const own = proxyActivities<Activities>({ ...options, scheduleToStartTimeout: '10 seconds' })
  const taskQueue = turnQueueOf(workflowInfo().taskQueue)
  const beside = proxyActivities<Activities>({ ...options, taskQueue })
  return new Proxy(own, {
    get: (_, name: keyof DatabaseActivities) => async (input: never) => {
      try {
        return await own[name](input)
      } catch (error) {
        if (!hasNotStarted(error)) throw error
        return beside[name](input)
      }
    },
  })
}

function hasNotStarted(error: unknown): boolean {
  return timeoutOf(error) === 'SCHEDULE_TO_START'
}

/** Whether an activity had started and its host was lost, or stood still, before it ended. */
export function wasHostLost(error: unknown): boolean {
  const timeout = timeoutOf(error)
  return timeout === 'HEARTBEAT' || timeout === 'START_TO_CLOSE'
}

/** The limit that an activity exceeded; `null`: it failed otherwise. */
function timeoutOf(error: unknown): TimeoutFailure['timeoutType'] | null {
  const cause = error instanceof ActivityFailure ? error.cause : null
  return cause instanceof TimeoutFailure ? cause.timeoutType : null
}

/**
 * The same, within the workflow task: without an activity and a workflow task of its own, which the
 * server would store. Few attempts, because the history keeps each.
 */
export function localActivities(): Pick<Activities, 'advanceExternal'> {
  return proxyLocalActivities<Activities>({
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: '200 milliseconds', maximumAttempts: 3 },
  })
}

/**
 * Model turns: the activity itself counts its failures in the store and gives up there. `summary`
 * is what Temporal's own pages show beside the activity, here and below.
 */
export function modelActivities(taskQueue: string, summary: string): Pick<Activities, 'takeTurn'> {
  return proxyActivities<Activities>({
    ...turnOptions(),
    summary,
    taskQueue: turnQueueOf(taskQueue),
    retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
  })
}

/**
 * The same on the workflow's own queue, from which it can start eagerly. One attempt: the queue of
 * turns takes over if the process dies or is of a version without this activity, and while
 * executions keep this queue busy.
 */
export function turnHereActivities(
  taskQueue: string,
  summary: string,
): Pick<Activities, 'takeTurn'> {
  return proxyActivities<Activities>({
    ...turnOptions(),
    summary,
    taskQueue,
    scheduleToStartTimeout: '5 seconds',
    retry: { maximumAttempts: 1 },
  })
}

/** A function, because modules of workflows hold no values: all runs of a worker share them. */
function turnOptions(): ActivityOptions {
  return {
    startToCloseTimeout: '15 minutes',
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  }
}

/**
 * Effects: one attempt, never a retry. The heartbeat notices a dead host in 10 s; the
 * schedule-to-start limit notices a host that is gone, after which the store says whether the call
 * may be issued again.
 */
export function onceActivities(
  taskQueue: string,
  summary: string,
): Pick<Activities, 'executeCall' | 'executeGatewayCall'> {
  return proxyActivities<Activities>({
    summary,
    taskQueue,
    scheduleToStartTimeout: '5 minutes',
    startToCloseTimeout: '90 minutes',
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
  })
}

/** A question about a hypothetical or edited call, for a client that waits. */
export function judgingActivities(taskQueue: string): Pick<Activities, 'judgeCall'> {
  return proxyActivities<Activities>({
    taskQueue,
    scheduleToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 2 },
  })
}
