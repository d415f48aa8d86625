import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { BrokenRule } from '#domain/tools/broken-rule.ts'
import { errorMessage } from '#domain/error-message.ts'
import type { CommandInput } from '#domain/tools/command.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { secretName } from '#policy/names/secret-names.ts'
import { isReadBlocked } from '#policy/worker/read-blocked.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { findProgram } from '#sandbox/bwrap/find-program.ts'
import { TooManyEntries } from '#sandbox/bwrap/names/look-for-names.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { CommandStopped, SandboxFailed, type CommandEnd } from '#sandbox/process/command-end.ts'
import { writeBack, replacedMeanwhile } from '#sandbox/snapshots/write-back.ts'
import { Snapshots } from '#sandbox/snapshots/snapshots.ts'
import { markName, runUnconfined, type UnconfinedRun } from '#sandbox/unconfined/run-unconfined.ts'
import { commandFacts, factsOf, refuseChanged, type CommandFacts } from '../facts/command-facts.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { hasCommandRecord, isCommandAtWork, writeCommandRecord } from './command-record.ts'
import { commandResult, violationOf } from './command-result.ts'
import type { WorktreeOnHost } from '#domain/tools/worktree.ts'
import { watchFiles, type WatchedFiles } from '../changes/watch-files.ts'
import { prepareGit } from '../git/prepare-git.ts'
import {
  copyZonesOfGit,
  withZoneCopies,
  zonesBehindIndex,
  type ZoneCopy,
} from '../git/zone-files.ts'
import { importCommits } from '../git/import-commits.ts'
import { removeGitLocks } from '../git/remove-locks.ts'
import { hideObjects, hideZones, isShown } from './hide-zones.ts'
import { storeNames, restoreNames, type StoredNames } from './store-names.ts'
import { makePlan, type PlannedSandbox } from '../plan/make-plan.ts'
import { inspectInWorkspace } from '../facts/named-files.ts'
import { mountNamed, inspectByCopies, type NamedMount } from './mount-named.ts'

/** A shell for a script: no start-up files, nothing from the environment (security.md 2). */
const shellWords = ['/bin/bash', '--norc', '--noprofile', '-p', '-c']

/**
 * Runs a command in its sandbox, or without one where none works and a person approved that. A
 * command that policy alone permits runs as it was printed, any other exactly as shown. Changes to
 * protected names are undone (security.md 8), and are a violation in the result. Rejects with
 * `stale` when the recorded facts have changed.
 */
export async function runCommand(
  place: CommandPlace,
  input: CommandInput,
  timeoutSeconds: number,
  context: ExecuteContext,
): Promise<ToolResult> {
  refuseUnconfined(place, context)
  await using snapshots = await Snapshots.open(place.dataDir).catch(throwNotBegun)
  const { signal } = context
  const inspect = place.sandbox.works
    ? inspectByCopies(context.workspace, snapshots, signal)
    : inspectInWorkspace(context.workspace, signal)
  const facts = await commandFacts(place, context.workspace, input, inspect).catch(throwNotBegun)
  refuseChanged(context.facts, factsOf(facts, context.facts.toolHash))
  const argv = vectorOf(input, context)
  if (argv[0] !== undefined && !argv[0].includes('/') && (await findProgram(argv[0])) === null) {
    return commandResult(notFound(argv[0]), [])
  }
  // The approval covers only files in the list that the person saw.
  const isReviewed = context.facts.detail !== undefined && context.printed === null
  const secrets = isReviewed ? facts.files.filter((file) => secretName(file.path) !== null) : []
  const allowed = new Set(secrets.map((file) => file.path))
  const run = { argv, timeoutMs: timeoutSeconds * 1000 }
  const commandRun = await runToEnd(place, input.cwd, context, { facts, snapshots, allowed, run })
  // The command has run: from here on no error may say that it did not begin.
  const { brokenRules, end, visible, watched, zoneCopies } = commandRun
  const { worktree } = context.workspace
  const unreached = (end.refused ?? []).map((sentence) => `Not reached: ${sentence}`)
  const taken =
    worktree === undefined ? null : await takeInAfter(place, context.workspace, worktree, signal)
  const changes = (await watched?.changes(visible, signal)) ?? null
  const behind = await zonesBehindIndex(place, visible, zoneCopies, signal)
  const notes = place.sandbox.works ? [...unreached, ...behind] : [unconfinedNote]
  return {
    ...commandResult(end, brokenRules, taken === null ? notes : [...notes, taken]),
    ...(changes === null ? {} : { changes }),
  }
}

/** A command that has ended, and what it saw. */
interface CommandRun extends Pick<PreparedRun, 'visible' | 'zoneCopies'> {
  readonly end: CommandEnd
  readonly brokenRules: readonly string[]
  readonly watched: WatchedFiles | null
}

