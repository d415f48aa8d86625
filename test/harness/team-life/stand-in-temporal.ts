import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import type { CallOutcome, CallPlan, CloseOutcome } from '#domain/runs/workflow-outcomes.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import { advanceRequests } from '#services/requests/ending/advance-requests.ts'
import { beginRun } from '#services/engine/lifecycle/begin-run.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { RunPosition } from '#workflows/messages.ts'
import type { FakeClock } from '../fixtures/fake-clock.ts'
import type { DyingHost } from './dying-host.ts'

interface StandIn {
  readonly runId: string
  turn: number
  hasBegun: boolean
  calls: readonly CallPlan[] | null
  readonly done: Set<string>
  /** on the fake clock, in milliseconds */
  deadline: number | null
  woken: boolean
  /** its deadline is the end of a conversation's rest */
  rests: boolean
  hasEnded: boolean
}

/**
 * Takes the place of Temporal and of the workflow `agentRun`: has timers on the fake clock, and
 * calls the services that the activities call, in the workflow's order. It is notified by the real
 * relay.
 */
export class StandInTemporal {
  readonly #worker: WorkerContext
  readonly #host: DyingHost
  readonly #clock: FakeClock
  readonly #runs = new Map<string, StandIn>()
  isDown = false

  constructor(worker: WorkerContext, host: DyingHost, clock: FakeClock) {
    this.#worker = worker
    this.#host = host
    this.#clock = clock
  }

