import type { KeyLike } from 'node:crypto'
import { gate, take, type Allowed, type GateCall, type GateOptions } from './gate.ts'

export interface ClientOptions {
  /** of the service, such as `http://localhost:4400` */
  readonly url: string
  /** with the scopes `requests:write` and `requests:read` */
  readonly apiKey: string
  /** the service's public key; with it the signature of every permit must hold */
  readonly publicKey?: KeyLike
}

export interface Client {
  /**
   * Makes a call once people, or the policy of a worker, have allowed exactly it: asks, waits
   * however long it takes, takes the permit, runs `execute` once and reports what became of it.
   * Whatever `execute` returns or throws comes back.
   *
   * Rejects without having run it with `DeniedError`, `ExpiredError`, `CancelledError`,
   * `BlockedError`, `MismatchError` or another `CountersignError`; with `AlreadyTakenError` when
   * the permit of this `externalId` was taken before.
   *
   * @example await client.gate({ tool: 'deploy', input: { version: '1.4.2' } }, ({ input }) =>
   * deploy(input))
   */
  gate<Input extends object, Result>(
    call: GateCall<Input>,
    execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * The same for a call that an earlier process may have requested: under the same `externalId` it
   * continues to wait. If the earlier process may have run the call, this rejects with
   * `AlreadyTakenError`.
   */
  resume<Input extends object, Result>(
    call: GateCall<Input> & { readonly externalId: string },
    execute: (allowed: Allowed<Input>) => Promise<Result> | Result,
    options?: GateOptions,
  ): Promise<Result>
  /**
   * The first half of `gate`, for who makes the call elsewhere: asks, waits, and takes the permit,
   * after which the call is to be made once and at once. Rejects as `gate` does.
   */
  take<Input extends object>(call: GateCall<Input>, options?: GateOptions): Promise<Allowed<Input>>
}

/**
 * A client of a Countersign service, for programs that are no runs of it. It holds no connection
 * and no state.
 */
export function createClient(options: ClientOptions): Client {
  return {
    gate: (call, execute, more = {}) => gate(options, call, execute, more),
    resume: (call, execute, more = {}) => gate(options, call, execute, more),
    take: (call, more = {}) => take(options, call, more),
  }
}
