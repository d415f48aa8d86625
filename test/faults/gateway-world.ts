import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { faultProject } from './fault-project.ts'
import type { Answer } from '../harness/installation/test-session.ts'
import { FaultWorld } from './fault-world.ts'

const server = fileURLToPath(new URL('../harness/fixtures/mcp/noting-server.ts', import.meta.url))

/** One upstream server for each way of holding calls, each with a journal of its own. */
function served(name: string, more: string): string {
  const args = JSON.stringify([server, `${name}.journal`, `${name}.says`])
  const tools =
    '{ look: preApproved, until: preApproved, claim: preApproved, wipe: { blocked: nobody wipes } }'
  return `  ${name}: { command: ${process.execPath}, args: ${args}, tools: ${tools}, ${more} }\n`
}

/**
 * An installation whose gateway offers `quick` and `brief` (which hold for a second; requests of
 * `brief` expire after six) and `held` (for a minute).
 */
export async function startGatewayWorld(moreConfig = ''): Promise<FaultWorld> {
  const files = faultProject({})
  const servers =
    served('quick', 'holdSeconds: 1, queue: gated') +
    served('brief', 'holdSeconds: 1, queue: soon') +
    served('held', 'holdSeconds: 60')
  const queues =
    'queues:\n  gated: { team: platform, edits: approve }\n  soon: { team: platform, expiresAfter: 6s }'
  const config = `${files['countersign.yaml']?.replace('queues:', queues)}mcpServers:\n${servers}${moreConfig}`
  const world = await FaultWorld.start({ ...files, 'countersign.yaml': config })
  await world.untilSql('select count(*)::int from mcp_pin', [], 3, 120_000)
  return world
}

/** A key of Grace's, who may decide, and not what her own programs ask. */
export async function makeKey(
  world: FaultWorld,
  scopes = ['requests:write', 'requests:read'],
): Promise<string> {
  const grace = await world.as('grace')
  const { body } = await grace.post('/v1/keys', { name: 'agent', scopes })
  return body['key'] as string
}

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
  readonly structured: Record<string, unknown>
  readonly disposition: unknown
  readonly content: readonly Record<string, unknown>[]
}

/** An agent with the official client of the protocol. */
export class Agent implements AsyncDisposable {
  readonly client: Client
  private constructor(client: Client) {
    this.client = client
  }

  static async connect(world: FaultWorld, server: string, key: string): Promise<Agent> {
    const versionNegotiation = { mode: 'auto' as const }
    const client = new Client({ name: 'test-agent', version: '7' }, { versionNegotiation })
    const url = new URL(`${world.installation.url}/mcp/${server}`)
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return new Agent(client)
  }

  async call(
    name: string,
    input: Record<string, unknown>,
    more: { meta?: Record<string, unknown>; onprogress?: (message: string) => void } = {},
  ): Promise<ToolAnswer> {
    const { meta, onprogress } = more
    const result = await this.client.callTool(
      { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) },
      {
        timeout: 120_000,
        ...(onprogress === undefined
          ? {}
          : { onprogress: ({ message }) => onprogress(message ?? '') }),
      },
    )
    const content = result.content as readonly Record<string, unknown>[]
    return {
      text: content.map((part) => String(part['text'] ?? '')).join('\n'),
      isError: result.isError === true,
      structured: (result.structuredContent ?? {}) as Record<string, unknown>,
      disposition: result._meta?.['io.modelcontextprotocol/tool-approval-disposition'],
      content,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
  }
}

/** Somebody decides the request of a pending answer, as it is shown to them. */
export async function decide(
  world: FaultWorld,
  { structured }: Pick<ToolAnswer, 'structured'>,
  decision: 'approve' | 'deny',
  who = 'linus',
): Promise<Answer> {
  const person = await world.as(who)
  const path = `/v1/requests/${String(structured['requestId'])}`
  const { body } = await person.get(path)
  const detail = body as {
    digest: string
    revision: number
    presentation: { digest: string }
    alike: { again: number }
  }
  return person.post(`${path}/decisions`, {
    decision,
    digest: detail.digest,
    revision: detail.revision,
    seen: detail.presentation.digest,
    reason: 'looked at it',
    ...(decision === 'approve' && detail.alike.again > 0 ? { again: true } : {}),
  })
}

/** The calls of a tool with a text that really reached the upstream server. */
export async function timesRun(world: FaultWorld, server: string, line: string): Promise<number> {
  const journal = (await world.read(`${server}.journal`)) ?? ''
  return journal.split('\n').filter((entry) => entry === line).length
}

/**
 * One message of the revision of 2026-07-28 from a client that takes tasks, as it goes over the
 * wire; its result, or its error.
 */
export async function askAsTaskClient(
  world: FaultWorld,
  key: string,
  method: string,
  params: { readonly name?: string; readonly taskId?: string; readonly arguments?: object },
): Promise<Record<string, unknown>> {
  const prefix = 'io.modelcontextprotocol'
  const _meta = {
    [`${prefix}/protocolVersion`]: '2026-07-28',
    [`${prefix}/clientInfo`]: { name: 'tasker', version: '1' },
    [`${prefix}/clientCapabilities`]: { extensions: { [`${prefix}/tasks`]: {} } },
  }
  const response = await fetch(`${world.installation.url}/mcp/quick`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const { result, error } = (await response.json()) as Record<string, Record<string, unknown>>
  return result ?? { error }
}

/** An agent that starts `countersign mcp` as a program. */
export async function startProgram(
  world: FaultWorld,
  key: string,
  args: readonly string[],
): Promise<Client> {
  const client = new Client({ name: 'starter', version: '1' })
  const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', ...args],
    env: {
      PATH,
      HOME,
      XDG_STATE_HOME: join(world.installation.folder, 'state'),
      COUNTERSIGN_URL: world.installation.url,
      COUNTERSIGN_API_KEY: key,
    },
    cwd: world.installation.folder,
  })
  await client.connect(transport)
  return client
}
