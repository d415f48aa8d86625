import type { Request } from 'express'
import { ipKeyGenerator, type ClientRateLimitInfo } from 'express-rate-limit'
import { Problem } from '#domain/problem.ts'
import { WindowCounts } from './window-counts.ts'

/** Counts failures of an address in windows of a minute (security.md 21). */
export interface FailureLimit {
  /** Whether the address has failed too often. */
  isReached(request: Request): boolean
  /** Rejects with `rate_limited` when the address has failed too often. */
  check(request: Request): Promise<void>
  /** Counts one; rejects with `rate_limited` if it is one too many, also concurrently. */
  fail(request: Request): Promise<void>
}

/** The limits of an address that signs in, whatever the method. */
export interface SignInLimits {
  readonly failures: FailureLimit
  /** of sign-ins with several steps */
  readonly starts: FailureLimit
}

const windowMs = 60_000

/**
 * At most `maxFailures` failures a minute an address, then `429` with `retry-after` until the
 * minute is over.
 */
export function failureLimit(maxFailures: number, what: string): FailureLimit {
  const counts = new WindowCounts(windowMs)
  const refuse = (counter: ClientRateLimitInfo): never => {
    const untilMs = (counter.resetTime?.getTime() ?? 0) - Date.now()
    throw new Problem('rate_limited', `Too many ${what} from this address`, {
      retryAfterSeconds: Math.max(1, Math.ceil(untilMs / 1000)),
    })
  }
  const fullCounter = (request: Request): ClientRateLimitInfo | null => {
    const counter = counts.get(networkOfRequest(request))
    return counter !== undefined && counter.totalHits >= maxFailures ? counter : null
  }
  return {
    isReached: (request) => fullCounter(request) !== null,
    async check(request) {
      const counter = fullCounter(request)
      if (counter !== null) refuse(counter)
    },
    async fail(request) {
      const counter = counts.increment(networkOfRequest(request))
      if (counter.totalHits > maxFailures) refuse(counter)
    },
  }
}

/** The network from which a request came: see `networkOf`. */
export function networkOfRequest(request: Request): string {
  return networkOf(request.ip ?? '')
}

/**
 * The part of an address that counts as one caller. A caller can choose the rest of an IPv6
 * address, and the port that some proxies report with the address.
 */
export function networkOf(address: string): string {
  const [, host = address] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? portOfV4.exec(address) ?? []
  return ipKeyGenerator(host)
}

const portOfV4 = /^(\d+\.\d+\.\d+\.\d+):\d+$/
