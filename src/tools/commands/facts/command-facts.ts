import type { CommandInput } from '#domain/tools/command.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { analyseCommand } from '#policy/shell/analyse-command.ts'
import { linkedNames, withLinkedPrograms } from '#policy/shell/linked-programs.ts'
import { commandEnvironment } from '#sandbox/bwrap/command-environment.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { findProgram } from '#sandbox/bwrap/find-program.ts'
import { realPathOf } from '#sandbox/real-path.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { commandVectors, runsWorkspaceCode } from './command-vectors.ts'
import type { FileRole } from './file-role.ts'
import { namedFiles, type NamedFile, type InspectFile } from './named-files.ts'
import { namedWords } from './named-words.ts'

/**
 * The facts that an approval of a command depends on; a change of any of them makes it stale
 * (product.md 14).
 */
export interface CommandFacts {
  readonly vectors: readonly (readonly string[])[]
  /** those of them that run the workspace's code */
  readonly running: readonly (readonly string[])[]
  readonly files: readonly (NamedFile & { readonly role: FileRole })[]
  /** by the name in the command; only those that were found */
  readonly programs: readonly { name: string; path: string; hash: string }[]
  readonly sandbox: JsonObject
}

const host = { executable: findProgram, realPath: realPathOf }

/** The present facts about everything that a command names. `inspect`: how files are inspected. */
export async function commandFacts(
  place: CommandPlace,
  workspace: Workspace,
  input: CommandInput,
  inspect: InspectFile,
): Promise<CommandFacts> {
  const { root } = workspace
  const analysis = await withLinkedPrograms(analyseCommand(input), { host, root })
  const vectors = commandVectors(analysis)
  const links = linkedNames(analysis.links)
  const { zones } = place.worker
  const words = await namedWords(root, analysis)
  const programs = new Map<string, { name: string; path: string; hash: string }>()
  const add = async (name: string): Promise<void> => {
    const program = programs.has(name) ? null : await findProgram(name)
    if (program !== null) programs.set(name, { name, ...program })
  }
  for (const [name = ''] of vectors) await add(name)
  const paths = [...programs.values()].map((program) => program.path)
  const { files, interpreters } = await namedFiles(root, zones, words, paths, inspect)
  for (const name of interpreters) await add(name)
  return {
    vectors,
    running: vectors.filter((vector) => runsWorkspaceCode(vector, links)),
    files,
    programs: [...programs.values()],
    sandbox: sandboxOf(place),
  }
}

/** The sandbox profile for an approver. */
function sandboxOf(place: CommandPlace): JsonObject {
  const { sandbox, zones } = place.worker
  const roots = (mode: 'ro' | 'rw'): string[] =>
    zones.filter((zone) => zone.mode === mode).map((zone) => (zone.root === '' ? '.' : zone.root))
  return {
    required: sandbox.required,
    network: typeof sandbox.network === 'string' ? sandbox.network : [...sandbox.network],
    writable: roots('rw'),
    readable: roots('ro'),
    works: place.sandbox.works,
  }
}

/** The facts in the form of the permit. */
export function factsOf(facts: CommandFacts, toolHash: string): CallFacts {
  return {
    toolHash,
    bases: facts.files.map(({ hash, path }) => ({ path, hash })),
    detail: {
      programs: facts.programs.map((program) => ({ ...program })),
      profile: hashJson({
        sandbox: facts.sandbox,
        environment: commandEnvironment,
        limits: { ...commandLimits },
      }),
    },
  }
}

/**
 * Throws `stale` when the facts of the request differ from the present ones. A call without a
 * request has none.
 */
export function refuseChanged(recorded: CallFacts, now: CallFacts): void {
  if (recorded.detail === undefined) return
  const changed = hashJson({ ...recorded, assumes: 0 }) !== hashJson({ ...now, assumes: 0 })
  if (!changed) return
  throw new WorkspaceProblem('stale', '', 'What this command names has changed since it was shown.')
}
