import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { permitsHost, domainsText } from '#domain/network/network-access.ts'
import { isPublicAddress, isWithin, rangesOf } from './public-addresses.ts'

/** What the proxy needs of the host. */
export interface ProxyHost {
  /** all addresses of a name, as the system resolves it */
  resolve(name: string): Promise<readonly string[]>
  /** whether a command may connect to an address */
  isOpen(address: string): boolean
}

/** The real host: public addresses that are not its own. */
export const systemHost: ProxyHost = {
  async resolve(name) {
    // Without the dot of the root, so that the host's own file of names applies.
    const records = await lookup(name, { all: true, order: 'ipv4first' })
    return records.map(({ address }) => address)
  },
  isOpen: (address) => isForeignAddress(address, ownAddresses()),
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.map(({ address }) => address)
}

/**
 * Whether an address is public and none of the host's own, however it is written: an IPv4 address
 * that a resolver answers as `::ffff:…` leads to the same host.
 */
export function isForeignAddress(address: string, own: readonly string[]): boolean {
  return isPublicAddress(address) && !isWithin(rangesOf(own), address)
}

/** The proxy refuses; the message is a sentence for the author of the command. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

/**
 * The addresses to connect to for a host in a command, in order. The proxy connects to exactly
 * these, so that another answer of the resolver (DNS rebinding) changes nothing. Rejects with
 * `TargetRefused`.
 */
export async function judgeTarget(
  entries: readonly string[],
  target: { readonly host: string; readonly port: number },
  host: ProxyHost,
): Promise<readonly string[]> {
  const name = target.host.toLowerCase().replace(/\.$/, '')
  const hostText = shownHost(name)
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) {
    throw new TargetRefused(`${hostText} is an address: ${only(entries)}, by name.`)
  }
  const admitted = permitsHost(entries, name, target.port)
  if (admitted === 'no') throw new TargetRefused(`${hostText} is not listed: ${only(entries)}.`)
  if (admitted === 'port') {
    throw new TargetRefused(
      `Port ${target.port} of ${hostText} is not listed: ${only(entries)}, on ports 80 and 443 where no other is named.`,
    )
  }
  const addresses = await host.resolve(name).catch(() => [])
  if (addresses.length === 0) throw new TargetRefused(`${hostText} has no address.`)
  const closed = addresses.find((address) => !host.isOpen(address))
  if (closed !== undefined) {
    throw new TargetRefused(
      `${hostText} leads to ${closed}, which is a private address or one of this host.`,
    )
  }
  return addresses.slice(0, maxAddresses)
}

/** How many addresses of one name are tried. */
const maxAddresses = 4

function only(entries: readonly string[]): string {
  return `commands of this worker reach only ${domainsText(entries)} (sandbox.network)`
}

/** A host as a command wrote it, escaped for people and models. */
function shownHost(name: string): string {
  const printable = name.replaceAll(/[^a-z0-9.:[\]_-]/g, '?')
  return printable.length <= 100 ? printable : `${printable.slice(0, 99)}…`
}
