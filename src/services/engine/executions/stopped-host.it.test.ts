import { afterEach, describe, expect, test, vi } from 'vitest'
import type { DeskCall } from '#test/harness/fixtures/agent-desk.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { settleOutcome } from '../../decisions/settle-outcome.ts'
import type { Ledger } from '../../core/ledger.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { executeCall } from './execute-call.ts'
import { settleLostAttempts } from './settle-lost-attempts.ts'
import { settleUnknown } from './settle-unknown.ts'
import {
  anApprovedWrite,
  desk,
  executions,
  onlyCall,
  requestRow,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()
afterEach(() => void vi.useRealTimers())

const { signal } = new AbortController()

/**
 * A host that stands still in the middle of an approved write. `proceed`: it goes on half a minute
 * later, as after SIGSTOP and SIGCONT.
 */
async function standingStill(where: 'before the start' | 'after the start') {
  const write = await anApprovedWrite()
  const reached = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const standStill = (): Promise<void> => {
    reached.resolve()
    return stopped.promise
  }
  const { ledger, workspaceOf } = desk.worker
  const first: Ledger['first'] = async (...entry) => {
    const id = await ledger.first(...entry)
    await standStill()
    return id
  }
  const host: WorkerContext = {
    ...desk.worker,
    executor: 'stopped-host',
    ...(where === 'after the start'
      ? { ledger: { first } }
      : { workspaceOf: (...place) => standStill().then(() => workspaceOf(...place)) }),
  }
  const executing = executeCall(host, { callId: write.call.id, signal })
  await reached.promise
  const proceed = async (): Promise<unknown> => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
    stopped.resolve()
    return executing.catch(String)
  }
  return { ...write, proceed }
}

/** Another host carries the call out, in an attempt with this number. */
async function startElsewhere(callId: string, attempt: number): Promise<void> {
  const row = { call_id: callId, attempt, state: 'started', epoch: 1 } as const
  const insert = desk.database.db.insertInto('execution')
  await insert.values({ ...row, executor: 'another-host' }).execute()
}

async function pendingChecks({ requestId }: DeskCall): Promise<number> {
  const where = { outcome_of: requestId, state: 'pending' } as const
  return (await rowsOf(desk.database.db, 'request', where, 'id')).length
}

/** Temporal misses the heartbeats. Returns the outcome check. */
async function giveUp(callId: string): Promise<string> {
  const lost = await settleUnknown(desk.worker, { callId })
  return lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
}

async function letRunAgain(check: string): Promise<void> {
  const finding = { request: check, ran: false, then: 'again', reason: 'nothing is there' }
  await settleOutcome(desk.api, desk.people.grace.caller, finding)
}

// Rules: security.md 27; product.md 12
describe('a host that stands still between the start of a call and its effect', () => {
  test('carries it out when it goes on, if nobody has given the attempt up', async () => {
    const { call, path, proceed } = await standingStill('after the start')
    expect(await proceed()).toEqual({ kind: 'done' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'succeeded', reason: null }])
    expect(await desk.read(path)).toBe('two\n')
  })

  test('does nothing if it was given up, and withdraws the question from the people', async () => {
    const { call, runId, path, proceed } = await standingStill('after the start')
    const check = await giveUp(call.id)
    expect(await proceed()).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual([])
    await expect(desk.read(path)).rejects.toThrow(/ENOENT/)
    expect(await executions(call.id)).toMatchObject([
      { state: 'failed', reason: 'host stood still' },
    ])
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
    expect(await requestRow(check)).toMatchObject({ state: 'cancelled' })
  })

  test('does nothing after a person had the call carried out again elsewhere', async () => {
    const { call, proceed } = await standingStill('after the start')
    await letRunAgain(await giveUp(call.id))
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await proceed()).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual(['write_file'])
    expect((await executions(call.id)).map(({ state }) => state)).toEqual(['failed', 'succeeded'])
  })

  test('does not settle the attempt that another host carries out by then', async () => {
    const { call, proceed } = await standingStill('after the start')
    await letRunAgain(await giveUp(call.id))
    await startElsewhere(call.id, 2)
    expect(await proceed()).toContain('was given up')
    expect((await executions(call.id)).map(({ state }) => state)).toEqual(['failed', 'started'])
    expect(await pendingChecks(call)).toBe(0)
  })
})

test('a host that stood still before it had the prepared call does not settle the attempt of the host that came first', async () => {
  const { call } = await anApprovedWrite()
  const ready = Promise.withResolvers<null>()
  const executing = executeCall(desk.worker, { callId: call.id, signal, ready: ready.promise })
  await startElsewhere(call.id, 1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
  ready.resolve(null)
  await expect(executing).rejects.toThrow('was started elsewhere')
  expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'started' }])
  expect(await pendingChecks(call)).toBe(0)
})

test('a host that stood still before the start does not settle the attempt of the host that came first', async () => {
  const { call, proceed } = await standingStill('before the start')
  await startElsewhere(call.id, 1)
  expect(await proceed()).toContain('was started elsewhere')
  expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'started' }])
  expect(await pendingChecks(call)).toBe(0)
})

// Rules: security.md 27; product.md 12
describe('a host that stands still while it settles a lost attempt', () => {
  /** Another host gives the lost attempt up, and a second one runs there. */
  async function runElsewhere(call: DeskCall): Promise<void> {
    await letRunAgain(await giveUp(call.id))
    await startElsewhere(call.id, 2)
  }

  /** It stands still after it has read which attempt is lost, and before it settles that. */
  function settlingHost(meanwhile: () => Promise<void>): WorkerContext {
    const { policies } = desk.worker
    let isFirst = true
    const inForce: typeof policies.inForce = async (...words) => {
      if (isFirst) {
        isFirst = false
        await meanwhile()
      }
      return policies.inForce(...words)
    }
    return { ...desk.worker, policies: { ...policies, inForce } }
  }

  async function expectSecondRuns(call: DeskCall): Promise<void> {
    const states = (await executions(call.id)).map(({ state }) => state)
    expect(states).toEqual(['failed', 'started'])
    expect(await pendingChecks(call)).toBe(0)
  }

  test('leaves the attempt that runs by then alone', async () => {
    const { call, proceed } = await standingStill('after the start')
    const host = settlingHost(() => runElsewhere(call))
    expect(await settleUnknown(host, { callId: call.id })).toEqual({ kind: 'again' })
    await expectSecondRuns(call)
    expect(await proceed()).toContain('was given up')
  })

  test('leaves it alone also when it settles what its own earlier process left', async () => {
    const { call, proceed } = await standingStill('after the start')
    const host = settlingHost(() => runElsewhere(call))
    expect(await settleLostAttempts(host, 'stopped-host')).toBe(true)
    await expectSecondRuns(call)
    expect(await proceed()).toContain('was given up')
  })

  test('settles nothing if it stood still before it read which attempt is lost', async () => {
    const { call, proceed } = await standingStill('after the start')
    await runElsewhere(call)
    const settling = settleUnknown(desk.worker, { callId: call.id }).catch(String)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
    expect(await settling).toContain('too late')
    vi.useRealTimers()
    await expectSecondRuns(call)
    expect(await proceed()).toContain('was given up')
  })
})
