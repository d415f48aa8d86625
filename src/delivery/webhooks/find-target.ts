import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Shares } from '#domain/sharing/shares.ts'
import { isPublicAddress, isWithin, rangesOf } from '#sandbox/proxy/public-addresses.ts'

/** All addresses of a host's name, as the system resolves it. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface TargetRules {
  /** private addresses and ranges that may be called (`webhooks.allow`) */
  readonly allow: readonly string[]
  /** the development profile: `http` to this machine, and nothing else by `http` */
  readonly isDevelopment: boolean
}

/**
 * Resolves the address to connect to for a URL. Use that address without resolving again: a second
 * lookup could give another one. Every address of the name must be allowed (security.md 23).
 * Rejects with a sentence that says which is not, and why.
 */
export async function findTarget(
  url: URL,
  rules: TargetRules,
  resolve: Resolve = resolveHost,
): Promise<string> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const [first] = addresses
  if (first === undefined) throw new Error(`${host} has no address`)
  const allow = rangesOf(rules.allow)
  for (const address of addresses) {
    if (url.protocol === 'http:') {
      if (rules.isDevelopment && isLoopbackAddress(address)) continue
      throw new Error('http is only for this machine, in the development profile: use https')
    }
    if (url.protocol !== 'https:') throw new Error(`${url.protocol} is not https`)
    if (isPublicAddress(address) || isWithin(allow, address)) continue
    throw new Error(`${address} is a private address, and webhooks.allow does not list it`)
  }
  return first
}

/**
 * Lookups under way. Each takes a thread of the process until the name server answers or is given
 * up after 10 to 30 seconds: without bounds, a few names that no server answers for would keep
 * every other lookup waiting. `bin/countersign` starts 32 such threads, half of which look names
 * up. Names that programs and people choose (callbacks, push) have slots of their own, and so
 * delay no configured name.
 */
const bounds = { slots: 6, maxPerCaller: 2, maxWaiting: 100, waitMs: 10_000 }
const [configured, chosenByOthers] = [new Shares(bounds), new Shares(bounds)]

/**
 * All addresses of a configured name, by the system's resolver. At most two names of one domain are
 * looked up at the same time. Rejects with the resolver's error, or with `BusyError`.
 */
export const resolveHost: Resolve = (host) => lookUp(host, configured)

/** As `resolveHost`, of a name that a program or a person chose. */
export const resolveForeignHost: Resolve = (host) => lookUp(host, chosenByOthers)

async function lookUp(host: string, lookups: Shares): Promise<string[]> {
  const free = await lookups.take(host.split('.').slice(-2).join('.'))
  try {
    const records = await lookup(host, { all: true, order: 'verbatim' })
    return records.map(({ address }) => address)
  } finally {
    free()
  }
}

const loopback = rangesOf(['127.0.0.0/8', '::1/128'])

function isLoopbackAddress(address: string): boolean {
  return isWithin(loopback, address)
}
