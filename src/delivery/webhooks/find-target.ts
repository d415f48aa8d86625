import { BlockList, isIP } from 'node:net'
import { specialNetworks4 } from '#domain/special-networks.ts'
import { lookup } from 'node:dns/promises'

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

/** All addresses of a name, by the system's resolver. */
export async function resolveHost(host: string): Promise<string[]> {
  const records = await lookup(host, { all: true, order: 'verbatim' })
  return records.map(({ address }) => address)
}

const special4 = rangesOf(specialNetworks4)
const global6 = rangesOf(['2000::/3'])
/**
 * Global ranges that are not of hosts, or that embed an IPv4 address: 6to4, Teredo, documentation.
 */
const special6 = rangesOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const mapped4 = rangesOf(['::ffff:0:0/96'])
const loopback = rangesOf(['127.0.0.0/8', '::1/128'])

/** Addresses and ranges as one set; `10.0.0.0/8` covers the same addresses mapped into IPv6. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address is known to be of the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  // The ranges of IPv4 hold for the same addresses mapped into IPv6.
  if (mapped4.check(address, 'ipv6')) return !special4.check(address, 'ipv6')
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

function isLoopbackAddress(address: string): boolean {
  return isWithin(loopback, address)
}

/** An address with a zone (`fe80::1%eth0`) is in no range. */
export function isWithin(ranges: BlockList, address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ranges.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
