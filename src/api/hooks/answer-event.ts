import type { Request, Response } from 'express'
import { isBeforeCall, hookEvents } from '#domain/hooks/hook-events.ts'
import { agents } from '#domain/hooks/agents.ts'
import { harmlessReason } from '#domain/hooks/harmless-tools.ts'
import { projectFolderOf } from '#domain/hooks/project-folder.ts'
import type { HookDecision } from '#domain/hooks/hook-event.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { byProgram } from '#services/core/authority.ts'
import type { Caller } from '#services/core/context.ts'
import { reportHookedCall } from '#services/hooks/report-hooked-call.ts'
import type { Api } from '../context/api.ts'
import {
  deny,
  hostOf,
  judgeHook,
  namedCallOf,
  denialSentence,
  rootOf,
  type ReceivedEvent,
} from './judge-hook.ts'

/** An event, from a key that may ask. */
export interface HookHttpCall {
  readonly body: JsonObject
  readonly worker: string | null
  readonly waitSeconds: number
  readonly request: Request
  readonly response: Response
  /** whether its key still counts */
  readonly isKnown: () => Promise<boolean>
}

const agentName = 'claude-code'
const agent = agents[agentName]

/**
 * Answers one event of Claude Code in its JSON format. Every problem of the event or the call is a
 * denial with its sentence, since the agent would make the call after an error. `settle` gets the
 * cause of the denial.
 */
export async function answerEvent(
  api: Api,
  caller: Caller,
  httpCall: HookHttpCall,
  settle: (judge: () => Promise<HookDecision>) => Promise<HookDecision>,
): Promise<JsonObject> {
  // People have no hooks.
  byProgram(caller)
  const { body } = httpCall
  const eventName = hookEvents.find((one) => one === body['hook_event_name'])
  const say = (decision: HookDecision): JsonObject =>
    JSON.parse(agent.say(decision, eventName)) as JsonObject
  let received: ReceivedEvent
  try {
    received = receivedEventOf(httpCall)
  } catch (error) {
    return say(deny(denialSentence(api, error)))
  }
  const { event } = received
  const isBefore = isBeforeCall(event.hook_event_name)
  if (harmlessReason(event.tool_name) !== null) return say({ decision: 'none' })
  if (!isBefore) {
    const state = event.hook_event_name === 'PostToolUse' ? 'succeeded' : 'failed'
    await reportHookedCall(api.ctx, caller, { ...namedCallOf(received), state })
    return {}
  }
  try {
    return say(await settle(() => judgeHook(api, caller, received, httpCall)))
  } catch (error) {
    return say(deny(denialSentence(api, error)))
  }
}

function receivedEventOf({ body, worker, waitSeconds, request }: HookHttpCall): ReceivedEvent {
  return {
    agent: { name: agentName, title: agent.title },
    event: agent.read(body),
    worker,
    root: rootOf(request.get('countersign-root') ?? '') ?? rootOf(projectFolderOf(body) ?? ''),
    host: hostOf(request),
    waitMs: waitSeconds * 1000,
    scope: null,
  }
}
