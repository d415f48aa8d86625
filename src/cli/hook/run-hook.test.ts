import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { runHook } from './run-hook.ts'

test('an event that cannot be read is denied with the cause, and the denial does not blame the service', async () => {
  for (const [input, why] of [
    ['junk', 'The input of the hook is not JSON'],
    ['{}', 'The input of the hook is not a hook event: hook_event_name'],
  ] as const) {
    const output = await runHook(
      'claude-code',
      {},
      { environment: {}, input: Promise.resolve(input) },
    )
    expect(JSON.parse(output)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: `Countersign: ${why}`,
      },
    })
  }
})

// Rules: security.md 22, 34
test.each([
  ['claude-code', '{"command":"ls","command":"rm -rf ."}', 'The key "command" is there twice'],
  ['codex', '{"command":"ls","n":0.10000000000000000001}', 'more digits than a double keeps'],
  ['gemini-cli', '{"n":9007199254740993}', 'is beyond 2^53'],
  ['copilot-cli', '{"command":"ls","command":"rm -rf ."}', 'The key "command" is there twice'],
])(
  'the hook of %s denies a call with the arguments %s, which agents may read differently',
  async (agent, args, why) => {
    const names = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', cwd: '/' }
    const event = JSON.stringify({ ...names, tool_input: 'ARGS' }).replace('"ARGS"', args)
    const copilot = JSON.stringify({ sessionId: 's', toolName: 'bash', toolArgs: args })
    const input = Promise.resolve(agent === 'copilot-cli' ? copilot : event)
    const output = await runHook(agent, {}, { environment: {}, input })
    expect(output).toMatch(/deny|block/)
    expect(JSON.parse(output) && output.replaceAll('\\', '')).toContain(why)
  },
)

const claudeCall = { session_id: 's', tool_name: 'Write', tool_input: { file_path: 'a.md' } }

test.each([
  ['claude-code', { hook_event_name: 'PostToolUse', ...claudeCall }],
  ['claude-code', { hook_event_name: 'PostToolUseFailure' }],
  ['codex', { hook_event_name: 'PostToolUse', ...claudeCall }],
  ['gemini-cli', { hook_event_name: 'AfterTool', ...claudeCall }],
  ['copilot-cli', { sessionId: 's', toolName: 'w', toolArgs: {}, toolResult: 'ok' }],
] as const)(
  'after a call, a failure of the hook of %s makes no claim about the call, which has run',
  async (agent, event) => {
    const input = Promise.resolve(JSON.stringify(event))
    expect(await runHook(agent, {}, { environment: {}, input })).toBe('')
  },
)

test('before a call without a key, the call is denied with the cause', async () => {
  const input = Promise.resolve(JSON.stringify({ hook_event_name: 'BeforeTool', ...claudeCall }))
  const output = await runHook('gemini-cli', {}, { environment: {}, input })
  expect(JSON.parse(output)).toEqual({
    decision: 'deny',
    reason: 'Countersign: COUNTERSIGN_API_KEY is not set here, so this call does not run',
  })
})

test('a hook whose time ends before the service has answered does not say that none is there', async () => {
  const silent = createServer()
  onTestFinished(() => closeServer(silent))
  const url = `http://127.0.0.1:${await listenHere(silent)}`
  const folder = newFolder('countersign-silent-')
  const input = Promise.resolve(JSON.stringify({ hook_event_name: 'PreToolUse', ...claudeCall }))
  const environment = { COUNTERSIGN_API_KEY: 'cs_key', XDG_STATE_HOME: folder }
  const options = { url, wait: '1', project: folder }
  const output = await runHook('claude-code', options, { environment, input })
  expect(JSON.parse(output)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason:
        'Countersign: the service did not answer in time, so this call does not run. Ask again later.',
    },
  })
})

test('before a call without a service for the folder, the denial names the variable with its address', async () => {
  const input = Promise.resolve(JSON.stringify({ hook_event_name: 'PreToolUse', ...claudeCall }))
  const environment = { COUNTERSIGN_API_KEY: 'cs_key' }
  const output = await runHook(
    'claude-code',
    { project: newFolder('countersign-no-service-') },
    { environment, input },
  )
  expect(JSON.parse(output)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(
        /COUNTERSIGN_URL\. This call does not run\.$/,
      ),
    },
  })
})

/** What the hook of a call says if the service answers everything with this. */
async function denialAfter(answer: object): Promise<string> {
  const service = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
  )
  onTestFinished(() => closeServer(service))
  const port = await listenHere(service)
  const project = newFolder('countersign-odd-answer-')
  const event = { hook_event_name: 'PreToolUse', tool_use_id: 'toolu_1', ...claudeCall }
  const output = await runHook(
    'claude-code',
    { project, url: `http://127.0.0.1:${port}` },
    {
      environment: { COUNTERSIGN_API_KEY: 'cs_key', HOME: project },
      input: Promise.resolve(JSON.stringify(event)),
    },
  )
  const { hookSpecificOutput: denial } = JSON.parse(output)
  expect(denial).toMatchObject({ permissionDecision: 'deny' })
  return denial.permissionDecisionReason
}

test('a second hook for one call, which finds its permit taken, does not claim that the call ran', async () => {
  const external = { consumed: {}, outcome: null }
  const answer = { id: 'r', number: 1, state: 'approved', decisions: [], external }
  expect(await denialAfter(answer)).toContain('a second hook for this call, has taken its permit')
})

test('an approval without the fields of a request is denied with a sentence', async () => {
  expect(await denialAfter({ id: 'r', number: 1, state: 'approved' })).toMatch(
    /^Countersign: http:\S+ answered, but not as Countersign does, so this call does not run$/,
  )
})
