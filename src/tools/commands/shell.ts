import { z } from 'zod'
import type { Tool } from '../../domain/tool.ts'
import { commandBounds, commandFields } from './command-fields.ts'
import { sandboxWords, type CommandPlace } from './command-place.ts'
import { commandTool } from './command-tool.ts'

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
  return commandTool(place, {
    name: 'shell',
    description: `Run a bash script ${sandboxWords(place)}. Prefer exec for a single program. Variables and folders are not kept between calls.`,
    schema,
    commandOf: ({ command, cwd }) => ({ kind: 'shell', script: command, cwd }),
  })
}
