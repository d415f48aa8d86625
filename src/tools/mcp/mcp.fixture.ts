import { rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '#domain/json/json.ts'
import type { ExecuteContext, Tool, ToolRegistry } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Policy } from '#policy/policy.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { buildRegistry } from '../registry.ts'
import { dataFolders } from '#sandbox/hidden-paths.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import type { SpawnConfined } from './connection.ts'
import { spawnInSandbox } from './sandbox/spawn-in-sandbox.ts'
import type { McpDefinition } from './mcp-protocol.ts'
import { watchNames } from './sandbox/watch-names.ts'
import type { McpPins } from './mcp-pins.ts'
import { openMcpServers, type McpServers } from './mcp-servers.ts'
import type { EndedServerMessage } from './mcp-tool.ts'

const fixtures = new URL('../../../test/harness/fixtures/mcp/', import.meta.url)

/**
 * A server in one file. It runs the script in its argument and answers with the result. The file
 * `says` in its working folder is the description of its tool.
 */
export const scriptServer = `import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const description = existsSync('says') ? readFileSync('says', 'utf8') : 'Run code'
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const inputSchema = { type: 'object', properties: { code: { type: 'string' } } }
  if (method === 'initialize')
    send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } })
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'run', description, inputSchema }] } })
  else if (method === 'tools/call') {
    const text = await new Function('return (async () => {' + params.arguments.code + '})()')().catch((error) => 'failed: ' + error.code)
    send({ id, result: { content: [{ type: 'text', text: String(text) }] } })
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } })
}
`

/** How a worker's file names one of the servers of these tests, run by this very Node. */
export function stdioServer(file: string, args: readonly string[], more = ''): string {
  const at = fileURLToPath(new URL(file, fixtures))
  return `{ command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify([at, ...args])}${more} }`
}

/** A version with one worker that has these servers. */
export function policyWith(servers: Readonly<Record<string, string>>, more = ''): Policy {
  const lines = Object.entries(servers).map(([name, server]) => `  ${name}: ${server}`)
  const worker = `---\nname: w\ndescription: A worker\nmodel: script:./s.yaml\n${more}mcpServers:\n${lines.join('\n')}\n---\nDo.\n`
  const texts = new Map([
    [
      'countersign.yaml',
      'version: 1\nteams:\n  team: { members: [a@example.com] }\nqueues:\n  team: { team: team }\ndefaults: { queue: team }\n',
    ],
    ['workers/w.md', worker],
    ['s.yaml', 'turns:\n  - text: Done.\n'],
  ])
  const result = parseProject({ texts, toolFiles: [] })
  if (!('policy' in result)) throw new Error(JSON.stringify(result.problems))
  return result.policy
}

/** Pins as the store keeps them for one activation, in memory. */
export function pinsInMemory(): McpPins {
  const pinned = new Map<string, readonly McpDefinition[]>()
  return {
    async read(policy, { worker, name }, listing) {
      const key = `${policy.digest} ${worker} ${name}`
      if (!pinned.has(key) && listing !== null) pinned.set(key, listing.tools)
      const definitions = pinned.get(key)
      return definitions === undefined ? { state: 'none' } : { state: 'pinned', definitions }
    },
  }
}

export interface McpBench extends AsyncDisposable {
  readonly root: string
  readonly servers: McpServers
  /** `needed`: the names that are looked up in it; absent: all */
  registry(policy: Policy, needed?: readonly string[]): Promise<ToolRegistry>
  tool(policy: Policy, name: string): Promise<Tool>
  call(
    tool: Tool,
    input?: JsonObject,
    context?: Partial<Pick<ExecuteContext, 'signal' | 'traceparent'>>,
  ): Promise<ToolResult>
}

/** This host's servers, with their own workspace and only `environment` to give away. */
export function mcpBench(
  options: {
    readonly environment?: Readonly<Record<string, string>>
    readonly pins?: McpPins
    /** how long others wait for a list; absent: as is usual */
    readonly waitMs?: number
    readonly onMessageEnded?: (message: EndedServerMessage) => void
    readonly spawnConfined?: SpawnConfined
    /** what the host has; absent: nothing that works */
    readonly sandbox?: HostSandbox
    /** absent: in the workspace */
    readonly dataDir?: string
  } = {},
): McpBench {
  const { sandbox = { works: false, problem: 'bwrap is not installed', remedy: 'install it' } } =
    options
  const root = newFolder('mcp servers-')
  const dataDir = options.dataDir ?? path.join(root, '.countersign')
  const site = { sandbox, dataDir, projectDir: root }
  const servers = openMcpServers({
    environment: { PATH: process.env['PATH'] ?? '', SECRET: 'not theirs', ...options.environment },
    spawnConfined: options.spawnConfined ?? spawnInSandbox(site),
    watchNames: watchNames(site),
    pins: options.pins ?? pinsInMemory(),
    onMessageEnded: options.onMessageEnded,
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
    workspaceOf: async () => openWorkspace({ root, hidden: dataFolders(site) }),
  })
  const bench: McpBench = {
    root,
    servers,
    registry: (policy, needed) =>
      buildRegistry({ policy, worker: 'w', needed, toolProcess: null, mcpServers: servers }),
    async tool(policy, name) {
      const tool = (await bench.registry(policy, [name])).get(name)
      if (tool === undefined) throw new Error(`${name} is not offered`)
      return tool
    },
    call: (tool, input = {}, context = {}) =>
      tool.execute(input, {
        // An MCP tool touches no file of the workspace itself.
        workspace: undefined as never,
        signal: new AbortController().signal,
        idempotencyKey: 'call:1',
        facts: { toolHash: tool.definitionHash, bases: [] },
        printed: null,
        ...context,
      }),
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return bench
}
