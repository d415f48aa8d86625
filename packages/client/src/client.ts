import { ask, consume, decision, find, report, withdraw } from './acts.ts'
import type { ActOptions, ActService, Decision, WaitOptions } from './acts.ts'
import type { Call } from './call.ts'
import { verifyCallback, type Callback, type ReceivedCallback } from './callback.ts'
import { gate, take, type Allowed, type GateOptions, type TakeOptions } from './gate.ts'
import type { Permit, PublicKey } from './permit.ts'
import type { Asked, OutcomeState } from './request.ts'

export interface ClientOptions {
  /** of the service, such as `http://localhost:4400` */
  readonly url: string
  /** with the scopes `requests:write` and `requests:read` */
  readonly apiKey: string
  /** absent: the platform's `fetch` */
  readonly fetch?: typeof fetch
  /** the service's public key; with it the signature of every permit must hold */
  readonly publicKey?: PublicKey
  /** how long an act waits for a service that is away, in milliseconds; 30 s unless given */
  readonly timeoutMs?: number
}

/**
 * A client of a Countersign service, for programs that are no runs of it. It holds no connection
 * and no state: a program may ask, end, and go on later with the request's id, or by asking again
 * under the same `externalId`.
 *
 * Every act rejects with a {@link CountersignError}, whose `code` is the service's own, or
 * `unavailable` when no answer came within `timeoutMs`. Acts are sent again while the service is
 * away, and may all be repeated.
 */
export interface Client {
  /**
   * Asks for an approval. Under the `externalId` of an earlier call it resolves to that request.
   * Rejects with `policy_blocked` where policy never allows the call.
   */
  ask<Input extends object>(call: Call<Input>, options?: ActOptions): Promise<Asked>
  /**
   * The request that was asked for under this `externalId`, by any program of the key's owner;
   * `null`: there is none.
   */
  find(externalId: string, options?: ActOptions): Promise<Asked | null>
  /**
   * What became of a request so far. With `wait`, it resolves when the request has ended or after
   * so many seconds; `Infinity` waits for its end.
   */
  decision(id: string, options?: WaitOptions): Promise<Decision>
  /**
   * Takes the permit of an approved request, once: the call is to be made once and at once. Rejects
   * with `already_consumed` when it was taken before, `conflict` while nobody has decided,
   * `already_decided` after a denial, `expired`, `cancelled` or `stale_digest`.
   */
  consume(id: string, digest: string, options?: ActOptions): Promise<Permit>
  /** Reports what became of a call whose permit was taken, once. */
  report(
    id: string,
    outcome: { readonly state: OutcomeState; readonly summary?: string },
    options?: ActOptions,
  ): Promise<void>
  /** Withdraws a request that is pending: it leaves the queue. */
  withdraw(id: string, options?: ActOptions): Promise<void>
  /**
   * What a callback (`callbackUrl`) says, once its signature holds and it is at most five minutes
   * old. Rejects with `bad_signature`. After the key was rotated, callbacks for requests of the old
   * key are verified by a client with the old key.
   */
  verifyCallback(received: ReceivedCallback): Promise<Callback>
  /**
   * All acts in one: asks, waits however long it takes, takes the permit, runs `execute` once and
   * reports what became of it. Whatever `execute` returns or throws comes back. It is given the
   * input that was approved, which a person may have changed; nobody may where it takes no argument.
   *
   * Rejects without having run it with `DeniedError`, `ExpiredError`, `CancelledError`,
   * `BlockedError`, `MismatchError` or another `CountersignError`; with `AlreadyTakenError` when
   * the permit of this `externalId` was taken before.
   *
   * @example await client.gate({ tool: 'deploy', input: { version: '1.4.2' } }, ({ input }) =>
   * deploy(input))
   */
  gate<Input extends object, Result>(
    call: Call<Input>,
    execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * `gate` for a call that an earlier process may have requested: under the same `externalId` it
   * continues to wait. If the earlier process may have run the call, this rejects with
   * `AlreadyTakenError`.
   */
  resume<Input extends object, Result>(
    call: Call<Input> & { readonly externalId: string },
    execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * The first half of `gate`, for who makes the call elsewhere: asks, waits, and takes the permit.
   * Rejects as `gate` does; with `wait`, also with the code `pending` after that many seconds.
   */
  take<Input extends object>(call: Call<Input>, options?: TakeOptions): Promise<Allowed<Input>>
}

const defaultTimeoutMs = 30_000

/** A client of the service at `url`. It sends nothing by itself. */
export function createClient(options: ClientOptions): Client {
  const { apiKey, publicKey, timeoutMs = defaultTimeoutMs, url } = options
  const service: ActService = {
    url,
    apiKey,
    timeoutMs,
    // A browser's `fetch` may only be called as a function of its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    ...(publicKey === undefined ? {} : { publicKey }),
  }
  return {
    async ask(call, more) {
      return asked(await ask(service, call, more))
    },
    async find(externalId, more) {
      const request = await find(service, externalId, more)
      return request === null ? null : asked(request)
    },
    decision: (id, more) => decision(service, id, more),
    consume: (id, digest, more) => consume(service, id, digest, more),
    report: (id, outcome, more) => report(service, id, outcome, more),
    withdraw: (id, more) => withdraw(service, id, more),
    verifyCallback: (received) => verifyCallback(apiKey, received),
    gate: (call, execute, more) => gate(service, call, execute, more),
    resume: (call, execute, more) => gate(service, call, execute, more),
    take: (call, more) => take(service, call, more),
  }
}

function asked({ id, number, state }: Asked): Asked {
  return { id, number, state }
}
