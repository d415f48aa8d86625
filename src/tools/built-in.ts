import {
  type BuiltInToolName,
  builtInToolNames,
  builtInTools,
} from '#domain/tools/built-in-tools.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { hasBuiltIn } from '#policy/worker/built-in-tools-of.ts'
import type { CommandSite } from './commands/plan/command-place.ts'
import { execTool } from './commands/exec.ts'
import { shellTool } from './commands/shell.ts'
import type { NamedTool } from './definition/define-built-in.ts'
import { askPerson } from './delegation/ask-person.ts'
import { callWorker } from './delegation/call-worker.ts'
import { createWorker, type Project } from './delegation/create-worker.ts'
import { deleteFile } from './files/delete-file.ts'
import { editFile } from './files/edit-file.ts'
import { listFiles } from './files/list-files.ts'
import { moveFile } from './files/move-file.ts'
import { readFile } from './files/read-file.ts'
import { searchFiles } from './files/search-files.ts'
import { writeFile } from './files/write-file.ts'
import { readResult } from './results/read-result.ts'
import { gitPush } from './worktrees/git-push.ts'
import { mergeBranch } from './worktrees/merge-branch.ts'
import { readingBounds } from './files/search/may-read.ts'

/** The worker that a built-in tool is made for, and what this host provides. */
export interface BuiltInSite {
  readonly policy: Policy
  readonly worker: WorkerDefinition
  /** absent: no commands run here */
  readonly commands?: CommandSite
  /** absent: no worker can be written here */
  readonly project?: Project
}

/** The maker of each declared tool; `null` where this host cannot carry it out. */
const makers: {
  readonly [Name in BuiltInToolName]: (site: BuiltInSite) => NamedTool<Name> | null
} = {
  read_file: () => readFile,
  list_files: ({ policy, worker }) => listFiles(readingBounds(policy, worker)),
  search_files: ({ policy, worker }) => searchFiles(readingBounds(policy, worker)),
  write_file: () => writeFile,
  edit_file: () => editFile,
  delete_file: () => deleteFile,
  move_file: () => moveFile,
  exec: ({ commands, ...site }) =>
    commands === undefined ? null : execTool({ ...commands, ...site }),
  shell: ({ commands, ...site }) =>
    commands === undefined ? null : shellTool({ ...commands, ...site }),
  call_worker: ({ policy, worker }) => callWorker(policy, worker),
  ask_person: () => askPerson,
  create_worker: ({ policy, project, worker }) =>
    project === undefined ? null : createWorker(policy, worker, project),
  merge_branch: ({ commands, policy, worker }) =>
    commands === undefined ? null : mergeBranch({ ...commands, policy, worker }),
  git_push: ({ commands, policy, worker }) =>
    commands === undefined ? null : gitPush({ ...commands, policy, worker }),
  read_result: () => readResult,
}

/** The built-in tools of a worker that work here, in the order of their declarations. */
export function builtInToolsHere(site: BuiltInSite): Tool[] {
  return builtInToolNames
    .filter((name) => hasBuiltIn(site.worker, name))
    .flatMap((name) => builtInToolHere(name, site) ?? [])
}

/** One built-in tool for a worker; `null` where it cannot be carried out here. */
export function builtInToolHere(name: BuiltInToolName, site: BuiltInSite): Tool | null {
  const tool = makers[name](site)
  if (tool === null || builtInTools[name].consent !== 'tools') return tool
  const hasConsentRule = (site.worker.tools.get(name)?.consent ?? null) !== null
  return hasConsentRule ? tool : { ...tool, approval: async () => 'ask' }
}
