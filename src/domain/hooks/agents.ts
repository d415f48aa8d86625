import { isObject } from '../json/is-object.ts'
import { hookEvents, type HookEventName } from './hook-events.ts'
import {
  checkUnambiguous,
  HookInputError,
  nameOf,
  objectOf,
  optionalName,
  parseInput,
  type HookDecision,
  type HookEvent,
} from './hook-event.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * How an agent calls its command hook and reads the answer, by the agent's published contract. When
 * something fails, every hook denies.
 */
export interface Agent {
  /** for people and in requests */
  readonly title: string
  /** the release of this contract */
  readonly release: string
  /** what was tested, for people */
  readonly works: string
  /** the events that are answered, by the agent's own names */
  readonly events: readonly string[]
  /** parses the hook's input; throws a sentence when it is not an event of a tool call */
  readonly read: (input: Input) => HookEvent
  /** what the hook prints to allow, to deny, or to leave the call to the agent */
  readonly say: (decision: HookDecision, event?: HookEventName) => string
  /**
   * on which events an answer may carry other arguments, and whether they replace those of the
   * agent or are merged into them
   */
  readonly edits: Partial<Readonly<Record<HookEventName, 'replace' | 'merge'>>>
  /** the agent's default time limit for a hook, after which it continues without an answer */
  readonly limitSeconds: number
  /** the unit of the time limit in its settings */
  readonly unit: 'seconds' | 'milliseconds'
  /** what the agent does when the hook is late, or dies */
  readonly whenLate: 'runs the call' | 'runs the call unless told otherwise' | 'denies the call'
  readonly whenDead: 'runs the call' | 'runs the call unless told otherwise' | 'denies the call'
}

/** Answers in the form of Claude Code, which others have adopted. */
function hookSpecific(
  answer: Exclude<HookDecision, { decision: 'none' }>,
  event: HookEventName = 'PreToolUse',
  word: string = answer.decision,
): string {
  const { decision, reason } = answer
  const changed = changedAs('updatedInput', answer)
  const output =
    event === 'PermissionRequest'
      ? {
          hookEventName: event,
          decision: {
            behavior: decision,
            ...(decision === 'deny' ? { message: reason } : {}),
            ...changed,
          },
        }
      : {
          hookEventName: 'PreToolUse',
          permissionDecision: word,
          permissionDecisionReason: reason,
          ...changed,
        }
  return JSON.stringify({ hookSpecificOutput: output })
}

/** The changed arguments of an allowed call, under the agent's name of them. */
function changedAs(name: string, decision: HookDecision): object {
  return decision.decision === 'allow' && decision.input !== undefined
    ? { [name]: decision.input }
    : {}
}

/** Members that Claude Code and Codex have in common. */
function usualEvent(input: Input): HookEvent {
  const event = hookEvents.find((name) => name === input['hook_event_name'])
  if (event === undefined) {
    throw new HookInputError('The input of the hook is not a hook event: hook_event_name')
  }
  return makeEvent({
    hook_event_name: event,
    session_id: nameOf(input, 'session_id'),
    tool_name: nameOf(input, 'tool_name'),
    tool_input: objectOf(input, 'tool_input'),
    tool_use_id: optionalName(input, 'tool_use_id'),
    cwd: typeof input['cwd'] === 'string' ? input['cwd'] : undefined,
  })
}

/** The arguments of a call: an object, or its JSON text, as the agent's documentation has it. */
function copilotInput(input: Input): HookEvent['tool_input'] {
  const { toolArgs } = input
  if (typeof toolArgs !== 'string') return objectOf(input, 'toolArgs')
  const call = parseInput(toolArgs)
  if (copilotEvent(input) === 'PreToolUse') checkUnambiguous(toolArgs)
  return call
}

/** Without the members that are undefined. */
function makeEvent(event: {
  readonly [Name in keyof HookEvent]-?:
    | HookEvent[Name]
    | (Name extends 'tool_use_id' | 'cwd' ? undefined : never)
}): HookEvent {
  const { tool_use_id, cwd, ...members } = event
  return {
    ...members,
    ...(tool_use_id !== undefined && { tool_use_id }),
    ...(cwd !== undefined && { cwd }),
  }
}

/** The tool's answer of Gemini CLI says whether it failed. */
function geminiEvent({ hook_event_name: event, tool_response: response }: Input): HookEventName {
  if (event !== 'AfterTool') return 'PreToolUse'
  return isObject(response) && isObject(response['error']) ? 'PostToolUseFailure' : 'PostToolUse'
}

/** Copilot CLI does not name its events: their members tell them apart. */
function copilotEvent({ error, toolResult }: Input): HookEventName {
  if (error !== undefined) return 'PostToolUseFailure'
  return toolResult === undefined ? 'PreToolUse' : 'PostToolUse'
}

