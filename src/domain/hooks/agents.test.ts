import { expect, test } from 'vitest'
import { parseInput, type HookDecision } from './hook-event.ts'
import { agentNames, agentOf, agents, usualWaitSeconds } from './agents.ts'

const deny: HookDecision = { decision: 'deny', reason: 'no' }
const allow: HookDecision = { decision: 'allow', reason: 'yes' }
const claude = (permissionDecision: string, permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
})

test.each([
  ['claude-code', claude('deny', 'no'), claude('allow', 'yes')],
  // Codex treats `allow` alone as an error, and then runs the call.
  ['codex', claude('deny', 'no'), null],
  ['gemini-cli', { decision: 'deny', reason: 'no' }, { decision: 'allow', reason: 'yes' }],
  [
    'copilot-cli',
    { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    { permissionDecision: 'allow', permissionDecisionReason: 'yes' },
  ],
  [
    'cursor',
    { permission: 'deny', user_message: 'no' },
    { permission: 'allow', user_message: 'yes' },
  ],
  ['opencode', deny, allow],
] as const)('%s is told yes and no in its own words', (name, no, yes) => {
  expect(JSON.parse(agents[name].say(deny))).toEqual(no)
  const answer = agents[name].say(allow)
  expect(answer === '' ? null : JSON.parse(answer)).toEqual(yes)
})

const changed = { command: 'ls' }
test.each([
  ['claude-code', { hookSpecificOutput: { updatedInput: changed, permissionDecision: 'allow' } }],
  // It refuses `allow` without other arguments, and takes it with them.
  ['codex', { hookSpecificOutput: { updatedInput: changed, permissionDecision: 'allow' } }],
  ['gemini-cli', { decision: 'allow', hookSpecificOutput: { tool_input: changed } }],
  ['copilot-cli', { permissionDecision: 'allow', modifiedArgs: changed }],
  ['cursor', { permission: 'allow', updated_input: changed }],
  ['opencode', { decision: 'allow', input: changed }],
] as const)('%s gets changed arguments in its own format', (name, answer) => {
  expect(agents[name].edits).toHaveProperty('PreToolUse')
  expect(JSON.parse(agents[name].say({ ...allow, input: changed }))).toMatchObject(answer)
})

test.each(['claude-code', 'codex'] as const)(
  '%s gets the answer to a request for permission in its own format',
  (name) => {
    const { say } = agents[name]
    const answer = (decision: HookDecision) => JSON.parse(say(decision, 'PermissionRequest'))
    const hookEventName = 'PermissionRequest'
    expect(answer(deny)).toEqual({
      hookSpecificOutput: { hookEventName, decision: { behavior: 'deny', message: 'no' } },
    })
    expect(answer(allow)).toEqual({
      hookSpecificOutput: { hookEventName, decision: { behavior: 'allow' } },
    })
  },
)

test('only a session of Claude Code is ended before a call; for every other agent the call is denied', () => {
  const leave: HookDecision = { ...deny, defers: true }
  expect(JSON.parse(agents['claude-code'].say(leave))).toEqual(claude('defer', 'no'))
  for (const name of agentNames) {
    if (name === 'claude-code') continue
    if (name === 'opencode') continue
    expect(agents[name].say(leave)).toBe(agents[name].say(deny))
  }
  for (const name of ['claude-code', 'codex'] as const) {
    const answer = agents[name].say(leave, 'PermissionRequest')
    expect(answer).toBe(agents[name].say(deny, 'PermissionRequest'))
  }
})

const session = { session_id: 's', sessionId: 's', conversation_id: 's', cwd: '/srv' }
const call = { tool_name: 'x', toolName: 'x', tool_input: { a: 1 }, toolArgs: { a: 1 } }

test.each(agentNames)(
  'an event of %s is parsed, and any other input is refused with a sentence',
  (name) => {
    const event = { ...session, ...call, hook_event_name: 'PreToolUse' }
    const { read } = agents[name]
    expect(read(event)).toEqual({
      hook_event_name: 'PreToolUse',
      session_id: 's',
      tool_name: 'x',
      tool_input: { a: 1 },
      cwd: '/srv',
    })
    const wrong = [
      '',
      'null',
      '[]',
      '{}',
      '{"hook_event_name":"Stop","session_id":"s"}',
      JSON.stringify({ ...event, tool_name: 1, toolName: 1 }),
      JSON.stringify({ ...event, tool_name: 'x'.repeat(201), toolName: 'x'.repeat(201) }),
      JSON.stringify({ ...event, tool_input: 'rm', toolArgs: ['rm'] }),
    ]
    for (const text of wrong) expect(() => read(parseInput(text))).toThrow(/The input of the hook/)
  },
)

test('the arguments of a call of Copilot CLI may be JSON text', () => {
  const { read } = agents['copilot-cli']
  const event = (toolArgs: string) => ({ ...session, ...call, toolArgs })
  expect(read(event('{"command":"ls"}')).tool_input).toEqual({ command: 'ls' })
  for (const text of ['ls', '["ls"]', '"ls"', '']) {
    expect(() => read(event(text))).toThrow(/The input of the hook/)
  }
})

test.each([
  ['gemini-cli', 'PreToolUse', { hook_event_name: 'BeforeTool', tool_response: { error: {} } }],
  ['gemini-cli', 'PostToolUse', { hook_event_name: 'AfterTool', tool_response: { error: null } }],
  ['gemini-cli', 'PostToolUse', { hook_event_name: 'AfterTool' }],
  [
    'gemini-cli',
    'PostToolUseFailure',
    { hook_event_name: 'AfterTool', tool_response: { error: {} } },
  ],
  ['copilot-cli', 'PreToolUse', { hook_event_name: 'PostToolUse' }],
  ['copilot-cli', 'PostToolUse', { toolResult: { resultType: 'success' } }],
  ['copilot-cli', 'PostToolUseFailure', { error: 'Path does not exist' }],
] as const)('the report of %s after a call is read as %s', (name, event, more) => {
  expect(agents[name].read({ ...session, ...call, ...more }).hook_event_name).toBe(event)
})

test.each(agentNames)(
  '%s gets an answer before its own time limit, unless a setting says otherwise',
  (name) => {
    const { limitSeconds } = agents[name]
    const waits = usualWaitSeconds(agents[name])
    expect(waits).toBeGreaterThanOrEqual(15)
    // Time for the last answer, and for a slow machine.
    expect(limitSeconds - waits).toBeGreaterThanOrEqual(15)
  },
)

test.each(['nobody', '__proto__', 'constructor', 'toString'])('there is no agent %s', (name) => {
  expect(agentOf(name)).toBeNull()
})
