import { gitPushName, mergeBranchName } from '#domain/tools/built-in-tools.ts'
import { placeOfSource, type Report } from '../../reading/report.ts'
import type { ProjectConfig } from '../../project-config.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import { workspacesOf } from '../../workspaces.ts'

/**
 * Warns of tools that need a run's branch where runs have none, and of `merge_branch` where Git
 * cannot be asked what is not committed: each call would be an error.
 */
export function warnOfBranchTools(
  report: Report,
  { workspaces }: ProjectConfig,
  workers: ReadonlyMap<string, WorkerDefinition>,
): void {
  for (const worker of workers.values()) {
    warnOfMergeWithoutRoot(report, worker)
    const without = workspacesOf(worker).filter((name) => {
      const workspace = workspaces.get(name)
      return workspace !== undefined && workspace.worktree === undefined
    })
    const [first] = without
    if (first === undefined) continue
    for (const name of [mergeBranchName, gitPushName]) {
      const setting = worker.tools.get(name)
      if (setting === undefined) continue
      const problem = `${name} can do nothing in the workspace "${first}", whose runs have no branch of their own`
      const remedy = `give that workspace "isolation: worktree", or leave out ${name}`
      report.warn(placeOfSource(setting.source), problem, remedy)
    }
  }
}

function warnOfMergeWithoutRoot(report: Report, { name, tools, zones }: WorkerDefinition): void {
  const setting = tools.get(mergeBranchName)
  if (setting === undefined || zones.some(({ root }) => root === '')) return
  const problem = `${mergeBranchName} can do nothing, because Git is asked what is not committed, and no zone of ${name} has the root "."`
  const remedy = `add a zone, for example { name: repo, root: ., mode: ro }, or leave out ${mergeBranchName}`
  report.warn(placeOfSource(setting.source), problem, remedy)
}
