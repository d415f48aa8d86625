/**
 * What a sandbox can reach: nothing, every public address, or a list of domains through a proxy of
 * the service (workers-and-policy.md, shell rules).
 */
export type NetworkAccess = 'none' | 'allow' | readonly string[]

/** The ports of a domain without one. */
const usualPorts: readonly number[] = [80, 443]

const label = '[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?'
/** Begins with a letter, since many programs read `127.1` and `10.0x7f` as addresses. */
const lastLabel = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?'
const portForm =
  '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]'

/** The form of an entry of a list of domains, and its longest length. */
export const domainForm = new RegExp(
  `^(?<any>\\*\\.)?(?<name>(?:${label}\\.)+${lastLabel})(?::(?<port>${portForm}))?$`,
)
export const maxDomainLength = 253
export const maxDomains = 100

interface DomainEntry {
  readonly name: string
  /** `*.`: every name below it, and not the name itself */
  readonly below: boolean
  /** `null`: the usual ports */
  readonly port: number | null
}

function parseDomain(entry: string): DomainEntry | null {
  const groups = entry.length > maxDomainLength ? undefined : domainForm.exec(entry)?.groups
  if (groups === undefined) return null
  const { any, name = '', port } = groups
  return { name, below: any !== undefined, port: port === undefined ? null : Number(port) }
}

/** Whether a text is an entry of the list: `example.com`, `*.example.com`, `example.com:8443`. */
export function isDomainEntry(text: string): boolean {
  return parseDomain(text) !== null
}

/**
 * Whether the list permits this host and port; `port` when it permits the host with other ports
 * only. `host` in lower case, without the dot of the root.
 */
export function permitsHost(
  entries: readonly string[],
  host: string,
  port: number,
): 'yes' | 'port' | 'no' {
  const named = entries
    .map(parseDomain)
    .filter((entry) => entry !== null)
    .filter(({ below, name }) => (below ? host.endsWith(`.${name}`) : host === name))
  if (named.length === 0) return 'no'
  const fits = named.some((entry) =>
    entry.port === null ? usualPorts.includes(port) : entry.port === port,
  )
  return fits ? 'yes' : 'port'
}

/** Whether `outer` reaches everything that `inner` reaches. */
export function coversNetwork(outer: NetworkAccess, inner: NetworkAccess): boolean {
  if (inner === 'none' || outer === 'allow') return true
  if (inner === 'allow' || outer === 'none') return false
  const own = outer.map(parseDomain).filter((entry) => entry !== null)
  return inner.every((text) => {
    const entry = parseDomain(text)
    if (entry === null) return false
    const ports = entry.port === null ? usualPorts : [entry.port]
    return ports.every((port) =>
      own.some(
        (one) =>
          (one.below
            ? entry.name.endsWith(`.${one.name}`) || (entry.below && entry.name === one.name)
            : !entry.below && entry.name === one.name) &&
          (one.port === null ? usualPorts.includes(port) : one.port === port),
      ),
    )
  })
}

/** The listed domains in a sentence: `a.com`, `a.com and b.com`. */
export function domainsText(entries: readonly string[]): string {
  const last = entries.at(-1) ?? 'nothing'
  return entries.length < 2 ? last : `${entries.slice(0, -1).join(', ')} and ${last}`
}
