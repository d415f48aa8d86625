import type { Consent, McpServer } from '../policy.ts'
import { readConsent } from '../reading/read-consent.ts'
import {
  odd,
  readEntries,
  readFields,
  spotSource,
  wrong,
  type Fields,
  type Spot,
} from '../reading/spot.ts'
import { checkName, readChoice, readList, readText } from '../reading/values.ts'
import { keysOf } from '../schema/parts.ts'
import { mcpServer } from '../schema/worker-file.ts'

/** Reads `mcpServers`: the shape every MCP client reads, plus `tools`. */
export function readMcpServers(spot: Spot): Map<string, McpServer> {
  const servers = new Map<string, McpServer>()
  for (const [name, value] of readEntries(spot)) {
    const fields = checkName(value, name) ? readFields(value, keysOf(mcpServer)) : null
    if (fields === null) continue
    const transport = readTransport(value, fields)
    const tools = readServerTools(fields)
    if (transport !== null) servers.set(name, { name, transport, tools, source: spotSource(value) })
  }
  return servers
}

function readTransport(spot: Spot, fields: Fields): McpServer['transport'] | null {
  const typeSpot = fields.get('type')
  const url = fields.get('url')
  const command = fields.get('command')
  const given = typeSpot === null ? null : readChoice(typeSpot, ['stdio', 'http'])
  if (typeSpot !== null && given === null) return null
  const type = given ?? (url === null ? 'stdio' : 'http')
  const strangers = type === 'http' ? ['command', 'args', 'env'] : ['url', 'headers']
  for (const key of strangers) {
    const stranger = fields.get(key)
    if (stranger !== null) wrong(stranger, `does not go with type ${type}`, 'leave it out')
  }
  if (type === 'http') return readHttp(spot, url, fields)
  if (command === null) {
    wrong(spot, 'has neither "command" nor "url"', 'say how to start it, or where it is')
    return null
  }
  const program = readText(command)
  const argsSpot = fields.get('args')
  const args = argsSpot === null ? [] : readList(argsSpot, readText)
  warnOfUnpinned(spot, program, args)
  const env = readTexts(fields.get('env'))
  return program === null ? null : { type, command: program, args, env }
}

function readHttp(spot: Spot, urlSpot: Spot | null, fields: Fields): McpServer['transport'] | null {
  if (urlSpot === null) {
    wrong(spot, 'has no "url"', 'write `url: "https://…"`')
    return null
  }
  const url = readText(urlSpot)
  const headers = readTexts(fields.get('headers'))
  if (url === null) return null
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    wrong(urlSpot, `is ${JSON.stringify(url)}`, 'write an http or https address')
    return null
  }
  return { type: 'http', url, headers }
}

function readTexts(spot: Spot | null): Readonly<Record<string, string>> {
  if (spot === null) return {}
  const pairs = readEntries(spot).map(([key, value]) => [key, readText(value) ?? ''] as const)
  return Object.fromEntries(pairs)
}

function readServerTools(fields: Fields): Map<string, Consent> {
  const spot = fields.get('tools')
  const tools = new Map<string, Consent>()
  for (const [name, value] of spot === null ? [] : readEntries(spot)) {
    const consent = readConsent(value, ['preApproved', 'ask', 'blocked'], null)
    if (consent !== null) tools.set(name, consent)
  }
  return tools
}

/** What a package runner fetches without a version may be something else tomorrow. */
function warnOfUnpinned(spot: Spot, command: string | null, args: readonly string[]): void {
  if (command === null || !['npx', 'pnpx', 'bunx', 'uvx'].includes(command)) return
  const name = args.find((argument) => !argument.startsWith('-'))
  if (name === undefined || /.@\d/.test(name) || /==\d/.test(name)) return
  odd(spot, `runs the package "${name}" without a version`, `pin it, like "${name}@1.2.3"`)
}
