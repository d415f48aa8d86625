import type { Tool } from '#domain/tools/tool.ts'
import type { McpServer } from '#policy/worker-definition.ts'
import type { ServerPlace, WatchNames } from './connection.ts'
import { listWithin } from './list-server.ts'
import type { McpHost } from './mcp-host.ts'
import type { McpPins, Pin } from './mcp-pins.ts'
import type { McpListing } from './mcp-protocol.ts'
import { mcpTool, type EndedServerMessage, type McpToolParts } from './mcp-tool.ts'
import type { ServerEntry } from './server-entries.ts'
import { hashOfServer } from './server-hash.ts'

/** The longest name that providers of models accept. */
const nameCharacters = 64

/** The tools of one server, and as sentences why it, or some of its tools, cannot be used. */
export interface ServerOffer {
  readonly tools: readonly Tool[]
  readonly problems: readonly string[]
}

export interface OfferOptions {
  readonly pins: McpPins
  /** absent: its servers' effects on files are not watched */
  readonly watchNames?: WatchNames
  readonly onMessageEnded?: ((message: EndedServerMessage) => void) | undefined
}

/**
 * The tools of a server: those of its list if it answers in this time, or else the pinned ones. A
 * server that does not start has none.
 */
export async function offerOf(
  { server, place, entry }: OpenServer,
  withinMs: number,
  options: OfferOptions,
): Promise<ServerOffer> {
  const answer = await listWithin(entry, withinMs)
  const listing = typeof answer === 'string' ? null : answer
  const problems = problemsOf(server, answer)
  const pin = await options.pins.read(
    place.policy,
    { worker: place.worker.name, name: server.name, hash: hashOfServer(server) },
    listing,
  )
  const host = await entry.host.catch(() => null)
  if (host === null) return { tools: [], problems }
  const shared = sharedParts({ server, place, entry }, host, pin, options)
  const pins = pin.state === 'pinned' ? pin.definitions : []
  const pinned = new Map(pins.map((definition) => [definition.name, definition]))
  const tools: Tool[] = []
  for (const definition of listing?.tools ?? pins) {
    const name = `mcp__${server.name}__${definition.name}`
    if (name.length > nameCharacters) {
      problems.push(`The name ${name} has more than ${nameCharacters} characters.`)
    } else {
      const pinnedDefinition = pinned.get(definition.name) ?? null
      tools.push(mcpTool({ ...shared, name, definition, pinned: pinnedDefinition }))
    }
  }
  return { tools, problems }
}

/** A server of a worker on this host. */
interface OpenServer {
  readonly server: McpServer
  readonly place: ServerPlace
  readonly entry: ServerEntry
}

function problemsOf(server: McpServer, answer: McpListing | string): string[] {
  if (typeof answer !== 'string') {
    return answer.problems.map((problem) => `The MCP server ${server.name}: ${problem}`)
  }
  return [
    `The MCP server ${server.name} does not answer: ${answer}. Go on without its tools, or call one again later.`,
  ]
}

/** What all tools of a server have in common. */
function sharedParts(
  { server, place, entry }: OpenServer,
  host: McpHost,
  pin: Pin,
  { watchNames, onMessageEnded }: OfferOptions,
): Omit<McpToolParts, 'name' | 'definition' | 'pinned'> {
  const { transport } = server
  const isLocal = transport.type === 'stdio'
  return {
    server: server.name,
    serverHash: hashOfServer(server),
    forged: pin.state === 'forged' ? pin.problem : null,
    host,
    // The earlier list is no longer used.
    onChanged: () => void (entry.listing = null),
    onMessageEnded,
    watched: isLocal ? (watchNames?.(place, transport.args) ?? null) : null,
    transport: isLocal ? 'pipe' : 'tcp',
  }
}
