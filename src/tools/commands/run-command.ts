import { randomBytes } from 'node:crypto'
import { BrokenRule } from '../../domain/broken-rule.ts'
import type { CommandInput } from '../../domain/command.ts'
import type { ExecuteContext, ToolResult } from '../../domain/tool.ts'
import { ToolProblem } from '../../domain/tool-problem.ts'
import { secretName } from '../../policy/names/secret-names.ts'
import { commandLimits } from '../../sandbox/bwrap/command-limits.ts'
import { findProgram } from '../../sandbox/bwrap/find-program.ts'
import { TooManyEntries } from '../../sandbox/bwrap/look-for-names.ts'
import { runSandboxed } from '../../sandbox/bwrap/run-sandboxed.ts'
import { undoNames } from '../../sandbox/bwrap/undo-names.ts'
import type { SandboxPlan } from '../../sandbox/bwrap/sandbox-plan.ts'
import { SandboxFailed, type CommandEnd } from '../../sandbox/process/command-end.ts'
import {
  markName,
  runUnconfined,
  type UnconfinedRun,
} from '../../sandbox/unconfined/run-unconfined.ts'
import { commandFacts, factsOf, refuseChanged } from './command-facts.ts'
import type { CommandPlace } from './command-place.ts'
import { noteBegun } from './begun/begun-command.ts'
import { commandResult, violationOf } from './command-result.ts'
import { keepNames, restoreNames } from './keep-names.ts'
import { makePlan } from './make-plan.ts'

/** How a shell runs a script: no start-up files, nothing taken from the environment (security.md 2). */
const shellWords = ['/bin/bash', '--norc', '--noprofile', '-p', '-c']

/**
 * Runs a command in its sandbox, or, where none works and a person approved it as such, without one: one that policy alone allows as it was printed, any other exactly as it was shown. What
 * it made of protected names is undone (security.md 8), and is a violation in the result. Rejects with `stale` when what
 * the request recorded is no longer so.
 */
export async function runCommand(
  place: CommandPlace,
  input: CommandInput,
  timeoutSeconds: number,
  context: ExecuteContext,
): Promise<ToolResult> {
  refuseUnconfined(place, context)
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
    const { workspace } = context
    // Without a sandbox nothing keeps a command from writing to what is there.
    const kept = place.sandbox.works ? null : await keepNames(workspace, planned.before)
    const undo = async (): Promise<string[]> => {
      const done = await undoNames(workspace.root, planned.before, await planned.look())
      return kept === null
        ? done
        : [...done, ...(await restoreNames(workspace, planned.before, kept))]
    }
    const mark = randomBytes(16).toString('hex')
    // Written down first: whoever finds it undoes what the command did, when this process cannot any more.
    const takeBack = await noteBegun(place.dataDir, {
      key: context.idempotencyKey,
      policyDigest: place.policy.digest,
      worker: place.worker.name,
      root: workspace.root,
      variable: place.sandbox.works ? null : `${markName}=${mark}`,
      before: planned.before,
      kept,
    }).catch((error: NodeJS.ErrnoException) => {
      const why = `the data folder cannot be written to (${error.code ?? error.message})`
      throw new ToolProblem(`The command was not begun: ${why}.`)
    })
    const { onOutput } = context
    const bounds = {
      timeoutMs: timeoutSeconds * 1000,
      limits: commandLimits,
      mark,
      ...(onOutput === undefined ? {} : { onOutput }),
    }
    let end: CommandEnd
    let done: string[]
    try {
      end = await runPlanned(place, planned.plan, { ...bounds, argv, signal: context.signal })
      done = await undo()
    } catch (error) {
      const violation = violationOf(await undo())
      if (violation === null) throw error
      throw new BrokenRule(violation, { cause: error })
    } finally {
      await takeBack()
    }
    return commandResult(end, done, place.sandbox.works ? [] : [unconfinedNote])
  } catch (error) {
    if (error instanceof SandboxFailed || error instanceof TooManyEntries) {
      throw new ToolProblem(error.message)
    }
    throw error
  }
}

const unconfinedNote = 'It ran without a sandbox: none works on this host.'

/** Without a sandbox only what a person was asked about runs, and nothing where the worker requires one (security.md 7). */
function refuseUnconfined({ sandbox, worker }: CommandPlace, context: ExecuteContext): void {
  if (sandbox.works) return
  const asked = context.facts.detail !== undefined && context.printed === null
  if (asked && !worker.sandbox.required) return
  throw new ToolProblem(`This command cannot run on this host: ${sandbox.problem}.`)
}

function runPlanned(
  { sandbox, worker }: CommandPlace,
  plan: SandboxPlan,
  { mark, ...run }: Omit<UnconfinedRun, 'cwd'>,
): Promise<CommandEnd> {
  if (!sandbox.works) return runUnconfined({ ...run, mark, cwd: plan.cwd })
  return runSandboxed({ ...sandbox, ...run, plan, network: worker.sandbox.network === 'allow' })
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
