import { approvalWords } from '#domain/policy/verdict.ts'
import type { Consent } from '../routing.ts'
import type { McpServer } from '../worker-definition.ts'
import { readConsent } from '../reading/read-consent.ts'
import {
  readEntries,
  readFields,
  fieldSource,
  wrong,
  type Fields,
  type YamlField,
} from '../reading/yaml-field.ts'
import { checkName, readChoice, readList, readText, warnOfCase } from '../reading/values.ts'
import { checkProgram, checkUrl, readSettings } from './read-server-settings.ts'
import { keysOf } from '../schema/parts.ts'
import { mcpServer } from '../schema/worker-file.ts'

/** Reads `mcpServers`: the form of every MCP client, and `tools`. */
export function readMcpServers(field: YamlField): Map<string, McpServer> {
  const servers = new Map<string, McpServer>()
  const compareCase = warnOfCase()
  for (const [name, value] of readEntries(field)) {
    compareCase(value, name)
    const fields = isServerName(value, name) ? readFields(value, keysOf(mcpServer)) : null
    const server = fields === null ? null : readServer(value, name, fields)
    if (server !== null) servers.set(name, server)
  }
  return servers
}

/** One server: how it is reached, and the approvals of its tools. */
export function readServer(field: YamlField, name: string, fields: Fields): McpServer | null {
  const transport = readTransport(field, fields)
  const tools = readServerTools(fields)
  return transport === null ? null : { name, transport, tools, source: fieldSource(field) }
}

/** Tools are called `mcp__SERVER__TOOL`: the end of the server's name must be unambiguous. */
export function isServerName(field: YamlField, name: string): boolean {
  if (!checkName(field, name)) return false
  if (!name.includes('__') && !name.endsWith('_')) return true
  const problem = 'has a name with "__" in it, or "_" at its end'
  wrong(field, problem, 'its tools are called mcp__SERVER__TOOL: write a name without')
  return false
}

function readTransport(field: YamlField, fields: Fields): McpServer['transport'] | null {
  const typeField = fields.get('type')
  const url = fields.get('url')
  const command = fields.get('command')
  const transportType = typeField === null ? null : readChoice(typeField, ['stdio', 'http'])
  if (typeField !== null && transportType === null) return null
  const type = transportType ?? (url === null ? 'stdio' : 'http')
  const strangers = type === 'http' ? ['command', 'args', 'env'] : ['url', 'headers']
  for (const key of strangers) {
    const stranger = fields.get(key)
    if (stranger !== null) wrong(stranger, `does not go with type ${type}`, 'leave it out')
  }
  if (type === 'http') return readHttp(fields)
  if (command === null) {
    wrong(field, 'has neither "command" nor "url"', 'say how to start it, or where it is')
    return null
  }
  const program = readText(command)
  const args = fields.read('args', (at) => readList(at, readText), [])
  if (program !== null) checkProgram(command, program, args)
  const env = readSettings(fields.get('env'), 'env')
  return program === null ? null : { type, command: program, args, env }
}

function readHttp(fields: Fields): McpServer['transport'] | null {
  const urlField = fields.getNeeded('url', 'write `url: "https://…"`')
  if (urlField === null) return null
  const url = readText(urlField)
  const headers = readSettings(fields.get('headers'), 'headers')
  if (url === null) return null
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    wrong(urlField, `is ${JSON.stringify(url)}`, 'write an http or https address')
    return null
  }
  checkUrl(urlField, url)
  return { type: 'http', url, headers }
}

function readServerTools(fields: Fields): Map<string, Consent> {
  const field = fields.get('tools')
  const tools = new Map<string, Consent>()
  for (const [name, value] of field === null ? [] : readEntries(field)) {
    const consent = readConsent(value, approvalWords, null)
    if (consent !== null) tools.set(name, consent)
  }
  return tools
}
