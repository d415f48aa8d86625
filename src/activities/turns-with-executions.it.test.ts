import { Context } from '@temporalio/activity'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ModelProblem, type ModelAnswer, type ModelRequest } from '#models/model.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { workflowIdOf } from '#services/runs/starting/insert-run.ts'
import { decided } from '#workflows/messages.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { noSandbox, openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { workflowBundle } from '#test/workflows/scripted-run.ts'
import '#test/harness/quiet-temporal.ts'
import { CallPreparations } from './call-preparations.ts'
import { createActivities } from './create-activities.ts'
import { TurnSlots } from './turn-slots.ts'

let desk: AgentDesk
let client: Client
let taskQueue: string
/** the calls that were to be prepared, the tools whose calls were verified, and the activities */
const steps: string[] = []
/** what happens before an execution's activity begins */
let beforeActivity = async (): Promise<void> => undefined
const closing = new AsyncDisposableStack()

/** The activities as they ship, on the services and a store, with two slots and one. */
beforeAll(async () => {
  const temporal = await useTemporal()
  const { address, namespace } = temporal
  taskQueue = temporal.taskQueue
  desk = closing.use(await openAgentDesk(noSandbox, taskQueue))
  const worker: WorkerContext = {
    ...desk.worker,
    registryOf: (policy, name, needed, place) => {
      if (needed !== undefined) steps.push(`verify ${needed.join()}`)
      return desk.worker.registryOf(policy, name, needed, place)
    },
  }
  // Else a busy machine would begin the activity too late, and verify its call again.
  const preparations = new CallPreparations(worker, 120_000)
  const prepare = preparations.sinks.executor.prepareCall
  const recordingPrepare: typeof prepare = {
    fn: (info, callId) => {
      steps.push(`prepare ${callId}`)
      return prepare.fn(info, callId)
    },
  }
  const { executions, turns } = createActivities(worker, new TurnSlots(1), preparations)
  const executeCall: typeof executions.executeCall = async (input) => {
    await beforeActivity()
    steps.push('begin')
    return executions.executeCall(input)
  }
  const connection = await NativeConnection.connect({ address })
  closing.defer(() => connection.close())
  const shared = { connection, namespace }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: { ...executions, executeCall },
      sinks: { executor: { prepareCall: recordingPrepare } },
      maxConcurrentActivityTaskExecutions: 2,
    }),
    await Worker.create({
      ...shared,
      taskQueue: turnQueueOf(taskQueue),
      activities: { ...turns },
      maxConcurrentActivityTaskExecutions: 1,
    }),
  ]
  const repeating = { ...repeated(executions), ...repeated(turns) }
  for (const queue of [repeatedQueue(), turnQueueOf(repeatedQueue())]) {
    const options = { ...shared, taskQueue: queue, workflowBundle: await workflowBundle() }
    const { sinks } = preparations
    workers.push(await Worker.create({ ...options, sinks, activities: repeating }))
  }
  const running = workers.map((worker) => worker.run())
  closing.defer(async () => {
    for (const worker of workers) worker.shutdown()
    await Promise.allSettled(running)
  })
  const clientConnection = await Connection.connect({ address })
  closing.defer(() => clientConnection.close())
  client = new Client({ connection: clientConnection, namespace })
})
afterAll(() => closing.disposeAsync())

/** The queue whose activities are carried out again and again. */
function repeatedQueue(): string {
  return `${taskQueue}-repeated`
}

/**
 * Each activity twice at once, and once more when it has ended, as Temporal may do: it promises no
 * more than that an activity is carried out at least once.
 */
function repeated(activities: object) {
  type Activity = (input: unknown) => Promise<unknown>
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]: [string, Activity]) => {
      const repeat: Activity = async (input) => {
        const [outcome] = await Promise.all([activity(input), activity(input)])
        await activity(input)
        return outcome
      }
      return [name, repeat]
    }),
  )
}

const done: ModelAnswer = {
  text: 'Done.',
  calls: [],
  usage: { inputTokens: 100, outputTokens: 10 },
}

/** A run that waits with one write. */
async function waitingRun(path: string, workflowIdOfRun = workflowIdOf) {
  const runId = await desk.start()
  desk.say({ calls: [aWrite(path)] })
  return untilWaiting(runId, taskQueue, workflowIdOfRun)
}

function aWrite(path: string) {
  return { tool: 'write_file', input: { path, content: 'hello\n' } }
}

