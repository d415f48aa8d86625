import type { Response } from 'express'
import type { RequestState } from '#domain/requests/request.ts'
import { Problem } from '#domain/problem.ts'
import { limits } from '#domain/limits.ts'
import { currentRequest } from '#services/core/current-request.ts'
import { OpenAnswers } from './open-answers.ts'
import type { Api } from '../context/api.ts'
import { waitersOf } from './subject-waiters.ts'

/**
 * Waits until a request is decided, for `withinMs` at most, and returns its state then. Reads the
 * database only when the event feed reports a change, and now and then. Returns at once when the
 * caller disconnects or the process stops. Throws `unauthenticated` when the caller's session or
 * key has ended meanwhile.
 */
export async function waitForRequest<
  R extends { readonly id: string; readonly state: RequestState },
>(
  api: Api,
  response: Response,
  {
    withinMs,
    read,
    isKnown,
    isOver = () => false,
  }: {
    readonly withinMs: number
    readonly read: () => Promise<R>
    /** whether the session or key that the caller came by still counts */
    readonly isKnown: () => Promise<boolean>
    /** what else ends the wait; absent: nothing */
    readonly isOver?: (record: R) => boolean
  },
): Promise<R> {
  const first = await read()
  if (withinMs === 0 || first.state !== 'pending') return first
  const release = holdAnswer()
  const over = AbortSignal.any([AbortSignal.timeout(withinMs), endSignal(api, response)])
  const looks = new WakeSignal(over)
  const stop = waitersOf(api.events).watch(first.id, () => looks.wake())
  try {
    // Watched before this read, so that no change after the first read is missed.
    for (;;) {
      const record = await read()
      if (record.state !== 'pending' || isOver(record) || over.aborted) return record
      await looks.next()
      if (!(await isKnown())) {
        throw new Problem('unauthenticated', 'Your session or API key ended while this call waited')
      }
    }
  } finally {
    stop()
    release()
  }
}

const answers = new OpenAnswers()
/** How many calls with large bodies, which stay in memory, one caller may have waiting. */
const maxLargeBodies = 8

/**
 * Counts a waiting answer; call the result when it no longer waits. One whose call has a large body
 * frees the slot of a call that is carried out, and is counted apart. Throws `rate_limited`.
 */
export function holdAnswer(): () => void {
  const current = currentRequest.getStore()
  const caller = current?.caller ?? ''
  if (current?.freeBody == null) {
    return answers.hold(caller, limits.heldAnswers, { what: 'answers that wait', makeRoom: null })
  }
  const release = answers.hold(`${caller}, large bodies`, maxLargeBodies, {
    what: 'answers that wait for calls with large bodies',
    makeRoom: null,
  })
  current.freeBody()
  return release
}

/** Fires when the caller has disconnected, or the process stops. */
export function endSignal({ stopping }: Api, response: Response): AbortSignal {
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  return stopping === undefined ? closed.signal : AbortSignal.any([closed.signal, stopping])
}

/** Reasons to look; one without a waiter is remembered. */
export class WakeSignal {
  #woken = false
  #resolve: (() => void) | null = null

  constructor(over: AbortSignal) {
    over.addEventListener('abort', () => this.wake())
  }

  wake(): void {
    this.#woken = true
    this.#resolve?.()
  }

  async next(): Promise<void> {
    if (!this.#woken) await new Promise<void>((resolve) => (this.#resolve = resolve))
    this.#woken = false
    this.#resolve = null
  }
}
