import { limits } from '#domain/limits.ts'
import { z } from 'zod'
import type { CommandInput } from '#domain/tools/command.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { commandFacts, factsOf } from './facts/command-facts.ts'
import { inspectInWorkspace } from './facts/named-files.ts'
import type { CommandPlace } from './plan/command-place.ts'
import { presentCommand } from './presentation/present-command.ts'
import { runCommand } from './execution/run-command.ts'
import { folderPath } from '../definition/path-field.ts'

/**
 * The common parts of `exec` and `shell`: `commandOf` returns the command of an input
 * (workers-and-policy.md, shell rules).
 */
export function commandTool<
  Name extends 'exec' | 'shell',
  T extends { readonly cwd: string; readonly timeoutSeconds: number },
>(
  place: CommandPlace,
  definition: {
    readonly name: Name
    readonly description: string
    readonly schema: z.ZodType<T>
    readonly commandOf: (input: T) => CommandInput
  },
): NamedTool<Name> {
  const { name, description, schema, commandOf } = definition
  const unconfined = !place.sandbox.works
  const tool = defineBuiltIn({
    name,
    description,
    schema,
    readOnly: false,
    scopes: unconfined ? ['once'] : ['once', 'run', 'command'],
    accesses: ({ cwd }) => [{ operation: 'read', path: cwd, target: 'directory' }],
    present: (input, context) =>
      presentCommand(place, commandOf(input), input.timeoutSeconds, context),
    execute: (input, context) => runCommand(place, commandOf(input), input.timeoutSeconds, context),
  })
  const command = (input: JsonObject): CommandInput => commandOf(schema.parse(input))
  return {
    ...tool,
    // Without a sandbox a command has the host's network, and more.
    ...(place.worker.sandbox.network === 'allow' || unconfined ? { risk: 'high' as const } : {}),
    ...(unconfined ? { needsPerson: 'approval' as const, unconfined } : {}),
    command,
    restsOn: async (input, workspace) => {
      const inspect = inspectInWorkspace(workspace)
      const facts = await commandFacts(place, workspace, command(input), inspect)
      return factsOf(facts, tool.definitionHash)
    },
  }
}

/** Bounds of a command's input (security.md 24). */
export const commandBounds = {
  scriptBytes: limits.scriptBytes,
  arguments: limits.commandArguments,
  argumentBytes: limits.argumentBytes,
  timeoutSeconds: limits.timeoutSeconds,
  timeoutMostSeconds: limits.timeoutMostSeconds,
} as const

/** A command's default folder: the root if a zone contains it, else the first zone. */
function usualFolder(zones: readonly Zone[]): string {
  const holdsRoot = zones.some((zone) => containsPath(zone.root, ''))
  return holdsRoot ? '' : (zones[0]?.root ?? '')
}

/** The fields that both command tools have. */
export function commandFields(zones: readonly Zone[]) {
  const maxSeconds = commandBounds.timeoutMostSeconds
  return {
    cwd: folderPath('Folder to run in, relative to the workspace root.').default(
      usualFolder(zones),
    ),
    timeoutSeconds: z
      .int(`The timeout is a whole number of seconds from 1 to ${maxSeconds}.`)
      .min(1, `The timeout is at least 1 second.`)
      .max(maxSeconds, `The timeout is at most ${maxSeconds} seconds.`)
      .default(commandBounds.timeoutSeconds)
      .describe('How long it may run, in seconds.'),
  }
}
