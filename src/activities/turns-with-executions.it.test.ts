import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ModelProblem, type ModelAnswer } from '#models/model.ts'
import { workflowIdOf } from '#services/runs/starting/insert-run.ts'
import { decided } from '#workflows/messages.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { noSandbox, openAgentDesk, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { workflowBundle } from '#test/workflows/scripted-run.ts'
import '#test/harness/quiet-temporal.ts'
import { createActivities } from './create-activities.ts'
import { TurnSlots } from './turn-slots.ts'

let desk: AgentDesk
let client: Client
let taskQueue: string
const closing = new AsyncDisposableStack()

/** The activities as they ship, on the services and a store, with two slots and one. */
beforeAll(async () => {
  const temporal = await useTemporal()
  const { address, namespace } = temporal
  taskQueue = temporal.taskQueue
  desk = closing.use(await openAgentDesk(noSandbox, taskQueue))
  const { executions, turns } = createActivities(desk.worker, new TurnSlots(1))
  const connection = await NativeConnection.connect({ address })
  closing.defer(() => connection.close())
  const shared = { connection, namespace }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: { ...executions },
      maxConcurrentActivityTaskExecutions: 2,
    }),
    await Worker.create({
      ...shared,
      taskQueue: turnQueueOf(taskQueue),
      activities: { ...turns },
      maxConcurrentActivityTaskExecutions: 1,
    }),
  ]
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

const done: ModelAnswer = {
  text: 'Done.',
  calls: [],
  usage: { inputTokens: 100, outputTokens: 10 },
}

/** A run that waits with one write. */
async function waitingRun(path: string, workflowIdOfRun = workflowIdOf) {
  const runId = await desk.start()
  desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'hello\n' } }] })
  const handle = await client.workflow.start('agentRun', {
    workflowId: workflowIdOfRun(runId),
    taskQueue,
    args: [{ runId, turn: 1, taskQueue }],
  })
  let requestId: string | undefined
  await waitUntil(
    async () => {
      requestId = (await desk.calls(runId, 1))[0]?.requestId
      const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw
      return (
        requestId !== undefined && !pendingWorkflowTask && (pendingActivities ?? []).length === 0
      )
    },
    { withinMs: 90_000 },
  )
  return { runId, handle, requestId: requestId ?? '' }
}

async function approve(run: Awaited<ReturnType<typeof waitingRun>>): Promise<void> {
  await desk.decide(desk.people.grace, run.requestId)
  await run.handle.signal(decided, [run.requestId])
}

async function activities(run: Awaited<ReturnType<typeof waitingRun>>): Promise<string[]> {
  const { events } = await run.handle.fetchHistory()
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  )
}

// Rules: product.md 15
it('models that do not answer starve no execution: their turns keep slots of their own, within executions and without', async () => {
  const runs = []
  for (const name of ['a', 'b', 'c', 'd']) runs.push(await waitingRun(`notes/slow-${name}.md`))
  const answers = Promise.withResolvers<ModelAnswer>()
  const before = desk.modelRequests.length
  desk.say(...runs.map(() => () => answers.promise))
  for (const [index, run] of runs.entries()) {
    await approve(run)
    await waitUntil(() => desk.executed.length === index + 1, { withinMs: 90_000 })
    // The first turn is taken with its execution, the second from the queue, and the others wait.
    await waitUntil(() => desk.modelRequests.length === before + Math.min(index + 1, 2), {
      withinMs: 90_000,
    })
    // Else the slot could be free again before the execution looks for one.
    if (index > 0) {
      await waitUntil(async () => (await activities(run)).length === 3, { withinMs: 90_000 })
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

it('a model that fails within an execution is asked again when its provider says so, and the call is not made again', async () => {
  const run = await waitingRun('notes/failing.md')
  const executed = desk.executed.length
  const askedAt: number[] = []
  desk.say(
    () => {
      askedAt.push(performance.now())
      throw new ModelProblem('too many requests', { retryable: true, retryAfterMs: 1500 })
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

// Rules: security.md 14
it('the execution of another workflow than the run’s own takes no turn with it', async () => {
  const forged = await waitingRun('notes/forged.md', (runId) => `somebody's-${runId}`)
  await approve(forged)
  await forged.handle.result()
  expect(await activities(forged)).toEqual(['takeTurn', 'executeCall', 'takeTurn'])
})
