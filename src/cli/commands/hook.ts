import { isAbsolute, resolve } from 'node:path'
import type { Command } from 'commander'
import { processEnvironment, readText } from '#runtime/environment.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { findService } from '../service/find-service.ts'
import { type ServiceOptions, withFolders } from '../service/service-options.ts'
import { withExamples } from './examples.ts'

interface HookOptions extends ServiceOptions {
  readonly worker?: string
  readonly root?: string
  readonly wait: string
  readonly install?: boolean
}

/**
 * `countersign hook claude-code`: Claude Code's own tools, judged by a worker's policy and the
 * queue.
 */
export function addHookCommand(program: Command): void {
  const hooks = program.command('hook').description('answer the hooks of other agents')
  const command = withFolders(hooks.command('claude-code'))
    .description(
      'answer a hook of Claude Code on standard input; needs a key in COUNTERSIGN_API_KEY with the scopes requests:write and requests:read',
    )
    .option('--url <url>', 'the service to ask (default: the one of the data folder)')
    .option('--worker <name>', 'whose policy judges first (default: everything asks)')
    .option('--root <dir>', 'the workspace root, relative to the project folder (default: that)')
    .option('--wait <seconds>', 'how long people have; then it is a denial', '3300')
    .option(
      '--install',
      'write the hook into .claude/settings.json of the project folder, for every machine of a team',
    )
    .action(answer)
  withExamples(command, [
    'hook claude-code --worker release-notes --install',
    'hook claude-code --worker release-notes --wait 600',
  ])
}

async function answer(options: HookOptions): Promise<void> {
  if (options.install === true) return install(options, secondsOf(options.wait))
  const { parseHookEvent, hookOutput } = await import('../hook/event/hook-event.ts')
  // Fails closed: whatever went wrong, there is an answer, and it is no.
  try {
    const waitSeconds = secondsOf(options.wait)
    const event = parseHookEvent(await readStandardInput())
    const { harmlessReason } = await import('../hook/harmless-tools.ts')
    if (harmlessReason(event.tool_name) !== null) {
      if (event.hook_event_name === 'PreToolUse') console.log(hookOutput({ decision: 'none' }))
      return
    }
    const { decideHook, reportHook } = await import('../hook/answer-hook.ts')
    const environment = processEnvironment()
    const apiKey = readText(environment, 'COUNTERSIGN_API_KEY')
    if (apiKey === undefined) throw new Error('COUNTERSIGN_API_KEY is not set')
    const { hostProof, url } = await findService(options, environment)
    const service = { url, apiKey }
    if (event.hook_event_name !== 'PreToolUse') {
      await reportHook(event, service).catch(() => undefined)
      return
    }
    const { worker } = options
    const decision = await decideHook(event, {
      service,
      ...(worker === undefined ? {} : { worker }),
      root: resolve(options.project ?? '.', options.root ?? '.'),
      hostProof,
      waitMs: waitSeconds * 1000,
    })
    console.log(hookOutput(decision))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    console.log(hookOutput({ decision: 'deny', reason: `Countersign could not be asked: ${why}` }))
  }
}

async function install(options: HookOptions, waitSeconds: number): Promise<void> {
  const { hookCommand, installHook } = await import('../hook/install-hook.ts')
  const folder = resolve(options.project ?? '.')
  if (options.data !== undefined || isAbsolute(options.root ?? '')) {
    throw new CommandFailure(
      'The settings are for every machine of a team: leave --data out and set COUNTERSIGN_URL, and give --root relative to the project folder',
      exitCodes.usage,
    )
  }
  const command = hookCommand({
    url: options.url,
    worker: options.worker,
    root: options.root,
    wait: options.wait,
  })
  // Claude Code goes on without a hook that takes too long: its own time is longer than ours.
  const timeoutSeconds = waitSeconds + 120
  const file = await installHook(folder, { command, timeoutSeconds })
  console.log(
    `Written to ${file}, which can be committed: it names no folder of this machine. Claude Code asks from its next session on. Every machine needs countersign (on the PATH, or installed in the project), a key in COUNTERSIGN_API_KEY (countersign keys create --name claude-code --scopes requests:write,requests:read), and the address in COUNTERSIGN_URL where the service is another machine.`,
  )
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds
  throw new CommandFailure('--wait takes a number of seconds, 1 to 86400', exitCodes.usage)
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