/** The agents by the names in `countersign hook NAME`. */
export const agents = {
  'claude-code': {
    title: 'Claude Code',
    release: '2.1.332',
    works: 'run with it in print and prompt mode, by command and over HTTP',
    events: hookEvents,
    read: usualEvent,
    say: (decision, event?: HookEventName) => {
      if (decision.decision === 'none') return '{}'
      const defers = decision.decision === 'deny' && decision.defers === true
      return hookSpecific(decision, event, defers ? 'defer' : decision.decision)
    },
    edits: { PreToolUse: 'replace', PermissionRequest: 'replace' },
    limitSeconds: 600,
    unit: 'seconds',
    whenLate: 'runs the call unless told otherwise',
    whenDead: 'runs the call unless told otherwise',
  },
  codex: {
    title: 'Codex',
    release: '0.171.0',
    works: 'run with it, by `codex exec`; `PermissionRequest` from its contract',
    events: ['PreToolUse', 'PermissionRequest', 'PostToolUse'],
    read: usualEvent,
    // It treats `allow` without changed arguments as an error, and then runs the call: no output
    // means yes.
    say: (decision, event?: HookEventName) =>
      decision.decision === 'deny' ||
      (decision.decision === 'allow' &&
        (event === 'PermissionRequest' || decision.input !== undefined))
        ? hookSpecific(decision, event)
        : '',
    // It takes an answer with other arguments to a permission request as a denial.
    edits: { PreToolUse: 'replace' },
    limitSeconds: 600,
    unit: 'seconds',
    whenLate: 'runs the call',
    whenDead: 'runs the call',
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    release: '0.61.0',
    works: 'run with it, in headless mode',
    events: ['BeforeTool', 'AfterTool'],
    read: (input) =>
      makeEvent({
        hook_event_name: geminiEvent(input),
        session_id: nameOf(input, 'session_id'),
        tool_name: nameOf(input, 'tool_name'),
        tool_input: objectOf(input, 'tool_input'),
        tool_use_id: undefined,
        cwd: typeof input['cwd'] === 'string' ? input['cwd'] : undefined,
      }),
    say: (decision) =>
      decision.decision === 'none'
        ? '{}'
        : JSON.stringify({
            decision: decision.decision,
            reason: decision.reason,
            ...(decision.decision === 'allow' && decision.input !== undefined
              ? { hookSpecificOutput: changedAs('tool_input', decision) }
              : {}),
          }),
    edits: { PreToolUse: 'merge' },
    limitSeconds: 60,
    unit: 'milliseconds',
    whenLate: 'runs the call',
    whenDead: 'runs the call',
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    release: '1.0.102',
    works: 'run with it, in prompt mode',
    events: ['preToolUse', 'postToolUse', 'postToolUseFailure'],
    read: (input) =>
      makeEvent({
        hook_event_name: copilotEvent(input),
        session_id: nameOf(input, 'sessionId'),
        tool_name: nameOf(input, 'toolName'),
        tool_input: copilotInput(input),
        tool_use_id: undefined,
        cwd: typeof input['cwd'] === 'string' ? input['cwd'] : undefined,
      }),
    say: (decision) =>
      decision.decision === 'none'
        ? '{}'
        : JSON.stringify({
            permissionDecision: decision.decision,
            permissionDecisionReason: decision.reason,
            ...changedAs('modifiedArgs', decision),
          }),
    edits: { PreToolUse: 'replace' },
    limitSeconds: 30,
    unit: 'seconds',
    whenLate: 'runs the call',
    whenDead: 'denies the call',
  },
  cursor: {
    title: 'Cursor',
    release: 'of November 2026',
    works: 'partly: from its contract, no outcome; not run with it',
    events: ['preToolUse'],
    read: (input) =>
      makeEvent({
        hook_event_name: 'PreToolUse',
        session_id: nameOf(input, 'conversation_id'),
        tool_name: nameOf(input, 'tool_name'),
        tool_input: objectOf(input, 'tool_input'),
        tool_use_id: optionalName(input, 'tool_use_id'),
        cwd: typeof input['cwd'] === 'string' ? input['cwd'] : undefined,
      }),
    // The model reads `user_message`. An answer without a decision is a denial.
    say: (decision) =>
      decision.decision === 'none'
        ? JSON.stringify({ permission: 'allow' })
        : JSON.stringify({
            permission: decision.decision,
            user_message: decision.reason,
            ...changedAs('updated_input', decision),
          }),
    edits: { PreToolUse: 'replace' },
    limitSeconds: 60,
    unit: 'seconds',
    whenLate: 'runs the call unless told otherwise',
    whenDead: 'runs the call unless told otherwise',
  },
  // Its events are those of the plugin that `--install` writes, which also sets the time limit.
  opencode: {
    title: 'OpenCode',
    release: '1.18.33',
    works: 'run with it, by the plugin that `--install` writes',
    events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    read: usualEvent,
    say: (decision) => JSON.stringify(decision),
    edits: { PreToolUse: 'replace' },
    limitSeconds: 600,
    unit: 'seconds',
    whenLate: 'denies the call',
    whenDead: 'denies the call',
  },
} as const satisfies Readonly<Record<string, Agent>>

export type AgentName = keyof typeof agents

/** The names, in the order of the table. */
export const agentNames = Object.keys(agents) as AgentName[]

/** The agent of that name; `null`: there is none. */
export function agentOf(name: string): Agent | null {
  const agentName = agentNames.find((one) => one === name)
  return agentName === undefined ? null : agents[agentName]
}

/** How long people have to decide within an agent's default time limit. */
export function usualWaitSeconds({ limitSeconds }: Agent): number {
  return limitSeconds - Math.min(60, Math.ceil(limitSeconds / 2))
}
