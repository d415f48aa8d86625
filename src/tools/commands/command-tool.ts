import type { z } from 'zod'
import type { CommandInput } from '../../domain/command.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Tool } from '../../domain/tool.ts'
import { defineBuiltIn } from '../define-built-in.ts'
import { commandFacts, factsOf } from './command-facts.ts'
import type { CommandPlace } from './command-place.ts'
import { presentCommand } from './present-command.ts'
import { runCommand } from './run-command.ts'

/** What `exec` and `shell` are alike in: `commandOf` says what an input runs (workers-and-policy.md, shell rules). */
export function commandTool<T extends { readonly cwd: string; readonly timeoutSeconds: number }>(
  place: CommandPlace,
  definition: {
    readonly name: string
    readonly description: string
    readonly schema: z.ZodType<T>
    readonly commandOf: (input: T) => CommandInput
  },
): Tool {
  const { name, description, schema, commandOf } = definition
  const unconfined = !place.sandbox.works
  const tool = defineBuiltIn({
    name,
    description,
    schema,
    // Without a sandbox there is the host's network, and more.
    risk: place.worker.sandbox.network === 'allow' || unconfined ? 'high' : 'medium',
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
    ...(unconfined ? { needsPerson: 'approval' as const, unconfined } : {}),
    command,
    restsOn: async (input, workspace) =>
      factsOf(await commandFacts(place, workspace, command(input)), tool.definitionHash),
  }
}
