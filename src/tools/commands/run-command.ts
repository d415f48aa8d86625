import type { CommandInput } from '../../domain/command.ts'
import type { ExecuteContext, ToolResult } from '../../domain/tool.ts'
import { ToolProblem } from '../../domain/tool-problem.ts'
import { secretName } from '../../policy/names/secret-names.ts'
import { commandLimits } from '../../sandbox/bwrap/command-limits.ts'
import { findProgram } from '../../sandbox/bwrap/find-program.ts'
import { TooManyEntries } from '../../sandbox/bwrap/look-for-names.ts'
import { runSandboxed, SandboxFailed, type CommandEnd } from '../../sandbox/bwrap/run-sandboxed.ts'
import { undoNames } from '../../sandbox/bwrap/undo-names.ts'
import { commandFacts, factsOf, refuseChanged } from './command-facts.ts'
import type { CommandPlace } from './command-place.ts'
import { commandResult } from './command-result.ts'
import { makePlan } from './make-plan.ts'

/** How a shell runs a script: no start-up files, nothing taken from the environment (security.md 2). */
const shellWords = ['/bin/bash', '--norc', '--noprofile', '-p', '-c']

/**
 * Runs a command in its sandbox: one that policy alone allows as it was printed, any other exactly as it was shown. What
 * it made of protected names is undone (security.md 8), and is a violation in the result. Rejects with `stale` when what
 * the request recorded is no longer so.
 */
export async function runCommand(
  place: CommandPlace,
  input: CommandInput,
  timeoutSeconds: number,
  context: ExecuteContext,
): Promise<ToolResult> {
  const { sandbox } = place
  if (!sandbox.works) {
    throw new ToolProblem(`Commands cannot run on this host: ${sandbox.problem}.`)
  }
  const found = await commandFacts(place, context.workspace, input)
  refuseChanged(context.facts, factsOf(found, context.facts.toolHash))
  const argv = vectorOf(input, context)
  if (argv[0] !== undefined && !argv[0].includes('/') && (await findProgram(argv[0])) === null) {
    return commandResult(notFound(argv[0]), [])
  }
  // Only what a person saw in the list of named files was approved with it.
  const asked = context.facts.detail !== undefined && context.printed === null
  const secrets = asked ? found.files.filter(({ path }) => secretName(path) !== null) : []
  const allowed = new Set(secrets.map(({ path }) => path))
  try {
    const planned = await makePlan(place, context.workspace, input.cwd, allowed)
    const undo = async (): Promise<string[]> => {
      const { guarded } = await planned.look()
      return undoNames(context.workspace.root, planned.before.guarded, guarded)
    }
    let end: CommandEnd
    try {
      end = await runSandboxed({
        ...sandbox,
        plan: planned.plan,
        argv,
        timeoutMs: timeoutSeconds * 1000,
        limits: commandLimits,
        network: place.worker.sandbox.network === 'allow',
        signal: context.signal,
      })
    } catch (error) {
      await undo()
      throw error
    }
    return commandResult(end, await undo())
  } catch (error) {
    if (error instanceof SandboxFailed || error instanceof TooManyEntries) {
      throw new ToolProblem(error.message)
    }
    throw error
  }
}

function vectorOf(input: CommandInput, { printed }: ExecuteContext): readonly string[] {
  const command = printed ?? input
  return command.kind === 'exec' ? command.argv : [...shellWords, command.script]
}

function notFound(name: string): CommandEnd {
  const bytes = Buffer.from(`${name}: command not found\n`)
  const none = { bytes: Buffer.alloc(0), total: 0 }
  const stderr = { bytes, total: bytes.length }
  return { exitCode: 127, stdout: none, stderr, timedOut: false, exceeded: null }
}
