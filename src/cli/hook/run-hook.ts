import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { readText, type Environment } from '#runtime/environment.ts'
import { findService, type FoundService } from '../service/find-service.ts'
import { secondsOf } from '../terminal/wait-seconds.ts'
import { hookEvents, isBeforeCall, type HookEventName } from '#domain/hooks/hook-events.ts'
import { agentNames, agentOf, usualWaitSeconds, type Agent } from '#domain/hooks/agents.ts'
import { decideHook, reportHook } from './answer-hook.ts'
import {
  checkUnambiguous,
  parseInput,
  type HookDecision,
  type HookEvent,
} from '#domain/hooks/hook-event.ts'
import { harmlessReason } from '#domain/hooks/harmless-tools.ts'
import { projectFolderOf } from '#domain/hooks/project-folder.ts'
import { errorMessage } from '#domain/error-message.ts'
import type { RequestSummary } from '#program-client'
import { DeferredSessions } from './waiting/deferred-sessions.ts'
import { WaitingCalls } from './waiting/waiting-calls.ts'

/** The options of a hook on its command line. */
export interface HookOptions {
  readonly project?: string
  readonly data?: string
  readonly url?: string
  readonly worker?: string
  readonly root?: string
  readonly wait?: string
  /** seconds after which an unattended session ends, to be continued after the decision */
  readonly defer?: string
  readonly callbackUrl?: string
}

/** What a hook runs with. */
interface HookRun {
  readonly environment: Environment
  readonly input: Promise<string>
  /** called once it is known which event is answered */
  readonly onEvent?: (event: HookEventName) => void
}

/** After this additional time the answer is a denial, even if something is still running. */
const graceMs = 2000
const tooLateSentence =
  'the service took too long, so this call does not run; ask again later with exactly the same call'

/**
 * Answers one event of an agent. Resolves with the output of the hook. Fails closed: every failure
 * before a call is answered with a denial. After a call there is nothing to deny. Rejects only for
 * an unknown agent.
 */
export async function runHook(
  name: string,
  options: HookOptions,
  { environment, input, onEvent }: HookRun,
): Promise<string> {
  const agent = agentOf(name)
  if (agent === null) throw new Error(`there is no hook "${name}": ${agentNames.join(', ')}`)
  let eventName: HookEventName | undefined
  try {
    const wait = secondsOf(options.wait ?? String(usualWaitSeconds(agent)))
    const defer = isUnattended(name, environment) ? options.defer : undefined
    const waitMs = Math.min(wait, defer === undefined ? wait : secondsOf(defer, '--defer')) * 1000
    // The time of the process counts too: the agent measures from its start.
    const deadline = AbortSignal.timeout(Math.max(1, Math.round(waitMs - performance.now())))
    const tooLate = new Promise<never>((_, reject) => {
      deadline.addEventListener('abort', () => {
        const overdue = (): void => reject(new Error(tooLateSentence))
        setTimeout(overdue, graceMs).unref()
      })
    })
    // When a call is refused before the race below, nobody listens to this promise.
    tooLate.catch(() => undefined)
    const text = await input
    const event = parseInput(text)
    eventName = hookEvents.find((one) => one === event['hook_event_name'])
    const call = agent.read(event)
    eventName = call.hook_event_name
    // The agent may read such a text as other arguments. After a call there is nothing to refuse.
    if (isBeforeCall(eventName)) checkUnambiguous(text)
    onEvent?.(eventName)
    const answer = answerEvent({ name, agent }, options, { environment, event, call, deadline })
    const decision = await Promise.race([answer, tooLate])
    return decision === null ? '' : agent.say(decision, eventName)
  } catch (error) {
    if (eventName !== undefined && !isBeforeCall(eventName)) return ''
    const reason = `Countersign: ${errorMessage(error)}`
    return agent.say({ decision: 'deny', reason }, eventName)
  }
}

/** `null` after a call, when there is nothing to decide. */
async function answerEvent(
  { agent, name }: { readonly agent: Agent; readonly name: string },
  options: HookOptions,
  hook: {
    readonly environment: Environment
    readonly event: Readonly<Record<string, unknown>>
    /** the event as the agent's contract reads it */
    readonly call: HookEvent
    readonly deadline: AbortSignal
  },
): Promise<HookDecision | null> {
  const { environment, deadline, call: event } = hook
  const isBefore = isBeforeCall(event.hook_event_name)
  // The list has the names of Claude Code's tools, which may mean other tools in other agents.
  if (name === 'claude-code' && harmlessReason(event.tool_name) !== null) {
    return isBefore ? { decision: 'none' } : null
  }
  const apiKey = readText(environment, 'COUNTERSIGN_API_KEY')
  if (apiKey === undefined)
    throw new Error('COUNTERSIGN_API_KEY is not set here, so this call does not run')
  const { hostProof, url } = await serviceOf(options, environment)
  const settings = {
    service: { url, apiKey },
    agent: { name, title: agent.title, edits: agent.edits },
    waiting: waitingCallsOf(environment),
  }
  if (!isBefore) {
    await reportHook(event, settings).catch(() => undefined)
    return null
  }
  const canEnd = isUnattended(name, environment) && event.hook_event_name === 'PreToolUse'
  const isDeferring = canEnd && options.defer !== undefined
  return decideHook(event, {
    ...settings,
    onStillWaiting: isDeferring ? recordSession(hook.event, url, environment) : null,
    ...(options.callbackUrl === undefined ? {} : { callbackUrl: options.callbackUrl }),
    ...(options.worker === undefined ? {} : { worker: options.worker }),
    root: resolve(options.project ?? '.', options.root ?? '.'),
    hostProof,
    deadline,
  })
}

/** The service that the hook asks. A failure says what the machine lacks, and that nothing runs. */
async function serviceOf(options: HookOptions, environment: Environment): Promise<FoundService> {
  try {
    return await findService(options, environment)
  } catch (error) {
    throw new Error(`${errorMessage(error)} This call does not run.`, { cause: error })
  }
}

/**
 * Whether Claude Code runs in print mode. In every other mode it does not accept `defer` as an
 * answer, and may make the call. The first variable alone would be inherited by the sessions that a
 * session starts.
 */
function isUnattended(name: string, environment: Environment): boolean {
  return (
    name === 'claude-code' &&
    readText(environment, 'CLAUDE_CODE_ENTRYPOINT') === 'sdk-cli' &&
    readText(environment, 'CLAUDE_CODE_SESSION_ATTENDED') === '0'
  )
}

/** A function that records how to continue the session of an event after the decision. */
function recordSession(
  event: Readonly<Record<string, unknown>>,
  url: string,
  environment: Environment,
): (request: RequestSummary) => Promise<void> {
  const sessions = new DeferredSessions(deferredFolder(environment))
  return ({ id: requestId, number }) =>
    sessions.add({
      sessionId: event['session_id'],
      folder: projectFolderOf(event) ?? event['cwd'],
      permissionMode: event['permission_mode'],
      url,
      requestId,
      number,
    })
}

/** The folder that has the records of this person's sessions that ended before a decision. */
export function deferredFolder(environment: Environment): string {
  return join(stateFolder(environment), 'sessions')
}

/** The names under which calls of this person's agents wait. */
export function waitingCallsOf(environment: Environment): WaitingCalls {
  return new WaitingCalls(join(stateFolder(environment), 'hooks'))
}

function stateFolder(environment: Environment): string {
  const home = readText(environment, 'HOME') ?? homedir()
  const state = readText(environment, 'XDG_STATE_HOME') ?? join(home, '.local', 'state')
  return join(state, 'countersign')
}
