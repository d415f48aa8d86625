import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { processEnvironment, readText } from '../../runtime/environment.ts'
import { CommandFailure, exitCodes } from '../exit-codes.ts'
import { findService } from '../service/find-service.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { withExamples } from './examples.ts'
import { withFolders } from './folder-options.ts'

interface HookOptions extends ServiceOptions {
  worker?: string
  root?: string
  wait: string
  install?: boolean
}

/** `countersign hook claude-code`: Claude Code's own tools, judged by a worker's policy and the queue. */
export function addHookCommand(program: Command): void {
  const hooks = program.command('hook').description('answer the hooks of other agents')
  const command = withFolders(hooks.command('claude-code'))
    .description(
      'answer a hook of Claude Code on standard input; needs a key in COUNTERSIGN_API_KEY with the scopes requests:write and requests:read',
    )
    .option('--url <url>', 'the service to ask (default: the one of the data folder)')
    .option('--worker <name>', 'whose policy judges first (default: everything asks)')
    .option('--root <dir>', 'the workspace root (default: the project folder)')
    .option('--wait <seconds>', 'how long people have; then it is a denial', '3300')
    .option('--install', 'write the hook into .claude/settings.json of the project folder')
    .action(answer)
  withExamples(command, [
    'hook claude-code --worker release-notes --install',
    'hook claude-code --worker release-notes --wait 600',
  ])
}

async function answer(options: HookOptions): Promise<void> {
  const waitSeconds = secondsOf(options.wait)
  if (options.install === true) return install(options, waitSeconds)
  const { parseHookEvent, hookOutput } = await import('../hook/hook-event.ts')
  // Fails closed: whatever went wrong, there is an answer, and it is no.
  try {
    const event = parseHookEvent(await readStandardInput())
    const { decideHook, reportHook } = await import('../hook/answer-hook.ts')
    const environment = processEnvironment()
    const apiKey = readText(environment, 'COUNTERSIGN_API_KEY')
    if (apiKey === undefined) throw new Error('COUNTERSIGN_API_KEY is not set')
    const { url } = await findService(options, environment)
    const service = { url, apiKey }
    if (event.hook_event_name !== 'PreToolUse') {
      await reportHook(event, service).catch(() => undefined)
      return
    }
    const { worker } = options
    const decision = await decideHook(event, {
      service,
      ...(worker === undefined ? {} : { worker }),
      root: resolve(options.root ?? options.project ?? '.'),
      waitMs: waitSeconds * 1000,
    })
    console.log(hookOutput(decision))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    console.log(hookOutput({ decision: 'deny', reason: `Countersign could not be asked: ${why}` }))
  }
}

async function install(options: HookOptions, waitSeconds: number): Promise<void> {
  const { installHook } = await import('../hook/install-hook.ts')
  const folder = resolve(options.project ?? '.')
  const program = fileURLToPath(new URL('../../../bin/countersign', import.meta.url))
  const given = ['data', 'url', 'worker', 'root', 'wait'] as const
  const words = given.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [`--${name}`, quoted(value)]
  })
  const command = [quoted(program), 'hook', 'claude-code', '--project', quoted(folder), ...words]
  // Claude Code goes on without a hook that takes too long: its own time is longer than ours.
  const timeoutSeconds = waitSeconds + 120
  const file = await installHook(folder, { command: command.join(' '), timeoutSeconds })
  console.log(
    `Written to ${file}. Claude Code asks from its next session on; give it a key in COUNTERSIGN_API_KEY (countersign keys create --name claude-code --scopes requests:write,requests:read).`,
  )
}

/** One word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
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
