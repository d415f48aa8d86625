import { randomUUID } from 'node:crypto'
import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { agents } from '#domain/hooks/agents.ts'
import {
  answerContent,
  denyPermission,
  eventOfQuestion,
  permissionTool,
  readQuestion,
  type PermissionAnswer,
} from '#domain/hooks/permission-tool.ts'
import type { Caller } from '#services/core/context.ts'
import type { Api } from '../context/api.ts'
import type { McpMessage } from '../context/mcp-message.ts'
import { hostOf, judgeHook, denialSentence, rootOf } from '../hooks/judge-hook.ts'
import type { Attempt } from '../route/recording-refusals.ts'
import type { permissionQuery } from '../schemas/requests/hooks.ts'
import { progressEveryMs, progressOf } from './progress.ts'
import { TaskServer } from './task-handlers.ts'

/** A message to the permission tool, from a key that may ask. */
export interface PermissionMessage {
  readonly settings: z.output<typeof permissionQuery>
  readonly request: Request
  readonly response: Response
  /** whether its key still counts */
  readonly isKnown: () => Promise<boolean>
  readonly attempt: Attempt
  readonly record: (message: McpMessage) => void
}

/**
 * The server of one caller at `/mcp`: its only tool answers `--permission-prompt-tool`. A call is
 * judged as a hook's: by the policy of the worker that the address names, then by people. Whatever
 * goes wrong with a question is a denial with its sentence.
 */
export function permissionServer(api: Api, caller: Caller, message: PermissionMessage): Server {
  const server = new TaskServer(
    message.record,
    { name: 'countersign', version: api.settings.version },
    { capabilities: { tools: {} } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [permissionTool] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (params.name !== permissionTool.name) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name')
    }
    server.addFacts({ tool: permissionTool.name })
    const stop = startReports(context, message.settings.wait)
    try {
      return answerContent(await answerQuestion(api, caller, params.arguments ?? {}, message))
    } finally {
      stop()
    }
  })
  return server
}

/** Reports progress to a client that asked for it, so that it keeps waiting. */
function startReports(context: ServerContext, waitSeconds: number): () => void {
  const report = progressOf(context, waitSeconds)
  if (report === null) return () => undefined
  const began = performance.now()
  const timer = setInterval(() => {
    report(Math.round((performance.now() - began) / 1000), 'waits for a decision')
  }, progressEveryMs)
  return () => clearInterval(timer)
}

async function answerQuestion(
  api: Api,
  caller: Caller,
  input: Readonly<Record<string, unknown>>,
  { attempt, isKnown, request, response, settings }: PermissionMessage,
): Promise<PermissionAnswer> {
  try {
    const question = readQuestion(input)
    const { tool_use_id } = question
    const root = rootOf(request.get('countersign-root') ?? '')
    const host = hostOf(request)
    const received = {
      agent: { name: 'claude-code', title: agents['claude-code'].title },
      event: {
        ...eventOfQuestion(question),
        ...(tool_use_id === undefined ? {} : { tool_use_id }),
      },
      worker: settings.worker ?? null,
      root,
      host,
      waitMs: settings.wait * 1000,
      // An approval counts for an equal call in the same folder of the same machine. Without a
      // folder, equal calls of two machines look alike.
      scope:
        root === null
          ? { name: `once:${tool_use_id ?? randomUUID()}`, isOnce: true }
          : { name: `host:${host}`, isOnce: false },
    }
    const judge = () => judgeHook(api, caller, received, { response, isKnown })
    const decision = await attempt(` ${permissionTool.name}`, judge)
    return decision.decision === 'deny'
      ? { behavior: 'deny', message: decision.reason }
      : { behavior: 'allow', updatedInput: decision.input ?? question.input }
  } catch (error) {
    return denyPermission(denialSentence(api, error))
  }
}
