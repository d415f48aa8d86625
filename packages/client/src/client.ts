import { ask, consume, decision, find, report, withdraw } from './acts.ts'
import type { ActOptions, ActService, Decision, WaitOptions } from './acts.ts'
import type { Call } from './call.ts'
import { verifyCallback, type Callback, type ReceivedCallback } from './callback.ts'
import { gate, take, type AllowedCall, type GateOptions, type TakeOptions } from './gate.ts'
import type { Permit, PublicKey } from './permit.ts'
import { toSummary, type RequestSummary, type OutcomeState } from './request.ts'

export interface ClientOptions {
  /** address of the service, such as `http://localhost:4400` */
  readonly url: string
  /** an API key with the scopes `requests:write` and `requests:read` */
  readonly apiKey: string
  /** default: the platform's `fetch` */
  readonly fetch?: typeof fetch
  /** the service's public key; if set, the signature of every permit is verified with it */
  readonly publicKey?: PublicKey
  /**
   * how long an operation waits for a service that is unreachable, in milliseconds; default: 30 s
   */
  readonly timeoutMs?: number
}

/**
 * A client of a Countersign service, for programs that are not runs of the service. It holds no
 * connection and no state: a program may open a request, end, and continue later with the id of the
 * request, or by opening the request again under the same `externalId`.
 *
 * Every method rejects with a {@link CountersignError}. Its `code` is the service's, or
 * `unavailable` if no answer came within `timeoutMs`. Calls are retried while the service is
 * unreachable. Every method can be repeated safely.
 */
export interface Client {
  /**
   * Opens a request for the approval of a call. If a request with this `externalId` exists,
   * resolves to that one. Rejects with `policy_blocked` if policy never allows the call. If
   * `signal` ends a call without an `externalId`, or no answer came in time, this first tries to
   * withdraw its request, for 10 s at most; another call continues under its `externalId`.
   */
  ask<Input extends object>(call: Call<Input>, options?: ActOptions): Promise<RequestSummary>
  /**
   * Finds the request that any program of the key's owner opened under this `externalId`. Resolves
   * to `null` if there is none.
   */
  find(externalId: string, options?: ActOptions): Promise<RequestSummary | null>
  /**
   * Reads the state of a request. With `wait` it resolves once the request has ended, at the latest
   * after that many seconds; `Infinity` waits until it has ended.
   */
  decision(id: string, options?: WaitOptions): Promise<Decision>
  /**
   * Takes the permit of an approved request, which can be taken once. Make the call once, directly
   * afterwards. Rejects with `already_consumed` if it was taken before, `conflict` while nobody has
   * decided, `already_decided` after a denial, `expired`, `cancelled` or `stale_digest`.
   */
  consume(id: string, digest: string, options?: ActOptions): Promise<Permit>
  /**
   * Reports the outcome of a call whose permit was taken. It can be reported once; `unknown` can be
   * followed by another outcome.
   */
  report(
    id: string,
    outcome: { readonly state: OutcomeState; readonly summary?: string },
    options?: ActOptions,
  ): Promise<void>
  /** Withdraws a pending request: it leaves its queue. */
  withdraw(id: string, options?: ActOptions): Promise<void>
  /**
   * Verifies a callback (`callbackUrl`) and resolves to its content. Rejects with `bad_signature`
   * if the signature is wrong or the callback is older than five minutes. After a rotation of the
   * key, verify callbacks for requests of the old key by a client with the old key.
   */
  verifyCallback(received: ReceivedCallback): Promise<Callback>
  /**
   * Does everything in one call: opens the request, waits without a limit for the decision, takes
   * the permit, runs `execute` once and reports the outcome. Returns or throws what `execute` does.
   * `execute` gets the input that was approved, which a person may have changed. If `execute` takes
   * no argument, nobody may change the input.
   *
   * Rejects before `execute` runs with `DeniedError`, `ExpiredError`, `CancelledError`,
   * `BlockedError`, `MismatchError` or another `CountersignError`, and with `AlreadyTakenError` if
   * the permit of this `externalId` was taken before.
   *
   * @example await client.gate({ tool: 'deploy', input: { version: '1.4.2' } }, ({ input }) =>
   * deploy(input))
   */
  gate<Input extends object, Result>(
    call: Call<Input>,
    execute: (allowed: AllowedCall<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * `gate` for a call that an earlier process may have requested: under the same `externalId` it
   * continues to wait. If the earlier process may have run the call, this rejects with
   * `AlreadyTakenError`.
   */
  resume<Input extends object, Result>(
    call: Call<Input> & { readonly externalId: string },
    execute: (allowed: AllowedCall<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * The first half of `gate`, for callers that make the call elsewhere: opens the request, waits
   * and takes the permit. Rejects as `gate` does; with `wait`, also with the code `pending` if
   * nobody decided within that many seconds.
   */
  take<Input extends object>(call: Call<Input>, options?: TakeOptions): Promise<AllowedCall<Input>>
}

const defaultTimeoutMs = 30_000

/** Makes a client of the service at `url`. Sends nothing until one of its methods is called. */
export function createClient(options: ClientOptions): Client {
  const { apiKey, publicKey, timeoutMs = defaultTimeoutMs, url } = options
  const service: ActService = {
    url,
    apiKey,
    timeoutMs,
    // A browser's `fetch` may only be called as a function of its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    publicKey,
  }
  const gateCall: Client['gate'] = (call, execute, more) => gate(service, call, execute, more)
  return {
    async ask(call, more) {
      return toSummary(await ask(service, call, more))
    },
    async find(externalId, more) {
      const request = await find(service, externalId, more)
      return request && toSummary(request)
    },
    decision: (id, more) => decision(service, id, more),
    consume: (id, digest, more) => consume(service, id, digest, more),
    report: (id, outcome, more) => report(service, id, outcome, more),
    withdraw: (id, more) => withdraw(service, id, more),
    verifyCallback: (received) => verifyCallback(apiKey, received),
    gate: gateCall,
    resume: gateCall,
    take: (call, more) => take(service, call, more),
  }
}
