import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { processEnvironment } from '#runtime/environment.ts'
import { findService } from '../service/find-service.ts'
import { requireKey } from '../service/require-key.ts'
import { type ServiceOptions, withFolders, withUrl } from '../service/service-options.ts'
import { secondsOf } from '../terminal/wait-seconds.ts'
import { withExamples } from './examples.ts'

interface AcpOptions extends ServiceOptions {
  readonly root: string
  readonly wait: string
}

/** `countersign acp -- AGENT`: for editors that start agents of the Agent Client Protocol. */
export function addAcpCommand(program: Command): void {
  const command = withUrl(withFolders(program.command('acp')))
    .description(
      'run an ACP agent for an editor and answer its permission requests. Needs a key in COUNTERSIGN_API_KEY with the scopes requests:write and requests:read',
    )
    .argument('<agent...>', 'the program of the agent and its arguments, after --')
    .option('--root <dir>', 'where the agent works', '.')
    .option('--wait <seconds>', 'how long to wait for a decision; then the call is denied', '3300')
    .action(serve)
  withExamples(command, [
    'acp -- gemini --acp',
    'acp --wait 600 -- npx @agentclientprotocol/claude-agent-acp',
  ])
}

async function serve(agent: string[], options: AcpOptions): Promise<void> {
  const environment = processEnvironment()
  const apiKey = requireKey(environment)
  const seconds = secondsOf(options.wait)
  const { hostProof, url } = await findService(options, environment)
  const { runAcp } = await import('../acp/run-acp.ts')
  const { queueJudge } = await import('../acp/queue-judge.ts')
  const { waitingCallsOf } = await import('../hook/run-hook.ts')
  const [program = '', ...words] = agent
  const root = resolve(options.root)
  const code = await runAcp({
    agent: [program, ...words],
    cwd: root,
    judge: queueJudge({
      service: { url, apiKey },
      title: `${basename(program).slice(0, 80)} (ACP)`,
      root,
      hostProof,
      waitMs: seconds * 1000,
      waiting: waitingCallsOf(environment),
    }),
    input: process.stdin,
    output: process.stdout,
    warn: (sentence) => console.error(sentence),
  })
  process.exit(code)
}
