import { resolve } from 'node:path'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import type { Policy } from './policy.ts'
import type { ProjectConfig } from './project-config.ts'
import type { WorkerDefinition } from './worker-definition.ts'

/** The workspaces in which runs of a worker may work; the first is the default. */
export function workspacesOf(
  worker: Pick<WorkerDefinition, 'workspaces'>,
): readonly [string, ...string[]] {
  const [first, ...others] = worker.workspaces ?? []
  return first === undefined ? [defaultWorkspace] : [first, ...others]
}

/** A child run's workspace: its parent's if the worker may work there, else its first. */
export function childWorkspace(parent: string, target: WorkerDefinition): string {
  const allowed = workspacesOf(target)
  return allowed.includes(parent) ? parent : allowed[0]
}

/**
 * Why no run in the workspace `parent` can call a worker, as a sentence; `null` when one can: the
 * new run must be on the same host, and in folders of its own.
 */
export function refusedToWorkspace(
  config: ProjectConfig,
  parent: string,
  target: WorkerDefinition,
): string | null {
  const name = childWorkspace(parent, target)
  if (name === parent) return null
  const [here, there] = [config.workspaces.get(parent), config.workspaces.get(name)]
  if (there === undefined) return `The workspace ${name} of ${target.name} no longer exists`
  const works = `${target.name} works in the workspace ${name}`
  if (here?.taskQueue !== there.taskQueue) return `${works}, which is on another host`
  if (there.worktree !== undefined)
    return `${works}, where only runs that start there have a worktree`
  // In overlapping folders the zones of the calling run would not limit those of the new run.
  return overlap(here.root, there.root) ? `${works}, whose folder overlaps that of ${parent}` : null
}

/** A policy for the workspace of a run, in which its paths are judged. */
export function policyInWorkspace(policy: Policy, workspace: string): Policy {
  if (workspace === defaultWorkspace) return policy
  return { ...policy, config: { ...policy.config, workspace } }
}

function overlap(left: string, right: string): boolean {
  const [one, other] = [left, right].map((root) => resolve('/project', root))
  return one === other || `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)
}
