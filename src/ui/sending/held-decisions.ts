import { useSyncExternalStore } from 'react'
import type { DecisionAnswer, DecisionBody } from '#api/schemas/requests/decisions.ts'
import { ApiRefusal, callApi } from '../api/call-api.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'

/** How long a decision by key can be taken back before it is sent. */
export const holdMs = 5_000
/** How long the page says that the last one was recorded. */
const recordedMs = 10_000

/** A decision that somebody submitted by key, and how it is put to them. */
export interface DecisionToHold {
  readonly requestId: string
  readonly number: number
  /** "Approve" or "Deny" */
  readonly act: string
  readonly effect: string
  readonly body: DecisionBody
  readonly recordedWords: (answer: DecisionAnswer) => string
  readonly refusedWords: (refusal: ApiRefusal) => string
}

/** `held`: nothing has left this page. Only `recorded` is the service's word. */
export interface HeldDecision extends DecisionToHold {
  /** also its idempotency key: sent twice, it counts once */
  readonly key: string
  readonly sendAtMs: number
  readonly stage: 'held' | 'submitting' | 'recorded' | 'refused'
  /** what came of it */
  readonly words: string
  /** the service did not answer: it may be sent again under the same key */
  readonly unanswered: boolean
}

let decisions: readonly HeldDecision[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()
const settled = new Set<() => void>()

function set(next: readonly HeldDecision[]): void {
  decisions = next
  for (const listener of listeners) listener()
}

function change(key: string, to: Partial<HeldDecision>): void {
  set(decisions.map((one) => (one.key === key ? { ...one, ...to } : one)))
}

/** Keeps a decision for `holdMs`, then sends it; the newest is first. */
export function holdDecision(decision: DecisionToHold): void {
  const key = newIdempotencyKey()
  const one: HeldDecision = {
    ...decision,
    key,
    sendAtMs: Date.now() + holdMs,
    stage: 'held',
    words: '',
    unanswered: false,
  }
  set([one, ...decisions])
  timers.set(
    key,
    setTimeout(() => void sendDecision(key), holdMs),
  )
}

/** Takes back what has not been sent: the newest, or that of a key. `null`: there is none. */
export function takeBack(key?: string): HeldDecision | null {
  const one = decisions.find(
    (each) => each.stage === 'held' && (key === undefined || each.key === key),
  )
  if (one === undefined) return null
  dismissDecision(one.key)
  return one
}

/** Who signs out decides nothing any more. */
export function takeBackAll(): void {
  while (takeBack() !== null);
}

/** Sends at once all that waits: the page is being left, and nobody reads a later stage. */
export function sendAllHeld(): void {
  for (const { key, stage } of decisions) if (stage === 'held') void send(key, 0)
}

/** Takes a bar away. What was sent stays sent. */
export function dismissDecision(key: string): void {
  clearTimeout(timers.get(key))
  timers.delete(key)
  set(decisions.filter((one) => one.key !== key))
}

/** Sends one now, or once more; the page may end meanwhile (`keepalive`). */
export function sendDecision(key: string): Promise<void> {
  return send(key, 2)
}

/** `preferWaitSeconds`: how long its answer may wait for what becomes of it. */
async function send(key: string, preferWaitSeconds: number): Promise<void> {
  const one = decisions.find((each) => each.key === key)
  if (one === undefined || one.stage === 'submitting' || one.stage === 'recorded') return
  clearTimeout(timers.get(key))
  change(key, { stage: 'submitting', unanswered: false })
  try {
    const answer = await callApi('decideRequest', {
      params: { id: one.requestId },
      body: one.body,
      idempotencyKey: key,
      preferWaitSeconds,
      keepalive: true,
    })
    // One that was recorded before gives its place to this one.
    for (const each of decisions) if (each.stage === 'recorded') dismissDecision(each.key)
    change(key, { stage: 'recorded', words: one.recordedWords(answer) })
    timers.set(
      key,
      setTimeout(() => dismissDecision(key), recordedMs),
    )
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const unanswered = error.code === 'network'
    change(key, { stage: 'refused', words: one.refusedWords(error), unanswered })
  }
  for (const listener of settled) listener()
}

/** Calls back when the service has answered for one. */
export function onSettled(listener: () => void): () => void {
  settled.add(listener)
  return () => settled.delete(listener)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** All that waits, is being sent, or was answered just now; the newest first. */
export function useHeldDecisions(): readonly HeldDecision[] {
  return useSyncExternalStore(subscribe, () => decisions)
}

/** The one about a request that has no answer yet. */
export function useHeldOf(requestId: string): HeldDecision | null {
  const all = useHeldDecisions()
  const open = all.find(
    (one) => one.requestId === requestId && (one.stage === 'held' || one.stage === 'submitting'),
  )
  return open ?? null
}
