import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { z } from 'zod'
import type { NamedTool } from '../definition/define-built-in.ts'
import { commandBounds, commandFields, commandTool } from './command-tool.ts'
import { sandboxWords, type CommandPlace } from './plan/command-place.ts'

const noCommand = 'The script has no command.'

/** Runs a script with bash (workers-and-policy.md). */
export function shellTool(place: CommandPlace): NamedTool<'shell'> {
  const schema = z
    .strictObject({
      command: z
        .string()
        .min(1, noCommand)
        .describe('The script, for bash. Nothing is kept between calls.'),
      ...commandFields(place.worker.zones),
    })
    .superRefine(({ command }, context) => {
      if (command !== '' && isBlank(command)) {
        context.addIssue({ code: 'custom', path: ['command'], message: noCommand })
      }
      const bytes = Buffer.byteLength(command)
      const maxBytes = commandBounds.scriptBytes
      if (bytes <= maxBytes) return
      const message = `The script has ${bytes} bytes; it may have at most ${maxBytes} (${binarySize(maxBytes)}).`
      context.addIssue({ code: 'custom', path: ['command'], message })
    })
  return commandTool(place, {
    name: 'shell',
    description: `Run a bash script ${sandboxWords(place)}. Prefer exec for a single program. Variables and folders are not kept between calls.`,
    schema,
    commandOf: ({ command, cwd }) => ({ kind: 'shell', script: command, cwd }),
  })
}

/** Whether a script has only blank lines and comments: there is nothing to approve. */
function isBlank(script: string): boolean {
  return script.split('\n').every((line) => /^\s*(?:#|$)/.test(line))
}
