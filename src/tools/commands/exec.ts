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

/** Runs a program with its arguments; no shell is started (workers-and-policy.md). */
export function execTool(place: CommandPlace): Tool {
  const schema = z
    .strictObject({
      file: z.string().min(1).max(4096).describe('Name of the program, or its path.'),
      args: z
        .array(z.string())
        .max(
          commandBounds.arguments,
          `A command may have at most ${commandBounds.arguments} arguments.`,
        )
        .default([])
        .describe('Its arguments, each as it is: nothing is expanded.'),
      ...commandFields(place.worker.zones),
    })
    .superRefine(({ args }, context) => {
      const bytes = args.reduce((sum, word) => sum + Buffer.byteLength(word), 0)
      const most = commandBounds.argumentBytes
      if (bytes <= most) return
      const message = `The arguments have ${bytes} bytes; together they may have at most ${most} (64 KiB).`
      context.addIssue({ code: 'custom', path: ['args'], message })
    })
  type Input = z.output<typeof schema>
  const commandOf = ({ args, cwd, file }: Input): CommandInput => ({
    kind: 'exec',
    argv: [file, ...args],
    cwd,
  })
  const tool = defineBuiltIn({
    name: 'exec',
    description:
      'Run a program with its arguments in a sandbox without a network. No shell: nothing is expanded, piped or redirected.',
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
