import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { z } from 'zod'
import type { NamedTool } from '../definition/define-built-in.ts'
import { commandBounds, commandFields, commandTool } from './command-tool.ts'
import { sandboxWords, type CommandPlace } from './plan/command-place.ts'

/** Runs a program with its arguments; no shell is started (workers-and-policy.md). */
export function execTool(place: CommandPlace): NamedTool<'exec'> {
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
      const maxBytes = commandBounds.argumentBytes
      if (bytes <= maxBytes) return
      const message = `The arguments have ${bytes} bytes; together they may have at most ${maxBytes} (${binarySize(maxBytes)}).`
      context.addIssue({ code: 'custom', path: ['args'], message })
    })
  return commandTool(place, {
    name: 'exec',
    description: `Run a program with its arguments ${sandboxWords(place)}. No shell: nothing is expanded, piped or redirected.`,
    schema,
    commandOf: ({ args, cwd, file }) => ({ kind: 'exec', argv: [file, ...args], cwd }),
  })
}
