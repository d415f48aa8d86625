import { relative, resolve } from 'node:path'
import type { Policy } from '../policy.ts'
import { configFile } from '../project/config/read-config.ts'
import { parseModelName } from '../worker/model-name.ts'
import { foldName } from './fold-name.ts'

/**
 * The name of Countersign's own file that a workspace path is, or `null`: no zone can make one of these an agent's
 * to write (security.md 8). Only those of the project folder count, wherever the workspace lies around it.
 */
export function ownFile(policy: Policy, projectDir: string, path: string): string | null {
  const root = policy.config.workspaces.get('default')?.root ?? '.'
  const inProject = relative(projectDir, resolve(projectDir, root, path))
  const components = inProject.split('/').map(foldName)
  const name = components[0] ?? ''
  if (name === '.countersign' || name === 'workers' || name === 'tools') return `${name}/`
  const folded = components.join('/')
  if (folded === configFile) return configFile
  return (
    scriptsOf(policy).find((script) => script.split('/').map(foldName).join('/') === folded) ?? null
  )
}

function scriptsOf(policy: Policy): string[] {
  return [...policy.workers.values()].flatMap((worker) => {
    const model = parseModelName(worker.model)
    return model?.kind === 'script' ? [model.path] : []
  })
}
