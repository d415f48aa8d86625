import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopbackAddress, isPublicAddress, isWithin, rangesOf } from './public-address.ts'

/** All addresses of a host's name, as the system resolves it. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface TargetRules {
  /** private addresses and ranges that may be called (`webhooks.allow`) */
  readonly allow: readonly string[]
  /** the development profile: `http` to this machine, and nothing else by `http` */
  readonly isDevelopment: boolean
}

/**
 * The address to connect to for a URL, resolved now and to be used as it is: asking again could give another answer.
 * Every address of the name must pass (security.md 23). Rejects with a sentence that says which does not, and why.
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

async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
