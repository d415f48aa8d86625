import { writeFile } from 'node:fs/promises'
import proto from '@temporalio/proto'
import { cancelRequested, childEnded, decided, messaged } from '#workflows/messages.ts'
import { waitUntil } from '../harness/wait-until.ts'
import {
  decide,
  ScriptedStore,
  startScriptedRun,
  untilCalled,
  type ScriptedRun,
} from '../workflows/scripted-run.ts'

/**
 * One way through the workflow; the history of each is kept in the repository and replayed by every
 * build.
 */
interface Path {
  readonly name: string
  readonly store: () => ScriptedStore
  readonly walk: (run: ScriptedRun) => Promise<void>
  /** of the workflow that waits for a program's request, and of no run's */
  readonly external?: true
  /** the first deadline of that request, which the start names */
  readonly nextDeadlineMs?: number
  /** of the workflow that makes an approved call of the gateway, and of no run's */
  readonly isGateway?: true
  /** its state shows in Temporal's list of workflows */
  readonly listed?: true
}

const paths: readonly Path[] = [
  {
    name: 'one-approval',
    store: () => new ScriptedStore([[{ requestId: 'a' }]]),
    walk: (run) => decideIn(run, 1, 'a'),
  },
  {
    name: 'batch-decided-backwards',
    store: () =>
      new ScriptedStore([[{ requestId: 'a' }, { readOnly: true }, { requestId: 'b' }, {}]]),
    walk: async (run) => {
      await decideIn(run, 1, 'b')
      await decideIn(run, 1, 'a')
    },
  },
  {
    name: 'three-turns',
    store: () => new ScriptedStore([[{ requestId: 'a' }], [{}], [{ requestId: 'b' }]]),
    walk: async (run) => {
      await decideIn(run, 1, 'a')
      await decideIn(run, 3, 'b')
    },
  },
  {
    name: 'deadline-passed',
    store: () => {
      const store = new ScriptedStore([[{ requestId: 'a' }]])
      store.deadlineMs = 200
      return store
    },
    walk: async (run) => {
      await waitUntil(() => run.store.activityCounts.has('advanceRequests'))
      await decideIn(run, 1, 'a')
    },
  },
  {
    name: 'cancelled-while-waiting',
    store: () => new ScriptedStore([[{ requestId: 'a' }]]),
    walk: async (run) => {
      await untilCalled(run, 'takeTurn', 1)
      run.store.cancelled = true
      await run.handle.signal(cancelRequested)
    },
  },
  {
    name: 'message-resumes',
    store: () => {
      const store = new ScriptedStore([])
      store.endsWith = 'waiting_for_input'
      return store
    },
    walk: async (run) => {
      await untilCalled(run, 'takeTurn', 1)
      run.store.messagesUnread = 1
      await run.handle.signal(messaged)
    },
  },
  {
    name: 'execution-failed-and-issued-again',
    store: () => {
      const store = new ScriptedStore([[{ requestId: 'a' }]])
      let failures = 1
      store.onExecute = async () => {
        if (failures-- > 0) throw new Error('the worker was lost')
      }
      return store
    },
    walk: (run) => decideIn(run, 1, 'a'),
  },
  {
    name: 'delegation-waits-for-its-run',
    store: () => new ScriptedStore([[{ step: 'execute', requestId: 'child' }, {}]]),
    walk: async (run) => {
      await waitUntil(() => run.store.activityCounts.has('executeCall'))
      run.store.decided.add('child')
      await run.handle.signal(childEnded, ['child'])
    },
  },
  {
    name: 'listed-by-its-state',
    listed: true,
    store: () => new ScriptedStore([[{ requestId: 'a', queue: 'platform' }], [{}]]),
    walk: (run) => decideIn(run, 1, 'a'),
  },
  {
    name: 'turn-fails-within-an-execution',
    store: () => {
      const store = new ScriptedStore([[{ requestId: 'a' }], [{}], [{}]])
      store.turnsWithExecutions = [{ kind: 'later', afterMs: 20 }]
      return store
    },
    walk: (run) => decideIn(run, 1, 'a'),
  },
  {
    name: 'no-slot-for-turns-within-executions',
    store: () => {
      const store = new ScriptedStore([[{ requestId: 'a' }], [{}]])
      store.turnsWithExecutions = null
      return store
    },
    walk: (run) => decideIn(run, 1, 'a'),
  },
  {
    name: 'program-waits-and-is-answered',
    external: true,
    store: () => {
      const store = new ScriptedStore([])
      store.external.push({ nextDeadlineMs: 200 }, { nextDeadlineMs: 60_000 })
      return store
    },
    walk: async (run) => {
      await untilCalled(run, 'advanceExternal', 2)
      await run.handle.signal(decided, ['request'])
    },
  },
  {
    name: 'program-waits-from-its-first-deadline',
    external: true,
    nextDeadlineMs: 200,
    store: () => {
      const store = new ScriptedStore([])
      let failures = 3
      const { advanceExternal } = store.activities
      store.replaced.advanceExternal = async (input) => {
        if (failures-- > 0) throw new Error('Postgres is away')
        return advanceExternal(input)
      }
      store.external.push({ nextDeadlineMs: 60_000 })
      return store
    },
    walk: async (run) => {
      await untilCalled(run, 'advanceExternal', 1)
      await run.handle.signal(decided, ['request'])
    },
  },
  {
    name: 'gateway-call-fails-and-is-tried-again',
    isGateway: true,
    store: () => {
      const store = new ScriptedStore([])
      let failures = 1
      store.replaced.executeGatewayCall = async () => {
        if (failures-- > 0) throw new Error('Postgres is away')
      }
      store.replaced.settleGatewayCall = async () => ({ again: true })
      return store
    },
    walk: async () => undefined,
  },
]

async function decideIn(run: ScriptedRun, turn: number, requestId: string): Promise<void> {
  await untilCalled(run, 'takeTurn', turn)
  await decide(run, requestId)
}

/** Of the paths since the last change of the workflow: the histories from before are kept too. */
const generation = 'started-short'

/**
 * Walks every path on a real server and writes its history to `folder`; the names of those written.
 */
export async function recordHistories(folder: URL): Promise<readonly string[]> {
  for (const path of paths) {
    const { external = false, listed = false, nextDeadlineMs } = path
    const first = nextDeadlineMs === undefined ? {} : { nextDeadlineMs }
    const gateway = path.isGateway === true ? { gateway: { lostTries: 0 } } : {}
    const options = { external, listed, ...first, ...gateway }
    await using run = await startScriptedRun(path.store(), options)
    await path.walk(run)
    await run.handle.result()
    const history = proto.temporal.api.history.v1.History.encode(
      await run.handle.fetchHistory(),
    ).finish()
    await writeFile(new URL(`${path.name}.${generation}.bin`, folder), history)
  }
  return paths.map((path) => `${path.name}.${generation}`)
}