/** Starts the workflow of a run, and waits until it waits for its first request. */
async function untilWaiting(runId: string, queue: string, workflowIdOfRun = workflowIdOf) {
  const handle = await startWorkflow(runId, queue, workflowIdOfRun(runId))
  let requestId: string | undefined
  await waitUntil(async () => {
    requestId = (await desk.calls(runId, 1))[0]?.requestId
    const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw
    return requestId !== undefined && !pendingWorkflowTask && (pendingActivities ?? []).length === 0
  })
  return { runId, handle, requestId: requestId ?? '' }
}

function startWorkflow(runId: string, queue: string, workflowId: string) {
  const args = [{ runId, turn: 1, taskQueue: queue }]
  return client.workflow.start('agentRun', { workflowId, taskQueue: queue, args })
}

async function approve(run: Awaited<ReturnType<typeof waitingRun>>): Promise<void> {
  await desk.decide(desk.people.grace, run.requestId)
  await run.handle.signal(decided, [run.requestId])
}

type Started = Pick<Awaited<ReturnType<typeof waitingRun>>, 'handle'>

async function scheduled({ handle }: Started) {
  const { events } = await handle.fetchHistory()
  return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? [])
}

async function activities(run: Started): Promise<string[]> {
  return (await scheduled(run)).map(({ activityType }) => activityType?.name ?? '')
}

// Rules: product.md 15
it('executions run while no model answers: turns have their own slots, inside and outside of executions', async () => {
  const runs = []
  for (const name of ['a', 'b', 'c', 'd']) runs.push(await waitingRun(`notes/slow-${name}.md`))
  const answers = Promise.withResolvers<ModelAnswer>()
  const before = desk.modelRequests.length
  desk.say(...runs.map(() => () => answers.promise))
  for (const [index, run] of runs.entries()) {
    await approve(run)
    await waitUntil(() => desk.executed.length === index + 1)
    // The first turn is taken with its execution, the second from the queue, and the others wait.
    await waitUntil(() => desk.modelRequests.length === before + Math.min(index + 1, 2))
    // Else the slot could be free again before the execution looks for one.
    if (index > 0) {
      await waitUntil(async () => (await activities(run)).length === 3)
    }
  }
  expect(desk.executed).toEqual(runs.map(() => 'write_file'))
  answers.resolve(done)
  for (const run of runs) await run.handle.result()
  const taken = await Promise.all(runs.map(activities))
  expect(taken[0]).toEqual(['takeTurn', 'executeCall'])
  for (const other of taken.slice(1)) expect(other).toEqual(['takeTurn', 'executeCall', 'takeTurn'])
  expect(desk.modelRequests.length).toBe(before + 4)
})

// Rules: product.md 15
it('a first turn takes a free slot beside the executions, else the queue of turns, and executions begin meanwhile', async () => {
  const waiting = await waitingRun('notes/beside.md')
  const executed = desk.executed.length
  const answers = Promise.withResolvers<ModelAnswer>()
  desk.say(
    () => answers.promise,
    () => answers.promise,
    async () => done,
  )
  const started: Started[] = []
  while (started.length < 2) {
    const before = desk.modelRequests.length
    const runId = await desk.start()
    started.push({ handle: await startWorkflow(runId, taskQueue, workflowIdOf(runId)) })
    await waitUntil(() => desk.modelRequests.length === before + 1)
  }
  await approve(waiting)
  await waitUntil(() => desk.executed.length === executed + 1)
  answers.resolve(done)
  for (const { handle } of [waiting, ...started]) await handle.result()
  const queues = await Promise.all(
    started.map(async (run) => (await scheduled(run)).map((activity) => activity.taskQueue?.name)),
  )
  expect(queues).toEqual([[taskQueue], [taskQueue, turnQueueOf(taskQueue)]])
})

