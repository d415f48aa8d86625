import './older-node.ts'
import { parseArgs } from 'node:util'
import { processEnvironment } from '#runtime/environment.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { agentNames } from '#domain/hooks/agents.ts'
import { errorMessage } from '#domain/error-message.ts'
import { runHookCommand } from './hook-command.ts'
import { runResumeCommand } from './resume-command.ts'

/** `countersign-hook AGENT`: the whole program, bundled into one file. */
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const help = `countersign-hook AGENT [--worker NAME] [--url URL] [--project DIR] [--root DIR] [--wait SECONDS]
countersign-hook AGENT --install | --managed | --plugin [--event PermissionRequest] [--http --url URL]
countersign-hook claude-code --install --defer SECONDS [--callback-url URL]
countersign-hook claude-code resume [--wait SECONDS] [--program PATH] [--json] [-- WORDS]

Answers a hook on standard input. AGENT is ${agentNames.join(', ')}.
COUNTERSIGN_API_KEY is a key with the scopes requests:write and requests:read, COUNTERSIGN_URL the service.`

/**
 * To agents, exit code 2 with a sentence is a denial. Once a hook knows its event,
 * `process.exitCode` has its code.
 */
function block(error: unknown): void {
  console.error(errorMessage(error))
  process.exit(error instanceof CommandFailure ? error.exitCode : (process.exitCode ?? 2))
}

process.on('uncaughtException', block)
process.on('unhandledRejection', block)

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      project: text,
      data: text,
      url: text,
      worker: text,
      root: text,
      wait: text,
      install: flag,
      managed: flag,
      plugin: flag,
      http: flag,
      event: text,
      defer: text,
      'callback-url': text,
      program: text,
      json: flag,
      help: flag,
    },
  })
  const [agent, verb, ...words] = positionals
  const more = positionals.slice(1)
  const callbackUrl = values['callback-url']
  const options = { ...values, ...(callbackUrl === undefined ? {} : { callbackUrl }) }
  if (values.help === true) console.log(help)
  else if (agent === 'claude-code' && verb === 'resume') {
    await runResumeCommand(words, options, processEnvironment())
  } else if (agent === undefined || more.length > 0) throw new Error(help)
  else await runHookCommand(agent, options, processEnvironment())
} catch (error) {
  block(error)
}
