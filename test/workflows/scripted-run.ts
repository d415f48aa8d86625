import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import {
  bundleWorkflowCode,
  type InjectedSinks,
  NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'
import type {
  NextDeadline,
  CallOutcome,
  CallPlan,
  CloseOutcome,
  NextTurn,
  TurnOutcome,
} from '#domain/runs/workflow-outcomes.ts'
import { searchAttributes } from '#domain/runs/search-attributes.ts'
import { type Activities, type ExecutorSinks, turnQueueOf } from '#workflows/activity-port.ts'
import type { agentRun, approvalRequest, gatewayCall } from '#workflows/index.ts'
import { decided } from '#workflows/messages.ts'
import { bundleWorkflows } from '#runtime/temporal/bundle-workflows.ts'
import { buildIdOf } from '#activities/create-workers.ts'
import '../harness/quiet-temporal.ts'
import { useTemporal } from '../harness/temporal.ts'
import { waitUntil } from '../harness/wait-until.ts'

let bundle: Promise<WorkflowBundleWithSourceMap> | null = null

/** The workflow code as it ships, bundled once for the test process. */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= bundleWorkflows()
  return bundle
}

/** Workflow code of `test/replay` by its file's name. */
export function bundleOf(name: string): Promise<WorkflowBundleWithSourceMap> {
  const workflowsPath = fileURLToPath(new URL(`../replay/${name}.ts`, import.meta.url))
  return bundleWorkflowCode({ workflowsPath })
}

/** Code of a later version, which runs that began before it survive. */
export function deployedBundle(): Promise<WorkflowBundleWithSourceMap> {
  return bundleOf('patched-workflow')
}

/**
 * What the activities answer, in memory: the store of a test of the workflow alone. A call with a
 * request waits until its request is decided; what is done, and in which order, is written down in
 * `journal`.
 */
export class ScriptedStore {
  readonly journal: string[] = []
  /** the calls that the process was told to prepare */
  readonly prepared: string[] = []
  readonly decided = new Set<string>()
  readonly results = new Set<string>()
  readonly turns: CallPlan[][]
  /** calls of people that the store knows when the run begins */
  readonly manualCalls: string[] = []
  /** which request a call of a person waits for */
  readonly waitsFor = new Map<string, string>()
  /** what a program's request answers, one look after the other; then that it has ended */
  readonly external: NextDeadline[] = []
  cancelled = false
  messagesUnread = 0
  endsWith: 'finished' | 'waiting_for_input' = 'finished'
  /** a conversation: each turn without calls rests so long, until `messages` of them were posted */
  restsForMs: number | null = null
  messages = 0
  /** what closing answers, one time after the other; then `closed` */
  readonly closes: CloseOutcome[] = []
  /**
   * what executions answer about the next turn before they take it themselves; `null`: no slot for
   * turns is free
   */
  turnsWithExecutions: NextTurn[] | null = []
  /** what the workflow's own queue does about a turn; absent: it takes it */
  turnHere?: Activities['takeTurn']
  /** how often each activity was called */
  readonly activityCounts = new Map<keyof Activities, number>()
  /** how far away the deadline is that a turn or a waiting call names */
  deadlineMs = 60_000
  onExecute: (callId: string) => Promise<void> = async () => undefined
  /** activities that answer something else, as a stranger on the task queue could */
  replaced: Partial<Activities> = {}

  constructor(turns: readonly (readonly Partial<CallPlan>[])[]) {
    this.turns = turns.map((calls, turn) =>
      calls.map((call, position) => ({
        callId: `${turn}.${position}`,
        step: call.requestId === undefined ? 'execute' : 'wait',
        requestId: null,
        readOnly: false,
        ...call,
      })),
    )
  }

