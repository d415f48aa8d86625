import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { GatewayServer } from '#policy/project-config.ts'
import type { Caller } from '#services/core/context.ts'
import type { Api } from '../context/api.ts'
import type { Attempt } from '../route/recording-refusals.ts'
import { callTool } from './call-tool.ts'
import { approvalExtension } from './gateway-answer.ts'
import { callOwnTool, ownTools } from './own-tools.ts'
import type { McpMessage } from '../context/mcp-message.ts'
import { progressOf } from './progress.ts'
import { readableTool } from './readable-tool.ts'
import { handleTasks, takesTasks, TaskServer } from './task-handlers.ts'
import { tasksExtension } from './task-of-call.ts'

/** Where a client puts the id of its call. */
const externalIdKey = 'countersign/externalId'
const clientCallIdKey = 'claudecode/toolUseId'
const maxIdCharacters = 200

/**
 * The server of one caller at `/mcp/NAME`: the tools of that server that policy does not block,
 * under the server's own names, and two of the gateway for waiting calls. `record` gets each
 * message when it arrives and when it is answered.
 */
export function gatewayServer(
  api: Api,
  caller: Caller,
  gateway: GatewayServer,
  {
    record,
    attempt,
  }: { readonly record: (message: McpMessage) => void; readonly attempt: Attempt },
): Server {
  const { name } = gateway.server
  const server = new TaskServer(
    record,
    { name: `countersign-${name}`, version: api.settings.version },
    {
      capabilities: {
        tools: {},
        extensions: { [tasksExtension]: {}, [approvalExtension]: {} },
      },
      instructions,
    },
  )
  server.setRequestHandler('tools/list', async ({ params }) => {
    const { tools, problems } = await sayingWhy(() => api.ctx.servedTools(name))
    if (tools.length === 0 && problems.length > 0) throw unavailable(problems.join(' '))
    return pageOfTools([...ownTools, ...tools.map(asTool)], params?.cursor)
  })
  handleTasks(server, api, caller, { name, attempt })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const input = (params.arguments ?? {}) as JsonObject
    const { signal } = context.mcpReq
    const ownCall = { server: name, name: params.name, input, signal, attempt }
    const own = await sayingWhy(() => callOwnTool(api, caller, ownCall))
    if (own !== null) {
      server.addFacts({ tool: params.name })
      return own
    }
    const meta = context.mcpReq._meta ?? {}
    const call = {
      server: name,
      tool: params.name,
      input,
      externalId: idIn(meta, externalIdKey),
      clientCallId: idIn(meta, clientCallIdKey),
      client: clientOf(context),
    }
    const onWait = waitReport(context, gateway.holdMs)
    const takesTask = takesTasks(context)
    const onStart = (): void => server.addFacts({ tool: params.name })
    const waiting = { holdMs: gateway.holdMs, signal, onStart, onWait, takesTask }
    return sayingWhy(() => callTool(api, caller, { call, ...waiting }))
  })
  return server
}

const instructions = `Every call to these tools is judged by the policy of an installation of Countersign. Some run at once. Some wait until a person, who is not behind the call, approves exactly what will run: then the answer says PENDING, and nothing has run yet. To go on, call the same tool again with the same arguments; it is asked about once and runs once. Every answer says whether the call ran.`

const clientInfo = z.object({ name: z.string(), version: z.string() })

type Meta = Readonly<Record<string, unknown>>

function idIn(meta: Meta, key: string): string | null {
  const value = meta[key]
  if (value === undefined) return null
  if (typeof value === 'string' && value !== '' && value.length <= maxIdCharacters) {
    return storable(value)
  }
  const problem = `_meta ${JSON.stringify(key)} is a text of at most ${maxIdCharacters} characters`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem)
}

/** The client's own name: a claim, stored with the request. */
function clientOf({ mcpReq }: ServerContext): string | null {
  const envelope: Meta = mcpReq.envelope ?? {}
  const info = clientInfo.safeParse(envelope[CLIENT_INFO_META_KEY])
  if (!info.success) return null
  return `${info.data.name} ${info.data.version}`.slice(0, 200).toWellFormed().replaceAll('\0', '')
}

/** Reports to a client that asked for it how long its call has waited. */
function waitReport(context: ServerContext, holdMs: number) {
  const report = progressOf(context, holdMs / 1000)
  if (report === null) return null
  return (
    { number, queue, state }: { number: string; queue: string; state: string },
    seconds: number,
  ) => {
    const message =
      state === 'pending'
        ? `waits for a decision as request #${number} (queue ${queue})`
        : `is being carried out (request #${number})`
    report(seconds, message)
  }
}

/**
 * As the server describes it, without the output schema: a pending answer does not fit it, and
 * clients refuse that.
 */
function asTool({ annotations, title, ...tool }: ServedTool): Tool {
  return {
    ...tool,
    inputSchema: tool.inputSchema as Tool['inputSchema'],
    ...(title === null ? {} : { title }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
}

type ServedTool = Awaited<ReturnType<Api['ctx']['servedTools']>>['tools'][number]

/** The client gets a problem as its sentence, and any other error without its text. */
async function sayingWhy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) throw unavailable(error.message)
    throw error
  }
}

function unavailable(sentence: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, sentence)
}

const maxPageTools = 100
const maxPageBytes = 512 * 1024

/**
 * One page of a list of tools: at most 100 of them and, unless one alone is larger, 512 KiB.
 * `cursor` is where it begins, as the page before named it.
 */
function pageOfTools(
  tools: readonly Tool[],
  cursor: string | undefined,
): { tools: Tool[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isInteger(start) || start < 0 || start > tools.length) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page')
  }
  const page: Tool[] = []
  let bytes = 0
  for (const tool of tools.slice(start, start + maxPageTools)) {
    bytes += Buffer.byteLength(JSON.stringify(tool))
    if (page.length > 0 && bytes > maxPageBytes) break
    page.push(tool)
  }
  const next = start + page.length
  return {
    tools: page.map(readableTool),
    ...(next < tools.length ? { nextCursor: String(next) } : {}),
  }
}
