import { z } from 'zod'
import type { CommandInput } from '../../domain/command.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Tool } from '../../domain/tool.ts'
import { defineBuiltIn } from '../define-built-in.ts'
import { commandFacts, factsOf } from './command-facts.ts'
import { commandBounds, commandFields } from './command-fields.ts'
import type { CommandPlace } from './command-place.ts'
import { presentCommand } from './present-command.ts'
import { runCommand } from './run-command.ts'

/** Runs a script with bash (workers-and-policy.md). */
export function shellTool(place: CommandPlace): Tool {
  const schema = z
    .strictObject({
      command: z.string().min(1).describe('The script, for bash. Nothing is kept between calls.'),
      ...commandFields(place.worker.zones),
    })
    .superRefine(({ command }, context) => {
      const bytes = Buffer.byteLength(command)
      const most = commandBounds.scriptBytes
      if (bytes <= most) return
      const message = `The script has ${bytes} bytes; it may have at most ${most} (8 KiB).`
      context.addIssue({ code: 'custom', path: ['command'], message })
    })
  type Input = z.output<typeof schema>
  const commandOf = ({ command, cwd }: Input): CommandInput => ({
    kind: 'shell',
    script: command,
    cwd,
  })
  const tool = defineBuiltIn({
    name: 'shell',
    description:
      'Run a bash script in a sandbox without a network. Prefer exec for a single program. Variables and folders are not kept between calls.',
    schema,
    risk: place.worker.sandbox.network === 'allow' ? 'high' : 'medium',
    readOnly: false,
    scopes: ['once', 'run', 'command'],
    accesses: ({ cwd }) => [{ operation: 'read', path: cwd, target: 'directory' }],
    present: (input, context) =>
      presentCommand(place, commandOf(input), input.timeoutSeconds, context),
    execute: (input, context) => runCommand(place, commandOf(input), input.timeoutSeconds, context),
  })
  const command = (input: JsonObject) => commandOf(schema.parse(input))
  return {
    ...tool,
    command,
    restsOn: async (input, workspace) =>
      factsOf(await commandFacts(place, workspace, command(input)), tool.definitionHash),
  }
}