  get activities(): Activities {
    const count = (name: keyof Activities): void => {
      this.activityCounts.set(name, (this.activityCounts.get(name) ?? 0) + 1)
    }
    return {
      noteScheduledTime: async () => count('noteScheduledTime'),
      beginRun: async () => {
        count('beginRun')
        const { manualCalls } = this
        const begun = { ended: false, turn: 0, taskQueue: this.taskQueue }
        return manualCalls.length === 0 ? begun : { ...begun, manualCalls }
      },
      takeTurn: async ({ turn }) => {
        count('takeTurn')
        return this.#turn(turn)
      },
      executeCall: async ({ callId, next }) => {
        count('executeCall')
        const outcome = await this.#execute(callId)
        if (outcome.kind !== 'done' || next === undefined || this.turnsWithExecutions === null) {
          return outcome
        }
        const nextTurn = this.turnsWithExecutions.shift()
        if (nextTurn !== undefined) return { ...outcome, nextTurn }
        count('takeTurn')
        return { ...outcome, nextTurn: this.#turn(next.turn) }
      },
      settleUnknown: async () => ({ kind: 'again' }),
      executeGatewayCall: async () => undefined,
      settleGatewayCall: async () => ({ again: false }),
      advanceRequests: async () => {
        count('advanceRequests')
        return { nextDeadlineMs: 60_000 }
      },
      advanceExternal: async () => {
        count('advanceExternal')
        return this.external.shift() ?? { nextDeadlineMs: null }
      },
      closeRun: async () => {
        count('closeRun')
        return this.closes.shift() ?? { kind: 'closed' }
      },
      enterManualResult: async ({ callId }) => {
        this.journal.push(`entered ${callId}`)
      },
      judgeCall: async () => ({ answerHash: 'none' }),
    }
  }

  get sinks(): InjectedSinks<ExecutorSinks> {
    const fn = (_: unknown, callId: string): void => void this.prepared.push(callId)
    return { executor: { prepareCall: { fn } } }
  }

  taskQueue = ''

  #turn(turn: number): TurnOutcome {
    if (this.cancelled) return { kind: 'ended' }
    if (this.restsForMs !== null) {
      // A turn that was taken is read back, whatever the workflow asks for.
      const taken = Math.min(turn, this.messages)
      this.journal[taken] = `turn ${taken}`
      return { kind: 'waiting_for_input', turn: taken + 1, restsForMs: this.restsForMs }
    }
    const calls = this.turns[turn]
    if (calls === undefined && this.messagesUnread > 0) {
      this.messagesUnread = 0
      return { kind: 'finished' }
    }
    if (calls === undefined) return { kind: this.endsWith }
    return {
      kind: 'calls',
      calls: calls.map((call) =>
        this.results.has(call.callId) ? { ...call, step: 'done' } : call,
      ),
      nextDeadlineMs: this.deadlineMs,
    }
  }

  async #execute(callId: string): Promise<CallOutcome> {
    if (this.cancelled) return { kind: 'ended' }
    const call = this.turns.flat().find((one) => one.callId === callId)
    const requestId = call?.requestId ?? this.waitsFor.get(callId) ?? null
    if (requestId !== null && !this.decided.has(requestId)) {
      return { kind: 'wait', requestIds: [requestId], nextDeadlineMs: this.deadlineMs }
    }
    await this.onExecute(callId)
    this.journal.push(callId)
    this.results.add(callId)
    return { kind: 'done' }
  }
}

/** A started run of a scripted store, with the Temporal workers that serve it. */
export interface ScriptedRun extends AsyncDisposable {
  readonly store: ScriptedStore
  readonly client: Client
  readonly handle: WorkflowHandle<typeof agentRun | typeof approvalRequest | typeof gatewayCall>
  /** Stops the workers and starts others with this workflow code, as a deployment does. */
  deploy(bundle: WorkflowBundleWithSourceMap): Promise<void>
}

/** Records decisions and notifies the run of them in one signal, as the relay does. */
export async function decide({ store, handle }: ScriptedRun, ...requestIds: string[]) {
  for (const id of requestIds) store.decided.add(id)
  await handle.signal(decided, requestIds)
}