/** Prepares a command and runs it. Rejects with `stale` or a `ToolProblem` if it did not begin. */
async function runToEnd(
  place: CommandPlace,
  cwd: string,
  context: ExecuteContext,
  { run, ...call }: CallToPrepare & { readonly run: RunOfVector },
): Promise<CommandRun> {
  try {
    const { workspace } = context
    const prepared = await prepareRun(place, cwd, context, call).catch(throwNotBegun)
    const watched = await watchFiles(place.sandbox, workspace, async () => {
      return !(await hasCommandRecord(place.dataDir, workspace.root))
    }).catch(throwNotBegun)
    const outcome = await runRecorded(place, context, prepared, run)
    const { visible, zoneCopies } = prepared
    return { ...outcome, visible, zoneCopies, watched }
  } catch (error) {
    if (error instanceof SandboxFailed && error.isSwapped) {
      throw new WorkspaceProblem('stale', '', error.message)
    }
    if (error instanceof SandboxFailed || error instanceof TooManyEntries) {
      throw new ToolProblem(error.message)
    }
    throw error
  }
}

/** A command that may begin: what it sees, and what must be undone after it. */
interface PreparedRun {
  readonly planned: PlannedSandbox
  /** the plan without what the command hides */
  readonly visible: SandboxPlan
  readonly plan: SandboxPlan
  readonly environment: Readonly<Record<string, string>>
  readonly mounts: readonly NamedMount[]
  readonly zoneCopies: readonly ZoneCopy[]
  /** the contents of protected names; `null`: the sandbox protects them */
  readonly storedNames: StoredNames | null
}

interface CallToPrepare {
  readonly facts: CommandFacts
  readonly snapshots: Snapshots
  /** key files that its approver saw */
  readonly allowed: ReadonlySet<string>
}

interface RunOfVector {
  readonly argv: readonly string[]
  readonly timeoutMs: number
}

/** Plans the mounts of a command, with copies of the files that it names, and its Git. */
async function prepareRun(
  place: CommandPlace,
  cwd: string,
  { workspace, printed, commit, signal }: ExecuteContext,
  call: CallToPrepare,
): Promise<PreparedRun> {
  const { facts, snapshots, allowed } = call
  const { zones } = place.worker
  const { root } = workspace
  const planned = await makePlan(place, workspace, cwd, allowed)
  const blocked = zones.filter(isReadBlocked)
  const hides = printed?.hides ?? blocked.map(({ name }) => name)
  const withoutHidden = hideZones(planned.plan, root, zones, hides)
  if (isShown(planned.plan, planned.plan.cwd) && !isShown(withoutHidden, planned.plan.cwd)) {
    const folder = path.relative(root, planned.plan.cwd) || 'the root'
    throw new ToolProblem(`The working folder ${folder} is in a zone that this command cannot see`)
  }
  const visible =
    printed !== null && hides.length > 0 && facts.running.length > 0
      ? await hideObjects(withoutHidden, root, zones, hides)
      : withoutHidden
  const mounts = place.sandbox.works
    ? await mountNamed(root, visible, facts, snapshots, allowed)
    : []
  const inGit = printed === null ? blocked : []
  const zoneCopies = await copyZonesOfGit(place, visible, root, inGit, snapshots, signal)
  const mounted = { ...visible, copies: mounts.map(({ mount }) => mount) }
  const prepared =
    commit === undefined
      ? { plan: mounted, environment: {} }
      : await prepareGit(place, mounted, snapshots, commit, {
          // A pre-approved command other than Git does not need Git's copies of keys.
          sees: printed === null || (hides.length === 0 && namesGit(facts.vectors)),
          copied: zoneCopies.map(({ mount }) => mount.path),
          signal,
        })
  const plan = withZoneCopies(prepared.plan, zoneCopies)
  // Without a sandbox nothing prevents a command from writing to protected names.
  const storedNames = place.sandbox.works ? null : await storeNames(workspace, planned.before)
  const { environment } = prepared
  return { planned, visible, plan, environment, mounts, zoneCopies, storedNames }
}

/**
 * Runs a prepared command and undoes what it must not change, with a record on the disk until then.
 * Rejects with `BrokenRule` when it changed such things and failed.
 */
