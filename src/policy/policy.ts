import type { ProjectConfig } from './project-config.ts'
import type { WorkerDefinition } from './worker-definition.ts'

/**
 * One version of a project folder, parsed and valid. `digest` is content-addressed: the hash of
 * every file that counts (see version-digest.ts), so that two folders with the same files are the
 * same version.
 */
export interface Policy {
  readonly digest: string
  readonly config: ProjectConfig
  readonly workers: ReadonlyMap<string, WorkerDefinition>
  /**
   * every file below `tools/`, by path relative to the project folder; `hash` is `sha256:…` of its
   * bytes
   */
  readonly toolFiles: readonly ToolFile[]
  /** what the version was parsed from, for storing it */
  readonly files: ProjectFiles
}

/**
 * The files of a project folder that make a version. Paths are relative to the folder,
 * `/`-separated.
 */
export interface ProjectFiles {
  /** `countersign.yaml`, `workers/*.md`, and the scripts that workers name */
  readonly texts: ReadonlyMap<string, string>
  readonly toolFiles: readonly ToolFile[]
}

export interface ToolFile {
  readonly path: string
  readonly hash: string
}

/** One thing that is wrong with a project folder: where, what, and what would be right. */
export interface ProjectProblem {
  readonly file: string
  /** counts from 1; `null` when the whole file is meant */
  readonly line: number | null
  readonly problem: string
  readonly remedy: string
  /** a warning leaves the version valid */
  readonly severity: 'error' | 'warning'
}
