import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { ToolFile } from '#policy/policy.ts'
import { hashPackageFolder, fullAllowance } from './package-folder.ts'
import { packageScopeOf } from './package-scope.ts'
import { reachablePackages } from './reachable-packages.ts'

/**
 * The modules that tools load in addition to the files below tools/ (security.md 36), as a version
 * records them. Each package that the tools can reach is a folder with a path that ends with `/`.
 * The package.json that determines how their own files resolve names is recorded too. Paths are
 * relative to the project folder and may lead out of it. It reads many files synchronously: see
 * `readModules`.
 */
export function recordModules(projectDir: string, toolFiles: readonly string[]): ToolFile[] {
  const root = realpathSync(projectDir)
  const scope = packageScopeOf(root)
  const allowance = fullAllowance()
  const packages = reachablePackages(root, toolFiles, importsOf(scope?.text ?? '')).map(
    (folder) => ({
      path: `${projectPath(root, folder)}/`,
      hash: hashPackageFolder(folder, allowance).digest,
    }),
  )
  if (scope === null) return packages
  return [...packages, { path: projectPath(root, scope.file), hash: scope.hash }]
}

/** A path in the form of a version. */
export function projectPath(root: string, at: string): string {
  return path.relative(root, at).split(path.sep).join('/')
}

function importsOf(text: string): string {
  try {
    return JSON.stringify((JSON.parse(text) as { imports?: unknown }).imports ?? {})
  } catch {
    return ''
  }
}