  /**
   * The client of one process. Calls fail while Temporal is down, and after that process has died.
   */
  clientOf(isDead: () => boolean): TemporalClient {
    const reach = async <T>(call: () => T): Promise<T> => {
      await Promise.resolve()
      if (this.isDown || isDead()) throw new Error('14 UNAVAILABLE: connection refused')
      return call()
    }
    const workflow = {
      start: (type: string, options: { workflowId: string; args: [RunPosition] }) =>
        reach(() => this.#start(type, options.workflowId, options.args[0])),
      getHandle: (workflowId: string) => ({ signal: () => reach(() => this.#wake(workflowId)) }),
    }
    return {
      client: { workflow } as unknown as TemporalClient['client'],
      namespace: 'default',
      namespaceId: () => reach(() => 'stand-in'),
      withDeadline: (call) => call(),
      searchAttributes: async () => new Map(),
      addSearchAttributes: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    }
  }

  /** How many workflows have not ended. */
  get open(): number {
    return [...this.#runs.values()].filter(({ hasEnded }) => !hasEnded).length
  }

  /** When the first timer fires. */
  nextTimer(): number | null {
    const timers = [...this.#runs.values()].flatMap(({ hasEnded, deadline }) =>
      hasEnded || deadline === null ? [] : [deadline],
    )
    return timers.length === 0 ? null : Math.min(...timers)
  }

  /**
   * Continues every workflow that was woken or whose timer has fired, while it is up. Returns their
   * number.
   */
  async work(): Promise<number> {
    if (this.isDown) return 0
    const now = (await this.#clock.now()).getTime()
    const isDue = (run: StandIn): boolean =>
      run.woken || (run.deadline !== null && run.deadline <= now)
    const ready = [...this.#runs.values()].filter((run) => !run.hasEnded && isDue(run))
    for (const run of ready) await this.#move(run)
    return ready.length
  }

  #start(type: string, workflowId: string, { runId }: RunPosition): void {
    if (type !== 'agentRun') throw new Error(`this stands in for no ${type}`)
    if (this.#runs.has(workflowId)) {
      throw new WorkflowExecutionAlreadyStartedError('started', workflowId, type)
    }
    const fresh = { runId, turn: 1, hasBegun: false, calls: null, done: new Set<string>() }
    this.#runs.set(workflowId, {
      ...fresh,
      deadline: null,
      woken: true,
      rests: false,
      hasEnded: false,
    })
  }

  #wake(workflowId: string): void {
    const run = this.#runs.get(workflowId)
    if (run === undefined || run.hasEnded) {
      throw new WorkflowNotFoundError('workflow not found', workflowId, undefined)
    }
    run.woken = true
  }

  /** An activity that fails is tried again: the run stays woken. */
  async #move(run: StandIn): Promise<void> {
    const isTimer = !run.woken
    run.woken = false
    const isRestOver = isTimer && run.rests
    run.rests = false
    try {
      if (isRestOver && (await this.#close(run)) !== 'continue') return
      if (isTimer && !isRestOver) await this.#advance(run)
      await this.#goOn(run)
    } catch {
      run.woken = true
    }
  }

  async #advance(run: StandIn): Promise<void> {
    const advanced = await advanceRequests(this.#worker, { runId: run.runId })
    run.deadline = await this.#deadlineIn(advanced.nextDeadlineMs)
  }

  async #goOn(run: StandIn): Promise<void> {
    const { runId } = run
    if (!run.hasBegun) {
      const beginning = await beginRun(this.#worker, { runId })
      run.turn = beginning.turn
      run.hasBegun = true
    }
    while (!run.hasEnded) {
      if (run.calls === null) {
        const signal = new AbortController().signal
        const taken = await takeTurn(this.#worker, { runId, turn: run.turn, signal })
        run.deadline = null
        if (taken.kind === 'ended') run.hasEnded = true
        if (taken.kind === 'waiting_for_input') {
          run.turn = taken.turn ?? run.turn
          await this.#rest(run, taken.restsForMs ?? null)
          return
        }
        if (taken.kind === 'finished' && (await this.#close(run)) === 'rests') return
        if (taken.kind !== 'calls') continue
        run.calls = taken.calls
        run.deadline = await this.#deadlineIn(taken.nextDeadlineMs)
      }
      if (!(await this.#perform(run, run.calls))) return
      run.turn += 1
      run.calls = null
      run.done.clear()
    }
  }

  async #close(run: StandIn): Promise<CloseOutcome['kind']> {
    const closed = await closeRun(this.#worker, { runId: run.runId })
    if (closed.kind === 'closed') run.hasEnded = true
    else if (closed.kind === 'rests') {
      run.turn = closed.turn
      await this.#rest(run, closed.restsForMs)
    } else run.turn += 1
    return closed.kind
  }

  /** Waits until a message or the end of the rest, which the database decides, not this timer. */
  async #rest(run: StandIn, restsForMs: number | null): Promise<void> {
    run.deadline = await this.#deadlineIn(restsForMs)
    run.rests = restsForMs !== null
  }

  /**
   * In the model's order, up to the first that waits. Answers whether every call has its result.
   */
  async #perform(run: StandIn, calls: readonly CallPlan[]): Promise<boolean> {
    for (const { callId, step } of calls) {
      if (step === 'done' || run.done.has(callId)) continue
      const outcome = await this.#execute(callId)
      if (outcome.kind === 'wait') {
        run.deadline = await this.#deadlineIn(outcome.nextDeadlineMs)
        return false
      }
      if (outcome.kind === 'ended') {
        run.hasEnded = true
        return false
      }
      run.done.add(callId)
    }
    return true
  }

  /** One attempt. If it fails, the database decides whether there may be another. */
  async #execute(callId: string): Promise<CallOutcome> {
    for (;;) {
      const call = executeCall(this.#worker, { callId, signal: new AbortController().signal })
      try {
        return await this.#host.unlessDead(call)
      } catch {
        call.catch(() => undefined)
        const settled = await settleUnknown(this.#worker, { callId })
        this.#host.comeBack()
        if (settled.kind !== 'again') return settled
      }
    }
  }

  async #deadlineIn(ms: number | null): Promise<number | null> {
    return ms === null ? null : (await this.#clock.now()).getTime() + ms
  }
}
