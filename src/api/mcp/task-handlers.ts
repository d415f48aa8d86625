import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#services/core/context.ts'
import { cancelGatewayCall } from '#services/gateway/cancel-gateway-call.ts'
import { readCallState, type GatewayCallState } from '#services/gateway/read-call-state.ts'
import { recordWaitingCaller } from '#services/gateway/record-waiting-caller.ts'
import type { Api } from '../context/api.ts'
import type { Attempt } from '../route/recording-refusals.ts'
import { reportState } from './call-tool.ts'
import {
  errorOfFailure,
  errorOfResult,
  mcpMessage,
  type McpMessage,
} from '../context/mcp-message.ts'
import { taskOf, tasksExtension } from './task-of-call.ts'

const taskParams = z.object({ taskId: z.string().min(1).max(128) })
const updateParams = taskParams.extend({ inputResponses: z.looseObject({}).optional() })
const declared = z.object({ extensions: z.object({ [tasksExtension]: z.looseObject({}) }) })

/** Whether the client says in this request that it accepts a task as the answer. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  return declared.safeParse(envelope[CLIENT_CAPABILITIES_META_KEY]).success
}

/** What a client has to declare on each request about a task. */
const needed = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } }

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel` about the caller's calls. */
export function handleTasks(
  server: Server,
  api: Api,
  caller: Caller,
  { name, attempt }: { readonly name: string; readonly attempt: Attempt },
): void {
  const find = async (
    taskId: string,
    context: ServerContext,
    act?: string,
  ): Promise<GatewayCallState> => {
    if (!takesTasks(context)) throw new MissingRequiredClientCapabilityError(needed)
    const read = () => readCallState(api.ctx, caller, name, { task: taskId })
    try {
      return await (act === undefined ? read() : attempt(act, read))
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task')
    }
  }
  server.setRequestHandler('tasks/get', { params: taskParams }, async ({ taskId }, context) => {
    const state = await find(taskId, context)
    const task = taskOf(state, api.settings.publicUrl)
    if (task.status === 'working' && state.state === 'approved') {
      await recordWaitingCaller(api.ctx, caller, state.requestId)
    }
    if (task.status !== 'completed') return { ...task }
    return { ...task, result: await reportState(api, state) }
  })
  // The tasks of the gateway have no questions for the client, so an update has nothing to answer.
  server.setRequestHandler(
    'tasks/update',
    { params: updateParams },
    async ({ taskId }, context) => {
      await find(taskId, context)
      return {}
    },
  )
  server.setRequestHandler('tasks/cancel', { params: taskParams }, async ({ taskId }, context) => {
    const { requestId } = await find(taskId, context, ' tasks/cancel')
    await cancelGatewayCall(api.ctx, caller, requestId)
    return {}
  })
}

/** A server of one request that may answer `tools/call` with a task. It records its answer. */
export class TaskServer extends Server {
  readonly #record: (message: McpMessage) => void
  #message: McpMessage | null = null

  constructor(record: (message: McpMessage) => void, ...of: ConstructorParameters<typeof Server>) {
    super(...of)
    this.#record = record
  }

  /** Adds facts about the message that is being answered, and records it. */
  addFacts(facts: Partial<McpMessage>): void {
    if (this.#message === null) return
    this.#message = { ...this.#message, ...facts }
    this.#record(this.#message)
  }

  protected override _wrapHandler(
    ...[method, handler]: Parameters<Server['_wrapHandler']>
  ): ReturnType<Server['_wrapHandler']> {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      this.#message = mcpMessage(method, context)
      this.addFacts({})
      try {
        const result = await wrapped(request, context)
        this.addFacts({ error: errorOfResult(result) })
        if (!('resultType' in result) || result['resultType'] !== 'task') return result
        // The package requires content in every answer of a tool call; a task has none.
        const { content: _none, ...task } = { content: undefined, ...result }
        return task
      } catch (error) {
        this.addFacts({ error: errorOfFailure(error) })
        throw error
      }
    }
  }
}
