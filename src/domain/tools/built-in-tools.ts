import { isChange, type Access } from './access.ts'
import type { Risk } from '../policy/verdict.ts'

/** The declaration of a built-in tool (workers-and-policy.md, built-in tools). */
export interface BuiltInTool {
  /**
   * the key of a worker file that gives the tool to the worker; `tools` must list it by its name;
   * `null`: every worker has it
   */
  readonly givenBy: 'zones' | 'shell' | 'workers' | 'tools' | null
  /** every operation that a call may do on a path */
  readonly operations: readonly Access['operation'][]
  /**
   * Who consents to a call, in order: the zones of its paths; the worker's shell rules; the
   * worker's entry in `tools` (without one the call asks); always a person, by an approval or by
   * the answer that is the tool's result; nobody, because the call only repeats an earlier result
   * of the run.
   */
  readonly consent: 'zones' | 'shell' | 'tools' | 'approval' | 'answer' | 'nobody'
  /** before the host, protected names or routing raise it */
  readonly risk: Risk
  /**
   * The text about a call in mail, chat and the browser's notices: its title, which may name files
   * and no other arguments; a sentence; or `Call NAME`.
   */
  readonly notice: 'title' | 'name' | { readonly sentence: string }
}

/** Every built-in tool, in the order for models. `src/tools/built-in.ts` makes each. */
const declared = {
  read_file: {
    givenBy: 'zones',
    operations: ['read'],
    consent: 'zones',
    risk: 'low',
    notice: 'title',
  },
  list_files: {
    givenBy: 'zones',
    operations: ['read'],
    consent: 'zones',
    risk: 'low',
    notice: 'name',
  },
  search_files: {
    givenBy: 'zones',
    operations: ['read'],
    consent: 'zones',
    risk: 'low',
    notice: 'name',
  },
  write_file: {
    givenBy: 'zones',
    operations: ['write'],
    consent: 'zones',
    risk: 'medium',
    notice: 'title',
  },
  edit_file: {
    givenBy: 'zones',
    operations: ['write'],
    consent: 'zones',
    risk: 'medium',
    notice: 'title',
  },
  delete_file: {
    givenBy: 'zones',
    operations: ['delete'],
    consent: 'zones',
    risk: 'medium',
    notice: 'title',
  },
  move_file: {
    givenBy: 'zones',
    operations: ['delete', 'write'],
    consent: 'zones',
    risk: 'medium',
    notice: 'title',
  },
  exec: {
    givenBy: 'shell',
    operations: ['read'],
    consent: 'shell',
    risk: 'medium',
    notice: { sentence: 'Run a command' },
  },
  shell: {
    givenBy: 'shell',
    operations: ['read'],
    consent: 'shell',
    risk: 'medium',
    notice: { sentence: 'Run a command' },
  },
  call_worker: {
    givenBy: 'workers',
    operations: ['read', 'share'],
    consent: 'tools',
    risk: 'medium',
    notice: 'name',
  },
  ask_person: {
    givenBy: 'tools',
    operations: [],
    consent: 'answer',
    risk: 'low',
    notice: { sentence: 'A question for a person' },
  },
  create_worker: {
    givenBy: 'tools',
    operations: [],
    consent: 'approval',
    risk: 'high',
    notice: 'name',
  },
  read_result: {
    givenBy: null,
    operations: [],
    consent: 'nobody',
    risk: 'low',
    notice: 'name',
  },
  merge_branch: {
    givenBy: 'tools',
    operations: ['write', 'delete'],
    consent: 'approval',
    risk: 'medium',
    notice: { sentence: 'Merge the branch of a run' },
  },
  git_push: {
    givenBy: 'tools',
    operations: ['read'],
    consent: 'approval',
    risk: 'high',
    notice: { sentence: 'Push a branch to a remote' },
  },
} as const satisfies Readonly<Record<string, BuiltInTool>>

export type BuiltInToolName = keyof typeof declared

export type AccessOf<Name extends BuiltInToolName> = Access & {
  readonly operation: (typeof declared)[Name]['operations'][number]
}

/** The built-in tools by name, as declared above. */
export const builtInTools: Readonly<Record<BuiltInToolName, BuiltInTool>> = declared

export const builtInToolNames = Object.keys(declared) as readonly BuiltInToolName[]

/** The tools that change files by themselves, unlike commands. */
export function fileTools(): BuiltInToolName[] {
  return builtInToolNames.filter((name) =>
    builtInTools[name].operations.some((operation) => isChange({ operation })),
  )
}

/** The tool that hands work to another worker. */
export const callWorkerName = 'call_worker' satisfies BuiltInToolName

/** The tool that writes a worker into the project. */
export const createWorkerName = 'create_worker' satisfies BuiltInToolName

/** Reads a result again that has left the model's window (product.md 31). */
export const readResultName = 'read_result' satisfies BuiltInToolName

/** The tool that merges the branch of a run. */
export const mergeBranchName = 'merge_branch' satisfies BuiltInToolName

/** The tool that pushes a branch to a remote of the repository. */
export const gitPushName = 'git_push' satisfies BuiltInToolName

/** Whether a name, perhaps invented by a model or a file, is that of a built-in tool. */
export function isBuiltInTool(name: string): name is BuiltInToolName {
  return Object.hasOwn(builtInTools, name)
}

/** The declaration of a tool; `undefined` for one that is not built in. */
export function builtInTool(name: string): BuiltInTool | undefined {
  return isBuiltInTool(name) ? builtInTools[name] : undefined
}

/** Whether a tool runs commands. */
export function isCommandTool(name: string): boolean {
  return builtInTool(name)?.givenBy === 'shell'
}
