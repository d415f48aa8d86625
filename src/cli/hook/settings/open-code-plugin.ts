const afterSeconds = 30

/**
 * The plugin that OpenCode loads from a project: it passes each call of a tool to the hook. If
 * anything fails it throws, which denies the call. OpenCode itself sets no limit.
 */
export function openCodePlugin({
  command,
  timeoutSeconds,
}: {
  readonly command: string
  readonly timeoutSeconds: number
}): string {
  return `// Made by "countersign hook opencode --install": asks Countersign before every call of a tool.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const command = ${JSON.stringify(command)}
const folder = fileURLToPath(new URL('../..', import.meta.url))

/** What the hook prints. Rejects when it fails. */
function run(event, seconds) {
  return new Promise((resolve, reject) => {
    const limits = { timeout: seconds * 1000, killSignal: 'SIGKILL' }
    const child = spawn('/bin/sh', ['-c', command], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'], ...limits })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(said) : reject(new Error('the hook failed'))))
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(event))
  })
}

async function ask(event) {
  try {
    return JSON.parse(await run(event, ${timeoutSeconds}))
  } catch {
    return { decision: 'deny', reason: 'Countersign: the hook failed, so this call does not run.' }
  }
}

export const Countersign = async ({ directory }) => {
  const allowed = new Map()
  const report = async (id, name) => {
    const event = allowed.get(id)
    if (event === undefined || !allowed.delete(id)) return
    await run({ ...event, hook_event_name: name }, ${afterSeconds}).catch(() => undefined)
  }
  return {
    'tool.execute.before': async ({ callID, sessionID, tool }, { args }) => {
      const event = {
        hook_event_name: 'PreToolUse',
        session_id: sessionID,
        tool_name: tool,
        tool_input: args ?? {},
        tool_use_id: callID,
        cwd: directory,
      }
      // A copy, which is what people are asked about: another plugin may change the arguments
      // later.
      const asked = JSON.parse(JSON.stringify(event))
      const { decision, input, reason } = await ask(asked)
      if (decision !== 'allow') throw new Error(String(reason))
      if (JSON.stringify(args ?? {}) !== JSON.stringify(asked.tool_input)) {
        throw new Error('Countersign: the arguments have changed since, so this call does not run.')
      }
      allowed.set(callID, { ...asked, tool_input: input ?? asked.tool_input })
      if (input === undefined) return
      for (const name of Object.keys(args)) delete args[name]
      Object.assign(args, input)
    },
    'tool.execute.after': ({ callID }) => report(callID, 'PostToolUse'),
    event: async ({ event }) => {
      const part = event.type === 'message.part.updated' ? event.properties.part : undefined
      if (part?.type === 'tool' && part.state.status === 'error') {
        await report(part.callID, 'PostToolUseFailure')
      }
    },
  }
}
`
}
