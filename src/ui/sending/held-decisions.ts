import { useSyncExternalStore } from 'react'
import type { DecisionAnswer, DecisionBody } from '#api/schemas/requests/decisions.ts'
import { requestOf } from '#client/call.ts'
import { newListeners } from '#domain/listeners.ts'
import { ApiRefusal, callApi, callAtPageEnd } from '../api/call-api.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'

/** How long a decision by key can be undone before it is sent. */
const holdMs = 5_000
/** How long the page shows that the last decision was recorded. */
export const recordedMs = 10_000
/** A decision that is later than this is not sent: its device slept, and much may have changed. */
const maxLateMs = 30_000
/** How long an answer may wait for the call to begin, so that the bar can say so. */
const usualWaitSeconds = 2

/** A decision that a person submitted by key, with the texts that describe it. */
export interface DecisionToHold {
  readonly requestId: string
  readonly number: number
  /** "Approve" or "Deny" */
  readonly act: string
  readonly effect: string
  readonly body: DecisionBody
  readonly recordedWords: (answer: DecisionAnswer) => Promise<string>
  readonly refusedWords: (refusal: ApiRefusal) => string
  /** announces what became of it: its person is at another request by then */
  readonly say: (words: string) => void
}

/** A decision and its state. `held`: it has not been sent. `recorded`: the service confirmed it. */
export interface HeldDecision extends DecisionToHold {
  /** id and idempotency key, so that a repeated request counts once */
  readonly key: string
  readonly sendAtMs: number
  readonly stage: 'held' | 'submitting' | 'recorded' | 'refused'
  /** the result as text */
  readonly words: string
  /**
   * the device slept, the service did not answer, or the session had ended or is a new one; the
   * decision can be sent again under the same key
   */
  readonly canSendAgain: boolean
}

let decisions: readonly HeldDecision[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
/** Withdraws the call that the browser sends if the page ends, by the decision's key. */
const withdrawals = new Map<string, () => void>()
const listeners = newListeners()
const answers = newListeners()

function set(next: readonly HeldDecision[]): void {
  decisions = next
  listeners.notify()
}

function change(key: string, to: Partial<HeldDecision>): void {
  set(decisions.map((one) => (one.key === key ? { ...one, ...to } : one)))
}

/** Holds a decision for `holdMs`, then sends it. The newest is first. */
export function holdDecision(decision: DecisionToHold): void {
  const key = newIdempotencyKey()
  const one: HeldDecision = {
    ...decision,
    key,
    sendAtMs: Date.now() + holdMs,
    stage: 'held',
    words: '',
    canSendAgain: false,
  }
  set([one, ...decisions])
  timers.set(
    key,
    setTimeout(() => void sendDecision(key), holdMs),
  )
  withdrawals.set(key, callAtPageEnd(requestOf('decideRequest', callOf(one, 0))))
}

/** The call that records a decision. `preferWaitSeconds` as for `send`. */
function callOf({ requestId, body, key }: HeldDecision, preferWaitSeconds: number) {
  return { params: { id: requestId }, body, idempotencyKey: key, preferWaitSeconds }
}

/** Withdraws what the browser would send at the page's end. */
function withdraw(key: string): void {
  withdrawals.get(key)?.()
  withdrawals.delete(key)
}

/**
 * Undoes a decision that has not been sent: the newest one, or the one with this key. `null`: there
 * is none.
 */
export function takeBack(key?: string): HeldDecision | null {
  const one = decisions.find(
    (each) => each.stage === 'held' && (key === undefined || each.key === key),
  )
  if (one === undefined) return null
  dismissDecision(one.key)
  return one
}

/**
 * Removes the decisions that are held and those that can be sent again, and returns them: the page
 * changes to another person, for whom it must not send them.
 */
export function removeUnrecorded(): readonly HeldDecision[] {
  const removed = [...decisions.filter(({ stage }) => stage === 'held'), ...unrecordedDecisions()]
  for (const { key } of removed) dismissDecision(key)
  return removed
}

/** The decisions that are not known to be recorded, and can be sent again. */
export function unrecordedDecisions(): readonly HeldDecision[] {
  return decisions.filter(({ canSendAgain }) => canSendAgain)
}

/** The decisions whose answer has not come: the service may have recorded them. */
export function unansweredDecisions(): readonly HeldDecision[] {
  return decisions.filter(({ stage }) => stage === 'submitting')
}

/** Sends all held decisions at once, because the person leaves the page or hides it. */
export function sendAllHeld(): void {
  sendHeld(usualWaitSeconds)
}

/** As {@link sendAllHeld}, for a page that ends and reads no answer. */
export function sendAllAtPageEnd(): void {
  sendHeld(0)
}

function sendHeld(preferWaitSeconds: number): void {
  for (const { key, stage } of decisions) if (stage === 'held') void send(key, preferWaitSeconds)
}

/** Removes the bar of a decision. A sent decision stays sent. */
export function dismissDecision(key: string): void {
  clearTimeout(timers.get(key))
  timers.delete(key)
  withdraw(key)
  set(decisions.filter((one) => one.key !== key))
}

/** Sends a decision now or again. The page may close meanwhile (`keepalive`). */
export function sendDecision(key: string): Promise<void> {
  return send(key, usualWaitSeconds)
}

/** `preferWaitSeconds`: how long the answer may wait for the execution of the call. */
async function send(key: string, preferWaitSeconds: number): Promise<void> {
  const one = decisions.find((each) => each.key === key)
  if (one === undefined || one.stage === 'submitting' || one.stage === 'recorded') return
  clearTimeout(timers.get(key))
  if (one.stage === 'held' && Date.now() > one.sendAtMs + maxLateMs) {
    withdraw(key)
    const words = 'This device was asleep when it was to be sent. It was not sent.'
    change(key, { stage: 'refused', words, canSendAgain: true })
    return one.say(words)
  }
  change(key, { stage: 'submitting', canSendAgain: false })
  try {
    const call = callApi('decideRequest', { ...callOf(one, preferWaitSeconds), keepalive: true })
    withdraw(key)
    const answer = await call
    // A new recorded decision replaces the bar of an earlier one.
    for (const each of decisions) if (each.stage === 'recorded') dismissDecision(each.key)
    change(key, { stage: 'recorded', words: 'Recorded.' })
    void one.recordedWords(answer).then((words) => {
      change(key, { words })
      one.say(words)
    })
    timers.set(
      key,
      setTimeout(() => dismissDecision(key), recordedMs),
    )
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const { code, status } = error
    const canSendAgain = code === 'network' || code === 'csrf_failed' || status === 401
    const words = one.refusedWords(error)
    change(key, { stage: 'refused', words, canSendAgain })
    one.say(words)
  }
  answers.notify()
}

/** Calls `listener` when a decision was answered. Returns the function that ends this. */
export const onSettled = answers.subscribe

/** All decisions that are held, being sent or answered recently; the newest first. */
export function useHeldDecisions(): readonly HeldDecision[] {
  return useSyncExternalStore(listeners.subscribe, () => decisions)
}

/** The decision about a request that has no answer yet. */
export function useHeldOf(requestId: string): HeldDecision | null {
  const all = useHeldDecisions()
  const open = all.find(
    (one) => one.requestId === requestId && (one.stage === 'held' || one.stage === 'submitting'),
  )
  return open ?? null
}