/** Waits until the run has called an activity this many times. */
export async function untilCalled({ store }: ScriptedRun, name: keyof Activities, times: number) {
  await waitUntil(() => (store.activityCounts.get(name) ?? 0) >= times)
}

/** Each event of a history names a worker or a client: by default with the name of the host. */
const identity = '12345@host'

interface ScriptedOptions {
  readonly maxCachedWorkflows?: number
  /** the workflow that waits for the request of a program */
  readonly external?: boolean
  /** its first deadline, as the service gives it at the start */
  readonly nextDeadlineMs?: number
  /** the workflow that makes an approved call of the gateway */
  readonly gateway?: { readonly lostTries: number }
  /** started with search attributes, which the test server's namespace has */
  readonly listed?: boolean
  /** how many activities the workflow's own queue has at once */
  readonly maxActivities?: number
}

/**
 * Starts the real workflow on the real server, with activities that answer from `store`: a run's,
 * unless the options name another.
 */
export async function startScriptedRun(
  store: ScriptedStore,
  options: ScriptedOptions = {},
): Promise<ScriptedRun> {
  const { address, namespace, taskQueue } = await useTemporal()
  store.taskQueue = taskQueue
  const connection = await NativeConnection.connect({ address })
  const serve = async (bundle: WorkflowBundleWithSourceMap): Promise<() => Promise<void>> => {
    const activities = { ...store.activities, ...store.replaced }
    const { takeTurn } = activities
    const shared = { connection, namespace, identity, buildId: buildIdOf(bundle) }
    const turns = { taskQueue: turnQueueOf(taskQueue), activities: { takeTurn } }
    const { maxCachedWorkflows, maxActivities } = options
    const cache = maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }
    const slots =
      maxActivities === undefined ? {} : { maxConcurrentActivityTaskExecutions: maxActivities }
    const workflows = {
      taskQueue,
      workflowBundle: bundle,
      activities: { ...activities, takeTurn: store.turnHere ?? takeTurn },
      sinks: store.sinks,
      ...cache,
      ...slots,
    }
    const workers = [
      await Worker.create({ ...shared, ...workflows }),
      await Worker.create({ ...shared, ...turns }),
    ]
    const running = Promise.all(workers.map((worker) => worker.run()))
    return async () => {
      for (const worker of workers) worker.shutdown()
      await running
    }
  }
  let stop = await serve(await workflowBundle())
  const clientConnection = await Connection.connect({ address })
  const client = new Client({ connection: clientConnection, namespace, identity })
  const handle = await startWorkflow(client, taskQueue, options)
  return {
    store,
    client,
    handle,
    async deploy(bundle) {
      await stop()
      stop = await serve(bundle)
    },
    async [Symbol.asyncDispose]() {
      await handle.terminate('the test is over').catch(() => undefined)
      await stop()
      await connection.close()
      await clientConnection.close()
    },
  }
}

async function startWorkflow(
  client: Client,
  taskQueue: string,
  { external, gateway, listed, nextDeadlineMs }: ScriptedOptions,
): Promise<ScriptedRun['handle']> {
  if (external === true) {
    const first = nextDeadlineMs === undefined ? {} : { nextDeadlineMs }
    return client.workflow.start<typeof approvalRequest>('approvalRequest', {
      workflowId: `approval:${randomUUID()}`,
      taskQueue,
      args: [{ requestId: 'request', ...first }],
    })
  }
  if (gateway !== undefined) {
    return client.workflow.start<typeof gatewayCall>('gatewayCall', {
      workflowId: `gateway:${randomUUID()}`,
      taskQueue,
      args: [{ requestId: 'request', taskQueue, ...gateway }],
    })
  }
  return client.workflow.start<typeof agentRun>('agentRun', {
    workflowId: `agent-run:${randomUUID()}`,
    taskQueue,
    args: [{ runId: 'run', short: true, ...(listed === true ? { listed } : {}) }],
    ...(listed === true
      ? { typedSearchAttributes: [{ key: searchAttributes.state, value: 'running' }] }
      : {}),
  })
}