// Rules: product.md 15
it('runs begin and end while executions hold every slot of their queue', async () => {
  const waiting = [await waitingRun('notes/long-a.md'), await waitingRun('notes/long-b.md')]
  const held = Promise.withResolvers<void>()
  let begun = 0
  beforeActivity = async () => {
    begun += 1
    // Without heartbeats the activity would time out meanwhile, and its call be made again.
    const activity = Context.current()
    const beats = setInterval(() => activity.heartbeat(), 1000)
    await held.promise
    clearInterval(beats)
  }
  try {
    for (const run of waiting) await approve(run)
    await waitUntil(() => begun === 2)
    const runId = await desk.start()
    desk.say({ text: 'Done.' })
    const handle = await client.workflow.start('agentRun', {
      workflowId: workflowIdOf(runId),
      taskQueue,
      args: [{ runId }],
    })
    await handle.result()
    const queues = (await scheduled({ handle })).map(
      ({ activityType, taskQueue: queue }) => [activityType?.name, queue?.name] as const,
    )
    expect(queues).toEqual([
      ['beginRun', taskQueue],
      ['beginRun', turnQueueOf(taskQueue)],
      ['takeTurn', taskQueue],
      ['takeTurn', turnQueueOf(taskQueue)],
    ])
  } finally {
    beforeActivity = async () => undefined
    held.resolve()
    desk.say({ text: 'Done.' }, { text: 'Done.' })
    for (const { handle } of waiting) await handle.result()
  }
})

it('a model that fails within an execution is asked again after the provider’s pause, and the call is not made again', async () => {
  const run = await waitingRun('notes/failing.md')
  const executed = desk.executed.length
  const askedAt: number[] = []
  desk.say(
    () => {
      askedAt.push(performance.now())
      throw new ModelProblem('too many requests', { isRetryable: true, retryAfterMs: 1500 })
    },
    async () => {
      askedAt.push(performance.now())
      return done
    },
  )
  await approve(run)
  await run.handle.result()
  const [first, second] = askedAt
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1500)
  expect(desk.executed.length).toBe(executed + 1)
  expect(await activities(run)).toEqual(['takeTurn', 'executeCall', 'takeTurn'])
})

it('a call is verified once, before its activity begins, and the activity uses the result', async () => {
  const run = await waitingRun('notes/verified.md')
  const [call] = await desk.calls(run.runId, 1)
  steps.length = 0
  const isVerified = () => steps.includes('verify write_file')
  beforeActivity = () => waitUntil(isVerified, { withinMs: 30_000 }).catch(() => undefined)
  await approve(run)
  await run.handle.result()
  beforeActivity = async () => undefined
  expect(steps).toEqual([`prepare ${call?.id}`, 'verify write_file', 'begin'])
})

// Rules: security.md 14
it('an execution that a workflow other than the run’s own scheduled takes no turn', async () => {
  const forged = await waitingRun('notes/forged.md', (runId) => `somebody's-${runId}`)
  await approve(forged)
  await forged.handle.result()
  expect(await activities(forged)).toEqual(['takeTurn', 'executeCall', 'takeTurn'])
})

// Rules: product.md 7; security.md 14
it('every activity has its effects once, although it is carried out again at once and later', async () => {
  const runId = await desk.start()
  const executed = desk.executed.length
  const turns: Readonly<Record<number, readonly ReturnType<typeof aWrite>[]>> = {
    1: [aWrite('notes/repeated.md'), aWrite('scratch/repeated.md')],
    2: [aWrite('notes/granted.md')],
    3: [aWrite('notes/granted.md')],
  }
  const answer = async ({ turn }: ModelRequest): Promise<ModelAnswer> => {
    // Else the granted call would change nothing.
    if (turn === 3) await desk.write('notes/granted.md', 'changed\n')
    const calls = (turns[turn] ?? []).map((call, at) => ({ id: `call-${turn}-${at}`, ...call }))
    return calls.length === 0 ? done : { ...done, text: '', calls }
  }
  desk.say(...Array.from({ length: 40 }, () => answer))
  const run = await untilWaiting(runId, repeatedQueue())
  await approve(run)
  let second: string | undefined
  await waitUntil(
    async () => {
      second = (await desk.calls(runId, 2))[0]?.requestId
      return second !== undefined && second !== ''
    },
    { withinMs: 90_000 },
  )
  const grant = { scope: 'run', grant: { uses: 1 } }
  await desk.decide(desk.people.grace, second ?? '', grant)
  await run.handle.signal(decided, [second ?? ''])
  await run.handle.result()
  desk.steps.length = 0
  expect(desk.executed.slice(executed)).toEqual(Array(4).fill('write_file'))
  const counts: Record<string, number> = {}
  for (const type of await desk.auditTypes(runId)) counts[type] = (counts[type] ?? 0) + 1
  expect(counts).toEqual({
    'run.started': 1,
    'call.judged': 4,
    'request.opened': 2,
    'decision.recorded': 2,
    'permit.issued': 2,
    'permit.consumed': 2,
    'grant.given': 1,
    'grant.used': 1,
    'grant.ended': 1,
    'execution.started': 4,
    'execution.finished': 4,
    'run.ended': 1,
  })
})