async function runRecorded(
  place: CommandPlace,
  { workspace, idempotencyKey, onOutput, signal }: ExecuteContext,
  { planned, plan, environment, mounts, storedNames }: PreparedRun,
  run: RunOfVector,
): Promise<{ readonly end: CommandEnd; readonly brokenRules: readonly string[] }> {
  let met: readonly string[] | null = null
  const undo = async (hasBegun: boolean): Promise<string[]> => {
    // Once: a program that was written back is another file than the one that was mounted.
    met ??= hasBegun ? await settleMounts(workspace, mounts) : []
    const undoSentences = await planned.undo(planned.before)
    const restored =
      storedNames === null ? [] : await restoreNames(workspace, planned.before, storedNames)
    return [...met, ...undoSentences, ...restored]
  }
  const mark = randomBytes(16).toString('hex')
  // Recorded first: when this process dies, the next one that reads the record undoes the
  // command's effects.
  const takeBack = await writeCommandRecord(place.dataDir, {
    key: idempotencyKey,
    policyDigest: place.policy.digest,
    worker: place.worker.name,
    root: workspace.root,
    variable: place.sandbox.works ? null : `${markName}=${mark}`,
    before: planned.before,
    stored: storedNames,
  }).catch(throwNotBegun)
  const bounds = {
    ...run,
    limits: commandLimits,
    environment,
    mark,
    signal,
    ...(onOutput === undefined ? {} : { onOutput }),
  }
  try {
    const end = await runPlanned(place, plan, bounds)
    return { end, brokenRules: await undo(true) }
  } catch (error) {
    const violation = violationOf(await undo(!(error instanceof SandboxFailed)))
    if (violation === null) throw error
    throw new BrokenRule(violation, { cause: error })
  } finally {
    await takeBack()
    await removeLeftLocks(place, workspace)
  }
}

/**
 * Git leaves its locks where a limit or a cancellation ends the command. Without a sandbox a
 * process of it may live on.
 */
async function removeLeftLocks(
  { dataDir, sandbox }: CommandPlace,
  workspace: Workspace,
): Promise<void> {
  if (!sandbox.works) return
  const isAtWork = (): Promise<boolean> => isCommandAtWork(dataDir, workspace.root)
  // The command has ended as it did: a lock that stays is seen by the next one.
  await removeGitLocks(workspace, isAtWork).catch(() => undefined)
}

/** Imports the command's commits; returns a note when that fails, which is tried again later. */
async function takeInAfter(
  { sandbox }: CommandPlace,
  workspace: Workspace,
  worktree: WorktreeOnHost,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await importCommits(sandbox, workspace, worktree, signal)
    return null
  } catch (error) {
    if (error instanceof CommandStopped) throw error
    if (error instanceof ToolProblem) return error.message
    const why = errorMessage(error)
    return `The commits of this run may not have been taken into the repository: ${why}.`
  }
}

function namesGit(vectors: CommandFacts['vectors']): boolean {
  return vectors.some(([name = '']) => name === 'git' || name.endsWith('/git'))
}

/** What a file system answers that takes nothing more. */
const notWritable: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

/**
 * Before a command begins, a failure of the system (a full disk, too many open files) is an error
 * that says so: what became of the command is known.
 */
function throwNotBegun(error: unknown): never {
  const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error
  if (!isOfSystem) throw error
  const { code } = error
  const why = notWritable.has(code)
    ? 'the data folder cannot be written to'
    : 'the system refused what it needs'
  throw new ToolProblem(`The command was not begun: ${why} (${String(code)}).`)
}

/**
 * Returns sentences about the copies, once no process of the command is left. Its changes to its
 * own copies are first written back.
 */
async function settleMounts(
  workspace: Workspace,
  mounts: readonly NamedMount[],
): Promise<string[]> {
  const sentences: (string | null)[] = []
  for (const { isRun, snapshot, isWritten } of mounts) {
    if (isRun) sentences.push(await replacedMeanwhile(workspace.root, snapshot))
    if (isWritten) sentences.push(await writeBack(workspace, snapshot))
  }
  return sentences.filter((sentence) => sentence !== null)
}

const unconfinedNote = 'It ran without a sandbox: none works on this host.'

/**
 * Without a sandbox, refuses what no person has reviewed; where the worker requires a sandbox,
 * refuses everything (security.md 7).
 */
function refuseUnconfined({ sandbox, worker }: CommandPlace, context: ExecuteContext): void {
  if (sandbox.works) return
  const isReviewed = context.facts.detail !== undefined && context.printed === null
  if (isReviewed && !worker.sandbox.required) return
  throw new ToolProblem(`This command cannot run on this host: ${sandbox.problem}.`)
}

function runPlanned(
  { sandbox, worker }: CommandPlace,
  plan: SandboxPlan,
  { mark, ...run }: Omit<UnconfinedRun, 'cwd'>,
): Promise<CommandEnd> {
  if (!sandbox.works) return runUnconfined({ ...run, mark, cwd: plan.cwd })
  return runSandboxed({ ...sandbox, ...run, plan, network: worker.sandbox.network })
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
