import type { Consent, McpServer } from '../policy.ts'
import { readConsent } from '../reading/read-consent.ts'
import {
  readEntries,
  readFields,
  spotSource,
  wrong,
  type Fields,
  type Spot,
} from '../reading/spot.ts'
import { checkName, readChoice, readList, readText, warnOfCase } from '../reading/values.ts'
import { checkProgram, checkUrl, readSettings } from './read-server-settings.ts'
import { keysOf } from '../schema/parts.ts'
import { mcpServer } from '../schema/worker-file.ts'

/** Reads `mcpServers`: the shape every MCP client reads, plus `tools`. */
export function readMcpServers(spot: Spot): Map<string, McpServer> {
  const servers = new Map<string, McpServer>()
  for (const [name, value] of readEntries(spot)) {
    warnOfCase(value, name, servers.values())
    const fields = isServerName(value, name) ? readFields(value, keysOf(mcpServer)) : null
    if (fields === null) continue
    const transport = readTransport(value, fields)
    const tools = readServerTools(fields)
    if (transport !== null) servers.set(name, { name, transport, tools, source: spotSource(value) })
  }
  return servers
}

/** Tools are called `mcp__SERVER__TOOL`: where the server's name ends must be plain. */
function isServerName(spot: Spot, name: string): boolean {
  if (!checkName(spot, name)) return false
  if (!name.includes('__') && !name.endsWith('_')) return true
  const problem = 'has a name with "__" in it, or "_" at its end'
  wrong(spot, problem, 'its tools are called mcp__SERVER__TOOL: write a name without')
  return false
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
  if (program !== null) checkProgram(command, program, args)
  const env = readSettings(fields.get('env'), 'env')
  return program === null ? null : { type, command: program, args, env }
}

function readHttp(spot: Spot, urlSpot: Spot | null, fields: Fields): McpServer['transport'] | null {
  if (urlSpot === null) {
    wrong(spot, 'has no "url"', 'write `url: "https://…"`')
    return null
  }
  const url = readText(urlSpot)
  const headers = readSettings(fields.get('headers'), 'headers')
  if (url === null) return null
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    wrong(urlSpot, `is ${JSON.stringify(url)}`, 'write an http or https address')
    return null
  }
  checkUrl(urlSpot, url)
  return { type: 'http', url, headers }
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
