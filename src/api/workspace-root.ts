import { resolve } from 'node:path'
import type { Api } from './settings.ts'

/** Absolute path of the default workspace, for pages of the development profile; null elsewhere. */
export async function workspaceRootOf(api: Api): Promise<string | null> {
  if (api.settings.developmentToken === null) return null
  const { config } = await api.ctx.policies.inForce()
  const workspace = config.workspaces.get('default')
  return workspace === undefined ? null : resolve(api.settings.projectDir, workspace.root)
}
