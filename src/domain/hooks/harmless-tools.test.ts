import { expect, test } from 'vitest'
import { callOfEvent } from './call-of-event.ts'
import { claudeCodeTools } from './claude-code-tools.fixture.ts'
import { harmlessReason } from './harmless-tools.ts'
import { agents } from './agents.ts'

const harmless = [
  'AskUserQuestion CronList EnterPlanMode TaskCreate TaskGet TaskList TaskUpdate TodoWrite ToolSearch',
].flatMap((line) => line.split(' '))
const { declared, documented, others } = claudeCodeTools
/** All names of the tools; some are declared under another name than the documented one. */
const names = new Set([
  ...documented,
  ...others,
  ...declared.flatMap((name) => [name, `${name}Tool`, name.replace(/^File/, '')]),
])

// Rules: security.md 32
test.each(harmless)('%s is harmless, with a reason, and Claude Code has such a tool', (tool) => {
  expect(harmlessReason(tool)).toMatch(/^.{15,}$/)
  expect([...declared, ...documented]).toContain(tool)
})

test.each([...names].filter((name) => !harmless.includes(name)))('%s asks', (tool) => {
  expect(harmlessReason(tool)).toBeNull()
})

test.each([
  'ToolOfTomorrow',
  'mcp__wiki__search',
  'mcp__TodoWrite__TodoWrite',
  'todowrite',
  'TODOWRITE',
  'TodoWrite ',
  ' TodoWrite',
  'TodoWrite\n',
  'Todo\u0057rite\u200b',
  'T\u043edoWrite',
  'constructor',
  '__proto__',
  'toString',
  '*',
])('an unknown name, or another spelling of a harmless one, asks: %j', (tool) => {
  expect(harmlessReason(tool)).toBeNull()
})

test.each(['bash', 'Bash ', 'read_file', 'read file', 'shell', 'write_file', 'edit file'])(
  'a tool whose name is only similar to one that policy knows is another tool: %j',
  (tool) => {
    const event = {
      hook_event_name: 'PreToolUse' as const,
      session_id: 's',
      tool_name: tool,
      tool_input: { path: 'a.md' },
    }
    const call = callOfEvent(event, '/srv/shop')
    expect(call.tool).toMatch(/^claude-code:/)
    expect(call.input).toEqual({ path: 'a.md' })
  },
)

test('the hook decides nothing about harmless calls: it never allows a call that nobody was asked about', () => {
  expect(JSON.parse(agents['claude-code'].say({ decision: 'none' }))).toEqual({})
})
